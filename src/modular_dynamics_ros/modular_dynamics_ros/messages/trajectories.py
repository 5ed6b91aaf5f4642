"""Reference trajectories as trajectory_msgs/JointTrajectory."""

from array import array
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from modular_dynamics_ros.computation.acceleration_source import ReferenceTrajectory
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

__all__ = ["trajectory_from_message", "trajectory_message"]


def trajectory_from_message(
    message: JointTrajectory, joint_names: Sequence[str], arrival: int
) -> ReferenceTrajectory:
    """The accelerations of a reference, joints in the given order, absolute instants [ns].

    A stamp of zero counts as `arrival`, as in joint_trajectory_controller.

    Raises:
        BadMessage: a missing joint, no points, points out of order, accelerations that are missing or not
        finite.
    """
    bad_reference = partial(BadMessage, "reference")
    position = {name: index for index, name in enumerate(message.joint_names)}
    if missing := [name for name in joint_names if name not in position]:
        raise bad_reference(f"no trajectory for {listed(missing)}")
    if not message.points:
        raise bad_reference("it has no points")
    count = len(message.joint_names)
    for number, point in enumerate(message.points):
        if len(point.accelerations) != count:
            raise bad_reference(
                f"point {number} has {len(point.accelerations)} accelerations for {count} joint names"
            )
    order = [position[name] for name in joint_names]
    accelerations = np.array([point.accelerations for point in message.points])[:, order]
    if not np.isfinite(accelerations).all():
        number, joint = np.argwhere(~np.isfinite(accelerations))[0]
        raise bad_reference(f"acceleration of '{joint_names[joint]}' in point {number} is not finite")
    start = stamp_nanoseconds(message.header.stamp) or arrival
    instants = np.array(
        [start + stamp_nanoseconds(point.time_from_start) for point in message.points], dtype=np.int64
    )
    if (np.diff(instants) <= 0).any():
        raise bad_reference(
            f"point {int(np.argmax(np.diff(instants) <= 0)) + 1} is not later than the one before"
        )
    return ReferenceTrajectory(instants, accelerations)


def trajectory_message(
    start: int,
    joint_names: Sequence[str],
    offsets: Iterable[int],
    samples: Iterable[tuple[Array, Array, Array]],
) -> JointTrajectory:
    """Positions, velocities and accelerations at `start` + each offset [ns]."""
    message = JointTrajectory(joint_names=list(joint_names))
    message.header.stamp = stamp_message(start)
    for offset, (q, v, a) in zip(offsets, samples, strict=True):
        point = JointTrajectoryPoint(
            positions=array("d", q.tobytes()),
            velocities=array("d", v.tobytes()),
            accelerations=array("d", a.tobytes()),
        )
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(offset, 1_000_000_000)
        message.points.append(point)
    return message
