"""The compiled core against Pinocchio and the composition, with the kernels of each processor."""

import os
from itertools import product, takewhile

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.processes import run_python
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees, moved, passive_torques
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import assert_close, random_states
from modular_dynamics import _core
from modular_dynamics.dynamics.core_robot import core_frames, core_robot

ROBOT_NAMES = ("branched_38dof", "charmie", "four_link")
KERNELS = ("baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4")
ROWS = 19  # more than lanes, and no multiple of them
#: Functions that solve equations by factors of M: rounding grows with its condition, which is up to 1e5 here.
SOLVING = ("hybrid_dynamics", "forward_dynamics_derivatives")


@pytest.fixture
def load_robot():
    return lambda name, floating=False: md.load_urdf(ROBOTS / f"{name}.urdf", floating_base=floating)


@pytest.fixture(params=[(name, floating) for name in ROBOT_NAMES for floating in (False, True)])
def tree_robot(request, load_robot):
    return load_robot(*request.param)


def robots(graph):
    """The robot with each processor's kernels that can run here."""
    for kernels in KERNELS:
        if kernels in _core.kernels:
            yield core_robot(graph, kernels)


def all_rows(robot, name, shape, *arguments, terms=None, loads=None):
    """Results of many states, by lanes on two threads and one by one: both must agree.

    Arguments with as many rows as ROWS are states; what stands before them is the same for all.
    """
    states = [one for one in arguments if _is_rows(one)]
    first = list(takewhile(lambda one: not _is_rows(one), arguments))
    more = [] if terms is None else [terms] if loads is None else [terms, loads]
    results = np.full((ROWS, *shape), np.nan)
    assert getattr(robot, f"{name}_rows")(*first, *states, results, 2, *more) == (ROWS, _core.GOOD)
    one = np.full(shape, np.nan)
    for k in range(ROWS):
        own = [x[k] if _is_rows(x) else x for x in more]
        assert getattr(robot, name)(*first, *(row[k] for row in states), one, *own) == _core.GOOD
        assert_close(results[k], one, 1e-10 if name in SOLVING else 1e-12, 1e-6)
    return results


def _is_rows(argument):
    return isinstance(argument, np.ndarray) and argument.ndim > 1 and len(argument) == ROWS


class Pinocchio:
    """Pinocchio's functions in the graph's orders, mimic joints folded in."""

    def __init__(self, graph):
        self.graph, self.pin = graph, md.crosscheck.PinocchioModel(graph)
        self.model, self.data = self.pin.model, self.pin.data
        self.fold = np.array([self.pin.v(unit) for unit in np.eye(graph.nv)]).T

    def forces(self, loads):
        """Its external forces of loads (n, 6)."""
        forces = pinocchio.StdVec_Force()
        forces.extend([pinocchio.Force.Zero() for _ in range(self.model.njoints)])
        for index, load in zip(self.pin.ids, np.zeros((0, 6)) if loads is None else loads, strict=False):
            forces[index] = pinocchio.Force(load)
        return forces

    def _state(self, q, v, a):
        return self.pin.q(q), self.pin.v(v), self.pin.v(a)

    def derivatives(self, q, v, a, loads=None):
        state = self._state(q, v, a)
        matrices = pinocchio.computeRNEADerivatives(self.model, self.data, *state, self.forces(loads))
        return np.array([self.fold.T @ np.asarray(one) @ self.fold for one in matrices])

    def torques(self, q, v, a, loads=None):
        return self.fold.T @ pinocchio.rnea(self.model, self.data, *self._state(q, v, a), self.forces(loads))

    def mass_matrix(self, q):
        M = np.array(pinocchio.crba(self.model, self.data, self.pin.q(q)))
        return self.fold.T @ (np.triu(M) + np.triu(M, 1).T) @ self.fold

    def coriolis_matrix(self, q, v):
        C = np.array(pinocchio.computeCoriolisMatrix(self.model, self.data, self.pin.q(q), self.pin.v(v)))
        return self.fold.T @ C @ self.fold

    def accelerations(self, q, v, tau, loads=None):
        """By articulated bodies; for graphs without mimic joints."""
        state = self._state(q, v, tau)
        return self.fold.T @ pinocchio.aba(self.model, self.data, *state, self.forces(loads))

    def acceleration_derivatives(self, q, v, tau, loads=None):
        """Da/dq, da/dv, da/dtau, for graphs without mimic joints."""
        state = self._state(q, v, tau)
        pinocchio.computeABADerivatives(self.model, self.data, *state, self.forces(loads))
        inverse = np.triu(self.data.Minv) + np.triu(self.data.Minv, 1).T
        return [
            self.fold.T @ np.asarray(one) @ self.fold for one in (self.data.ddq_dq, self.data.ddq_dv, inverse)
        ]

    def jacobian_and_drift(self, q, v, link, own_axes):
        """J (6, nv), and its derivative times v."""
        frame, axes = pinocchio.ReferenceFrame.LOCAL, self.model.getFrameId(link)
        if not own_axes:
            frame = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pinocchio.computeJointJacobiansTimeVariation(self.model, self.data, self.pin.q(q), self.pin.v(v))
        pinocchio.updateFramePlacements(self.model, self.data)
        J = pinocchio.getFrameJacobian(self.model, self.data, axes, frame)
        rate = pinocchio.getFrameJacobianTimeVariation(self.model, self.data, axes, frame)
        return J @ self.fold, rate @ self.pin.v(v)


def mapped(function, *rows):
    return np.array([function(*one) for one in zip(*rows, strict=True)])


@examples(60)
@given(tree=random_trees(largest=20))
def test_random_trees_against_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, a = random_states(graph, ROWS, tree.seed)
    loads = np.random.default_rng(tree.seed).normal(size=(ROWS, len(graph.joints), 6))
    theirs, nv = Pinocchio(graph), graph.nv
    torques, matrices = mapped(theirs.torques, q, v, a), mapped(theirs.mass_matrix, q)
    loaded, derivatives = mapped(theirs.torques, q, v, a, loads), mapped(theirs.derivatives, q, v, a, loads)
    coriolis = mapped(theirs.coriolis_matrix, q, v)
    terms = _core.ARMATURE
    for robot in robots(graph):
        assert_close(all_rows(robot, "inverse_dynamics", (nv,), q, v, a), torques, 1e-12)
        ours = all_rows(robot, "inverse_dynamics", (nv,), q, v, a, terms=terms, loads=loads)
        assert_close(ours, loaded, 1e-12)
        assert_close(all_rows(robot, "mass_matrix", (nv, nv), q), matrices, 1e-12)
        # C is a sum of products of M's size with velocities of about 1, and may be zero
        ours = all_rows(robot, "coriolis_matrix", (nv, nv), q, v)
        assert_close(ours, coriolis, 1e-11, np.abs(matrices).max())
        ours = all_rows(robot, "inverse_dynamics_derivatives", (3, nv, nv), q, v, a, terms=terms, loads=loads)
        assert_close(ours, derivatives, 1e-10, 1e-3)
        accelerations = all_rows(robot, "forward_dynamics", (nv,), q, v, loaded, terms=terms, loads=loads)
        assert_close(accelerations, a, 1e-7)
    check_derivatives_of_accelerations(graph, theirs, q, v, loaded, loads)


def check_derivatives_of_accelerations(graph, theirs, q, v, tau, loads):
    """Against Pinocchio's, or -M^-1 times its derivatives of torques where joints mimic others."""
    nv, terms, robot = graph.nv, _core.ARMATURE, core_robot(graph)
    shape = (3 * nv + 1, nv)
    ours = all_rows(robot, "forward_dynamics_derivatives", shape, q, v, tau, terms=terms, loads=loads)
    for k in range(ROWS):
        a = ours[k, 3 * nv]
        if any(joint.mimic is not None for joint in graph.joints):
            by_q, by_v, M = theirs.derivatives(q[k], v[k], a, loads[k])
            expected = [-np.linalg.solve(M, by_q), -np.linalg.solve(M, by_v), np.linalg.inv(M)]
        else:
            expected = theirs.acceleration_derivatives(q[k], v[k], tau[k], loads[k])
            assert_close(a, theirs.accelerations(q[k], v[k], tau[k], loads[k]), 1e-8)
        # errors grow with the condition of M, which is up to 1e5 here; the first two may be zero
        for part, one in zip(ours[k, :-1].reshape(3, nv, nv), expected, strict=True):
            assert_close(part, one, 1e-7, np.abs(expected[2]).max())


@examples(60)
@given(tree=joint_trees(largest=12))
def test_joints_of_every_type_with_terms_of_their_own(tree):
    graph, core = tree.graph, _core
    nv, all_terms = graph.nv, core.ARMATURE + core.SPRINGS + core.FRICTION
    q, v, a = random_states(graph, ROWS, tree.seed)
    theirs = Pinocchio(graph)
    bodies = mapped(theirs.torques, q, v, a)
    passive = mapped(lambda *state: passive_torques(graph, *state, "urdf"), q, v)
    springs = mapped(lambda *state: passive_torques(graph, *state), q, v)
    armature = np.diag(mass_matrix_of(graph, core.ARMATURE, q[0]) - mass_matrix_of(graph, 0, q[0]))
    for robot in robots(graph):
        # Pinocchio's armatures count in its torques
        ours = all_rows(robot, "inverse_dynamics", (nv,), q, v, a, terms=all_terms)
        assert_close(ours, bodies + passive, 1e-11)
        assert_close(all_rows(robot, "inverse_dynamics", (nv,), q, v, a), bodies + springs, 1e-11)
        without = all_rows(robot, "inverse_dynamics", (nv,), q, v, a, terms=0)
        assert_close(without, bodies - armature * a, 1e-11)
        accelerations = all_rows(robot, "forward_dynamics", (nv,), q, v, ours, terms=all_terms)
        assert_close(accelerations, a, 1e-6)
        check_hybrid_dynamics(robot, q, v, a, ours, all_terms)
        check_derivatives_with_terms(robot, q, v, ours, all_terms)
        derivatives = all_rows(robot, "inverse_dynamics_derivatives", (3, nv, nv), q, v, a, terms=0)[:, :2]
        expected = mapped(theirs.derivatives, q, v, a)[:, :2]
        assert_close(derivatives, expected, 1e-10, 1e-3)
    check_power(graph, q, v, a)
    C = all_rows(core_robot(graph), "coriolis_matrix", (nv, nv), q, v)
    h, gravity = (mapped(theirs.torques, q, rate, 0.0 * v) for rate in (v, 0.0 * v))
    assert_close(np.einsum("kij,kj->ki", C, v) + gravity, h, 1e-11)
    step = 1e-6
    for k in range(3):
        ahead, behind = (moved(graph, q[k], sign * step * v[k]) for sign in (1.0, -1.0))
        rate = (mass_matrix_of(graph, 0, ahead) - mass_matrix_of(graph, 0, behind)) / (2 * step)
        assert_close(C[k] + C[k].T, rate, 1e-6, 1e-2)


def check_power(graph, q, v, a):
    """Kinetic energy is v^T M v / 2, and grows by the power of the torques without gravity's."""
    robot, step = core_robot(graph), 1e-5
    for one in zip(q[:3], v[:3], a[:3], strict=True):
        energies, sums = [], np.empty(16)
        for sign in (0.0, 1.0, -1.0):
            there = moved(graph, one[0], sign * step * (one[1] + 0.5 * sign * step * one[2]))
            assert robot.whole_body(there, one[1] + sign * step * one[2], None, sums) == 0
            energies.append(sums[15])
        M, torques, gravity = mass_matrix_of(graph, 0, one[0]), *np.empty((2, graph.nv))
        assert_close(energies[0], 0.5 * one[1] @ M @ one[1], 1e-11)
        assert robot.inverse_dynamics(*one, torques, 0) == 0
        assert robot.inverse_dynamics(one[0], None, None, gravity, 0) == 0
        size = np.abs(torques) @ np.abs(one[1]) + energies[0]
        assert_close((energies[1] - energies[2]) / (2 * step), (torques - gravity) @ one[1], 1e-6, size)


def mass_matrix_of(graph, terms, q):
    M = np.empty((graph.nv, graph.nv))
    assert core_robot(graph).mass_matrix(q, M, terms) == 0
    return M


def check_derivatives_with_terms(robot, q, v, tau, terms):
    """Those of accelerations by those of torques, whose terms stand on the diagonals."""
    nv = v.shape[1]
    ours = all_rows(robot, "forward_dynamics_derivatives", (3 * nv + 1, nv), q, v, tau, terms=terms)
    a = np.ascontiguousarray(ours[:, -1])
    with_terms = all_rows(robot, "inverse_dynamics_derivatives", (3, nv, nv), q, v, a, terms=terms)
    without = all_rows(robot, "inverse_dynamics_derivatives", (3, nv, nv), q, v, a, terms=0)
    of_terms = with_terms - without
    diagonals = np.diagonal(of_terms, axis1=2, axis2=3)
    assert_close(of_terms, diagonals[..., None] * np.eye(nv), 1e-12, np.abs(with_terms).max())
    M = with_terms[:, 2]
    for part, one in zip((ours[:, :nv], ours[:, nv : 2 * nv]), with_terms[:, :2].swapaxes(0, 1), strict=True):
        assert_close(M @ part, -one, 1e-8, np.abs(M).max())
    assert_close(M @ ours[:, 2 * nv : 3 * nv], np.broadcast_to(np.eye(nv), M.shape), 1e-8)


def check_hybrid_dynamics(robot, q, v, a, tau, terms):
    """What is not read may be anything; what comes out belongs together."""
    nv = v.shape[1]
    for prescribed in (np.arange(nv) % 3 != 1, np.zeros(nv, bool), np.ones(nv, bool)):
        known_a, known_tau = a.copy(), tau.copy()
        known_a[:, ~prescribed], known_tau[:, prescribed] = np.nan, np.inf
        ours = all_rows(robot, "hybrid_dynamics", (2, nv), prescribed, q, v, known_a, known_tau, terms=terms)
        assert_close(ours[:, 0], a, 1e-6)
        assert_close(ours[:, 1], tau, 1e-6)
        assert np.array_equal(ours[:, 0, prescribed], a[:, prescribed])
        assert np.array_equal(ours[:, 1, ~prescribed], tau[:, ~prescribed])


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
        frame = core_frames(graph, [link], robot)
        motions = all_rows(robot, "frame_motions", (1, 8, 3), frame, q, v, a)
        in_root = all_rows(robot, "jacobian", (6, nv), frame, 0, q)
        in_link = all_rows(robot, "jacobian", (6, nv), frame, _core.OWN_AXES, q)
        poses = all_rows(robot, "frame_poses", (1, 4, 4), frame, q)[:, 0]
        motions = motions[:, 0]
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


def _packed(body):
    """Ixx Ixy Iyy Ixz Iyz Izz about the origin."""
    c = body.com
    inertia = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]


def test_velocities_accelerations_and_drifts_of_frames(tree_robot):
    graph, nv, core = tree_robot, tree_robot.nv, _core
    q, v, a = random_states(graph, ROWS, 11)
    links = [graph.links[0], graph.links[len(graph.links) // 2], graph.links[-1]]
    theirs, zeros = Pinocchio(graph), np.zeros_like(v)
    for robot in robots(graph):
        frames, frame = core_frames(graph, links, robot), core_frames(graph, links[-1:], robot)
        for axes, point, form in product(("root", "link"), ("link", "root"), range(2)):
            code = core.OWN_AXES * (axes == "link") + core.AT_ROOT * (point == "root")
            ours = all_rows(robot, "frame_velocities", (3, 6), frames, code, q, v)
            assert_close(ours, md.frame_velocities(graph, q, v, links, axes, point), 1e-12)
            kind, code = ("classical", "spatial")[form], code + core.SPATIAL * form
            ours = all_rows(robot, "frame_accelerations", (3, 6), frames, code, q, v, a)
            expected = md.frame_accelerations(graph, q, v, a, links, axes, point, kind)
            assert_close(ours, expected, 1e-12)
        for own_axes, code in ((False, 0), (True, core.OWN_AXES + core.SPATIAL)):
            drifts = all_rows(robot, "frame_accelerations", (1, 6), frame, code, q, v, zeros)[:, 0]
            for k in range(ROWS):
                J, drift = theirs.jacobian_and_drift(q[k], v[k], links[-1], own_axes)
                own = np.empty((6, nv))
                assert robot.jacobian(frame, int(own_axes), q[k], own) == 0
                assert_close(own, J, 1e-12)
                assert_close(drifts[k], drift, 1e-11)


def test_without_rates_they_are_zero(load_robot):
    graph = load_robot("charmie")
    q, v, _ = random_states(graph, ROWS, 12)
    zeros = np.zeros_like(v)
    for robot in robots(graph):
        for rates in ((v, None), (None, v), (None, None)):
            expected, ours = np.empty_like(v), np.empty_like(v)
            full = [zeros if one is None else one for one in rates]
            assert robot.inverse_dynamics_rows(q, *full, expected, 1) == (ROWS, 0)
            assert robot.inverse_dynamics_rows(q, *rates, ours, 1) == (ROWS, 0)
            assert np.array_equal(ours, expected)
            one = [rate if rate is None else rate[3] for rate in rates]
            assert robot.inverse_dynamics(q[3], *one, ours[0]) == 0
            assert_close(ours[0], expected[3], 1e-13)


def test_wrenches_of_joints_and_black_boxes(load_robot):
    graph = load_robot("branched_38dof")
    q, v, a = random_states(graph, ROWS, 13)
    n, nv, core = len(graph.joints), graph.nv, _core
    loads = np.random.default_rng(13).normal(size=(ROWS, n, 6))
    theirs = Pinocchio(graph)
    cut = next(k for k in range(n) if graph.parents[k] is not None and any(p == k for p in graph.parents))
    beyond = [k for k in range(n) if is_beyond(graph, k, cut) and k != cut]
    passing = np.zeros(n, np.int64)
    passing[cut], passing[beyond] = core.CUT, core.UNKNOWN
    unknown = np.zeros(nv, bool)
    for k in beyond:
        unknown[graph.v_slice(graph.joints[k].name)] = True
    for robot in robots(graph):
        ours = all_rows(robot, "joint_wrenches", (nv + 6 * n,), q, v, a, terms=0, loads=loads)
        for k in range(ROWS):
            assert_close(ours[k, :nv], theirs.torques(q[k], v[k], a[k], loads[k]), 1e-12)
            expected = np.array([theirs.data.f[index].vector for index in theirs.pin.ids])
            assert_close(ours[k, nv:].reshape(n, 6), expected, 1e-12)
        box = np.empty((ROWS, nv + 6 * n))
        assert robot.joint_wrenches_rows(q, v, a, box, 2, 0, loads, passing) == (ROWS, 0)
        assert np.isnan(box[:, :nv]).any(axis=0).tolist() == unknown.tolist()
        assert np.isnan(box[:, nv:].reshape(ROWS, n, 6)).any(axis=(0, 2)).nonzero()[0].tolist() == beyond
        # what the cut joint would have passed on stands as a load on its parent
        for k in range(ROWS):
            one = np.empty(nv)
            assert robot.inverse_dynamics(q[k], v[k], a[k], one, 0, loads[k], passing) == 0
            known = ~np.isnan(one)
            assert_close(one[known], box[k, :nv][known], 1e-12)
            passed = box[k, nv:].reshape(n, 6)[cut]
            given = loads[k].copy()
            given[graph.parents[cut]] -= in_parent(graph, robot, q[k], cut, passed)
            assert robot.inverse_dynamics(q[k], v[k], a[k], one, 0, given, passing) == 0
            without_beyond = torques_without(graph, beyond, loads[k], q[k], v[k], a[k])
            assert_close(one[known], without_beyond[known], 1e-11)


def is_beyond(graph, k, joint):
    while k is not None and k != joint:
        k = graph.parents[k]
    return k == joint


def in_parent(graph, robot, q, joint, wrench):
    """A wrench on a joint's body, at the origin and in the axes of its parent's."""
    names = [graph.bodies[graph.parents[joint]].name, graph.bodies[joint].name]
    poses = np.empty((2, 4, 4))
    assert robot.frame_poses(core_frames(graph, names, robot), q, poses) == 0
    relative = np.linalg.inv(poses[0]) @ poses[1]
    R, p = relative[:3, :3], relative[:3, 3]
    force = R @ wrench[:3]
    return np.concatenate([force, R @ wrench[3:] + np.cross(p, force)])


def torques_without(graph, beyond, loads, q, v, a):
    """Pinocchio's torques where bodies have neither masses nor loads."""
    loads = loads.copy()
    loads[beyond] = 0.0
    pin = Pinocchio(graph)
    for k in beyond:
        pin.model.inertias[pin.pin.ids[k]] = pinocchio.Inertia.Zero()
    pin.data = pin.pin.data = pin.model.createData()
    return pin.torques(q, v, a, loads)


def test_external_wrenches_by_virtual_power(load_robot):
    graph = load_robot("branched_38dof")
    (q,), (v,), (a,) = random_states(graph, 1, 6)
    n, nv = len(graph.joints), graph.nv
    loads = np.random.default_rng(6).normal(size=(n, 6))
    robot = core_robot(graph)
    without, result = np.empty(nv), np.empty(nv)
    assert robot.inverse_dynamics(q, v, a, without) == 0
    assert robot.inverse_dynamics(q, v, a, result, 3, loads) == 0
    jacobian, power = np.empty((6, nv)), np.zeros(nv)
    for body, load in zip(graph.bodies, loads, strict=True):
        frame = core_frames(graph, [body.name], robot)
        assert robot.jacobian(frame, _core.OWN_AXES, q, jacobian) == 0
        power += jacobian.T @ load
    assert_close(result, without - power, 1e-12)
    derivatives = np.empty((3, nv, nv))
    assert robot.inverse_dynamics_derivatives(q, v, a, derivatives, 3, loads) == 0
    step, up, down = 1e-6, result.copy(), result.copy()
    for k in (0, nv // 2, nv - 1):
        unit = step * np.eye(nv)[k]
        assert robot.inverse_dynamics(q + unit, v, a, up, 3, loads) == 0
        assert robot.inverse_dynamics(q - unit, v, a, down, 3, loads) == 0
        assert_close(derivatives[0, :, k], (up - down) / (2 * step), 1e-6)


def test_designs_are_robots_of_their_own(load_robot):
    graph = load_robot("branched_38dof")
    link, joint = graph.bodies[5].name, graph.joints[7].name
    changes = [
        {},
        {f"link {link} mass": 2.5},
        {f"joint {joint} origin x": 0.3, f"joint {joint} origin roll": 0.7},
        {f"joint {joint} armature": 0.4, f"joint {joint} stiffness": 3.0, f"joint {joint} damping": 0.2},
        {"gravity x": 1.0},
    ]
    others = [graph.with_parameters(change) for change in changes]
    each, d = ROWS, len(others)
    q, v, a = (x.reshape(d, each, -1) for x in random_states(graph, d * each, 14))
    for robot in robots(graph):
        rows, out, expected = (
            np.empty((d, robot.number_count)),
            np.empty((d, each, graph.nv)),
            np.empty_like(v),
        )
        for k, other in enumerate(others):
            core_robot(other).numbers(rows[k])
            assert core_robot(other).inverse_dynamics_rows(q[k], v[k], a[k], expected[k], 1, 7) == (each, 0)
        assert robot.inverse_dynamics_designs(rows, q, v, a, out, 2, 7) == (d, 0, 0)
        assert_close(out, expected, 1e-12)
        bad = a.copy()
        bad[3, 11, 2] = np.nan
        assert robot.inverse_dynamics_designs(rows, q, v, bad, out, 2, 7) == (3, 11, 1)


def test_single_precision(load_robot):
    graph = load_robot("branched_38dof")
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


def test_large_angles_lose_whole_turns(load_robot):
    graph = load_robot("four_link")
    q, v, a = random_states(graph, ROWS, 9)
    near, far = np.empty((ROWS, graph.nv)), np.empty((ROWS, graph.nv))
    for robot in robots(graph):
        turns = 2.0 * np.pi * 1e7
        assert robot.inverse_dynamics_rows(q, v, a, near, 1) == (ROWS, 0)
        assert robot.inverse_dynamics_rows(q + turns, v, a, far, 1) == (ROWS, 0)
        assert_close(far, near, 1e-7)  # rounding of 6e7 rad is 7e-9


def test_kernels_are_those_of_this_processor(load_robot):
    assert _core.kernels[-1] == "baseline"
    with pytest.raises(ValueError, match="kernels 'x86-64-v9': there are none"):
        core_robot(load_robot("four_link"), "x86-64-v9")


@pytest.mark.parametrize("wanted", ["", *_core.kernels])
def test_kernels_can_be_chosen_by_the_environment(wanted):
    environment = os.environ | {"MODULAR_DYNAMICS_KERNELS": wanted}
    done = run_python("-m", "modular_dynamics", "--version", env=environment)
    assert f"core: {wanted or _core.kernels[0]}, " in done.stdout


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
