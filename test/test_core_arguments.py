"""The compiled core's arguments of every kind: numbers, arrays, threads, processes, interpreters."""

import ast
import os
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS, ROOT
from helpers.tree_dynamics import assert_close, random_states
from modular_dynamics import _core
from modular_dynamics.dynamics.core_robot import core_frames, core_robot

ROWS = 37
#: Of each function what stands before the states, how many states there are, and the shape of its result.
FUNCTIONS = {
    "inverse_dynamics": (None, 3, lambda n, nv: (nv,)),
    "joint_wrenches": (None, 3, lambda n, nv: (nv + 6 * n,)),
    "forward_dynamics": (None, 3, lambda n, nv: (nv,)),
    "hybrid_dynamics": ("prescribed", 4, lambda n, nv: (2, nv)),
    "mass_matrix": (None, 1, lambda n, nv: (nv, nv)),
    "coriolis_matrix": (None, 2, lambda n, nv: (nv, nv)),
    "inverse_dynamics_derivatives": (None, 3, lambda n, nv: (3, nv, nv)),
    "forward_dynamics_derivatives": (None, 3, lambda n, nv: (3 * nv + 1, nv)),
    "frame_poses": ("frames", 1, lambda n, nv: (1, 4, 4)),
    "frame_motions": ("frames", 3, lambda n, nv: (1, 8, 3)),
    "frame_velocities": ("frames, form", 2, lambda n, nv: (1, 6)),
    "frame_accelerations": ("frames, form", 3, lambda n, nv: (1, 6)),
    "jacobian": ("frames, form", 1, lambda n, nv: (6, nv)),
    "whole_body": (None, 3, lambda n, nv: (16,)),
    "momentum_matrix": (None, 1, lambda n, nv: (6, nv)),
    "regressor": (None, 3, lambda n, nv: (nv, 10 * n)),
}


def load(name, floating=False):
    return md.load_urdf(ROBOTS / f"{name}.urdf", floating_base=floating)


class Function:
    """One function of a robot, bound to what stands before its states."""

    def __init__(self, graph, robot, name):
        before, self.states, shape = FUNCTIONS[name]
        self.shape = shape(len(graph.joints), graph.nv)
        first = {
            None: (),
            "prescribed": (np.arange(graph.nv) % 2 == 0,),
            "frames": (core_frames(graph, graph.links[-1:], robot),),
            "frames, form": (core_frames(graph, graph.links[-1:], robot), 0),
        }[before]
        self.one, self.rows = (partial(getattr(robot, f"{name}{end}"), *first) for end in ("", "_rows"))


@pytest.fixture(params=FUNCTIONS)
def name(request):
    return request.param


def states_of(graph, count, function, seed=1):
    q, v, a = random_states(graph, count, seed)
    return [q, v, a, a.copy()][: function.states]


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_the_first_row_that_is_not_finite_is_found(name, value, floating):
    graph, core = md.load_urdf(SLIDE, floating_base=floating), _core
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
    core, graph = _core, md.load_urdf(SLIDE)
    for kernels in core.kernels:
        function = Function(graph, core_robot(graph, kernels), name)
        rows = states_of(graph, ROWS, function)
        for one in rows[:1] if function.states == 1 else rows[1:2]:
            one[13] = 1e300
        if function.states == 1:
            continue  # lengths of 1e300 are squared in some results only
        out = np.empty((ROWS, *function.shape))
        status = function.rows(*rows, out, 1)
        assert status in ((13, core.OVERFLOW), (ROWS, core.GOOD))  # velocities of links are linear
        assert np.isfinite(out[: status[0]]).all()


SLIDE = """<robot name="slide"><link name="base"><inertial><mass value="3"/>
<inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="a"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/></joint>
<joint name="slide" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def test_quaternions_without_a_direction_are_refused():
    graph, core = load("four_link", floating=True), _core
    q, v, a = random_states(graph, ROWS, 2)
    q[17, 3:7] *= 1e-7 / np.linalg.norm(q[17, 3:7])
    for kernels in core.kernels:
        robot, out = core_robot(graph, kernels), np.empty_like(v)
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
    "strided": (ValueError, "{} must be C-contiguous and aligned"),
    "misaligned": (ValueError, "{} must be C-contiguous and aligned"),
    "swapped": (TypeError, "{} must have dtype float64, not >f8"),
    "single": (TypeError, "{} must have dtype float64, not float32"),
    "long": (ValueError, r"{} must have the shape \("),
    "deep": (ValueError, r"{} must have the shape \("),
    "list": (TypeError, "{} must be a NumPy array, not <class 'list'>"),
}


@pytest.mark.parametrize("how", TEXTS)
def test_wrong_arrays_are_refused_by_name(name, how):
    graph, (error, text) = load("four_link"), TEXTS[how]
    function = Function(graph, core_robot(graph), name)
    third = "tau" if name.startswith("forward") else "a"
    names = ["q", "v", third, "tau"][: function.states]
    for many in (False, True):
        rows = states_of(graph, ROWS, function)
        arrays = [
            *(rows if many else [one[0] for one in rows]),
            np.zeros(((ROWS,) if many else ()) + function.shape),
        ]
        more = [1] if many else []
        for k, argument in enumerate([*names, "out"]):
            given = arrays.copy()
            given[k] = WRONG[how](arrays[k])
            if how == "single" and k == 0 and many and name == "inverse_dynamics":
                argument = "v"  # noqa: PLW2901  # single precision is offered here, and the others have another dtype
                text = "{} must have dtype float32, not float64"
            elif how == "single":
                text = TEXTS[how][1]
            with pytest.raises(error, match=f"^{text.format(argument)}"):
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


def test_the_result_may_be_an_argument():
    for graph in (load("charmie"), md.load_urdf(SLIDE, floating_base=True)):
        q, v, a = random_states(graph, ROWS, 10)
        for kernels in _core.kernels:
            robot = core_robot(graph, kernels)
            for name in ("inverse_dynamics", "forward_dynamics"):
                expected = np.empty_like(a)
                assert getattr(robot, f"{name}_rows")(q, v, a, expected, 1) == (ROWS, 0)
                for place in range(0 if graph.nq == graph.nv else 1, 3):
                    given = [q.copy(), v.copy(), a.copy()]
                    assert getattr(robot, f"{name}_rows")(*given, given[place], 2) == (ROWS, 0)
                    assert np.array_equal(given[place], expected)
                    one = [q[5].copy(), v[5].copy(), a[5].copy()]
                    assert getattr(robot, name)(*one, one[place]) == 0
                    assert_close(one[place], expected[5], 1e-12)


def test_what_stands_behind_the_arrays_is_checked():
    graph = load("four_link")
    robot, x = core_robot(graph), np.zeros(4)
    loads, passing = np.zeros((4, 6)), np.zeros(4, np.int64)
    for arguments, error, text in [
        ((x, x, x), TypeError, "4 to 7 arguments are needed, 3 were given"),
        ((x, x, x, x.copy(), 3, None, None, None), TypeError, "4 to 7 arguments are needed, 8 were given"),
        ((x, x, x, x.copy(), 8), ValueError, "terms is 8: 0 to 7 are possible"),
        ((x, x, x, x.copy(), "all"), TypeError, "integer"),
        ((x, x, x, x.copy(), 3, loads[:2]), ValueError, r"loads must have the shape \(4, 6\), not \(2, 6\)"),
        (
            (x, x, x, x.copy(), 3, loads[None]),
            ValueError,
            r"loads must have the shape \(4, 6\), not \(1, 4, 6\)",
        ),
        ((x, x, x, x.copy(), 3, loads.astype(int)), TypeError, "loads must have dtype float64, not int64"),
        (
            (x, x, x, x.copy(), 3, None, passing[:3]),
            ValueError,
            r"passing must have the shape \(4,\), not \(3,\)",
        ),
        (
            (x, x, x, x.copy(), 3, None, passing + 3),
            ValueError,
            "passing of joint 0 is 3: 0, 1 and 2 are possible",
        ),
        ((None, x, x, x.copy()), TypeError, "q must be a NumPy array, not <class 'NoneType'>"),
    ]:
        with pytest.raises(error, match=text):
            robot.inverse_dynamics(*arguments)
    with pytest.raises(ValueError, match="out shares memory with loads"):
        robot.inverse_dynamics(x, x, x, loads.ravel()[:4], 3, loads)
    assert robot.inverse_dynamics(x, x, x, np.empty(4), 3, np.full((4, 6), np.nan)) == 1
    rows = np.zeros((2, 4))
    with pytest.raises(ValueError, match=r"out must have the shape \(2, 4\), not \(3, 4\)"):
        robot.inverse_dynamics_rows(rows, rows, rows, np.zeros((3, 4)), 1)
    with pytest.raises(ValueError, match=r"loads must have the shape \(2, 4, 6\), not \(3, 4, 6\)"):
        robot.inverse_dynamics_rows(rows, rows, rows, np.zeros((2, 4)), 1, 3, np.zeros((3, 4, 6)))
    loads = np.zeros((2, 4, 6))
    loads[1, 2, 3] = np.inf
    assert robot.inverse_dynamics_rows(rows, rows, rows, np.zeros((2, 4)), 1, 3, loads) == (1, 1)
    frames = core_frames(graph, graph.links[-2:], robot)
    with pytest.raises(TypeError, match="the first argument must be Frames of this robot"):
        core_robot(graph).frame_poses(frames, x, np.empty((2, 4, 4)))
    with pytest.raises(ValueError, match="a jacobian is of one frame, not of 2"):
        robot.jacobian(frames, 0, x, np.empty((6, 4)))
    with pytest.raises(ValueError, match="form is 4: 0 to 3 are possible"):
        robot.frame_velocities(frames, 4, x, x, np.empty((2, 6)))
    with pytest.raises(TypeError, match="prescribed must have dtype bool"):
        robot.hybrid_dynamics(x, x, x, x, x, np.empty((2, 4)))


def test_robots_whose_arrays_contradict_each_other_are_refused(monkeypatch):
    core, graph, robot = _core, load("four_link"), {}
    with monkeypatch.context() as patch:
        recorder = lambda **arrays: robot.update(arrays)  # noqa: E731
        patch.setattr("modular_dynamics.dynamics.core_robot.Robot", recorder)
        core_robot(graph)
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
    frames = core_frames(graph, graph.links[-1:], robot)
    torques, matrices, poses = np.empty_like(v), np.empty((600, 38, 38)), np.empty((600, 1, 4, 4))
    assert robot.inverse_dynamics_rows(q, v, a, torques, 1) == (600, 0)
    assert robot.mass_matrix_rows(q, matrices, 1) == (600, 0)
    assert robot.frame_poses_rows(frames, q, poses, 1) == (600, 0)
    faults = []

    def work(seed):
        order = np.random.default_rng(seed).permutation(600)
        tau, M, T = np.empty(38), np.empty((38, 38)), np.empty((1, 4, 4))
        for k in order:
            robot.inverse_dynamics(q[k], v[k], a[k], tau)
            robot.mass_matrix(q[k], M)
            robot.frame_poses(frames, q[k], T)
            if not all(
                np.allclose(x, y[k], 1e-9, 1e-9) for x, y in ((tau, torques), (M, matrices), (T, poses))
            ):
                faults.append(k)
        own = np.empty_like(v)
        if robot.inverse_dynamics_rows(q, v, a, own, 3) != (600, 0) or not np.array_equal(own, torques):
            faults.append("rows")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not faults


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
