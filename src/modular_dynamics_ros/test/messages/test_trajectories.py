import numpy as np
import pytest
from builtin_interfaces.msg import Duration, Time
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.trajectories import trajectory_from_message, trajectory_message

NAN = float("nan")


def reference(names, accelerations, times=None):
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp = Time(sec=100)
    for k, row in enumerate(accelerations):
        ns = round((k if times is None else times[k]) * 1e9)
        point = JointTrajectoryPoint(accelerations=[float(x) for x in row])
        point.time_from_start = Duration(sec=ns // 10**9, nanosec=ns % 10**9)
        message.points.append(point)
    return message


def test_a_reference_is_read_by_name_at_absolute_instants():
    message = reference("xba", [[0, 2, 1], [0, 4, 3]], [0.5, 1.25])
    trajectory = trajectory_from_message(message, ["a", "b"], arrival=7)
    assert trajectory.instants.tolist() == [100_500_000_000, 101_250_000_000]
    assert trajectory.accelerations.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    message.header.stamp = Time()
    assert trajectory_from_message(message, ["a", "b"], arrival=7).instants[0] == 500_000_007


@pytest.mark.parametrize(
    ("message", "offender"),
    [
        (reference("a", [[1.0]]), "'b'"),
        (reference("ab", []), "no points"),
        (reference("ab", [[]]), "point 0 has 0 accelerations for 2 joint names"),
        (reference("ab", [[1, 2], [1]]), "point 1 has 1 accelerations"),
        (reference("ab", [[1, 2], [1, NAN]]), "acceleration of 'b' in point 1"),
        (reference("ab", [[1, 2], [1, 2]], [1.0, 1.0]), "point 1 is not later"),
    ],
)
def test_a_bad_reference_is_refused_by_name(message, offender):
    with pytest.raises(BadMessage) as caught:
        trajectory_from_message(message, ["a", "b"], arrival=0)
    assert offender in str(caught.value)


def test_a_written_reference_is_read_back_exactly():
    rows = [tuple(np.random.default_rng(k).normal(size=(3, 2))) for k in range(3)]
    message = trajectory_message(10**18 + 1, ["a", "b"], [0, 5_000_000, 10**9], rows)
    trajectory = trajectory_from_message(message, ["a", "b"], arrival=0)
    assert trajectory.instants.tolist() == [10**18 + 1, 10**18 + 5_000_001, 10**18 + 10**9 + 1]
    assert trajectory.accelerations.tolist() == [a.tolist() for _, _, a in rows]
    assert message.points[1].positions.tolist() == rows[1][0].tolist()
