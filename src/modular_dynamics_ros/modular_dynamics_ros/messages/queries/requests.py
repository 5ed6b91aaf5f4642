"""What requests to dynamics_node hold, as arrays."""

from collections.abc import Sequence

import numpy as np
from geometry_msgs.msg import Accel, Pose, Twist, WrenchStamped
from modular_dynamics_interfaces.msg import RobotState
from trajectory_msgs.msg import JointTrajectory

from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.queries.errors import QueryError
from modular_dynamics_ros.computation.queries.requested_state import RequestedState
from modular_dynamics_ros.computation.queries.trajectory import MOST_POINTS, Motion
from modular_dynamics_ros.computation.values import Array, StampedWrench
from modular_dynamics_ros.exceptions import BadMessage, repeated
from modular_dynamics_ros.messages.poses import unit_quaternion
from modular_dynamics_ros.messages.trajectories import MOST_VALUES, trajectory_points
from modular_dynamics_ros.messages.wrenches import wrench_from_message

__all__ = [
    "efforts_from_request",
    "motion_from_message",
    "requested_state_from_message",
    "wrenches_from_messages",
]

MOST_WRENCHES = 1000


def requested_state_from_message(message: RobotState) -> RequestedState:
    """Return the requested state; its base pose is None if all zero, or unset in a message without joints.

    Raises:
        BadMessage: not a unit quaternion.
    """
    return RequestedState(
        list(message.joint_names),
        np.array(message.positions, dtype=float),
        np.array(message.velocities, dtype=float),
        np.array(message.accelerations, dtype=float),
        _orientation(message.base_pose, named=bool(message.joint_names)),
        _six(message.base_twist),
        _six(message.base_acceleration),
    )


def _orientation(pose: Pose, *, named: bool) -> Quaternion | None:
    p, r = pose.position, pose.orientation
    if not np.isfinite([p.x, p.y, p.z, r.x, r.y, r.z, r.w]).all():
        raise BadMessage("not finite", "base_pose holds NaN or infinite values")
    if not any((p.x, p.y, p.z, r.x, r.y, r.z)) and (r.w == 0.0 or (r.w == 1.0 and not named)):
        return None
    try:
        return unit_quaternion(r)
    except BadMessage as error:
        raise BadMessage(error.cause, f"base_pose: {error}") from error


def _six(rates: Twist | Accel) -> Array:
    linear, angular = rates.linear, rates.angular
    return np.array([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z])


def wrenches_from_messages(messages: Sequence[WrenchStamped]) -> list[StampedWrench]:
    """Return [force, moment] by frame.

    Raises:
        BadMessage: one that is not finite, or huge. QueryError: too many.
    """
    if len(messages) > MOST_WRENCHES:
        text = f"{len(messages)} external_wrenches are given; at most {MOST_WRENCHES} are taken"
        raise QueryError("BAD_STATE", text)
    return [(message.header.frame_id, wrench_from_message(message)) for message in messages]


def efforts_from_request(names: Sequence[str], efforts: Sequence[float]) -> dict[str, float]:
    """Return efforts by joint. Raises QueryError: counts differ, or a joint is named twice."""
    if len(names) != len(efforts):
        text = f"efforts has {len(efforts)} values for {len(names)} effort_names; one for each is needed"
        raise QueryError("BAD_STATE", text)
    if twice := repeated(names):
        raise QueryError("BAD_STATE", f"effort_names has '{twice[0]:.80}' more than once")
    return dict(zip(names, efforts, strict=True))


def motion_from_message(message: JointTrajectory) -> Motion:
    """Return the points of a trajectory; its efforts are not read.

    Raises:
        QueryError: no points, too many, or no positions; accelerations without velocities. BadMessage: fields
        of some points only or of a wrong length, numbers that are not finite, times that do not increase.
    """
    names, count = list(message.joint_names), len(message.points)
    most = min(MOST_POINTS, MOST_VALUES // max(len(names), 1))
    if not count or not names:
        what = "no points" if names else "no joint_names"
        raise QueryError("BAD_STATE", f"the trajectory has {what}; at least one is needed")
    if count > most:
        text = f"the trajectory has {count} points; for {len(names)} joints at most {most} are taken"
        raise QueryError("BAD_STATE", f"{text}: send it in parts")
    instants, q, v, a = trajectory_points(message)
    if q is None:
        raise QueryError("BAD_STATE", "the points of the trajectory have no positions, which are needed")
    if a is not None and v is None:
        text = "the points of the trajectory have accelerations, but no velocities"
        raise QueryError("BAD_STATE", f"{text}: give both, as joint_trajectory_controller demands, or none")
    return Motion(names, instants, q, v, a)
