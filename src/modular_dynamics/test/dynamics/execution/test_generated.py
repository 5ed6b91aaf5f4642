"""`graph.compile()`: torques and accelerations as of the loops, kept on disk, refused where it must be."""

import itertools
import os
import pickle
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.processes import run_python
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import accelerations_by_pinocchio, assert_close, random_state, random_states
from modular_dynamics.codegen import cache
from modular_dynamics.dynamics import workspaces
from modular_dynamics.dynamics.execution import generated
from modular_dynamics.kernels import layout

pytestmark = pytest.mark.skipif(
    bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="generated code is called by compiled kernels only"
)


@pytest.fixture(autouse=True, scope="module")
def shared_folder(tmp_path_factory):
    """Most tests may use the code that others, also in other processes of this run, have generated."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "generated_code"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MODULAR_DYNAMICS_CACHE", str(folder))
        patch.setattr(cache, "_loaded", {})
        yield


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """One with nothing in it."""
    monkeypatch.setenv("MODULAR_DYNAMICS_CACHE", str(tmp_path / "code"))
    monkeypatch.setattr(cache, "_loaded", {})
    return tmp_path / "code"


def use_code(graph):
    """Compile, and let the code do the work even where the loops would."""
    report = graph.compile()
    code = {(p.algorithm, p.form, np.dtype(p.dtype)): p.address for p in report.pieces}
    workspaces.discard_workspaces(graph, code)
    return report


def compare(graph, seed=0):
    q, v, vdot = random_states(graph, 19, seed)
    tau = np.array([md.compose(graph, *state).tau for state in zip(q, v, vdot, strict=True)])
    matrices = np.array([md.mass_matrix(graph, row) for row in q])
    accelerations = accelerated(graph, q, v, tau)
    report = use_code(graph)
    compare_accelerations(graph, report, (q, v, tau), matrices, accelerations, vdot)
    assert_close(np.array([md.inverse_dynamics(graph, *s) for s in zip(q, v, vdot, strict=True)]), tau, 1e-11)
    assert_close(md.inverse_dynamics_batch(graph, q, v, vdot), tau, 1e-11)
    assert_close(md.inverse_dynamics_batch(graph, q, v, vdot, dtype=np.float32), tau, 1e-5)
    assert_close(np.array([md.mass_matrix(graph, row) for row in q]), matrices, 1e-12)
    assert_close(md.mass_matrix_batch(graph, q), matrices, 1e-12)


def accelerated(graph, q, v, tau):
    """Forward dynamics of each state, or why it was refused."""
    try:
        return np.array([md.forward_dynamics(graph, *state) for state in zip(q, v, tau, strict=True)])
    except md.StateError as error:
        return str(error)


def compare_accelerations(graph, report, rows, matrices, loops, vdot):
    """Relative to what the condition of M makes of roundings; the errors where there are no accelerations."""
    if any(joint.mimic for joint in graph.joints):
        assert report.left_out[0].startswith("forward_dynamics: left out; joints mimic others")
    elif isinstance(loops, str):
        first = loops.split()[1].rstrip(",")
        assert report.left_out[0].endswith(f"left out; joint {first} moves no inertia")
    else:
        assert "forward_dynamics" in report.operations
    if isinstance(loops, str):
        assert accelerated(graph, *rows) == loops
        with pytest.raises(md.StateError, match=f"row 0: {loops.split(':')[0]}"):
            md.forward_dynamics_batch(graph, *rows)
        return
    size = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2))
    condition = np.linalg.cond(matrices / size[:, :, None] / size[:, None, :]).max()
    if condition < 1e8:
        tolerance = 1e-14 * max(condition, 1e3) * (size.max() / size.min())
        assert_close(accelerated(graph, *rows), loops, tolerance)
        assert_close(md.forward_dynamics_batch(graph, *rows), loops, tolerance)
        assert_close(loops, vdot, tolerance)


@pytest.mark.slow
def test_code_is_the_composition(tree_robot):
    compare(tree_robot)


@pytest.mark.slow
@examples(15, suppress_health_check=list(HealthCheck))
@given(tree=random_trees(largest=12))
def test_code_is_the_composition_on_random_trees(tree):
    compare(md.load_urdf(tree.urdf), tree.seed)


def test_the_number_of_operations_and_no_clock_decides_what_is_used(load_robot, monkeypatch):
    monkeypatch.setattr(generated, "MOST_OPERATIONS", {("inverse_dynamics", "single"): 4_000})
    results = []
    for sign in (1, -1):  # of the time of code, as large as its address; that of loops is 0
        monkeypatch.setattr(generated, "microseconds", lambda *a, s=sign: s * a[4][-1, layout.CODE])
        (graph := load_robot("branched_38dof")).compile()
        tau = md.inverse_dynamics(graph, *random_state(graph))
        results.append((workspaces.generated_code(graph), tau.tolist()))
    assert results[0] == results[1]
    used = {(algorithm, form) for algorithm, form, _ in results[0][0]}
    assert ("inverse_dynamics", "single") not in used  # 4192 operations
    assert {("inverse_dynamics", "batch"), ("forward_dynamics", "single")} <= used


def test_code_agrees_with_pinocchio(load_robot):
    graph = load_robot("branched_38dof")
    use_code(graph)
    state = random_state(graph, 3)
    assert ("forward_dynamics", "single", np.dtype(float)) in workspaces.generated_code(graph)
    assert_close(md.forward_dynamics(graph, *state), accelerations_by_pinocchio(graph, *state), 1e-10)
    residual, tau = md.crosscheck.rnea_residual(graph, *state), md.inverse_dynamics(graph, *state)
    assert residual.max() <= 1e-10 * np.abs(tau).max()


def test_wrenches_go_through_the_loops(load_robot):
    graph = load_robot("charmie")
    state = random_state(graph)
    external = {"body_12a": np.arange(6.0)}
    expected, unloaded = md.inverse_dynamics(graph, *state, external), md.inverse_dynamics(graph, *state)
    use_code(graph)
    assert_close(md.inverse_dynamics(graph, *state, external), expected, 1e-12)
    assert_close(md.inverse_dynamics(graph, *state), unloaded, 1e-12)
    loaded, free = (md.forward_dynamics(graph, *state[:2], tau) for tau in (expected, unloaded))
    assert np.abs(loaded - free).max() > 0.1
    for _ in range(2):  # and back again
        assert_close(md.forward_dynamics(graph, *state[:2], expected, external), state[2], 1e-10)
        assert_close(md.forward_dynamics(graph, *state[:2], unloaded), state[2], 1e-10)
        rows = [[x] for x in (*state[:2], expected)]
        batch = md.forward_dynamics_batch(graph, *rows, external_wrenches=external)
        assert_close(batch[0], state[2], 1e-10)
        assert_close(md.forward_dynamics_batch(graph, *rows)[0], loaded, 1e-10)
    boxed = md.inverse_dynamics(graph, *state, None, {"head": np.zeros(6)})
    assert np.isnan(boxed).sum() == 2
    solver = md.InverseDynamics(graph)
    result = solver.solve(*state)  # generated code computes no wrenches
    assert np.abs(result.connection_wrenches).max() > 1.0


def test_out_may_be_one_of_the_arguments(load_robot):
    graph = load_robot("branched_38dof")
    use_code(graph)
    state = random_state(graph)
    for function, which in itertools.product((md.inverse_dynamics, md.forward_dynamics), range(3)):
        given = [x.copy() for x in state]
        expected = function(graph, *state)
        assert np.array_equal(function(graph, *given, out=given[which]), expected)


def test_bad_input_is_named_as_before(load_robot):
    graph = load_robot("charmie")
    use_code(graph)
    good, nan, large = (np.full(graph.nv, x) for x in (0.0, np.nan, 1e200))
    tau = np.zeros((2, graph.nv))
    tau[1, 3] = np.nan
    for error, function, *arguments in (
        (r"v has shape \(3,\)", md.inverse_dynamics, good, np.zeros(3), good),
        ("is nan", md.inverse_dynamics, nan, good, good),
        ("so large that", md.inverse_dynamics, good, large, good),
        ("is nan", md.forward_dynamics, good, good, nan),
        ("so large that the accelerations", md.forward_dynamics, good, large, good),
        (r"row 1: tau\[3\] .* is nan", md.forward_dynamics_batch, *np.zeros((2, 2, graph.nv)), tau),
        ("row 0 or soon after", md.inverse_dynamics_batch, [good], [large], [good]),
    ):
        with pytest.raises(md.StateError, match=error):
            function(graph, *arguments)


WRIST = """<robot name="wrist"><link name="ground"/><link name="a"/><link name="b"/>
<link name="hand"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="roll" type="continuous"><parent link="ground"/><child link="a"/><axis xyz="0 0 1"/></joint>
<joint name="bend" type="continuous"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint>
<joint name="twist" type="continuous"><parent link="b"/><child link="hand"/><axis xyz="0 0 1"/></joint>
</robot>"""


def test_joints_without_inertia_at_some_states_are_named_as_before():
    graph = md.load_urdf(WRIST)  # stretched, roll and twist turn about one axis; only the hand has mass
    stretched, bent = np.array([0.3, 0.0, 0.5]), np.array([0.3, 0.7, 0.5])
    v = tau = np.ones(3)
    expected = md.forward_dynamics(graph, bent, v, tau)
    assert_close(expected, accelerations_by_pinocchio(graph, bent, v, tau), 1e-11)
    for _ in range(2):
        with pytest.raises(md.StateError, match=r"^joints 'roll' and 'twist' together move no"):
            md.forward_dynamics(graph, stretched, v, tau)
        with pytest.raises(md.StateError, match="row 1: joints 'roll' and 'twist' together move no inertia"):
            md.forward_dynamics_batch(graph, [bent, stretched], *np.ones((2, 2, 3)))
        use_code(graph)
        assert ("forward_dynamics", "batch", np.dtype(float)) in workspaces.generated_code(graph)
        assert_close(md.forward_dynamics(graph, bent, v, tau), expected, 1e-12)
        assert_close(md.forward_dynamics_batch(graph, [bent], [v], [tau])[0], expected, 1e-12)


def test_code_is_kept_on_disk(load_robot, folder):
    first = load_robot("four_link").compile()
    assert not first.cached
    cache._loaded.clear()
    second = load_robot("four_link").compile()
    assert second.cached
    assert second.operations == first.operations
    assert "from the cache" in str(second)
    for file in folder.rglob("*.o"):  # half a file, as after a full disk, is no code
        file.write_bytes(file.read_bytes()[:-100])
    cache._loaded.clear()
    assert not load_robot("four_link").compile().cached


def test_a_folder_that_cannot_be_written_is_no_obstacle(load_robot, folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MODULAR_DYNAMICS_CACHE", str(tmp_path / "file" / "below"))
    graph = load_robot("four_link")
    assert not graph.compile().cached
    assert np.isfinite(md.gravity_torque(graph, np.ones(graph.nq))).all()


def test_another_process_reads_it(load_robot, folder):
    load_robot("four_link").compile()
    source = "import modular_dynamics as md, sys; r = md.load_urdf(sys.argv[1]).compile(); print(r.cached)"
    done = run_python("-c", source, ROBOTS / "four_link.urdf")
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_large_robots_keep_their_loops(load_robot, folder, monkeypatch):
    monkeypatch.setattr(cache, "LARGEST_PROGRAM", 100)
    graph = load_robot("charmie")
    report = graph.compile()
    assert not report.pieces
    assert "inverse_dynamics: the kernel is kept" in str(report)
    assert np.isfinite(md.gravity_torque(graph, np.ones(graph.nq))).all()


def test_progress_pickle_and_refusals(load_robot):
    seen = []
    graph = load_robot("four_link")
    report = graph.compile(progress=seen.append)
    assert len(seen) == len(report.pieces)
    copy = pickle.loads(pickle.dumps(graph))
    assert workspaces.generated_code(copy) == {}  # addresses are of this process
    state = np.ones((3, graph.nv))
    assert_close(md.forward_dynamics(copy, *state), md.forward_dynamics(graph, *state), 1e-10)
    assert "us per state" in str(report)


def test_where_code_does_not_help_is_said_before_the_first_piece(load_robot, monkeypatch):
    monkeypatch.setattr(generated, "MOST_OPERATIONS", {("inverse_dynamics", "single"): 4_000})
    seen = []
    report = load_robot("branched_38dof").compile(progress=seen.append)
    stay = "the kernel is kept, because it is faster; 4192 operations; code is used up to 4000"
    assert seen[: -len(report.pieces)] == [f"inverse_dynamics, single: {stay}", *report.left_out]
    assert "inverse_dynamics_derivatives: the kernel is kept; 34749 operations" in seen[1]


@pytest.mark.parametrize(("terminal", "quiet", "lines"), [(True, "0", 9), (False, "0", 0), (True, "1", 0)])
def test_progress_is_shown_on_terminals(load_robot, monkeypatch, capsys, terminal, quiet, lines):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("MODULAR_DYNAMICS_QUIET", quiet)
    load_robot("four_link").compile()
    out, err = capsys.readouterr()
    assert (out, err.count("graph.compile(): ")) == ("", lines)


def test_black_boxes_are_refused(boxed_arm):
    with pytest.raises(md.UnsupportedModelError, match=r"black boxes \(tool\)"):
        boxed_arm.compile()


def test_code_is_kept_where_a_change_leaves_all_its_numbers(load_robot):
    """Limits and damping are not in it; a payload is, and its removal brings back numbers, not code."""
    graph = load_robot("four_link")
    use_code(graph)
    assert (code := workspaces.generated_code(graph))
    name = graph.joint_names[0]
    same, state = graph.with_parameters({f"joint {name} friction": 0.5}), random_state(graph)
    for one in (same, graph.with_payload(graph.links[-1], mass=0.0)):
        assert workspaces.generated_code(one) == code
    assert np.array_equal(md.inverse_dynamics(same, *state), md.inverse_dynamics(graph, *state))
    loaded = graph.with_payload(graph.links[-1], mass=1.0)
    for other in (loaded, graph.lock({name: 0.0}), graph.with_parameters({"gravity z": 0.0})):
        assert workspaces.generated_code(other) == {}
    assert_close(md.inverse_dynamics(loaded, *state), md.compose(loaded, *state).tau, 1e-11)
