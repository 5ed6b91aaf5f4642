"""The compiled core against Pinocchio and the composition, with the kernels of each processor."""

import os

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.core_module import core_module
from helpers.core_robot import core_frames, core_robot
from helpers.paths import ROBOTS
from helpers.processes import run_python
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import assert_close, random_states

ROBOT_NAMES = ("branched_38dof", "charmie", "four_link")
KERNELS = ("baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4")
ROWS = 19  # more than lanes, and no multiple of them


@pytest.fixture
def load_robot():
    return lambda name, floating=False: md.load_urdf(ROBOTS / f"{name}.urdf", floating_base=floating)


@pytest.fixture(params=[(name, floating) for name in ROBOT_NAMES for floating in (False, True)])
def tree_robot(request, load_robot):
    return load_robot(*request.param)


def robots(graph):
    """The robot with each processor's kernels that can run here."""
    for kernels in KERNELS:
        if kernels in core_module().kernels:
            yield core_robot(graph, kernels)


def all_rows(robot, name, shape, *arguments, friction=False):
    """Results of many states, by lanes on two threads and one by one: both must agree."""
    frames = [one for one in arguments if not isinstance(one, np.ndarray)]
    rows = [one for one in arguments if isinstance(one, np.ndarray)]
    width = int(np.prod(shape))
    results = np.full((ROWS, width), np.nan)
    assert getattr(robot, f"{name}_rows")(*frames, *rows, results, friction, 2) == ROWS
    one = np.full(width, np.nan)
    for k in range(ROWS):
        assert getattr(robot, name)(*frames, *(row[k] for row in rows), one, friction) == 0
        assert_close(results[k], one, 1e-12, 1e-6)
    return results.reshape(ROWS, *shape)


class Pinocchio:
    """Pinocchio's functions in the graph's orders, mimic joints folded in."""

    def __init__(self, graph):
        self.pin = md.crosscheck.PinocchioModel(graph)
        self.fold = np.array([self.pin.v(unit) for unit in np.eye(graph.nv)]).T

    def derivatives(self, q, v, a):
        pin = self.pin
        matrices = pinocchio.computeRNEADerivatives(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(a))
        return np.array([self.fold.T @ np.asarray(one) @ self.fold for one in matrices])

    def torques(self, q, v, a):
        pin = self.pin
        return self.fold.T @ pinocchio.rnea(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(a))

    def mass_matrix(self, q):
        pin = self.pin
        return self.fold.T @ np.array(pinocchio.crba(pin.model, pin.data, pin.q(q))) @ self.fold

    def accelerations(self, q, v, tau):
        pin = self.pin
        return pin.tau(pinocchio.aba(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(tau)))


@examples(60)
@given(tree=random_trees(largest=20))
def test_random_trees_against_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, a = random_states(graph, ROWS, tree.seed)
    theirs, nv = Pinocchio(graph), graph.nv
    torques = np.array([theirs.torques(*state) for state in zip(q, v, a, strict=True)])
    matrices = np.array([theirs.mass_matrix(one) for one in q])
    derivatives = np.array([theirs.derivatives(*state) for state in zip(q, v, a, strict=True)])
    for robot in robots(graph):
        assert_close(all_rows(robot, "inverse_dynamics", (nv,), q, v, a), torques, 1e-12)
        assert_close(all_rows(robot, "mass_matrix", (nv, nv), q), matrices, 1e-12)
        ours = all_rows(robot, "inverse_dynamics_derivatives", (3, nv, nv), q, v, a)
        assert_close(ours, derivatives, 1e-10, 1e-3)
        if all(joint.mimic is None for joint in graph.joints):
            accelerations = np.array([theirs.accelerations(*state) for state in zip(q, v, a, strict=True)])
            assert_close(all_rows(robot, "forward_dynamics", (nv,), q, v, a), accelerations, 1e-8)


def test_torques_are_those_of_the_composition(tree_robot):
    q, v, a = random_states(tree_robot, ROWS, 3)
    expected = np.array([md.compose(tree_robot, *state).tau for state in zip(q, v, a, strict=True)])
    for robot in robots(tree_robot):
        assert_close(all_rows(robot, "inverse_dynamics", (tree_robot.nv,), q, v, a), expected, 1e-12)


def test_frames_and_sums_against_pinocchio(tree_robot):
    graph, nv = tree_robot, tree_robot.nv
    q, v, a = random_states(graph, ROWS, 4)
    pin = md.crosscheck.PinocchioModel(graph)
    link = graph.bodies[-1].name
    for robot in robots(graph):
        frame = core_frames(graph, robot, [link])
        motions = all_rows(robot, "frame_motions", (8, 3), frame, q, v, a)
        in_root = all_rows(_WithAxes(robot, False), "jacobian", (6, nv), frame, q)
        in_link = all_rows(_WithAxes(robot, True), "jacobian", (6, nv), frame, q)
        poses = all_rows(robot, "frame_poses", (4, 4), frame, q)
        sums = all_rows(robot, "whole_body", (16,), q, v, a)
        momentum = all_rows(robot, "momentum_matrix", (6, nv), q)
        for k in range(ROWS):
            rotation, twist = motions[k, :3], np.concatenate([motions[k, 5], motions[k, 4]])
            assert_close(poses[k, :3, :3], rotation, 1e-13)
            assert_close(in_root[k] @ v[k], twist, 1e-12)
            assert_close(in_link[k, :3], rotation.T @ in_root[k, :3], 1e-12)
            kinetic = pinocchio.computeKineticEnergy(pin.model, pin.data, pin.q(q[k]), pin.v(v[k]))
            assert_close(sums[k, 15:], [kinetic], 1e-12)
            centroidal = pinocchio.computeCentroidalMomentum(pin.model, pin.data, pin.q(q[k]), pin.v(v[k]))
            assert_close(momentum[k] @ v[k], centroidal.vector, 1e-11)
            assert_close(sums[k, 3:6], centroidal.linear, 1e-11)
        regressors = all_rows(robot, "regressor", (nv, 10 * len(graph.joints)), q, v, a)
        still = [[b.mass, *(b.mass * b.com), *_packed(b)] for b in graph.bodies]
        torques = np.array([Pinocchio(graph).torques(*state) for state in zip(q, v, a, strict=True)])
        assert_close(regressors @ np.ravel(still), torques, 1e-11)


class _WithAxes:
    """A robot whose jacobians are in the link's axes, or in the root's: the argument after the frame."""

    def __init__(self, robot, own_axes):
        self._robot, self._own_axes = robot, own_axes

    def jacobian(self, frame, *rest):
        return self._robot.jacobian(frame, self._own_axes, *rest)

    def jacobian_rows(self, frame, *rest):
        return self._robot.jacobian_rows(frame, self._own_axes, *rest)


def _packed(body):
    """Ixx Ixy Iyy Ixz Iyz Izz about the origin."""
    c = body.com
    inertia = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]


def test_friction_armature_and_springs(load_robot):
    graph = load_robot("vendor_arm")
    q, v, a = random_states(graph, ROWS, 5)
    with_friction = md.inverse_dynamics_batch(graph, q, v, a, friction="urdf")
    for robot in robots(graph):
        ours = all_rows(robot, "inverse_dynamics", (graph.nv,), q, v, a, friction=True)
        assert_close(ours, with_friction, 1e-12)


def test_external_wrenches_by_virtual_power(load_robot):
    graph = load_robot("branched_38dof")
    (q,), (v,), (a,) = random_states(graph, 1, 6)
    n, nv = len(graph.joints), graph.nv
    loads = np.random.default_rng(6).normal(size=(n, 6))
    robot = core_robot(graph)
    without, result = np.empty(nv), np.empty(nv + 6 * (n + 1))
    assert robot.inverse_dynamics(q, v, a, without) == 0
    assert robot.inverse_dynamics_loaded(q, v, a, result, False, loads) == 0
    jacobian, power = np.empty(6 * nv), np.zeros(nv)
    for body, load in zip(graph.bodies, loads, strict=True):
        assert robot.jacobian(core_frames(graph, robot, [body.name]), True, q, jacobian) == 0
        power += jacobian.reshape(6, nv).T @ load
    assert_close(result[:nv], without - power, 1e-12)
    accelerations, derivatives = np.empty(nv), np.empty(3 * nv * nv)
    assert robot.forward_dynamics(q, v, result[:nv].copy(), accelerations, False, loads) == 0
    assert_close(accelerations, a, 1e-9)
    assert robot.inverse_dynamics_derivatives(q, v, a, derivatives, False, loads) == 0
    step, up, down = 1e-6, result.copy(), result.copy()
    for k in (0, nv // 2, nv - 1):
        unit = step * np.eye(nv)[k]
        assert robot.inverse_dynamics_loaded(q + unit, v, a, up, False, loads) == 0
        assert robot.inverse_dynamics_loaded(q - unit, v, a, down, False, loads) == 0
        column = derivatives.reshape(3, nv, nv)[0, :, k]
        assert_close(column, (up[:nv] - down[:nv]) / (2 * step), 1e-6)


def test_single_precision(load_robot):
    graph = load_robot("branched_38dof")
    rows = random_states(graph, ROWS, 7)
    exact, out = np.empty((ROWS, graph.nv)), np.empty((ROWS, graph.nv), np.float32)
    for robot in robots(graph):
        assert robot.inverse_dynamics_rows(*rows, exact, False, 1) == ROWS
        single = [one.astype(np.float32) for one in rows]
        assert robot.inverse_dynamics_rows(*single, out, False, 1) == ROWS
        assert_close(out, exact, 1e-5)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_noticed(load_robot, place, value):
    graph = load_robot("four_link")
    rows, out = random_states(graph, ROWS, 8), np.empty((ROWS, graph.nv))
    rows[place][11, 2] = value
    for robot in robots(graph):
        assert 0 <= robot.inverse_dynamics_rows(*rows, out, False, 1) <= 11
        assert robot.inverse_dynamics(*(one[11] for one in rows), out[0]) == 1
        large = np.full(graph.nv, 1e300)
        assert robot.inverse_dynamics(rows[0][0] * 0.0, large, large, out[0]) == 2


def test_large_angles_lose_whole_turns(load_robot):
    graph = load_robot("four_link")
    q, v, a = random_states(graph, ROWS, 9)
    near, far = np.empty((ROWS, graph.nv)), np.empty((ROWS, graph.nv))
    for robot in robots(graph):
        turns = 2.0 * np.pi * 1e7
        assert robot.inverse_dynamics_rows(q, v, a, near, False, 1) == ROWS
        assert robot.inverse_dynamics_rows(q + turns, v, a, far, False, 1) == ROWS
        assert_close(far, near, 1e-7)  # rounding of 6e7 rad is 7e-9


def test_wrong_arrays_are_refused_by_name(load_robot):
    graph = load_robot("four_link")
    robot, x = core_robot(graph), np.zeros(4)
    read_only, strided = np.zeros(4), np.zeros(8)[::2]
    read_only.flags.writeable = False
    misaligned = np.frombuffer(bytearray(33), np.float64, 4, 1)
    for arguments, error, text in [
        ((x, x, x, [0.0] * 4), TypeError, "out must be a NumPy array, not"),
        ((x, x.astype(np.float32), x, x), TypeError, "v must have dtype float64, not float32"),
        ((x, x, x.byteswap().view(x.dtype.newbyteorder()), x), TypeError, "a must have dtype float64, not"),
        ((x, x, np.zeros(5), x), ValueError, r"a must have the shape \(4,\), not \(5,\)"),
        ((np.zeros((1, 4)), x, x, x), ValueError, r"q must have the shape \(4,\), not \(1, 4\)"),
        ((x, strided, x, x), ValueError, "v must be C-contiguous and aligned"),
        ((misaligned, x, x, x), ValueError, "q must be C-contiguous and aligned"),
        ((x, x, x, read_only), ValueError, "out is read-only"),
        ((x, x, x), TypeError, "4 arrays are needed"),
    ]:
        with pytest.raises(error, match=text):
            robot.inverse_dynamics(*arguments)
    rows = np.zeros((2, 4))
    with pytest.raises(ValueError, match=r"out must have the shape \(2, 4\), not \(3, 4\)"):
        robot.inverse_dynamics_rows(rows, rows, rows, np.zeros((3, 4)), False, 1)
    with pytest.raises(ValueError, match="threads is 0: 1 to 1024 are possible"):
        robot.inverse_dynamics_rows(rows, rows, rows, rows.copy(), False, 0)
    assert robot.inverse_dynamics_rows(rows[:0], rows[:0], rows[:0], rows[:0].copy(), False, 4) == 0


def test_the_result_may_stand_in_an_argument(load_robot):
    graph = load_robot("charmie")
    (q,), (v,), (a,) = random_states(graph, 1, 10)
    expected = md.inverse_dynamics(graph, q, v, a)
    for robot in robots(graph):
        for place in (1, 2):
            arguments = [q.copy(), v.copy(), a.copy()]
            assert robot.inverse_dynamics(*arguments, arguments[place]) == 0
            assert_close(arguments[place], expected, 1e-12)


def test_kernels_are_those_of_this_processor(load_robot):
    assert core_module().kernels[-1] == "baseline"
    with pytest.raises(ValueError, match="kernels 'x86-64-v9': there are none"):
        core_robot(load_robot("four_link"), "x86-64-v9")


@pytest.mark.parametrize("wanted", ["", *core_module().kernels])
def test_kernels_can_be_chosen_by_the_environment(wanted):
    environment = os.environ | {"MODULAR_DYNAMICS_KERNELS": wanted}
    done = run_python("-m", "modular_dynamics", "--version", env=environment)
    assert f"core: {wanted or core_module().kernels[0]}, " in done.stdout


def test_unknown_kernels_in_the_environment_are_refused():
    environment = os.environ | {"MODULAR_DYNAMICS_KERNELS": "x86-64-v9"}
    done = run_python("-c", "import modular_dynamics._core", env=environment)
    expected = "ImportError: MODULAR_DYNAMICS_KERNELS is 'x86-64-v9': there are no kernels of this name"
    assert (done.returncode, expected in done.stderr) == (1, True)


GIMBAL = """<robot name="gimbal"><link name="base"/>{links}
<link name="tool"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="x" type="continuous"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/></joint>
<joint name="y" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>
<joint name="z" type="continuous"><parent link="b"/><child link="tool"/><axis xyz="0 0 1"/></joint></robot>"""


def test_a_pose_that_loses_inertia_is_noticed():
    graph = md.load_urdf(GIMBAL.format(links='<link name="a"/><link name="b"/>'))
    q, rest = np.array([0.3, np.pi / 2, 0.2]), np.zeros(3)
    for robot in robots(graph):
        assert robot.forward_dynamics(q, rest, np.ones(3), np.empty(3)) == 3
        rows = np.array([q - [0.0, 0.5, 0.0]] * 8 + [q] * 2), np.zeros((10, 3)), np.ones((10, 3))
        assert robot.forward_dynamics_rows(*rows, np.empty((10, 3)), False, 1) == 8
        assert robot.forward_dynamics(q - [0.0, 1e-5, 0.0], rest, np.ones(3), np.empty(3)) == 0
