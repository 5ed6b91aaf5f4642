"""Requests to dynamics_node as arrays, and its answers as messages."""

from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Inertia, Pose, WrenchStamped
from modular_dynamics_interfaces.msg import EquationOfMotion, LimitExcess, RobotState, TorqueTerms
from trajectory_msgs.msg import JointTrajectory

from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation import torque_terms
from modular_dynamics_ros.computation.queries.quantities import EquationTerms
from modular_dynamics_ros.computation.queries.query_model import QueryError, RequestedState
from modular_dynamics_ros.computation.queries.trajectory import MOST_POINTS, Excess, Motion, Torques
from modular_dynamics_ros.computation.values import StampedWrench
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.geometry import rates_array, unit_quaternion, wrench_from_message
from modular_dynamics_ros.messages.trajectories import MOST_VALUES, trajectory_message, trajectory_points

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
        rates_array(message.base_twist),
        rates_array(message.base_acceleration),
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


def wrenches_from_messages(messages: Sequence[WrenchStamped]) -> list[StampedWrench]:
    """Return [force, moment] by frame.

    Raises:
        BadMessage: one that is not finite, or huge. QueryError: too many.
    """
    if len(messages) > MOST_WRENCHES:
        text = f"{len(messages)} external_wrenches are given; at most {MOST_WRENCHES} are taken"
        raise QueryError("BAD_STATE", text)
    return [(message.header.frame_id, wrench_from_message(message)) for message in messages]


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


def torques_message(start: int, torques: Torques) -> JointTrajectory:
    """Return a trajectory message with efforts, beginning at `start` [ns]."""
    motion = torques.motion
    assert motion.v is not None  # `trajectory_torques` has completed them
    assert motion.a is not None
    samples = zip(motion.q, motion.v, motion.a, torques.efforts, strict=True)
    return trajectory_message(start, motion.names, motion.instants.tolist(), samples)


def excess_messages(excesses: Sequence[Excess]) -> list[LimitExcess]:
    """Return messages on where the trajectory exceeds limits."""
    return [
        LimitExcess(
            joint_name=one.joint,
            quantity=one.quantity,
            point=one.point,
            time=Duration(sec=one.instant // 1_000_000_000, nanosec=one.instant % 1_000_000_000),
            value=one.value,
            limit=one.limit,
        )
        for one in excesses
    ]


def load_numbers(message: Inertia) -> tuple[float, tuple[float, ...], tuple[float, ...]]:
    """Return mass [kg], centre of mass [m], and ixx, ixy, ixz, iyy, iyz, izz about it [kg m^2]."""
    com, m = message.com, message
    return m.m, (com.x, com.y, com.z), (m.ixx, m.ixy, m.ixz, m.iyy, m.iyz, m.izz)


def pose_numbers(message: Pose) -> tuple[float, ...]:
    """Return position x, y, z [m] and quaternion w, x, y, z of a pose."""
    p, r = message.position, message.orientation
    return p.x, p.y, p.z, r.w, r.x, r.y, r.z
