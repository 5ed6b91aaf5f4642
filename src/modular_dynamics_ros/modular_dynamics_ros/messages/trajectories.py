"""References: trajectory_msgs/JointTrajectory, and set points of a joint_trajectory_controller."""

from array import array
from collections.abc import Iterable, Sequence
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.values import LARGEST, Array, Instants, all_usable
from modular_dynamics_ros.exceptions import BadMessage, listed, repeated
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

try:
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
except ImportError:  # the command bag runs without ROS: there messages are only read
    JointTrajectory = JointTrajectoryPoint = None
try:
    from control_msgs.msg import JointTrajectoryControllerState as JointTrajectoryControllerState  # noqa: PLC0414
except ImportError:  # the wheels of ROS 2 do not have it
    JointTrajectoryControllerState = None

FIELDS = "positions", "velocities", "accelerations", "effort"
ONE_OF = {"positions": "position", "velocities": "velocity", "accelerations": "acceleration"}
MOST_VALUES = 1_000_000  # points times joints: 45 minutes of 6 joints at 60 Hz; they are read within a second

TAKEN = f"sizes of at most {LARGEST:g} are taken"
refused = partial(BadMessage, "reference")


def trajectory_from_message(
    message: JointTrajectory, joint_names: Sequence[str], arrival: int
) -> ReferenceTrajectory:
    """Return a reference's accelerations, joints in the given order, absolute instants [ns].

    A stamp of zero counts as `arrival`, and no points cancel active trajectories, as in
    joint_trajectory_controller. Joints that the robot does not have are ignored.

    Raises:
        BadMessage: no joint of the robot, a joint that is named twice, too many points, times out of order;
        positions, velocities or accelerations that are missing, in some points only, not finite, or huge.
    """
    start = stamp_nanoseconds(message.header.stamp) or arrival
    points, names = message.points, message.joint_names
    if not points:
        return ReferenceTrajectory.none(start)
    most = MOST_VALUES // max(len(names), len(joint_names), 1)
    if len(points) > most:
        raise refused(f"it has {len(points)} points; for {len(names)} joint names at most {most} are taken")
    columns = _columns(names, joint_names)
    instants = _instants(points, start)
    q, v, a = (_values(points, field, names, columns) for field in FIELDS[:3])
    if q is None and a is None:
        raise refused("its points have neither positions nor accelerations")
    missing = tuple(name for name, column in zip(joint_names, columns, strict=True) if column < 0)
    trajectory = ReferenceTrajectory.through(instants, q, v, a, missing)
    if not all_usable(trajectory.powers):
        number, _, joint = np.argwhere(~(np.abs(trajectory.powers) <= LARGEST))[0]
        raise refused(
            f"the acceleration of '{joint_names[joint]}' from point {number} to the next one is too large: "
            f"too far in too short a time; {TAKEN}"
        )
    return trajectory


def trajectory_points(
    message: JointTrajectory,
) -> tuple[Instants, Array | None, Array | None, Array | None]:
    """Return instants after the start [ns], positions, velocities, accelerations, in message order.

    Args:
        message: with points and joint names.

    Raises:
        BadMessage: as of `trajectory_from_message`.
    """
    names, points = message.joint_names, message.points
    columns = list(range(len(names)))
    q, v, a = (_values(points, field, names, columns) for field in FIELDS[:3])
    return _instants(points, 0), q, v, a


def _columns(names: Sequence[str], joint_names: Sequence[str]) -> list[int]:
    """Return the index of each joint among the names of a message; -1 if absent."""
    if twice := repeated(names):
        raise refused(f"{listed(twice)} named more than once")
    position = {name: index for index, name in enumerate(names)}
    columns = [position.get(name, -1) for name in joint_names]
    if max(columns) < 0:
        named = listed(names) or "none"
        raise refused(f"it names no joint of the robot, which has {listed(joint_names)}: it names {named}")
    return columns


def _instants(points: "Sequence[JointTrajectoryPoint]", start: int) -> Instants:
    """Return when each point is due [ns]."""
    offsets = np.array([stamp_nanoseconds(point.time_from_start) for point in points], dtype=np.int64)
    if offsets[0] < 0:
        raise refused("time_from_start of point 0 is negative")
    if (late := np.diff(offsets) <= 0).any():
        number = int(np.argmax(late)) + 1
        before, after = (1e-9 * float(offset) for offset in offsets[number - 1 : number + 1])
        text = f"time_from_start of point {number} is {after:.9g} s, that of the point before {before:.9g} s"
        raise refused(f"{text}; later ones are needed")
    return start + offsets


def _values(
    points: "Sequence[JointTrajectoryPoint]", field: str, names: Sequence[str], columns: list[int]
) -> Array | None:
    """Return a field of all points (m, n), zero for joints without column; None if no point has it."""
    flat, expected = array("d"), len(getattr(points[0], field)) and len(names)
    for number, point in enumerate(points):
        values = getattr(point, field)
        if len(values) != expected:
            if len(values) in (0, len(names)):
                has, lacks = (number, 0) if len(values) else (0, number)
                raise refused(
                    f"point {has} has {field}, point {lacks} has none: give them in all points or in none"
                )
            raise refused(f"point {number} has {len(values)} {field} for {len(names)} joint names")
        flat.extend(values)
    if not expected:
        return None
    named = [joint for joint, column in enumerate(columns) if column >= 0]
    read = np.frombuffer(flat).reshape(len(points), expected)[:, [columns[joint] for joint in named]]
    if not all_usable(read):
        number, k = np.argwhere(~(np.abs(read) <= LARGEST))[0]
        value, name = read[number, k], names[columns[named[k]]]
        why = f"{value:.3g}; {TAKEN}" if isfinite(value) else "not finite"
        raise refused(f"point {number}: the {ONE_OF[field]} of '{name}' is {why}")
    every = np.zeros((len(points), len(columns)))
    every[:, named] = read
    return every


def trajectory_message(
    start: int,
    joint_names: Sequence[str],
    offsets: Iterable[int],
    samples: Iterable[tuple[Array, ...]],
) -> JointTrajectory:
    """Return a message of positions, velocities, accelerations and efforts at `start` + each offset [ns]."""
    message = JointTrajectory(joint_names=list(joint_names))
    message.header.stamp = stamp_message(start)
    for offset, sample in zip(offsets, samples, strict=True):
        fields = zip(FIELDS, sample, strict=False)  # efforts may be missing
        point = JointTrajectoryPoint(**{field: array("d", values.tobytes()) for field, values in fields})
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(offset, 1_000_000_000)
        message.points.append(point)
    return message


class ControllerStateReader:
    """Reads the states of one controller, also of one that does not fill in its speed scaling.

    Before ros2_controllers 4.39 joint_trajectory_controller left speed_scaling_factor at zero, whatever its
    speed was. A controller that is scaled to zero stands still: where the set point moves between two
    messages with zero, the field is not filled in, and counts as 1.

    Attributes:
        unfilled: whether that is so of the last message.
    """

    def __init__(self) -> None:
        self._last: Any = None
        self.unfilled = False

    def read(
        self, message: Any, joint_names: Sequence[str], arrival: int, validity: int
    ) -> ReferenceTrajectory:
        """Return the set point's accelerations, valid from the stamp for `validity` [ns].

        The controller follows q(s t) with its speed scaling s, and reports the acceleration of q: the joints
        are to have s^2 times that.

        Args:
            message: its fields header, joint_names, reference and, from Jazzy on, speed_scaling_factor are
                read.
            joint_names, arrival: see `trajectory_from_message`.

        Raises:
            BadMessage: no accelerations, an impossible scaling factor; and as `trajectory_from_message`.
        """
        last, self._last, scaling = self._last, message, _scaling(message)
        stopped = last is not None and _scaling(last) == scaling == 0.0
        self.unfilled = stopped and last.reference.positions != message.reference.positions
        scaling = 1.0 if self.unfilled else scaling
        return _trajectory(message, joint_names, arrival, validity, scaling)


def _scaling(message: Any) -> float:
    return float(getattr(message, "speed_scaling_factor", 1.0))


def _trajectory(
    message: Any, joint_names: Sequence[str], arrival: int, validity: int, scaling: float
) -> ReferenceTrajectory:
    accelerations = message.reference.accelerations
    if not len(accelerations):
        text = "its field reference has no accelerations; interpolation_method 'splines' gives some"
        raise BadMessage("reference", f"the controller's state cannot be used: {text}")
    if not (isfinite(scaling) and scaling >= 0.0):
        text = f"its speed_scaling_factor is {scaling:g}; 0 or more is needed"
        raise BadMessage("reference", f"the controller's state cannot be used: {text}")
    scaled = array("d", (np.asarray(accelerations) * scaling**2).tobytes())
    point, end = JointTrajectoryPoint(accelerations=scaled), JointTrajectoryPoint(accelerations=scaled)
    until = stamp_message(validity)
    end.time_from_start.sec, end.time_from_start.nanosec = until.sec, until.nanosec
    held = JointTrajectory(header=message.header, joint_names=message.joint_names, points=[point, end])
    return trajectory_from_message(held, joint_names, arrival)
