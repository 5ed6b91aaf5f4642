"""Efforts along trajectories: each point against the library and Pinocchio; what is refused."""

import numpy as np
import pytest
from scipy.interpolate import BPoly

import modular_dynamics as md
from helpers.query_subjects import hand, solve, subject_of
from helpers.robots.closed_robots import OUT_OF_REACH, STATES, path, text_of
from helpers.robots.urdf_text import inertial, joint, robot
from modular_dynamics_ros.computation.black_boxes.sensors import Load
from modular_dynamics_ros.computation.queries.query_model import QueryError, QueryModel
from modular_dynamics_ros.computation.queries.trajectory import (
    EFFORT,
    POSITION,
    VELOCITY,
    Motion,
    trajectory_torques,
)
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros

FORCE = np.array([5.0, -3.0, 2.0, 0.4, 0.6, -0.7])
LAST = [0.1, 0.2, 0.3], [1.0, 2.0, 3.0]


def motion(names, q, v=None, a=None, step=10_000_000):
    q, v, a = (None if one is None else np.array(one, dtype=float) for one in (q, v, a))
    return Motion(names, np.arange(1, len(q) + 1) * step, q, v, a)


def torques(subject, *arguments, external=(), step=10_000_000):
    model = QueryModel(subject.robot, subject.settings)
    return trajectory_torques(model, subject, motion(*arguments, step=step), external)


def moving_excesses(*arguments, text=None, **step):
    """Of a hand, without those of efforts."""
    found = torques(subject_of(text or hand(), last=LAST), *arguments, **step)
    return [one for one in found.excesses if one.quantity != EFFORT]


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
    with pytest.raises(QueryError, match="point 0: cannot close") as refused:
        torques(subject, subject.robot.state_names, [OUT_OF_REACH, q])
    assert refused.value.code == "BAD_STATE"


def test_where_loops_do_not_close_between_points_the_time_is_named():
    subject, q = subject_of(path("exoskeleton")), STATES["exoskeleton"]
    with pytest.raises(QueryError, match=r"^0\.01\d+ s, after point 0: cannot close"):
        torques(subject, subject.robot.state_names, [q, OUT_OF_REACH])


def test_a_black_box_pushes_as_it_did_last(four_link, boxed_branch):
    """Its load is known to be none."""
    points, last, names = random_points(3, 3), (np.zeros(3), np.zeros(3)), ["turn", "bend", "left"]
    boxed = {"partition": boxed_branch, "last": last, "boxes": {"right_branch": FORCE}}
    subject = subject_of(four_link, loads={"right_branch": Load(0.0, np.zeros(3))}, **boxed)
    found = torques(subject, names, *points)
    for own, q, v, a in zip(found.efforts, *points, strict=True):
        every = (np.append(one, 0.0) for one in (q, v, a))
        boxes = {"right_branch": FORCE}
        tau = md.inverse_dynamics(subject.robot.graph, *every, black_box_wrenches=boxes)
        assert own == pytest.approx(tau[:3], rel=1e-10, abs=1e-11)
    with pytest.raises(QueryError, match="point 0: the wrench of black box 'right_branch' was measured at"):
        torques(subject_of(four_link, **boxed), names, *points)


def test_without_the_wrench_of_a_black_box_nothing_is_processed(four_link, boxed_branch):
    subject = subject_of(four_link, partition=boxed_branch)
    with pytest.raises(BadMessage, match="no wrench of black box 'right_branch' has come yet"):
        torques(subject, ["turn", "bend", "left"], *random_points(3, 3))


PENDULUM = robot(
    "pendulum",
    [
        "<link name='frame'/>",
        f"<link name='bob'>{inertial(1.0, (0, 0, -1.0), 0.0 * np.eye(3))}</link>",
        joint("hinge", "revolute", "frame", "bob", (0, 0, 0), axis=(0, 1, 0)),
    ],
)


@pytest.mark.parametrize("v", [None, [[0.0], [0.0]]])
def test_efforts_between_points_count(v):
    """From hanging to standing: the torque is none at both ends; a dense scan knows the largest."""
    duration, points = 10**10, ([[0.0], [np.pi]], v)
    subject = subject_of(PENDULUM.replace('effort="9"', 'effort="5"'))
    found = torques(subject, ["hinge"], *points, step=duration)
    (one,) = (one for one in found.excesses if one.quantity == EFFORT)
    x = np.linspace(0.0, duration * 1e-9, 100_001)
    knots = [[0.0, 0.0], [np.pi, 0.0]] if v else [[0.0], [np.pi]]
    spline = BPoly.from_derivatives([0.0, duration * 1e-9], knots)
    acceleration = spline.derivative(2)(x) if v else 0.0 * x
    largest = (acceleration + 9.81 * np.sin(spline(x))).max()
    assert one.value == pytest.approx(largest, rel=1e-3)
    assert (one.point, one.limit) == (0, 5.0)
    half = 1.5 * duration  # the first point is at one duration
    assert one.instant == pytest.approx(half, rel=0.05)
    assert np.abs(found.efforts).max() < 0.2


def test_the_effort_before_an_acceleration_jumps_counts():
    """At a point the value of the piece that begins there is given."""
    q, v = [[0.0], [0.05], [0.05]], [[0.0], [0.0], [0.0]]
    subject = subject_of(PENDULUM.replace('effort="9"', 'effort="25"'))
    found = torques(subject, ["hinge"], q, v, step=100_000_000)
    braking = -6.0 * 0.05 / 0.1**2
    assert np.abs(found.efforts[1:]).max() < 1.0
    (one,) = (one for one in found.excesses if one.quantity == EFFORT)
    assert (one.point, one.instant, one.limit) == (0, 100_000_000, 25.0)
    assert one.value == pytest.approx(-braking, rel=0.05)


SPLINES = ("lines", "cubics", "quintics")


@pytest.mark.parametrize("spline", SPLINES)
@pytest.mark.parametrize("seed", range(4))
def test_all_excesses_of_random_motions_as_sampled(spline, seed):
    """Own joints and j4 = -0.5 j3 + 0.1, each beyond its limits of position or velocity or not."""
    numbers, names, step = np.random.default_rng(seed), ["j3", "j1", "j2"], 300_000_000
    q, v, a = numbers.uniform(-2, 2, (8, 3)), numbers.normal(0, 6, (8, 3)), numbers.normal(0, 30, (8, 3))
    given = {"lines": (q,), "cubics": (q, v), "quintics": (q, v, a)}[spline]
    found = moving_excesses(names, *given, step=step)
    times = 0.3 * np.arange(1, 9)
    curve = BPoly.from_derivatives(times, np.stack(given, axis=1))
    at = np.linspace(times[0], times[-1], 70_001)  # the points, too
    expected = {}
    for quantity, sampled, limit in ((POSITION, curve(at), 1.0), (VELOCITY, curve.derivative()(at), 9.0)):
        follower = -0.5 * sampled[:, 0] + (0.1 if quantity == POSITION else 0.0)
        for name, values in zip([*names, "j4"], [*sampled.T, follower], strict=True):
            worst = values[np.abs(values).argmax()]
            if abs(worst) > limit:
                expected[name, quantity] = worst, limit
    assert expected
    assert {(one.joint, one.quantity) for one in found} == {*expected}
    for one in found:
        worst, limit = expected[one.joint, one.quantity]
        assert one.value == pytest.approx(worst, rel=2e-6)
        assert abs(one.value) > abs(worst) * (1 - 1e-6)
        assert one.limit == np.copysign(limit, worst)
        # the instant is where the spline has that value, in the piece that begins at the point
        assert one.point * step <= one.instant - step <= (one.point + 1) * step
        there = (curve if one.quantity == POSITION else curve.derivative())(1e-9 * one.instant)
        driver = there[names.index("j3" if one.joint == "j4" else one.joint)]
        mapped = -0.5 * driver + (0.1 if one.quantity == POSITION else 0.0) if one.joint == "j4" else driver
        assert one.value == pytest.approx(mapped, abs=1e-6)


@pytest.mark.parametrize(
    ("names", "q", "code", "text"),
    [
        (["j1", "nix"], [[1, 2]], "UNKNOWN_NAME", "no joint 'nix'"),
        (["j1", "j1"], [[1, 2]], "BAD_STATE", "'j1' named more than once"),
        (["j3", "j4"], [[0, 0.1]], "REFUSED", "'j4' mimics 'j3', which has the effort of both"),
        (["j1"], [[1e9], [-1e9]], "BAD_STATE", "velocities between the points at point 0: that of 'j1'"),
        (["j1"], [[0], [1e155]], "BAD_STATE", "positions at point 1: that of 'j1' is 1e\\+155; sizes of"),
    ],
)
def test_what_is_refused(names, q, code, text):
    with pytest.raises(QueryError, match=text) as refused:
        torques(subject_of(hand(), last=LAST), names, q)
    assert refused.value.code == code


def test_points_are_told_apart_however_late():
    """Half way in the last nanosecond after 31 years a cubic's velocity is 1.5 times the mean."""
    subject = subject_of(hand().replace('velocity="9"', 'velocity="0.1"'), last=LAST)
    instants, q = np.array([0, 10**18, 10**18 + 1]), np.array([[0.0], [0.0], [1e-10]])
    close = Motion(["j1"], instants, q, 0.0 * q, None)
    found = trajectory_torques(QueryModel(subject.robot, subject.settings), subject, close, ())
    (one,) = (one for one in found.excesses if one.quantity == VELOCITY)
    assert (one.joint, one.point, one.instant, one.limit) == ("j1", 1, 10**18, 0.1)
    assert one.value == pytest.approx(0.15, rel=1e-12)


def point(q=(0, 0, 0), v=(0, 0, 0), text=None):
    """Excesses of one point of j1, j2 and j3, which j4 mimics: -0.5 j3 + 0.1."""
    found = moving_excesses(["j1", "j2", "j3"], [q], [v], text=text)
    return [(one.joint, one.quantity, one.value, one.limit) for one in found]


def test_within_limits_and_exactly_at_them_nothing_is_found():
    assert point((1, -1, 0), (9, -9, 0)) == []


def test_rounding_beyond_a_limit_exceeds_nothing():
    more = 1.0 + 1e-12
    assert point((more, -more, 0), (9 * more, -9 * more, 0)) == []
    from_zero = hand().replace('lower="-1"', 'lower="0"')
    assert point((-1e-17, 0, 0), text=from_zero) == []
    assert point((-1e-6, 0, 0), text=from_zero) == [("j1", POSITION, -1e-6, 0.0)]


def test_mimic_joints_have_limits_of_their_own():
    text = hand().replace("multiplier='-0.5'", "multiplier='-3'")
    found = point((0, 0, 0.9), (0, 0, 4.0), text=text)
    assert found == [("j4", POSITION, pytest.approx(-2.6), -1.0), ("j4", VELOCITY, -12.0, -9.0)]


def test_limits_of_zero_are_none():
    text = hand().replace('effort="9" velocity="9"', 'effort="0" velocity="0"')
    assert point(v=(1e3, 1e3, 1e3), text=text) == []
    without = text.replace('lower="-1" upper="1"', 'lower="0" upper="0"')
    assert point((5.0, 5.0, 5.0), text=without) == []
