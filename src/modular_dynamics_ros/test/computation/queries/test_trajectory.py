"""Efforts along trajectories: each point against the library and Pinocchio; what is refused."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.query_subjects import hand, solve, subject_of
from helpers.robots.closed_robots import OUT_OF_REACH, STATES, path, text_of
from helpers.wrenches import NOW, feed
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.queries.errors import QueryError
from modular_dynamics_ros.computation.queries.limits import EFFORT, POSITION
from modular_dynamics_ros.computation.queries.query_model import QueryModel, Subject
from modular_dynamics_ros.computation.queries.trajectory import Motion, trajectory_torques
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros

FORCE = np.array([5.0, -3.0, 2.0, 0.4, 0.6, -0.7])
LAST = [0.1, 0.2, 0.3], [1.0, 2.0, 3.0]


def motion(names, q, v=None, a=None):
    q, v, a = (None if one is None else np.array(one, dtype=float) for one in (q, v, a))
    return Motion(names, np.arange(1, len(q) + 1) * 10_000_000, q, v, a)


def torques(subject, *arguments, external=()):
    model = QueryModel(subject.robot, subject.settings)
    return trajectory_torques(model, subject, motion(*arguments), external)


def random_points(count, joints):
    numbers = np.random.default_rng(5)
    return numbers.uniform(-0.8, 0.8, (count, joints)), *numbers.normal(size=(2, count, joints))


def test_each_point_is_inverse_dynamics_with_friction_and_wrenches():
    subject, points = subject_of(hand(), friction="urdf"), random_points(6, 3)
    found = torques(subject, ["j3", "j1", "j2"], *points, external=[("l4", FORCE)])
    assert found.motion.names == ["j3", "j1", "j2"]
    for own, q, v, a in zip(found.efforts, *points, strict=True):
        state = [one[[1, 2, 0]] for one in (q, v, a)]
        one = solve(subject, *state, [("l4", FORCE)])
        dynamics = one.model.solver.solve(one.configuration, one.state, one.wrenches)
        assert own[[1, 2, 0]] == pytest.approx(dynamics.tau + dynamics.friction, rel=1e-12, abs=1e-12)
    assert not np.allclose(torques(subject_of(hand()), ["j3", "j1", "j2"], *points).efforts, found.efforts)


def test_joints_that_are_not_named_stay_where_they_were():
    subject = subject_of(hand(), last=LAST)
    found = torques(subject, ["j2"], [[0.5], [0.6]])
    expected = md.inverse_dynamics(subject.robot.graph, [0.1, 0.5, 0.3], [0, 10.0, 0], [0.0] * 3)
    assert found.efforts[0] == pytest.approx(expected[1:2], rel=1e-12)
    with pytest.raises(QueryError, match="'j1', 'j3' are missing"):
        torques(subject_of(hand()), ["j2"], [[0.5]])


def test_a_floating_base_stands_still(quadruped):
    joints = np.linspace(-0.7, 0.8, 12)
    subject = subject_of(quadruped, base="odometry", last=(joints, joints))
    names = subject.robot.state_names
    found = torques(subject, names, [joints, joints + 0.1], [joints, joints])
    resting = solve(subject, joints, joints, found.motion.a[0])
    expected = resting.model.solver.solve(resting.configuration, resting.state, resting.wrenches)
    assert found.efforts[0] == pytest.approx(expected.tau, rel=1e-10, abs=1e-11)


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton"])
def test_loops_are_closed_from_point_to_point(name):
    subject, q = subject_of(path(name), friction="urdf"), STATES[name]
    steps = q + np.linspace(0.0, 0.2, 5)[:, None]
    found = torques(subject, subject.robot.state_names, steps, np.tile(0.3, steps.shape), 0 * steps)
    for own, at in zip(found.efforts, steps, strict=True):
        one = solve(subject, at, 0.3 + 0 * q)
        dynamics = one.model.solver.solve(one.configuration, one.state, one.wrenches)
        assert own == pytest.approx(dynamics.tau + dynamics.friction, rel=1e-7, abs=1e-9)


def test_limits_of_passive_joints_count():
    """J4 goes from 2.03 to 2.81 rad and back while the crank turns once."""
    subject = subject_of(text_of("four_bar").replace('upper="2.9"', 'upper="2.5"'))
    found = torques(subject, ["J1"], np.linspace(0.7, 0.7 + 2 * np.pi, 200)[:, None])
    (beyond,) = (one for one in found.excesses if one.quantity == POSITION)
    assert (beyond.joint, beyond.limit) == ("J4", 2.5)
    assert beyond.value == pytest.approx(2.8119, abs=2e-4)


def test_where_loops_do_not_close_the_point_is_named():
    subject, q = subject_of(path("exoskeleton")), STATES["exoskeleton"]
    with pytest.raises(QueryError, match="point 1: cannot close") as refused:
        torques(subject, subject.robot.state_names, [q, OUT_OF_REACH])
    assert refused.value.code == "BAD_STATE"


def test_a_black_box_pushes_as_it_did_last(four_link, boxed_branch):
    one = Computation(load_robot(four_link, boxed_branch), ComputationSettings())
    subject = Subject(one.robot, one.settings, one.wrenches, None, NOW)
    points = random_points(3, 3)
    with pytest.raises(BadMessage, match="no wrench of black box 'right_branch' has come yet"):
        torques(subject, ["turn", "bend", "left"], *points)
    feed(one, "right_branch", FORCE)
    found = torques(subject, ["turn", "bend", "left"], *points)
    for own, q, v, a in zip(found.efforts, *points, strict=True):
        every = (np.append(one, 0.0) for one in (q, v, a))
        boxes = {"right_branch": FORCE}
        tau = md.inverse_dynamics(one.robot.graph, *every, black_box_wrenches=boxes)
        assert own == pytest.approx(tau[:3], rel=1e-10, abs=1e-11)


def test_efforts_beyond_limits_are_found():
    found = torques(subject_of(hand(), last=LAST), ["j1"], [[0.0], [0.1]], [[0.0], [0.0]], [[0.0], [500.0]])
    assert [(one.joint, one.quantity, one.point) for one in found.excesses] == [("j1", EFFORT, 1)]
    assert found.excesses[0].value == found.efforts[1, 0]


@pytest.mark.parametrize(
    ("names", "q", "code", "text"),
    [
        (["j1", "nix"], [[1, 2]], "UNKNOWN_NAME", "no joint 'nix'"),
        (["j1", "j1"], [[1, 2]], "BAD_STATE", "'j1' named more than once"),
        (["j3", "j4"], [[0, 0.1]], "REFUSED", "'j4' cannot have an effort of its own"),
        (["j1"], [[1e9], [-1e9]], "BAD_STATE", "velocities between the points at point 0: that of 'j1'"),
        (["j1"], [[0], [1e155]], "BAD_STATE", "positions at point 1: that of 'j1' is 1e\\+155; sizes of"),
    ],
)
def test_what_is_refused(names, q, code, text):
    with pytest.raises(QueryError, match=text) as refused:
        torques(subject_of(hand(), last=LAST), names, q)
    assert refused.value.code == code
