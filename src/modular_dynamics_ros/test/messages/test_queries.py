"""Requests in messages: what is read, and what is refused; answers as messages."""

import numpy as np
import pytest
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import RobotState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from modular_dynamics_ros.computation.queries.quantities import EquationTerms
from modular_dynamics_ros.computation.queries.query_model import QueryError
from modular_dynamics_ros.computation.queries.trajectory import EFFORT, MOST_POINTS, Excess, Motion, Torques
from modular_dynamics_ros.computation.torque_terms import TorqueTerms
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.queries import (
    MOST_WRENCHES,
    equation_message,
    excess_messages,
    motion_from_message,
    requested_state_from_message,
    torque_terms_message,
    torques_message,
    wrenches_from_messages,
)

pytestmark = pytest.mark.ros
STAMP = Time(sec=3, nanosec=4)


def test_torque_terms():
    names = ("total", "inertia", "coriolis", "gravity", "springs", "friction", "external")
    terms = TorqueTerms(**{name: np.array([float(k), 0.5]) for k, name in enumerate(names)})
    message = torque_terms_message(STAMP, ("a", "b"), terms)
    assert (message.header.stamp, message.joint_names) == (STAMP, ["a", "b"])
    for k, name in enumerate(names):
        assert getattr(message, name).tolist() == [float(k), 0.5]


def test_an_equation_has_its_matrix_row_by_row():
    terms = EquationTerms(["a", "b"], np.array([[1.0, 2.0], [3.0, 4.0]]), *np.arange(5.0, 11.0).reshape(3, 2))
    message = equation_message(STAMP, terms)
    assert message.mass_matrix.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert (message.nonlinear_effects.tolist(), message.gravity.tolist()) == ([5.0, 6.0], [7.0, 8.0])
    assert message.springs.tolist() == [9.0, 10.0]
    assert (message.header.stamp, message.coordinates) == (STAMP, ["a", "b"])


def test_a_trajectory_and_its_excesses():
    instants, two = np.array([5, 1_500_000_000]), np.array([[1.0], [2.0]])
    motion = Motion(["a"], instants, two, 2 * two, 3 * two)
    excess = Excess("a", EFFORT, 1, 2_250_000_000, 8.0, 7.0)
    message = torques_message(0, Torques(motion, 4 * two, [excess]))
    point = message.points[1]
    values = point.positions, point.velocities, point.accelerations, point.effort
    assert [one.tolist() for one in values] == [[2.0], [4.0], [6.0], [8.0]]
    assert (point.time_from_start.sec, point.time_from_start.nanosec) == (1, 500_000_000)
    (found,) = excess_messages([excess])
    assert (found.joint_name, found.quantity, found.point, found.value, found.limit) == ("a", 2, 1, 8.0, 7.0)
    assert found.quantity == found.EFFORT
    assert (found.time.sec, found.time.nanosec) == (2, 250_000_000)


def state(*names, w=0.0, **orientation):
    message = RobotState(joint_names=names, positions=[0.5] * len(names))
    message.base_pose.orientation.w = w
    for axis, value in orientation.items():
        setattr(message.base_pose.orientation, axis, value)
    return message


def test_a_state():
    message = state("a", "b", w=0.6, x=0.8)
    message.velocities, message.accelerations = [1.0, 2.0], [3.0, 4.0]
    message.base_twist.linear.y, message.base_twist.angular.x = 5.0, 6.0
    message.base_acceleration.angular.z = 7.0
    read = requested_state_from_message(message)
    assert read.names == ["a", "b"]
    numbers = [read.positions, read.velocities, read.accelerations, read.twist, read.base_acceleration]
    assert [one.tolist() for one in numbers] == [
        [0.5, 0.5],
        [1.0, 2.0],
        [3.0, 4.0],
        [0.0, 5.0, 0.0, 6.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 7.0],
    ]
    assert (read.base.w, read.base.x, read.base.y, read.base.z) == (0.6, 0.8, 0.0, 0.0)


def test_which_poses_of_the_base_mean_the_last_one():
    assert requested_state_from_message(state("a")).base is None
    assert requested_state_from_message(RobotState()).base is None  # as nobody filled it in: w = 1
    assert requested_state_from_message(state("a", w=1.0)).base.w == 1.0
    assert requested_state_from_message(state(w=0.6, x=0.8)).base.w == 0.6
    for bad, text in (
        (state("a", w=0.5), "^base_pose: its quaternion .* norm 0.5 instead of 1"),
        (state("a", x=np.nan), "NaN or infinite"),
    ):
        with pytest.raises(BadMessage, match=text):
            requested_state_from_message(bad)


def test_wrenches():
    wrench = WrenchStamped()
    wrench.header.frame_id, wrench.wrench.force.x, wrench.wrench.torque.z = "hand", 1.0, 2.0
    ((frame, values),) = wrenches_from_messages([wrench])
    assert (frame, values.tolist()) == ("hand", [1.0, 0, 0, 0, 0, 2.0])
    with pytest.raises(QueryError, match="1001 external_wrenches are given; at most 1000"):
        wrenches_from_messages([wrench] * (MOST_WRENCHES + 1))
    wrench.wrench.force.y = np.nan
    with pytest.raises(BadMessage, match="wrench in frame 'hand' holds NaN"):
        wrenches_from_messages([wrench])


def trajectory(*points, names=("a", "b")):
    message = JointTrajectory(joint_names=names)
    for number, fields in enumerate(points):
        time = fields.pop("time", number)
        message.points.append(JointTrajectoryPoint(time_from_start=Duration(sec=time), **fields))
    return message


def test_a_trajectory():
    points = [{"positions": [1.0, 2.0], "velocities": [3.0, 4.0], "effort": [9.0, 9.0]} for _ in range(2)]
    motion = motion_from_message(trajectory(*points))
    assert motion.names == ["a", "b"]
    assert motion.instants.tolist() == [0, 10**9]
    assert motion.q.tolist() == [[1.0, 2.0]] * 2
    assert motion.v.tolist() == [[3.0, 4.0]] * 2
    assert motion.a is None


Q, V, A = ({key: [0.0, 0.0]} for key in ("positions", "velocities", "accelerations"))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (trajectory(), "the trajectory has no points"),
        (trajectory({}, names=()), "the trajectory has no joint_names"),
        (trajectory({}), "have no positions"),
        (trajectory(Q | A), "accelerations, but no velocities"),
        (trajectory({"positions": [1.0, np.nan]}), "point 0: the position of 'b' is not finite"),
        (
            trajectory(*({} for _ in range(MOST_POINTS + 1))),
            "for 2 joints at most 20000 are taken: send it in",
        ),
        (trajectory({}, {}, names=["j"] * 600_000), "for 600000 joints at most 1 are taken"),
    ],
)
def test_trajectories_that_are_refused(message, text):
    with pytest.raises((QueryError, BadMessage), match=text):
        motion_from_message(message)
