"""Messages to arrays and back.

Joints are matched by name, never by position. Quaternions are x y z w in messages and w x y z inside. A
message that cannot be used raises `BadMessage`; it names the offender and belongs to a cause that the nodes
count.
"""

from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Quaternion, WrenchStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from modular_dynamics_ros.computation.reference import ReferenceTrajectory
from modular_dynamics_ros.diagnostics.status import Status
from modular_dynamics_ros.messages.bad_message import BadMessage, listed

__all__ = [
    "EffortWriter",
    "JointStateReader",
    "JointStateWriter",
    "WrenchWriter",
    "diagnostic_array",
    "quaternion_from_message",
    "quaternion_to_message",
    "stamp_message",
    "stamp_nanoseconds",
    "trajectory_from_message",
    "trajectory_message",
    "wrench_from_message",
]


def stamp_nanoseconds(stamp: Time) -> int:
    """A stamp as nanoseconds since the epoch of its clock; 0 for a stamp that was not filled in."""
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def stamp_message(nanoseconds: int) -> Time:
    """The inverse of `stamp_nanoseconds`."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return Time(sec=seconds, nanosec=rest)


def quaternion_to_message(wxyz: Sequence[float]) -> Quaternion:
    """Quaternion w x y z as a message, x y z w."""
    w, x, y, z = (float(component) for component in wxyz)
    return Quaternion(x=x, y=y, z=z, w=w)


def quaternion_from_message(message: Quaternion) -> tuple[float, float, float, float]:
    """A message's quaternion as w x y z."""
    return message.w, message.x, message.y, message.z


class JointStateReader:
    """Reads joint states into q and v in a robot's joint order.

    Positions of all joints are required and must be finite. A velocity may be missing (empty array or NaN):
    it is taken as zero and its joint is listed in `without_velocity`, so that the node can say so. Unknown
    joints and the values of the effort field are ignored, not its length. After a bad message q and v are
    those of the last good one.

    Args:
        optional: joints whose position may be there too; after a good message `measured` holds it, NaN where
            it is not there, or not finite.
    """

    def __init__(self, joint_names: Sequence[str], optional: Sequence[str] = ()) -> None:
        self.joint_names, self.optional = tuple(joint_names), tuple(optional)
        self.measured = np.full(len(self.optional), np.nan)
        self._there: list[tuple[int, int]] = []  # (place in `measured`, place in messages)
        count = len(self.joint_names)
        self.q, self.v = np.zeros(count), np.zeros(count)
        self.without_velocity: tuple[str, ...] = ()
        self._q, self._v = np.zeros(count), np.zeros(count)
        self._names: list[str] | None = None
        self._order = np.zeros(count, dtype=np.intp)

    def read(self, message: JointState) -> None:
        """Fill q and v.

        Raises:
            BadMessage: missing or duplicate joints, arrays of the wrong length, values that are not finite.
        """
        if message.name != self._names:
            self._learn(list(message.name))
        count = len(message.name)
        if len(message.effort):
            _check_length(message.effort, count, "effort")
        self._gather(message.position, count, "position", self._q)
        if not np.isfinite(self._q).all():
            raise BadMessage(
                "not finite", f"position of {self._offenders(~np.isfinite(self._q))} is NaN or infinite"
            )
        if len(message.velocity) == 0:
            self._v[:] = 0.0
            without = self.joint_names
        else:
            self._gather(message.velocity, count, "velocity", self._v)
            without = self._fill_velocity_gaps()
        self.without_velocity = without
        self._measure(message.position)
        self.q, self._q = self._q, self.q
        self.v, self._v = self._v, self.v

    def _learn(self, names: list[str]) -> None:
        """Find where each joint of the robot stands in messages with these names."""
        position = {name: index for index, name in enumerate(names)}
        if missing := [name for name in self.joint_names if name not in position]:
            raise BadMessage(
                "missing joints", f"no position for {listed(missing)}: a message must hold every joint"
            )
        if len(position) < len(names):
            ours = {*self.joint_names, *self.optional}
            if twice := sorted({name for name in names if name in ours and names.count(name) > 1}):
                raise BadMessage("duplicate joints", f"{listed(twice)} named more than once")
        self._order[:] = [position[name] for name in self.joint_names]
        self._there = [(k, position[name]) for k, name in enumerate(self.optional) if name in position]
        self._names = names

    def _measure(self, positions: array) -> None:
        self.measured[:] = np.nan
        for k, place in self._there:
            if np.isfinite(positions[place]):
                self.measured[k] = positions[place]

    def _gather(self, values: array, count: int, field: str, out: np.ndarray) -> None:
        _check_length(values, count, field)
        np.take(np.asarray(values), self._order, out=out, mode="clip")  # "raise" would buffer `out`

    def _fill_velocity_gaps(self) -> tuple[str, ...]:
        finite = np.isfinite(self._v)
        if finite.all():
            return ()
        if np.isinf(self._v).any():
            raise BadMessage("not finite", f"velocity of {self._offenders(np.isinf(self._v))} is infinite")
        self._v[~finite] = 0.0
        return tuple(name for name, known in zip(self.joint_names, finite, strict=True) if not known)

    def _offenders(self, flags: np.ndarray) -> str:
        return listed([self.joint_names[index] for index in np.flatnonzero(flags)])


def _check_length(values: array, count: int, field: str) -> None:
    if len(values) != count:
        raise BadMessage("wrong length", f"{field} has {len(values)} values for {count} joint names")


def _view(field: array) -> np.ndarray:
    """A message's own array, to be written in place: assigning would copy it."""
    return np.frombuffer(field) if len(field) else np.zeros(0)


class JointStateWriter:
    """One joint state message, written again and again: of the joints at `indices` of a robot's vectors."""

    def __init__(self, joint_names: Sequence[str], indices: Sequence[int], fields: Sequence[str]) -> None:
        self.message = JointState(name=[joint_names[index] for index in indices])
        self._indices = np.array(indices, dtype=np.intp)
        self._views = []
        for field in fields:
            setattr(self.message, field, array("d", bytes(8 * len(indices))))
            self._views.append(_view(getattr(self.message, field)))

    def write(self, stamp: Time, *values: np.ndarray) -> JointState:
        """The message with this stamp and these vectors, in the order of `fields`."""
        self.message.header.stamp = stamp
        for view, vector in zip(self._views, values, strict=True):
            np.take(vector, self._indices, out=view, mode="clip")
        return self.message


class EffortWriter:
    """Efforts in the order of a controller's joints, as effort and forward_command controllers take them."""

    def __init__(self, indices: Sequence[int]) -> None:
        self.message = Float64MultiArray(data=array("d", bytes(8 * len(indices))))
        self._indices, self._view = np.array(indices, dtype=np.intp), _view(self.message.data)

    def write(self, effort: np.ndarray) -> Float64MultiArray:
        """The message with these efforts (n,), n: joints of the robot."""
        np.take(effort, self._indices, out=self._view, mode="clip")
        return self.message


class WrenchWriter:
    """One stamped wrench message, written again and again."""

    def __init__(self) -> None:
        self.message = WrenchStamped()
        self._force, self._moment = self.message.wrench.force, self.message.wrench.torque

    def write(self, stamp: Time, frame: str, wrench: np.ndarray) -> WrenchStamped:
        """The message of [force, moment] at the origin of `frame`, in its axes."""
        self.message.header.stamp, self.message.header.frame_id = stamp, frame
        force, moment = self._force, self._moment
        force.x, force.y, force.z, moment.x, moment.y, moment.z = wrench.tolist()
        return self.message


def wrench_from_message(message: WrenchStamped) -> np.ndarray:
    """[force, moment] (6,). Raises BadMessage where a component is not finite."""
    force, moment = message.wrench.force, message.wrench.torque
    wrench = np.array([force.x, force.y, force.z, moment.x, moment.y, moment.z])
    if not np.isfinite(wrench).all():
        raise BadMessage(
            "not finite", f"wrench in frame '{message.header.frame_id}' holds NaN or infinite values"
        )
    return wrench


def trajectory_from_message(
    message: JointTrajectory, joint_names: Sequence[str], arrival: int
) -> ReferenceTrajectory:
    """The accelerations of a reference, joints in the given order, absolute instants [ns].

    A stamp of zero counts as `arrival`, as in joint_trajectory_controller.

    Raises:
        BadMessage: a joint that lacks, no points, points out of order, accelerations that lack or are not
        finite.
    """
    position = {name: index for index, name in enumerate(message.joint_names)}
    if missing := [name for name in joint_names if name not in position]:
        raise BadMessage("reference", f"no trajectory for {listed(missing)}")
    if not message.points:
        raise BadMessage("reference", "it has no points")
    count = len(message.joint_names)
    for number, point in enumerate(message.points):
        if len(point.accelerations) != count:
            raise BadMessage(
                "reference",
                f"point {number} has {len(point.accelerations)} accelerations for {count} joint names",
            )
    order = [position[name] for name in joint_names]
    accelerations = np.array([point.accelerations for point in message.points])[:, order]
    if not np.isfinite(accelerations).all():
        number, joint = np.argwhere(~np.isfinite(accelerations))[0]
        raise BadMessage(
            "reference", f"acceleration of '{joint_names[joint]}' in point {number} is not finite"
        )
    start = stamp_nanoseconds(message.header.stamp) or arrival
    instants = np.array(
        [start + stamp_nanoseconds(point.time_from_start) for point in message.points], dtype=np.int64
    )
    if (np.diff(instants) <= 0).any():
        raise BadMessage(
            "reference",
            f"point {int(np.argmax(np.diff(instants) <= 0)) + 1} is not later than the one before",
        )
    return ReferenceTrajectory(instants, accelerations)


def trajectory_message(
    start: int,
    joint_names: Sequence[str],
    offsets: Iterable[int],
    samples: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]],
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


def diagnostic_array(stamp: Time, statuses: Iterable[Status]) -> DiagnosticArray:
    """Plain statuses as a diagnostics message."""
    message = DiagnosticArray()
    message.header.stamp = stamp
    for status in statuses:
        message.status.append(
            DiagnosticStatus(
                level=bytes([status.level]),
                name=status.name,
                message=status.message,
                hardware_id=status.hardware_id,
                values=[KeyValue(key=key, value=value) for key, value in status.values.items()],
            )
        )
    return message
