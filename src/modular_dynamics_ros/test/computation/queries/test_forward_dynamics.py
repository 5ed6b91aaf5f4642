"""Accelerations against Pinocchio's articulated bodies and the library's saddle point, and inverted."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.query_subjects import Oracle, floating, hand, solve, subject_of
from helpers.robots.closed_robots import STATES, path
from modular_dynamics_ros.computation.queries.equation_of_motion import full_torques
from modular_dynamics_ros.computation.queries.errors import QueryError
from modular_dynamics_ros.computation.queries.forward_dynamics import efforts_of, forward_dynamics

pytestmark = pytest.mark.ros

Q, V, A = [0.3, -0.5, 0.7], [1.0, -2.0, 0.5], [3.0, 1.0, -4.0]
FORCE = np.array([5.0, -3.0, 2.0, 0.4, 0.6, -0.7])


def accelerations(solved, efforts, *, friction=False):
    arguments = (*solved.at(), np.array(efforts, dtype=float), solved.wrenches)
    return forward_dynamics(*arguments, friction=friction)


def inverted(solved):
    """The accelerations that the efforts of a state's own accelerations cause, friction included."""
    dynamics = solved.model.solver.solve(solved.configuration, solved.state, solved.wrenches)
    return accelerations(solved, dynamics.tau + dynamics.friction, friction=True).joints


def test_a_tree_by_articulated_bodies(four_link):
    solved = solve(subject_of(four_link), [*Q, 0.2], [*V, 0.1])
    efforts = np.array([1.0, -2.0, 0.3, 0.4])
    theirs = Oracle(solved)
    expected = theirs.forward_dynamics(theirs.at, theirs.rates[0], efforts)
    assert accelerations(solved, efforts).joints == pytest.approx(expected, rel=1e-9)


def test_a_floating_base_by_articulated_bodies(quadruped):
    joints = np.linspace(-0.7, 0.8, 12)
    solved = floating(subject_of(quadruped, base="odometry"), joints, 2 * joints)
    found, theirs = accelerations(solved, 5 * joints), Oracle(solved)
    expected = theirs.forward_dynamics(theirs.at, theirs.rates[0], np.concatenate((np.zeros(6), 5 * joints)))
    assert found.base == pytest.approx(expected[:6], rel=1e-8)
    assert found.joints == pytest.approx(expected[6:], rel=1e-8)


def test_a_root_that_only_turns_does_not_accelerate(quadruped):
    last = np.linspace(-0.7, 0.8, 12), np.zeros(12)
    solved = solve(subject_of(quadruped, base="imu", last=last), *last, 3 * last[0])
    dynamics = solved.model.solver.solve(solved.configuration, solved.state, solved.wrenches)
    found = accelerations(solved, dynamics.tau)
    assert found.joints == pytest.approx(3 * last[0], rel=1e-9, abs=1e-10)
    assert not found.base.any()


def test_it_inverts_inverse_dynamics_with_friction_and_wrenches():
    solved = solve(subject_of(hand()), Q, V, A, [("l4", FORCE)])
    assert inverted(solved) == pytest.approx(A, rel=1e-9)
    free = accelerations(solved, np.zeros(3)).joints
    assert np.abs(accelerations(solved, np.zeros(3), friction=True).joints - free).max() > 1e-3


@pytest.mark.parametrize("name", STATES)
def test_closed_loops_by_the_saddle_point(name):
    q = STATES[name]
    solved = solve(subject_of(path(name)), q, 0.3 + q, 1.0 - q)
    efforts, graph = np.linspace(1.0, 2.0, len(q)), solved.robot.graph
    coordinates, v = (
        solved.configuration.coordinates,
        solved.model.velocities(solved.configuration, solved.state),
    )
    expected = md.constrained_dynamics(graph, coordinates, v, efforts).a
    own = expected[solved.model.solver.solver.independent_v]
    assert accelerations(solved, efforts).joints == pytest.approx(own, rel=1e-7, abs=1e-8 * np.abs(own).max())


@pytest.mark.parametrize("name", STATES)
def test_closed_loops_with_wrenches_inverted(name):
    q = STATES[name]
    subject = subject_of(path(name))
    a = 1.0 - q
    solved = solve(subject, q, 0.3 + q, a, [(subject.robot.graph.bodies[-1].name, FORCE)])
    assert inverted(solved) == pytest.approx(a, rel=1e-8, abs=1e-8)


def test_a_black_box_pushes_as_it_did_last(four_link, boxed_branch):
    subject = subject_of(four_link, partition=boxed_branch, last=(Q, V), boxes={"right_branch": FORCE})
    solved = solve(subject, Q, V, A)
    assert inverted(solved) == pytest.approx(A, rel=1e-9)
    without = md.forward_dynamics(subject.robot.graph.without("right_branch"), Q, V, np.zeros(3))
    assert np.abs(accelerations(solved, np.zeros(3)).joints - without).max() > 1.0


def test_efforts_by_name():
    robot = subject_of(hand()).robot
    assert efforts_of(robot, {"j3": 2.0, "j1": -1.0}).tolist() == [-1.0, 0.0, 2.0]
    cases = [
        ({"j4": 1.0}, "REFUSED", "'j4' mimics 'j3'"),
        ({"nix": 1.0}, "UNKNOWN_NAME", "no joint 'nix' in 'hand', whose joints are 'j1'"),
        ({"j2": 0.0, "j1": np.nan}, "BAD_STATE", "efforts: that of 'j1' is NaN"),
        ({"j1": -1e200}, "BAD_STATE", "efforts: that of 'j1' is -1e\\+200; sizes of at most 1e\\+09"),
    ]
    for efforts, code, text in cases:
        with pytest.raises(QueryError, match=text) as refused:
            efforts_of(robot, efforts)
        assert refused.value.code == code


def test_passive_joints_take_no_effort():
    robot = subject_of(path("four_bar")).robot
    with pytest.raises(QueryError, match="has no actuator"):
        efforts_of(robot, {robot.passive_names[0]: 1.0})


def test_what_overflows_is_refused():
    solved = solve(subject_of(hand()), Q)
    fast = solved.state._replace(v=np.full(3, 1e200))  # requests may not, but what was answered last may
    with pytest.raises((QueryError, ValueError), match="so large"):
        accelerations(solved._replace(state=fast), np.zeros(3))


def test_the_full_vector_is_the_solvers(quadruped):
    joints = np.linspace(-0.7, 0.8, 12)
    solved = floating(subject_of(quadruped, base="odometry"), joints, joints, joints)
    dynamics = solved.model.solver.solve(solved.configuration, solved.state, solved.wrenches)
    assert full_torques(solved.model, dynamics) == pytest.approx(
        Oracle(solved).torques(), rel=1e-9, abs=1e-11
    )
