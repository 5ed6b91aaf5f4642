"""The equation of motion of closed loops: compiled terms, their general method, and identities."""

from functools import partial

import numpy as np
import pytest
from scipy.integrate import simpson

import modular_dynamics as md
from helpers.oracles.motions import kinetic
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.paths import ROBOTS as ROBOTS_OF_JOINT_TERMS
from helpers.random_examples.joint_trees import passive_torques
from helpers.robots.closed_robots import assert_allocates_nothing, largest, states_near
from helpers.springs import spring_torque
from helpers.tree_dynamics import assert_close
from modular_dynamics.loops import energy, simulate, solver_of
from modular_dynamics.loops.core_loops import GOOD, core_loops

#: Random q, v and torques.
states = partial(states_near, size=10.0)


def by_projection(graph, q, guess):
    """Coordinates of all joints, and W, M1 and g1 from the tree's terms."""
    solver = solver_of(graph)
    closed = solver.close(q, guess)
    W = solver.dynamic_projection(closed)
    M, g = md.mass_matrix(graph.tree, closed), md.gravity_torque(graph.tree, closed)
    return closed, W, W.T @ M @ W, W.T @ g


def test_terms_are_those_of_the_tree_projected(graph):
    for q, v, tau, guess in states(graph, 20):
        closed, _, M, g = by_projection(graph, q, guess)
        assert largest(md.mass_matrix(graph, q, guess=guess) - M, M) < 1e-12
        assert md.close_loops(graph, q, guess) == pytest.approx(closed, abs=1e-11)
        assert largest(md.gravity_torque(graph, q, guess=guess) - g, max(np.abs(g).max(), 1e-3)) < 1e-11
        h = md.inverse_dynamics(graph, q, v, 0.0 * v, guess=guess)
        assert largest(md.nonlinear_effects(graph, q, v, guess=guess) - h, h) < 1e-11
        a = md.forward_dynamics(graph, q, v, tau, guess=guess)
        expected = np.linalg.solve(M, tau - h)
        size = np.abs(np.linalg.inv(M)) @ (np.abs(tau) + np.abs(h))  # of the terms, which may cancel
        assert np.abs(a - expected).max() < 1e-13 * np.linalg.cond(M) * size.max()
        # the general method was compared, not used
        assert graph.once(core_loops).mass_matrix(q, guess, np.empty_like(M)) == GOOD
        assert graph.once(core_loops).forward_dynamics(q, v, tau, guess, np.empty_like(v)) == GOOD


def test_inverse_dynamics_of_the_accelerations_gives_the_torques(graph):
    for q, v, tau, guess in states(graph, 20, seed=1):
        a = md.forward_dynamics(graph, q, v, tau, guess=guess)
        back = md.inverse_dynamics(graph, q, v, a, guess=guess)
        M, h = md.mass_matrix(graph, q, guess=guess), md.nonlinear_effects(graph, q, v, guess=guess)
        sizes = np.abs(M) @ np.abs(a) + np.abs(h) + np.abs(tau)
        assert np.abs(back - tau).max() < 1e-11 * sizes.max()
        assert np.abs(M @ a + h - tau).max() < 1e-11 * sizes.max()


def test_results_are_written_into_out(graph):
    q, v, tau, guess = next(states(graph, 1))
    calls = (
        (md.mass_matrix, (q,)),
        (md.gravity_torque, (q,)),
        (md.nonlinear_effects, (q, v)),
        (md.forward_dynamics, (q, v, tau)),
    )
    for function, state in calls:
        expected = function(graph, *state, guess=guess)
        out = np.empty_like(expected)
        assert function(graph, *state, guess=guess, out=out) is out
        assert np.array_equal(out, expected)
        rows = [np.array([x, x]) for x in state]
        many = function(graph, *rows, guess=guess)
        assert many.shape == (2, *expected.shape)
        assert largest(many - expected, expected) < 1e-11


def test_nothing_is_allocated_with_out(graph):
    q, v, tau, guess = next(states(graph, 1))
    M, result = np.empty((len(v), len(v))), np.empty(len(v))

    def run():
        for _ in range(200):
            md.mass_matrix(graph, q, guess=guess, out=M)
            md.gravity_torque(graph, q, guess=guess, out=result)
            md.nonlinear_effects(graph, q, v, guess=guess, out=result)
            md.forward_dynamics(graph, q, v, tau, guess=guess, out=result)

    assert_allocates_nothing(run)


def test_without_a_guess_the_general_method_answers(graph):
    q, v, tau, _ = next(states(graph, 1, 0.0))
    closed, _, M, g = by_projection(graph, q, None)
    out = np.empty(len(v))
    assert largest(md.mass_matrix(graph, q) - M, M) < 1e-12
    assert np.array_equal(md.close_loops(graph, q), closed)
    assert largest(md.gravity_torque(graph, q) - g, max(np.abs(g).max(), 1e-3)) < 1e-11
    assert md.forward_dynamics(graph, q, v, tau, out=out) is out
    back = md.inverse_dynamics(graph, q, v, out)
    sizes = np.abs(M) @ np.abs(out) + np.abs(md.nonlinear_effects(graph, q, v)) + np.abs(tau)
    assert np.abs(back - tau).max() < 1e-11 * sizes.max()


@pytest.mark.parametrize("which", ["q", "v", "tau", "guess"])
@pytest.mark.parametrize("change", [np.nan, np.inf])
def test_what_is_no_state_is_named_and_never_a_number(graph, which, change):
    state = dict(zip(("q", "v", "tau", "guess"), next(states(graph, 1)), strict=True))
    out = np.full(len(state["v"]), 7.0)
    state[which] = np.full_like(state[which], change)
    with pytest.raises(md.ModularDynamicsError, match="finite"):
        md.forward_dynamics(graph, **state, out=out)
    assert (out == 7.0).all()
    if which in ("q", "guess"):
        M = np.full((len(out), len(out)), 7.0)
        with pytest.raises(md.ModularDynamicsError, match="finite"):
            md.mass_matrix(graph, state["q"], guess=state["guess"], out=M)
        assert (M == 7.0).all()


# Armature, springs and friction at joints of closed loops, and a loop that carries a ball joint.

TERMS = {
    "joint_dynamics": [
        {"joint": "J1", "armature": 0.05},
        {"joint": "J3", "armature": 0.02, "stiffness": 4.0, "rest_position": 0.3},
        {"joint": "J4", "stiffness": 2.0, "rest_position": -0.2},
    ],
    "version": 1,
}
FRICTION = '<dynamics damping="0.3" friction="0.2"/></joint>'


@pytest.fixture
def four_bar():
    """All of its joints, passive ones too, have friction."""
    return md.load_urdf(
        (ROBOTS_OF_JOINT_TERMS / "four_bar.urdf").read_text().replace("</joint>", FRICTION), TERMS
    )


@pytest.mark.parametrize("friction", ["none", "urdf"])
def test_torques_are_the_trees_by_virtual_power(four_bar, friction):
    q, v, a = [0.4], [3.0], [2.0]
    result = md.InverseDynamics(four_bar, friction=friction).solve(q, v, a)
    state = result.coordinates, result.velocities, result.accelerations
    tree = PinocchioTree(four_bar).inverse_dynamics(*state)
    passive = passive_torques(four_bar, *state[:2], friction)
    W = result.projection
    assert_close(result.tau, W.T @ (tree + passive), 1e-11)
    M = md.mass_matrix(four_bar, q)
    assert_close(M, W.T @ PinocchioTree(four_bar).mass_matrix(state[0]) @ W, 1e-11)
    bias = md.nonlinear_effects(four_bar, q, v, friction=friction)
    assert_close(M @ a + bias, result.tau, 1e-11)
    rest = np.zeros(four_bar.nv)
    gravity, springs = md.gravity_torque(four_bar, q), spring_torque(four_bar, q)
    assert_close(gravity, W.T @ PinocchioTree(four_bar).inverse_dynamics(state[0], rest, rest), 1e-11)
    assert_close(springs, W.T @ passive_torques(four_bar, state[0], rest), 1e-11)
    motion = md.constrained_dynamics(four_bar, *state[:2], result.tau, friction=friction)
    assert_close(motion.a, result.accelerations, 1e-10)
    for prescribed in ([], four_bar.independent_joint_names):
        both = md.constrained_dynamics(
            four_bar, *state[:2], result.tau, prescribed=prescribed, a=a, friction=friction
        )
        assert_close(both.a, result.accelerations, 1e-10)
        assert_close(both.tau, result.tau, 1e-10)


@pytest.mark.parametrize("moving", range(3))
def test_joints_at_rest_feel_no_dry_friction_from_rounding(moving):
    """One cylinder or the column of the crane moves; loops of the others stand still."""
    crane = md.load_urdf(ROBOTS_OF_JOINT_TERMS / "crane.urdf")
    crane = crane.with_parameters({f"joint {name} friction": 0.2 for name in crane.joint_names})
    v = 1.3 * np.eye(3)[moving]
    for q in np.linspace([0.1, 0.31, 0.265], [0.2, 0.33, 0.28], 5):
        result = md.InverseDynamics(crane, friction="urdf").solve(q, v, [0.1, 0.2, 0.3])
        state = result.coordinates, result.velocities, result.accelerations
        assert (state[1] == 0.0).any()
        exact = np.where(np.abs(state[1]) < 1e-9, 0.0, state[1])
        tree = md.inverse_dynamics(crane.tree, state[0], exact, state[2])
        passive = passive_torques(crane, state[0], exact, "urdf")
        assert_close(result.tau, result.projection.T @ (tree + passive), 1e-11)
        noisy = result.projection @ v  # with its rounding
        for motion in (
            md.constrained_dynamics(crane, state[0], noisy, result.tau, friction="urdf").a,
            md.constrained_dynamics(
                crane,
                state[0],
                noisy,
                result.tau,
                prescribed=crane.independent_joint_names,
                a=[0.1, 0.2, 0.3],
                friction="urdf",
            ).a,
        ):
            assert_close(motion, state[2], 1e-9)


def test_a_simulation_keeps_the_energy_of_springs_and_drives(four_bar):
    motion = simulate(four_bar, [0.4], [1.0], None, 1.0)
    assert np.ptp(motion.energy) <= 1e-7 * kinetic(four_bar, motion)
    still = np.zeros(four_bar.nv)
    # and it is in both
    assert np.ptp([energy(four_bar, q, still) for q in motion.coordinates]) > 0.1 * kinetic(four_bar, motion)


def test_friction_takes_its_energy_from_a_simulation(four_bar):
    """While all joints turn one way: what is lost is the integral of v . (damping v + friction sign(v))."""
    times = np.linspace(0.0, 0.05, 201)
    motion = simulate(four_bar, [0.4], [3.0], None, 0.05, times=times, friction="urdf")
    assert (np.sign(motion.velocities) == np.sign(motion.velocities[0])).all()
    rest = passive_torques(four_bar, motion.coordinates[0], 0.0 * motion.velocities[0])
    assert rest.any()  # of springs, which keep energy
    speeds = np.abs(motion.velocities)
    power = sum(
        joint.damping * speeds[:, k] ** 2 + joint.friction * speeds[:, k]
        for k, joint in enumerate(four_bar.joints)
    )
    lost = motion.energy[0] - motion.energy[-1]
    assert lost == pytest.approx(simpson(power, x=times), rel=1e-7)
    assert lost > 0.1 * kinetic(four_bar, motion)


def test_a_simulation_ends_where_dry_friction_holds_a_joint(four_bar):
    held = four_bar.with_parameters({"joint J1 friction": 50.0})
    with pytest.raises(md.StateError, match=r"beyond .* s: .*, perhaps because dry friction holds a joint"):
        simulate(held, [0.4], [0.1], None, 1.0, friction="urdf")


@pytest.mark.parametrize("prescribed", [["J1"], []])
def test_hybrid_dynamics_with_friction_is_inverse_or_forward_dynamics(four_bar, prescribed):
    inverse = md.InverseDynamics(four_bar, friction="urdf").solve([0.4], [3.0], [2.0])
    state = [0.4], [3.0], [2.0], inverse.tau
    result = md.hybrid_dynamics(four_bar, *state, prescribed, friction="urdf")
    assert_close(result.a, [2.0], 1e-10)
    assert_close(result.tau, inverse.tau, 1e-10)
    rows = md.hybrid_dynamics(four_bar, *([x] for x in state), prescribed, friction="urdf")
    assert np.array_equal(rows.a[0], result.a)


@pytest.mark.parametrize("as_array", [np.array, list])
def test_without_a_guess_limits_select_the_mode(load_robot, as_array):
    """Beyond a passive joint's limits there is no answer, whatever the type, also after good calls."""
    graph, rest = load_robot("crane"), np.zeros(3)
    for _ in range(2):
        assert np.isfinite(md.inverse_dynamics(graph, np.array([0.0, 0.3, 0.3]), rest, rest)).all()
        q, out = as_array([0.0, 0.0, 0.6]), np.full(3, 7.0)
        for function in (md.inverse_dynamics, md.forward_dynamics):
            with pytest.raises(md.ClosureError, match=r"'jib_hinge' is at -2\.188"):
                function(graph, q, rest, rest, out=out)
            assert out.tolist() == [7.0] * 3
        for function, others in (
            (md.mass_matrix, ()),
            (md.gravity_torque, ()),
            (md.nonlinear_effects, (rest,)),
        ):
            with pytest.raises(md.ClosureError, match="jib_hinge"):
                function(graph, q, *others)


def test_a_zero_quaternion_of_the_base_is_refused(load_robot):
    graph = md.load_urdf(ROBOTS_OF_JOINT_TERMS / "four_bar.urdf", floating_base=True)
    good = graph.neutral()[solver_of(graph).independent_q]
    guess, q = md.close_loops(graph, good), good.copy()
    md.mass_matrix(graph, good)
    q[3:7] = 0.0
    for state, options in (
        (q, {}),
        (q, {"guess": guess}),
        (q[None], {}),
        (np.array([good, q]), {"guess": guess}),
    ):
        with pytest.raises(md.StateError, match="zero quaternion"):
            md.mass_matrix(graph, state, **options)


def test_arguments_are_checked_before_loops_are_searched(load_robot):
    """Loops that never close: a wrong shape is named, at once."""
    text = (
        (ROBOTS_OF_JOINT_TERMS / "four_bar.urdf")
        .read_text()
        .replace('xyz="0.15 0 0" rpy', 'xyz="1.5 0 0" rpy')
    )
    graph, one = md.load_urdf(text), np.zeros(1)
    with pytest.raises(md.StateError, match=r"q has shape \(2,\)"):
        md.inverse_dynamics(graph, np.zeros(2), one, one)
    with pytest.raises(md.StateError):
        md.mass_matrix(graph, "x")


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "charmie_torso"])
def test_without_a_guess_the_reference_is_the_guess(load_robot, name):
    """And a single state is the row of many."""
    graph = load_robot(name)
    reference = solver_of(graph).reference()
    q = reference[solver_of(graph).independent_q] + 0.05
    v, tau = np.random.default_rng(3).uniform(-1.0, 1.0, (2, len(graph.independent_joint_names)))
    for function, state in (
        (md.inverse_dynamics, (q, v, tau)),
        (md.forward_dynamics, (q, v, tau)),
        (md.nonlinear_effects, (q, v)),
        (md.mass_matrix, (q,)),
        (md.gravity_torque, (q,)),
    ):
        found = function(graph, *state)
        assert found == pytest.approx(function(graph, *state, guess=reference), rel=1e-12, abs=1e-12)
        (row,) = function(graph, *(x[None] for x in state))
        assert found == pytest.approx(row, rel=1e-12, abs=1e-12)
