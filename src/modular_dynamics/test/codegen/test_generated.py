"""`graph.compile()`: the same torques as the loops, kept on disk, refused where it must be."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tree_strategies import ROBOTS, random_trees

import modular_dynamics as md
from modular_dynamics.codegen import cache

pytestmark = pytest.mark.skipif(
    bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="generated code is called by compiled kernels only"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "code"))
    monkeypatch.setattr(cache, "_loaded", {})
    return tmp_path / "code"


def states(graph, count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, graph.nq)), *rng.normal(size=(2, count, graph.nv))


def use_code(graph):
    """Compile, and let the code do the work even where the loops were faster in this noisy moment."""
    report = graph.compile()
    for piece in report.pieces:
        graph.machine_code[piece.algorithm, piece.form, np.dtype(piece.dtype)] = piece.address
    return report


def assert_close(found, expected, tolerance):
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


def compare(graph, seed=0):
    q, v, vdot = states(graph, 19, seed)
    tau = np.array([md.compose(graph, *state).tau for state in zip(q, v, vdot, strict=True)])
    matrices = np.array([md.mass_matrix(graph, row) for row in q])
    use_code(graph)
    assert_close(np.array([md.inverse_dynamics(graph, *s) for s in zip(q, v, vdot, strict=True)]), tau, 1e-11)
    assert_close(md.inverse_dynamics_batch(graph, q, v, vdot), tau, 1e-11)
    assert_close(md.inverse_dynamics_batch(graph, q, v, vdot, dtype=np.float32), tau, 1e-5)
    assert_close(np.array([md.mass_matrix(graph, row) for row in q]), matrices, 1e-12)
    assert_close(md.mass_matrix_batch(graph, q), matrices, 1e-12)


@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "four_link", "vendor_arm"])
@pytest.mark.parametrize("floating_base", [False, True])
def test_code_is_the_composition(load_robot, name, floating_base):
    compare(load_robot(name, floating_base=floating_base))


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(tree=random_trees(largest=12))
def test_code_is_the_composition_on_random_trees(tree):
    compare(md.load_urdf(tree.urdf), tree.seed)


def test_code_agrees_with_pinocchio(load_robot):
    graph = load_robot("branched_38dof")
    use_code(graph)
    q, v, vdot = (x[0] for x in states(graph, 1, 3))
    assert (
        md.crosscheck.rnea_residual(graph, q, v, vdot).max()
        <= 1e-10 * np.abs(md.inverse_dynamics(graph, q, v, vdot)).max()
    )


def test_wrenches_go_through_the_loops(load_robot):
    graph = load_robot("charmie")
    state = [x[0] for x in states(graph, 1)]
    external = {"body_12a": np.arange(6.0)}
    expected, plain = md.inverse_dynamics(graph, *state, external), md.inverse_dynamics(graph, *state)
    use_code(graph)
    assert_close(md.inverse_dynamics(graph, *state, external), expected, 1e-12)
    assert_close(md.inverse_dynamics(graph, *state), plain, 1e-12)
    boxed = md.inverse_dynamics(graph, *state, None, {"head": np.zeros(6)})
    assert np.isnan(boxed).sum() == 2
    solver = md.InverseDynamics(graph)
    solver(*state)
    assert np.abs(solver.connection_wrenches).max() > 1.0  # left behind by the loops


@pytest.mark.parametrize("which", [0, 1, 2])
def test_out_may_be_one_of_the_arguments(load_robot, which):
    graph = load_robot("branched_38dof")
    use_code(graph)
    state = [x[0].copy() for x in states(graph, 1)]
    expected = md.inverse_dynamics(graph, *state)
    assert np.array_equal(md.inverse_dynamics(graph, *state, out=state[which]), expected)


def test_bad_input_is_named_as_before(load_robot):
    graph = load_robot("charmie")
    use_code(graph)
    good = np.zeros(graph.nv)
    with pytest.raises(md.StateError, match=r"v has shape \(3,\)"):
        md.inverse_dynamics(graph, good, np.zeros(3), good)
    with pytest.raises(md.StateError, match="is nan"):
        md.inverse_dynamics(graph, np.full(graph.nv, np.nan), good, good)
    with pytest.raises(md.StateError, match="so large that"):
        md.inverse_dynamics(graph, good, np.full(graph.nv, 1e200), good)
    with pytest.raises(md.StateError, match="row 0 or soon after"):
        md.inverse_dynamics_batch(
            graph, *np.zeros((1, 1, graph.nv)), np.full((1, 19), 1e200), np.zeros((1, 19))
        )


def test_code_is_kept_on_disk(load_robot, folder):
    first = load_robot("four_link").compile()
    assert not first.cached
    cache._loaded.clear()
    second = load_robot("four_link").compile()
    assert second.cached
    assert second.operations == first.operations
    assert "from the cache" in str(second)
    for file in folder.iterdir():  # half a file, as after a full disk, is no code
        file.write_bytes(file.read_bytes()[:-100])
    cache._loaded.clear()
    assert not load_robot("four_link").compile().cached


def test_a_folder_that_cannot_be_written_is_no_obstacle(load_robot, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "file" / "below"))
    graph = load_robot("four_link")
    assert not graph.compile().cached
    assert np.isfinite(md.gravity_torque(graph, np.ones(graph.nq))).all()


def test_another_process_reads_it(load_robot):
    load_robot("four_link").compile()
    source = "import modular_dynamics as md, sys; r = md.load_urdf(sys.argv[1]).compile(); print(r.cached)"
    command = [sys.executable, "-c", source, str(ROBOTS / "four_link.urdf")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_large_robots_keep_their_loops(load_robot, monkeypatch):
    monkeypatch.setattr(cache, "LARGEST_PROGRAM", 100)
    graph = load_robot("charmie")
    report = graph.compile()
    assert not report.pieces
    assert "inverse_dynamics: the loops stay" in str(report)
    assert np.isfinite(md.gravity_torque(graph, np.ones(graph.nq))).all()


def test_progress_pickle_and_refusals(load_robot):
    seen = []
    graph = load_robot("four_link")
    report = graph.compile(progress=seen.append)
    assert len(seen) == len(report.pieces)
    assert pickle.loads(pickle.dumps(graph)).machine_code == {}  # addresses are of this process
    assert "us per state" in str(report)


def test_black_boxes_are_refused():
    boxes = {
        "version": 1,
        "subsystems": [{"name": "tool", "root_link": "tv7_gripper_base", "black_box": True}],
    }
    graph = md.load_urdf(ROBOTS / "vendor_arm.urdf", partition=boxes)
    with pytest.raises(md.UnsupportedModelError, match=r"black boxes \(tool\)"):
        graph.compile()
