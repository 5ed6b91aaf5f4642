"""The terms of torques: Pinocchio's for trees, virtual power for closed loops, and their sum."""

import numpy as np
import pytest

from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.query_subjects import Oracle, floating, hand, solve, subject_of
from helpers.robots.closed_robots import STATES, path, text_of, with_spring
from modular_dynamics_ros.computation.torque_terms import ExternalTorques

pytestmark = pytest.mark.ros

Q, V, A = [0.3, -0.5, 0.7], [1.0, -2.0, 0.5], [3.0, 1.0, -4.0]
FORCE = np.array([5.0, -3.0, 2.0, 0.4, 0.6, -0.7])
STEP = 1e-6


def split(solved, *, friction=False):
    dynamics = solved.model.solver.solve(solved.configuration, solved.state, solved.wrenches)
    return solved.model.terms.split(solved.configuration, solved.state, dynamics, friction=friction)


def summed(t):
    return t.inertia + t.coriolis + t.gravity + t.springs + t.friction - t.external


def close(one, other, scale=1.0):
    assert one == pytest.approx(other, rel=1e-9, abs=1e-11 * scale)


def test_of_a_tree_with_mimic_spring_armature_and_friction():
    solved = solve(subject_of(hand()), Q, V, A, [("l4", FORCE)])
    terms, theirs = split(solved, friction=True), Oracle(solved)
    close(terms.inertia, theirs.torques(0, 1, 0))
    close(terms.coriolis, theirs.torques(1, 0, 0))
    close(terms.gravity, theirs.torques(0, 0, 1))
    close(terms.springs, [0, 50 * (-0.5 - 0.1), 0])
    close(terms.friction, [0.4 * 1.0 + 0.2, 0, 0.4 * 0.5 + 0.2])
    body = solved.robot.graph.joint_index("j4")
    close(terms.external, theirs.jacobian(theirs.at, body).T @ FORCE)
    assert np.abs(terms.external).min() > 0.01
    close(terms.total, summed(terms))
    assert not split(solved).friction.any()


def test_of_a_floating_base(quadruped):
    subject = subject_of(quadruped, base="odometry")
    joints = np.linspace(-0.7, 0.8, 12)
    solved = floating(subject, joints, 2 * joints, -3 * joints, [("fl_foot", FORCE)])
    terms, theirs = split(solved), Oracle(solved)
    for term, factors in (
        (terms.inertia, (0, 1, 0)),
        (terms.coriolis, (1, 0, 0)),
        (terms.gravity, (0, 0, 1)),
    ):
        close(term, theirs.torques(*factors)[6:])
        assert np.abs(term).max() > 0.1
    close(terms.total, summed(terms))
    assert np.abs(terms.external).max() > 0.1


def test_a_black_box_is_external(four_link, boxed_branch):
    """Its wrench is what the branch would need, so the terms add up to the torques of the whole robot."""
    whole = solve(subject_of(four_link), [*Q, 0.2], [*V, 0.1], [*A, 0.3])
    dynamics = whole.model.solver.solve(whole.configuration, whole.state, whole.wrenches)
    boxes = {"right_branch": dynamics.tree.connection_wrenches[2]}
    terms = split(solve(subject_of(four_link, partition=boxed_branch, last=(Q, V), boxes=boxes), Q, V, A))
    close(terms.total, dynamics.tau[:3])
    close(terms.total, summed(terms))
    assert np.abs(terms.external).max() > 0.1


def closed_cases():
    yield from ((path(name), q) for name, q in STATES.items())
    yield with_spring(text_of("four_bar")), STATES["four_bar"]


@pytest.mark.parametrize(("description", "q"), closed_cases(), ids=[*STATES, "sprung four_bar"])
def test_of_closed_loops_by_virtual_power(description, q):
    """T, V and tensions of the tree with loops closed on either side of q; bias by its power dT/dt."""
    subject = subject_of(description)
    v, a = 0.3 + 0.5 * np.cos(np.arange(len(q))), 1.0 - 0.4 * np.arange(len(q))
    link = subject.robot.graph.bodies[-1].name
    solved = solve(subject, q, v, a, [(link, FORCE)])
    terms, tree, solver = split(solved), PinocchioTree(subject.robot.graph.tree), solved.model.solver.solver
    at, graph = solved.configuration.coordinates, subject.robot.graph

    def closed(moved):
        return solver.close(moved, at)

    def rates(moved, v1):  # of all joints, by differences of closed positions
        return (closed(moved + STEP * v1) - closed(moved - STEP * v1)) / (2 * STEP)

    W = np.array([rates(q, unit) for unit in np.eye(len(q))]).T
    scale = np.abs(terms.total).max()
    zero = np.zeros(graph.nv)
    gravity = W.T @ tree.inverse_dynamics(at, zero, zero)
    assert terms.gravity == pytest.approx(gravity, abs=1e-6 * scale)
    assert terms.inertia == pytest.approx(W.T @ tree.mass_matrix(at) @ W @ a, abs=1e-6 * max(scale, 1.0))

    def kinetic(moved):
        v_all = rates(moved, v)
        return 0.5 * v_all @ tree.mass_matrix(closed(moved)) @ v_all

    h = 1e-4
    power = (kinetic(q + h * v) - kinetic(q - h * v)) / (2 * h)
    assert v @ terms.coriolis == pytest.approx(power, rel=1e-4, abs=1e-5)

    def lengths(moved):
        return solver.system.spring_forces(closed(moved), zero).lengths.copy()  # a workspace

    along = [(lengths(q + STEP * unit) - lengths(q - STEP * unit)) / (2 * STEP) for unit in np.eye(len(q))]
    v_all = W @ v
    tensions = solver.system.spring_forces(at, v_all).tensions
    at_joints = [
        j.stiffness * (graph.joint_position(j, at)[0] - j.rest_position) if j.stiffness else 0.0
        for j in graph.joints
    ]
    expected = np.array(along).reshape(len(q), -1) @ tensions + W.T @ np.array(at_joints)
    assert terms.springs == pytest.approx(expected, abs=1e-5 * max(scale, 1.0))
    close(terms.total, summed(terms), scale)
    body = len(graph.bodies) - 1
    assert terms.external == pytest.approx(
        W.T @ tree.jacobian(at, body).T @ FORCE, abs=1e-6 * max(scale, 1.0)
    )


def test_dampers_count_as_springs():
    """The spring's damping is 0.7: what is odd in the velocity."""
    subject = subject_of(with_spring(text_of("four_bar")))
    there, back = (split(solve(subject, [0.7], [s * 2.0])) for s in (1, -1))
    resting = split(solve(subject, [0.7]))
    assert there.springs - resting.springs == pytest.approx(resting.springs - back.springs, rel=1e-9)
    assert abs(there.springs - resting.springs) > 1e-5
    assert there.coriolis == pytest.approx(back.coriolis, rel=1e-9)


CUTOFF, GAP, NAN = 2.0, 0.5, np.nan


def ns(seconds):
    return round(1e9 * seconds)


def test_a_step_is_processed_by_the_exponential_at_stamps_of_any_distance():
    one, rng = ExternalTorques(1), np.random.default_rng(3)
    one.update(ns(10.0), np.zeros(1), np.zeros(1), CUTOFF, GAP)
    time = 0.0
    for step in rng.uniform(0.0005, 0.05, 40):
        time += step
        (value,) = one.update(ns(10.0 + time), np.array([5.0]), np.array([2.0]), CUTOFF, GAP)
        assert value == pytest.approx(3.0 * (1.0 - np.exp(-2.0 * np.pi * CUTOFF * time)), rel=1e-6)


def test_each_joint_has_its_own_filter_and_only_known_ones_have_a_value():
    one = ExternalTorques(3)
    first = one.update(ns(1.0), np.array([1.0, 2.0, NAN]), np.array([0.5, NAN, 0.0]), CUTOFF, GAP)
    np.testing.assert_array_equal(first, [0.5, NAN, NAN])
    second = one.update(ns(1.1), np.array([1.0, 2.0, NAN]), np.array([NAN, 0.5, 0.0]), CUTOFF, GAP)
    np.testing.assert_array_equal(second, [NAN, 1.5, NAN])  # begins with its first value
    third = one.update(ns(1.2), np.array([0.0, 0.0, 1.0]), np.zeros(3), CUTOFF, GAP)
    kept = np.exp(-2.0 * np.pi * CUTOFF * np.array([0.2, 0.1]))
    assert third == pytest.approx([0.5 * kept[0], 1.5 * kept[1], 1.0])


def test_it_begins_anew_after_a_gap_and_where_stamps_go_back():
    one = ExternalTorques(1)
    for stamp, raw, expected in ((5.0, 1.0, 1.0), (5.6, 3.0, 3.0), (2.0, 7.0, 7.0)):
        assert one.update(ns(stamp), np.array([raw]), np.zeros(1), CUTOFF, GAP) == pytest.approx([expected])
    assert one.update(ns(2.4), np.zeros(1), np.zeros(1), CUTOFF, GAP) > 0.0  # within the gap it goes on


@pytest.mark.parametrize("before", [(), (1.0,), (1.0, 0.2), (5.0,)])
def test_of_values_with_the_same_stamp_the_last_one_counts(before):
    """Arm and gripper come in two messages of one stamp: the first answer has the gripper of before."""
    several, last = ExternalTorques(2), ExternalTorques(2)
    zeros = np.zeros(2)
    for time in before:  # the last one is after, or long before 1.1 s
        for one in (several, last):
            one.update(ns(time), np.array([1.0, -2.0]), zeros, CUTOFF, GAP)
    for raw in ([9.0, NAN], [NAN, 4.0], [3.0, 7.0]):
        got = several.update(ns(1.1), np.array(raw), zeros, CUTOFF, GAP)
    assert got.tolist() == last.update(ns(1.1), np.array([3.0, 7.0]), zeros, CUTOFF, GAP).tolist()
    got = several.update(ns(1.2), np.array([0.5, 0.6]), zeros, CUTOFF, GAP)
    assert got.tolist() == last.update(ns(1.2), np.array([0.5, 0.6]), zeros, CUTOFF, GAP).tolist()


def test_the_filters_of_joints_that_stay_go_on_in_another_robot():
    before, after, alone = ExternalTorques(2), ExternalTorques(3), ExternalTorques(1)
    for k in range(3):
        before.update(ns(1.0 + 0.1 * k), np.array([k, 2.0]), np.zeros(2), CUTOFF, GAP)
        alone.update(ns(1.0 + 0.1 * k), np.array([k]), np.zeros(1), CUTOFF, GAP)
    after.continue_from(before, np.array([-1, 0, -1]))
    got = after.update(ns(1.3), np.array([5.0, 9.0, 6.0]), np.zeros(3), CUTOFF, GAP)
    (expected,) = alone.update(ns(1.3), np.array([9.0]), np.zeros(1), CUTOFF, GAP)
    np.testing.assert_array_equal(got, [5.0, expected, 6.0])
    assert expected < 9.0
    nobody = ExternalTorques(1)
    nobody.continue_from(ExternalTorques(0), np.array([-1]))
    assert nobody.update(ns(1.0), np.ones(1), np.zeros(1), CUTOFF, GAP) == 1.0
