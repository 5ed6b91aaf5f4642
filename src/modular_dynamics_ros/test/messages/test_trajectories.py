"""States of joint_trajectory_controller as references, also where control_msgs is not installed."""

from types import SimpleNamespace

import numpy as np
import pytest
from builtin_interfaces.msg import Duration, Time
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.trajectories import (
    MOST_VALUES,
    ControllerStateReader,
    JointTrajectoryControllerState,
    trajectory_from_message,
    trajectory_message,
)

NAN = float("nan")


def reference(names, accelerations=None, times=None, positions=None, velocities=None):
    """A point for each row of the values that are given."""
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp = Time(sec=100)
    rows = {"accelerations": accelerations, "positions": positions, "velocities": velocities}
    given = {field: values for field, values in rows.items() if values is not None}
    for k in range(max(map(len, given.values()), default=0)):
        ns = round((k if times is None else times[k]) * 1e9)
        point = JointTrajectoryPoint(**{f: [float(x) for x in r[k]] for f, r in given.items()})
        point.time_from_start = Duration(sec=ns // 10**9, nanosec=ns % 10**9)
        message.points.append(point)
    return message


def sampled(trajectory, instant):
    out = np.full(trajectory.powers.shape[2], NAN)
    trajectory.sample(instant, out)
    return out.tolist()


def refusal(message, joints=("a", "b")):
    with pytest.raises(BadMessage) as caught:
        trajectory_from_message(message, joints, arrival=0)
    assert caught.value.cause == "reference"
    return str(caught.value)


def test_a_reference_is_read_by_name_at_absolute_instants():
    message = reference("xba", [[0, 2, 1], [NAN, 4, 3]], [0.5, 1.25])  # the robot has no x
    trajectory = trajectory_from_message(message, ["a", "b"], arrival=7)
    assert trajectory.instants.tolist() == [100_500_000_000, 101_250_000_000]
    assert trajectory.start == 100_500_000_000
    assert [sampled(trajectory, at) for at in trajectory.instants] == [[1.0, 2.0], [3.0, 4.0]]
    assert trajectory.missing == ()
    message.header.stamp = Time()
    assert trajectory_from_message(message, ["a", "b"], arrival=7).instants[0] == 500_000_007


def test_one_without_points_cancels_from_its_stamp_or_arrival_on():
    for stamp, start in ((Time(sec=100), 100_000_000_000), (Time(), 7)):
        for names in ("ab", "", "aa", "x"):
            message = reference(names)
            message.header.stamp = stamp
            trajectory = trajectory_from_message(message, ["a", "b"], arrival=7)
            assert (trajectory.start, len(trajectory.instants), trajectory.at_rest) == (start, 0, True)


def test_joints_that_it_does_not_name_do_not_accelerate():
    message = reference("cxa", [[3, 0, 1]], positions=[[5, 5, 5]], velocities=[[1, 1, 1]])
    trajectory = trajectory_from_message(message, ["a", "b", "c", "d"], arrival=0)
    assert sampled(trajectory, 100_000_000_000) == [1.0, 0.0, 3.0, 0.0]
    assert trajectory.missing == ("b", "d")


def test_positions_suffice_with_or_without_velocities():
    q, v = [[0, 1], [1, 3]], [[0, 0], [0, 6]]
    positions = trajectory_from_message(reference("ab", positions=q), "ab", 0)
    assert sampled(positions, 100_500_000_000) == [0.0, 0.0]
    both = trajectory_from_message(reference("ab", positions=q, velocities=v), "ab", 0)
    # 6 Delta - 4 v0 - 2 v1 at the first point, -6 Delta + 2 v0 + 4 v1 at the second, linear between
    assert sampled(both, 100_000_000_000) == [6.0, 0.0]
    assert sampled(both, 100_500_000_000) == [0.0, 6.0]
    assert sampled(both, 101_000_000_000) == [-6.0, 12.0]


@pytest.mark.parametrize(
    ("message", "offender"),
    [
        (reference("xy", [[1, 2]]), "no joint of the robot, which has 'a', 'b': it names 'x', 'y'"),
        (reference("aba", [[1, 2, 1]]), "'a' named more than once"),
        (reference("ab", [[]]), "neither positions nor accelerations"),
        (reference("ab", [[1]]), "point 0 has 1 accelerations for 2 joint names"),
        (reference("ab", [[1, 2], []]), "point 0 has accelerations, point 1 has none"),
        (reference("ab", [[1, 2]], velocities=[[1, 2, 3]]), "point 0 has 3 velocities for 2 joint names"),
        (reference("ab", [[1, 2], [1, NAN]]), "point 1: the acceleration of 'b' is not finite"),
        (reference("ba", positions=[[1, NAN]]), "point 0: the position of 'a' is not finite"),
        (reference("ab", [[1, 2e9]]), "point 0: the acceleration of 'b' is 2e+09; sizes of at most 1e+09"),
        (reference("ab", [[1, 2], [1, 2]], [1.0, 1.0]), "point 1 is 1 s, that of"),
        (reference("ab", positions=[[1, 2]], velocities=[[1, NAN]]), "the velocity of 'b' is not finite"),
        (reference("ab", [[1, 2], [1, 2]], [-1.0, 1.0]), "time_from_start of point 0 is negative"),
        (
            reference("ab", positions=[[0, 0], [0, 1]], velocities=[[0, 0]] * 2, times=[0, 1e-6]),
            "the acceleration of 'b' from point 0 to the next one is too large",
        ),
    ],
)
def test_a_bad_reference_is_refused_by_name(message, offender):
    assert offender in refusal(message)


def test_too_many_points_are_refused_before_they_are_read():
    message = reference("ab")
    message._points = [None] * (MOST_VALUES // 2 + 1)  # to read one of these would raise
    assert f"for 2 joint names at most {MOST_VALUES // 2} are taken" in refusal(message)
    message._points = [None] * 101
    robot = [str(k) for k in range(MOST_VALUES // 100)]  # the robot's joints count, too
    assert "at most 100 are taken" in refusal(message, robot)


def test_a_written_reference_is_read_back_exactly():
    rows = [tuple(np.random.default_rng(k).normal(size=(3, 2))) for k in range(3)]
    message = trajectory_message(10**18 + 1, ["a", "b"], [0, 5_000_000, 10**9], rows)
    trajectory = trajectory_from_message(message, ["a", "b"], arrival=0)
    assert trajectory.instants.tolist() == [10**18 + 1, 10**18 + 5_000_001, 10**18 + 10**9 + 1]
    assert [sampled(trajectory, at) for at in trajectory.instants] == [a.tolist() for _, _, a in rows]
    assert message.points[1].positions.tolist() == rows[1][0].tolist()


pytestmark = pytest.mark.ros
STAMP, VALIDITY = 100 * 10**9, 200_000_000
FIELDS = ("header", "joint_names", "reference")  # of every distribution


def controller_state(accelerations, names=("a", "b"), scaling=1.0):
    """As jazzy's; where control_msgs is not installed with the fields that are read."""
    make = JointTrajectoryControllerState or SimpleNamespace
    point = JointTrajectoryPoint(
        positions=[0.5] * len(names), velocities=[0.25] * len(names), accelerations=accelerations
    )
    header = Header(stamp=Time(sec=100))
    return make(header=header, joint_names=list(names), reference=point, speed_scaling_factor=scaling)


def trajectory(*args, joints=("b", "c", "a"), **options):
    return ControllerStateReader().read(controller_state(*args, **options), joints, 0, VALIDITY)


def at(reference, instant):
    out = np.full(3, np.nan)
    reference.sample(instant, out[: reference.powers.shape[2]])
    return out.tolist()


def test_the_set_points_accelerations_hold_for_their_validity_by_name():
    reference = trajectory([1.0, -2.0])
    assert (reference.start, reference.end) == (STAMP, STAMP + VALIDITY)
    for instant in (STAMP, STAMP + 1, STAMP + VALIDITY // 3, STAMP + VALIDITY):
        assert at(reference, instant) == [-2.0, 0.0, 1.0]
    assert reference.missing == ("c",)
    assert not reference.at_rest  # that they have ended is then a problem
    assert trajectory([0.0, 0.0]).at_rest


def test_slowed_motion_accelerates_with_the_square_of_the_factor():
    """d2/dt2 q(s t) = s^2 q''(s t), here of the controller's set points by finite differences."""
    speed, h = 0.3, 1e-4
    q = np.sin(3.0 * speed * (np.array([-h, 0.0, h]) + 0.4))
    a = -9.0 * np.sin(3.0 * speed * 0.4)  # of q, as the controller reports it
    measured = (q[0] - 2.0 * q[1] + q[2]) / h**2
    assert at(trajectory([a, 0.0], scaling=speed), STAMP)[2] == pytest.approx(measured, rel=1e-6)
    assert at(trajectory([a, 0.0], scaling=0.0), STAMP) == [0.0] * 3


def test_a_distribution_without_scaling_has_none():
    message = SimpleNamespace(**{n: getattr(controller_state([1.0, -2.0]), n) for n in FIELDS})
    assert at(ControllerStateReader().read(message, ("b", "c", "a"), 0, VALIDITY), STAMP)[0] == -2.0


def test_a_factor_of_zero_while_the_set_point_moves_is_not_filled_in():
    """As of joint_trajectory_controller before 4.39."""
    reader, read = ControllerStateReader(), []
    for position in (0.1, 0.2, 0.3, 0.3):
        message = controller_state([1.0, -2.0], scaling=0.0)
        message.reference.positions[1] = position
        read.append((at(reader.read(message, ("b",), 0, VALIDITY), STAMP)[0], reader.unfilled))
    assert read == [(0.0, False), (-2.0, True), (-2.0, True), (0.0, False)]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (([],), "field reference has no accelerations; interpolation_method 'splines'"),
        (([1.0, float("nan")],), "point 0: the acceleration of 'b' is not finite"),
        (([1.0, 2.0], ("a", "b"), float("nan")), "speed_scaling_factor is nan; 0 or more is needed"),
        (([1.0, 2.0], ("a", "b"), -0.5), "speed_scaling_factor is -0.5; 0 or more is needed"),
    ],
)
def test_a_bad_state_is_refused_with_the_reason(state, words):
    keys = ("accelerations", "names", "scaling")
    with pytest.raises(BadMessage, match=words) as caught:
        trajectory(**dict(zip(keys, state, strict=False)))
    assert caught.value.cause == "reference"
