"""The compiled core: kernels of all processors agree, and refuse what is no state or no array by its name.

Its functions are those of the library, which compare them with Pinocchio and the composition.
"""

import ast
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.paths import ROBOTS, ROOT
from helpers.processes import run_python
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.random_examples.trees import random_trees
from helpers.robots import urdf_text
from helpers.robots.urdf_text import inertial, joint
from helpers.tree_dynamics import assert_close, random_states
from modular_dynamics import _core
from modular_dynamics.dynamics.core_robot import core_frames, core_robot, robot_arrays

ROWS = 37  # more than lanes, and no multiple of them
TERMS = _core.ARMATURE + _core.SPRINGS
#: Functions that solve equations by factors of M: rounding grows with its condition, which is up to 1e5 here.
SOLVING = ("forward_dynamics", "hybrid_dynamics", "forward_dynamics_derivatives")
#: Of each function what stands before the states, how many states there are, the shape of its result, and
#: which of terms, loads and passing may follow.
FUNCTIONS = {
    "inverse_dynamics": (None, 3, lambda n, nv: (nv,), "terms loads passing"),
    "joint_wrenches": (None, 3, lambda n, nv: (nv + 6 * n,), "terms loads passing"),
    "forward_dynamics": (None, 3, lambda n, nv: (nv,), "terms loads"),
    "hybrid_dynamics": ("prescribed", 4, lambda n, nv: (2, nv), "terms loads"),
    "mass_matrix": (None, 1, lambda n, nv: (nv, nv), "terms"),
    "coriolis_matrix": (None, 2, lambda n, nv: (nv, nv), ""),
    "inverse_dynamics_derivatives": (None, 3, lambda n, nv: (3, nv, nv), "terms loads"),
    "forward_dynamics_derivatives": (None, 3, lambda n, nv: (3 * nv + 1, nv), "terms loads"),
    "frame_poses": ("frames", 1, lambda n, nv: (1, 4, 4), ""),
    "frame_motions": ("frames", 3, lambda n, nv: (1, 8, 3), ""),
    "frame_velocities": ("form", 2, lambda n, nv: (1, 6), ""),
    "frame_accelerations": ("form", 3, lambda n, nv: (1, 6), ""),
    "jacobian": ("form", 1, lambda n, nv: (6, nv), ""),
    "whole_body": (None, 3, lambda n, nv: (16,), ""),
    "momentum_matrix": (None, 1, lambda n, nv: (6, nv), ""),
    "regressor": (None, 3, lambda n, nv: (nv, 10 * n), ""),
}
#: Sums of OWN_AXES, AT_ROOT and SPATIAL.
FORMS = {"frame_velocities": 4, "frame_accelerations": 8, "jacobian": 2}


def load(name, floating=False):
    return md.load_urdf(ROBOTS / f"{name}.urdf", floating_base=floating)


def robots(graph):
    """The robot with each processor's kernels that can run here."""
    return [core_robot(graph, kernels) for kernels in _core.kernels]


class Function:
    """One function of a robot, bound to what stands before its states."""

    def __init__(self, graph, robot, name, form=0):
        before, self.states, shape, self.options = FUNCTIONS[name]
        self.shape = shape(len(graph.joints), graph.nv)
        first = {
            None: (),
            "prescribed": (np.arange(graph.nv) % 2 == 0,),
            "frames": (core_frames(graph, graph.links[-1:], robot),),
            "form": (core_frames(graph, graph.links[-1:], robot), form),
        }[before]
        self.one, self.rows = (partial(getattr(robot, f"{name}{end}"), *first) for end in ("", "_rows"))


@pytest.fixture(params=FUNCTIONS)
def name(request):
    return request.param


def states_of(graph, count, function, seed=1):
    q, v, a = random_states(graph, count, seed)
    return [q, v, a, a.copy()][: function.states]


def single_results(function, rows, options):
    """Results of states one by one; options with as many rows as states are of each state."""
    results = np.full((len(rows[0]), *function.shape), np.nan)
    for k, out in enumerate(results):
        own = [x[k] if isinstance(x, np.ndarray) and len(x) == len(rows[0]) else x for x in options]
        assert function.one(*(row[k] for row in rows), out, *own) == _core.GOOD
    return results


@examples(30)
@given(tree=st.one_of(joint_trees(largest=12), random_trees(largest=20)))
def test_all_kernels_agree_for_one_state_and_for_many(tree):
    """With the kernels that the library's functions run."""
    graph, rng = md.load_urdf(tree.urdf), np.random.default_rng(tree.seed)
    n = len(graph.joints)
    given_options = {
        "terms": _core.ARMATURE + _core.SPRINGS + _core.FRICTION,
        "loads": rng.normal(size=(ROWS, n, 6)),
        "passing": rng.integers(_core.WHOLE, _core.UNKNOWN + 1, n),
    }
    for name in FUNCTIONS:
        for form in range(FORMS.get(name, 1)):
            usual = Function(graph, core_robot(graph), name, form)
            rows = states_of(graph, ROWS, usual, tree.seed)
            options = [given_options[option] for option in usual.options.split()]
            expected = single_results(usual, rows, options)
            known = ~np.isnan(expected)
            for robot in robots(graph):
                function, many = Function(graph, robot, name, form), np.full_like(expected, 7.0)
                assert function.rows(*rows, many, 2, *options) == (ROWS, _core.GOOD)
                for ours in (many, single_results(function, rows, options)):
                    assert np.array_equal(~np.isnan(ours), known)
                    for k in range(ROWS):
                        tolerance = 1e-8 if name in SOLVING else 1e-11
                        assert_close(ours[k][known[k]], expected[k][known[k]], tolerance, 1.0)


@examples(60)
@given(tree=random_trees(largest=20))
def test_torques_and_mass_matrix_are_pinocchios(tree):
    graph, theirs = md.load_urdf(tree.urdf), PinocchioTree(md.load_urdf(tree.urdf))
    q, v, a = random_states(graph, ROWS, tree.seed)
    torques = np.array([theirs.inverse_dynamics(*state) for state in zip(q, v, a, strict=True)])
    matrices = np.array([theirs.mass_matrix(one) for one in q])
    for robot in robots(graph):
        tau, M = np.empty_like(torques), np.empty_like(matrices)
        assert robot.inverse_dynamics_rows(q, v, a, tau, 1) == robot.mass_matrix_rows(q, M, 1) == (ROWS, 0)
        assert_close(tau, torques, 1e-12)
        assert_close(M, matrices, 1e-12)


def test_designs_are_robots_of_their_own():
    graph = load("branched_38dof")
    masses = [{}, {f"link {graph.bodies[5].name} mass": 2.5, "gravity x": 1.0}]
    others = [graph.with_parameters(change) for change in masses]
    q, v, a = (x.reshape(2, ROWS, -1) for x in random_states(graph, 2 * ROWS, 14))
    for robot in robots(graph):
        rows, (out, expected) = np.empty((2, robot.number_count)), np.empty((2, *v.shape))
        for k, other in enumerate(map(core_robot, others)):
            other.numbers(rows[k])
            assert other.inverse_dynamics_rows(q[k], v[k], a[k], expected[k], 1, 7) == (ROWS, 0)
        assert robot.inverse_dynamics_designs(rows, q, v, a, out, 2, 7) == (2, 0, 0)
        assert_close(out, expected, 1e-12)


def test_single_precision():
    graph = load("branched_38dof")
    rows = random_states(graph, ROWS, 7)
    loads = np.random.default_rng(7).normal(size=(ROWS, len(graph.joints), 6))
    exact, out = np.empty((ROWS, graph.nv)), np.empty((ROWS, graph.nv), np.float32)
    for robot in robots(graph):
        for terms in ((), (3, loads)):
            assert robot.inverse_dynamics_rows(*rows, exact, 1, *terms) == (ROWS, 0)
            single = [one.astype(np.float32) for one in rows]
            more = [one.astype(np.float32) if isinstance(one, np.ndarray) else one for one in terms]
            assert robot.inverse_dynamics_rows(*single, out, 1, *more) == (ROWS, 0)
            assert_close(out, exact, 1e-5)
        single[1][13, 4] = np.inf
        assert robot.inverse_dynamics_rows(*single, out, 1) == (13, 1)


def test_large_angles_lose_whole_turns():
    graph = load("four_link")
    q, v, a = random_states(graph, ROWS, 9)
    near, far = np.empty((ROWS, graph.nv)), np.empty((ROWS, graph.nv))
    for robot in robots(graph):
        turns = 2.0 * np.pi * 1e7
        assert robot.inverse_dynamics_rows(q, v, a, near, 1) == (ROWS, 0)
        assert robot.inverse_dynamics_rows(q + turns, v, a, far, 1) == (ROWS, 0)
        assert_close(far, near, 1e-7)  # rounding of 6e7 rad is 7e-9


def body(name, mass):
    return f'<link name="{name}">{inertial(mass, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.15]))}</link>'


X = joint("x", "continuous", "base", "a", (0, 0, 0), axis=(1, 0, 0))
Y = joint("y", "continuous", "a", "b", (0, 0, 0), axis=(0, 1, 0))
Z = joint("z", "continuous", "b", "tool", (0, 0, 0), axis=(0, 0, 1))
MASSLESS = '<link name="base"/><link name="a"/><link name="b"/>'
GIMBAL = urdf_text.robot("gimbal", [MASSLESS, body("tool", 2), X, Y, Z])


def test_a_pose_that_loses_inertia_is_noticed():
    graph = md.load_urdf(GIMBAL)
    q, rest = np.array([0.3, np.pi / 2, 0.2]), np.zeros(3)
    none = _core.NO_INERTIA
    for robot in robots(graph):
        # of joint 0, which is eliminated last
        assert robot.forward_dynamics(q, rest, np.ones(3), np.empty(3)) == none
        rows = np.array([q - [0.0, 0.5, 0.0]] * 8 + [q] * 2), np.zeros((10, 3)), np.ones((10, 3))
        assert robot.forward_dynamics_rows(*rows, np.empty((10, 3)), 1) == (8, none)
        assert robot.forward_dynamics(q - [0.0, 1e-5, 0.0], rest, np.ones(3), np.empty(3)) == 0
        for prescribed, status in (([False] * 3, none), ([True, False, False], 0)):
            out = np.empty((2, 3))
            assert robot.hybrid_dynamics(np.array(prescribed), q, rest, rest, np.ones(3), out) == status
        assert robot.forward_dynamics_derivatives(q, rest, np.ones(3), np.empty((10, 3))) == none


@pytest.mark.parametrize("wanted", ["", *_core.kernels, "x86-64-v9"])
def test_kernels_are_the_processors_best_or_chosen_by_the_environment(wanted):
    assert _core.kernels[-1] == "baseline"
    environment = os.environ | {"MODULAR_DYNAMICS_KERNELS": wanted}
    done = run_python("-c", "from modular_dynamics import _core; print(_core.processor)", env=environment)
    if wanted == "x86-64-v9":
        assert f"MODULAR_DYNAMICS_KERNELS is '{wanted}': there are no kernels of this name" in done.stderr
        with pytest.raises(ValueError, match=f"kernels '{wanted}': there are none"):
            core_robot(load("four_link"), wanted)
    else:
        assert done.stdout == f"{wanted or _core.kernels[0]}\n"


TURN = joint("turn", "continuous", "base", "a", (0, 0, 0), axis=(1, 0, 0))
SLIDE = joint("slide", "prismatic", "a", "b", (0, 0, 0), axis=(0, 1, 0))
TURN_AND_SLIDE = urdf_text.robot("slide", [body("base", 3), body("a", 2), body("b", 1), TURN, SLIDE])


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_the_first_row_that_is_not_finite_is_found(name, value, floating):
    graph, core = md.load_urdf(TURN_AND_SLIDE, floating_base=floating), _core
    for kernels in core.kernels:
        function = Function(graph, robot := core_robot(graph, kernels), name)
        assert robot.kernels == kernels
        for place in range(function.states):
            rows = states_of(graph, ROWS, function)
            column = int(place == 3)  # accelerations of even velocities are known to hybrid dynamics
            rows[place][21, column] = rows[place][30, column] = value
            expected, out = np.full((2, ROWS, *function.shape), 7.0)
            assert function.rows(*rows, out, 2) == (21, core.NOT_FINITE)
            good = [one[:21] for one in rows]
            assert function.rows(*good, expected[:21], 1) == (21, core.GOOD)
            assert_close(out[:21], expected[:21], 1e-12)
            before = out[21].copy()
            assert function.one(*(one[21] for one in rows), before) == core.NOT_FINITE
            assert np.array_equal(before, out[21])


def test_large_numbers_overflow_and_are_named(name):
    graph = md.load_urdf(TURN_AND_SLIDE)
    if FUNCTIONS[name][1] == 1:
        return  # lengths of 1e300 are squared in some results only
    for robot in robots(graph):
        function = Function(graph, robot, name)
        rows = states_of(graph, ROWS, function)
        rows[1][13] = 1e300
        out = np.empty((ROWS, *function.shape))
        status = function.rows(*rows, out, 1)
        assert status in ((13, _core.OVERFLOW), (ROWS, _core.GOOD))  # velocities of links are linear
        assert np.isfinite(out[: status[0]]).all()


def test_quaternions_without_a_direction_are_refused():
    graph, core = load("four_link", floating=True), _core
    q, v, a = random_states(graph, ROWS, 2)
    q[17, 3:7] *= 1e-7 / np.linalg.norm(q[17, 3:7])
    for robot in robots(graph):
        out = np.empty_like(v)
        assert robot.inverse_dynamics_rows(q, v, a, out, 1) == (17, core.NOT_FINITE)
        assert robot.inverse_dynamics(q[17], v[17], a[17], out[0]) == core.NOT_FINITE


def test_no_rows_and_no_joints(name):
    for graph in (load("four_link"), md.load_urdf('<robot name="stone"><link name="base"/></robot>')):
        function = Function(graph, core_robot(graph), name)
        rows = states_of(graph, 0, function)
        assert function.rows(*rows, np.empty((0, *function.shape)), 4) == (0, 0)
    if name != "momentum_matrix":  # without a mass there is no centre of mass
        one = [np.empty(0) for _ in range(function.states)]
        assert function.one(*one, np.empty(function.shape)) == 0


#: Of an array, one of the same numbers that the core does not take.
WRONG = {
    "strided": lambda x: np.zeros((*x.shape[:-1], 2 * x.shape[-1]))[..., ::2],
    "misaligned": lambda x: np.frombuffer(bytearray(8 * x.size + 1), np.float64, x.size, 1).reshape(x.shape),
    "swapped": lambda x: x.byteswap().view(x.dtype.newbyteorder()),
    "single": lambda x: x.astype(np.float32),
    "long": lambda x: np.zeros((*x.shape[:-1], x.shape[-1] + 1)),
    "deep": lambda x: x[None],
    "list": lambda x: x.tolist(),
}
TEXTS = {
    **dict.fromkeys(("strided", "misaligned"), (ValueError, "must be C-contiguous and aligned")),
    "swapped": (TypeError, "must have dtype float64, not >f8"),
    "single": (TypeError, "must have dtype float(64, not float32|32, not float64)"),
    **dict.fromkeys(("long", "deep"), (ValueError, r"must have the shape \(")),
    "list": (TypeError, "must be a NumPy array, not <class 'list'>"),
}


@pytest.mark.parametrize("how", WRONG)
def test_wrong_arrays_are_refused_by_name(name, how):
    graph, (error, text) = load("four_link"), TEXTS[how]
    function = Function(graph, core_robot(graph), name)
    names = ["q", "v", "tau" if name.startswith("forward") else "a", "tau"][: function.states]
    for many in (False, True):
        rows = states_of(graph, ROWS, function)
        out = np.zeros(((ROWS,) if many else ()) + function.shape)
        arrays = [*(rows if many else [one[0] for one in rows]), out]
        more = [1] if many else []
        for k, argument in enumerate([*names, "out"]):
            given = arrays.copy()
            given[k] = WRONG[how](arrays[k])
            # single precision is offered here: then the others have the wrong dtype
            is_single = (how, k, many, name) == ("single", 0, True, "inverse_dynamics")
            with pytest.raises(error, match=f"^{'v' if is_single else argument} {text}"):
                (function.rows if many else function.one)(*given, *more)


def test_results_are_not_written_where_they_may_not_be(name):
    graph = load("four_link")
    function = Function(graph, core_robot(graph), name)
    q, *others = (one[0] for one in states_of(graph, 1, function))
    read_only = np.zeros(function.shape)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match=r"^out is read-only"):
        function.one(q, *others, read_only)
    memory = np.zeros(graph.nq + int(np.prod(function.shape)))
    out = memory[graph.nq - 1 : -1].reshape(function.shape)
    with pytest.raises(ValueError, match=r"^out shares memory with q"):
        function.one(memory[: graph.nq], *others, out)
    memory = np.zeros(9 * graph.nq + 9 * int(np.prod(function.shape)))
    rows = [memory[: 9 * graph.nq].reshape(9, -1), *(np.zeros((9, graph.nv)) for _ in others)]
    out = memory[9 * graph.nq - 1 : -1].reshape(9, *function.shape)
    with pytest.raises(ValueError, match=r"^out shares memory with q"):
        function.rows(*rows, out, 1)
    if function.states < 3:
        return
    with pytest.raises(ValueError, match="threads is 0: 1 to 1024 are possible"):
        function.rows(q[None], *(one[None] for one in others), np.empty((1, *function.shape)), 0)


def test_what_stands_behind_the_arrays_is_checked():
    graph = load("four_link")
    robot, x = core_robot(graph), np.zeros(4)
    one, rows, good = robot.inverse_dynamics, robot.inverse_dynamics_rows, (x, x, x, np.empty(4))
    loads, passing = np.zeros((4, 6)), np.zeros(4, np.int64)
    frames, poses = core_frames(graph, graph.links[-2:], robot), np.empty((2, 4, 4))
    many = [np.zeros((2, 4)) for _ in range(4)]
    for call, arguments, error, text in [
        (one, good[:3], TypeError, "4 to 7 arguments are needed, 3 were given"),
        (one, (*good, 8), ValueError, "terms is 8: 0 to 7 are possible"),
        (one, (*good, "all"), TypeError, "integer"),
        (one, (*good, TERMS, loads[:2]), ValueError, r"loads must have the shape \(4, 6\), not \(2, 6\)"),
        (one, (*good, TERMS, loads.astype(int)), TypeError, "loads must have dtype float64, not int64"),
        (one, (x, x, x, loads.ravel()[:4], TERMS, loads), ValueError, "out shares memory with loads"),
        (one, (*good, TERMS, None, passing[:3]), ValueError, r"passing must have the shape \(4,\)"),
        (one, (*good, TERMS, None, passing + 3), ValueError, "passing of joint 0 is 3: 0, 1 and 2 are"),
        (one, (None, *good[1:]), TypeError, "q must be a NumPy array, not <class 'NoneType'>"),
        (rows, (*many[:3], np.zeros((3, 4)), 1), ValueError, r"out must have the shape \(2, 4\)"),
        (rows, (*many, 1, TERMS, np.zeros((3, 4, 6))), ValueError, r"loads must have the shape \(2, 4, 6\)"),
        (core_robot(graph).frame_poses, (frames, x, poses), TypeError, "must be Frames of this robot"),
        (robot.jacobian, (frames, 0, x, np.empty((6, 4))), ValueError, "is of one frame, not of 2"),
        (robot.frame_velocities, (frames, 4, x, x, np.empty((2, 6))), ValueError, "form is 4: 0 to 3 are"),
        (robot.hybrid_dynamics, (x, *good, np.empty((2, 4))), TypeError, "prescribed must have dtype bool"),
    ]:
        with pytest.raises(error, match=text):
            call(*arguments)
    loads = np.zeros((2, 4, 6))
    loads[1, 2, 3] = np.inf
    assert one(*good, TERMS, loads[1]) == _core.NOT_FINITE
    assert rows(*many, 1, TERMS, loads) == (1, _core.NOT_FINITE)


def test_robots_whose_arrays_contradict_each_other_are_refused():
    core, graph = _core, load("four_link")
    robot = robot_arrays(graph)
    for name, value, text in [
        ("v", [0, 0, 1, 2], "velocity 0 belongs to 2 joints that mimic no other; it must be one"),
        ("v", [0, 1, 2, 4], "joint 3: q 3 or v 4 is beyond the 4 coordinates and 4 velocities"),
        ("parent", [-1, 2, 0, 1], "joint 1: parent 2, type 0; a parent comes before its children"),
        ("type", [0, 0, 0, 4], "joint 3: parent 1, type 4"),
        ("size", [4, 5], "velocity 4 belongs to 0 joints"),
        ("size", [10**9, 4], "up to 20000 are possible"),
    ]:
        with pytest.raises(ValueError, match=text):
            core.Robot(**{**robot, name: np.array(value, np.int64)})
    with pytest.raises(TypeError, match="mass is missing"):
        core.Robot(**{key: value for key, value in robot.items() if key != "mass"})
    mimics = np.array([False, False, False, True])
    with pytest.raises(ValueError, match="velocity 3 belongs to 0 joints that mimic no other"):
        core.Robot(**{**robot, "mimics": mimics})
    with pytest.raises(ValueError, match="frame 0 is on body 4; the robot has 4"):
        core.Frames(core_robot(graph), body=np.array([4]), R=np.eye(3)[None], p=np.zeros((1, 3)))


def test_eight_threads_at_once():
    graph = load("branched_38dof")
    robot = core_robot(graph)
    q, v, a = random_states(graph, 600, 4)
    torques, matrices = np.empty_like(v), np.empty((600, 38, 38))
    assert robot.inverse_dynamics_rows(q, v, a, torques, 1) == (600, 0)
    assert robot.mass_matrix_rows(q, matrices, 1) == (600, 0)

    def is_right(seed):
        tau, M, own = np.empty(38), np.empty((38, 38)), np.empty_like(v)
        right = []
        for k in np.random.default_rng(seed).permutation(600):
            robot.inverse_dynamics(q[k], v[k], a[k], tau)
            robot.mass_matrix(q[k], M)
            right += [np.allclose(tau, torques[k], 1e-9, 1e-9), np.allclose(M, matrices[k], 1e-9, 1e-9)]
        right += [robot.inverse_dynamics_rows(q, v, a, own, 3) == (600, 0), np.array_equal(own, torques)]
        return all(right)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(is_right, range(8)))


def test_a_bad_row_is_the_first_one_on_any_number_of_threads():
    graph = load("branched_38dof")
    robot = core_robot(graph)
    q, v, a = random_states(graph, 5000, 5)
    for k in (1000, 1001, 2600, 4999):
        a[k, k % 38] = np.nan
    for threads in (1, 2, 3, 8, 1024):
        assert robot.inverse_dynamics_rows(q, v, a, np.empty_like(v), threads) == (1000, 1)


def test_calls_go_on_after_a_fork():
    graph = load("four_link")
    robot = core_robot(graph)
    q, v, a = random_states(graph, 2000, 6)
    expected = np.empty_like(v)
    assert robot.inverse_dynamics_rows(q, v, a, expected, 2) == (2000, 0)
    child = os.fork()
    if child == 0:
        out = np.empty_like(v)
        good = robot.inverse_dynamics_rows(q, v, a, out, 2) == (2000, 0) and np.array_equal(out, expected)
        good = good and robot.inverse_dynamics(q[0], v[0], a[0], out[0]) == 0
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_subinterpreters_are_refused():
    interpreters = pytest.importorskip("_xxsubinterpreters")
    one = interpreters.create(isolated=False)
    try:
        code = f"""
import sys
sys.path.insert(0, {str(Path(_core.__file__).parent)!r})
try:
    import _core
except ImportError as error:
    assert "cannot be imported in a subinterpreter" in str(error), error
else:
    raise AssertionError("it was imported")
"""
        interpreters.run_string(one, code)
    finally:
        interpreters.destroy(one)


def test_the_stub_names_what_there_is():
    stub = ast.parse(Path(ROOT / "src/modular_dynamics/modular_dynamics/_core.pyi").read_text())
    core = _core

    def names(body):
        for one in body:
            if isinstance(one, ast.AnnAssign):
                yield one.target.id
            elif isinstance(one, ast.ClassDef | ast.FunctionDef):
                yield one.name

    def public(thing):
        return {key for key in dir(thing) if not key.startswith("_")}

    assert {key for key in names(stub.body) if not key.startswith("_")} == public(core)
    for one in (one for one in stub.body if isinstance(one, ast.ClassDef)):
        assert set(names(one.body)) - {"__new__"} == public(getattr(core, one.name))
        for method in (one for one in one.body if isinstance(one, ast.FunctionDef)):
            if method.name.startswith("__") or method.decorator_list:
                continue
            text = getattr(getattr(core, one.name), method.name).__doc__
            inside = text[text.index("(") + 1 : text.index(")")].replace("[", "").replace("]", "")
            assert inside.split(", ") == [argument.arg for argument in method.args.posonlyargs[1:]]
