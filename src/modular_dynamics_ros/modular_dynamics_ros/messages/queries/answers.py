"""What dynamics_node answers to requests, as messages."""

from array import array
from collections.abc import Sequence
from typing import TypeVar

from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Accel, Pose, Twist
from modular_dynamics_interfaces.msg import EquationOfMotion, LimitExcess, TorqueTerms
from trajectory_msgs.msg import JointTrajectory

from modular_dynamics_ros.computation import torque_terms
from modular_dynamics_ros.computation.queries.equation_of_motion import EquationTerms
from modular_dynamics_ros.computation.queries.limits import Excess
from modular_dynamics_ros.computation.queries.trajectory import Torques
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.messages.poses import quaternion_message
from modular_dynamics_ros.messages.trajectories import trajectory_message

__all__ = [
    "accel_message",
    "equation_message",
    "excess_messages",
    "matrix_pose_message",
    "torque_terms_message",
    "torques_message",
    "twist_message",
]


Rates = TypeVar("Rates", Twist, Accel)


def torque_terms_message(
    stamp: Time, joint_names: Sequence[str], terms: torque_terms.TorqueTerms
) -> TorqueTerms:
    """Return terms of the torques of these joints."""
    message = TorqueTerms(joint_names=list(joint_names))
    message.header.stamp = stamp
    for name, values in vars(terms).items():
        setattr(message, name, array("d", values.tobytes()))  # a list would be checked one by one
    return message


def equation_message(stamp: Time, terms: EquationTerms) -> EquationOfMotion:
    """Return the equation of motion of one state."""
    message = EquationOfMotion(coordinates=terms.coordinates)
    message.header.stamp = stamp
    for name in ("mass_matrix", "nonlinear_effects", "gravity", "springs"):
        setattr(message, name, array("d", getattr(terms, name).tobytes()))
    return message


def matrix_pose_message(H: Array) -> Pose:
    """Return a homogeneous matrix H_a_b as the pose of b in a."""
    message = Pose(orientation=quaternion_message(H[:3, :3]))
    message.position.x, message.position.y, message.position.z = H[:3, 3].tolist()
    return message


def twist_message(values: Array) -> Twist:
    """Return a twist message of [linear, angular] (6,)."""
    return _filled(Twist(), values)


def accel_message(values: Array) -> Accel:
    """Return an acceleration message of [linear, angular] (6,)."""
    return _filled(Accel(), values)


def _filled(message: Rates, values: Array) -> Rates:
    linear, angular = message.linear, message.angular
    linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = values.tolist()
    return message


def torques_message(start: int, torques: Torques) -> JointTrajectory:
    """Return a trajectory message with efforts, beginning at `start` [ns]."""
    motion = torques.motion
    assert motion.v is not None  # `trajectory_torques` has completed them
    assert motion.a is not None
    samples = zip(motion.q, motion.v, motion.a, torques.efforts, strict=True)
    return trajectory_message(start, motion.names, motion.instants.tolist(), samples)


def excess_messages(excesses: Sequence[Excess]) -> list[LimitExcess]:
    """Return messages on where the trajectory exceeds limits."""
    messages = []
    for one in excesses:
        seconds, rest = divmod(one.instant, 1_000_000_000)
        messages.append(
            LimitExcess(
                joint_name=one.joint,
                quantity=one.quantity,
                point=one.point,
                time=Duration(sec=seconds, nanosec=rest),
                value=one.value,
                limit=one.limit,
            )
        )
    return messages
