"""Vectors in a robot's joint order, and sensor_msgs/JointState and commands: joints are matched by name."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

__all__ = ["EffortWriter", "JointSample", "JointStateReader", "JointStateWriter"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointSample:
    """One joint state.

    Attributes:
        stamp: [ns], 0 where it was not filled in.
        q, v: (n,) positions and velocities [rad or m, rad/s or m/s]; velocities that are missing are zero.
        without_velocity: the joints whose velocity is missing.
        optional: (m,) positions of the optional joints, NaN where one is missing or not finite.
    """

    stamp: int
    q: Array
    v: Array
    without_velocity: tuple[str, ...]
    optional: Array


class JointStateReader:
    """Reads joint states of one robot.

    Positions of all joints are required and must be finite. A velocity may be missing (empty array or NaN).
    Unknown joints and the values of the effort field are ignored, not its length.

    Args:
        joint_names: the order of q and v. optional: joints whose position may be missing.
    """

    def __init__(self, joint_names: Sequence[str], optional: Sequence[str] = ()) -> None:
        self.joint_names, self.optional = tuple(joint_names), tuple(optional)
        self._message_names: list[str] | None = None  # those that the orders below belong to
        self._order = np.zeros(len(self.joint_names), dtype=np.intp)
        self._optional_order: list[tuple[int, int]] = []  # (index in `optional`, index in messages)

    def fits(self, names: Sequence[str]) -> bool:
        """Whether these are names of a message that holds all joints."""
        return names == self._message_names or set(self.joint_names) <= set(names)

    def read(self, message: JointState) -> JointSample:
        """The values of a message.

        Raises:
            BadMessage: missing or duplicate joints, arrays of the wrong length, values that are not finite.
        """
        if message.name != self._message_names:
            self._match_names(list(message.name))
        count = len(message.name)
        if len(message.effort):
            _check_length(message.effort, count, "effort")
        q = self._gather(message.position, count, "position")
        if not np.isfinite(q).all():
            raise BadMessage(
                "not finite", f"position of {self._offenders(~np.isfinite(q))} is NaN or infinite"
            )
        if len(message.velocity) == 0:
            v, without = np.zeros(len(q)), self.joint_names
        else:
            v = self._gather(message.velocity, count, "velocity")
            without = self._fill_velocity_gaps(v)
        stamp = stamp_nanoseconds(message.header.stamp)
        return JointSample(stamp, q, v, without, self._read_optional(message.position))

    def _match_names(self, names: list[str]) -> None:
        """Find the index of each joint of the robot in messages with these names."""
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
        self._optional_order = [
            (k, position[name]) for k, name in enumerate(self.optional) if name in position
        ]
        self._message_names = names

    def _read_optional(self, positions: "array[float]") -> Array:
        values = np.full(len(self.optional), np.nan)
        for k, index in self._optional_order:
            if np.isfinite(positions[index]):
                values[k] = positions[index]
        return values

    def _gather(self, values: "array[float]", count: int, field: str) -> Array:
        _check_length(values, count, field)
        return np.asarray(values, dtype=float).take(self._order)

    def _fill_velocity_gaps(self, v: Array) -> tuple[str, ...]:
        """Set NaN to zero in place; return whose velocities these are."""
        finite = np.isfinite(v)
        if finite.all():
            return ()
        if np.isinf(v).any():
            raise BadMessage("not finite", f"velocity of {self._offenders(np.isinf(v))} is infinite")
        v[~finite] = 0.0
        return tuple(name for name, known in zip(self.joint_names, finite, strict=True) if not known)

    def _offenders(self, flags: NDArray[np.bool_]) -> str:
        return listed([self.joint_names[index] for index in np.flatnonzero(flags)])


def _check_length(values: "array[float]", count: int, field: str) -> None:
    if len(values) != count:
        raise BadMessage("wrong length", f"{field} has {len(values)} values for {count} joint names")


class JointStateWriter:
    """One joint state message: of the joints at `indices` of a robot's vectors."""

    def __init__(self, joint_names: Sequence[str], indices: Sequence[int], fields: Sequence[str]) -> None:
        self.message = JointState(name=[joint_names[index] for index in indices])
        self._indices = np.array(indices, dtype=np.intp)
        self._views = []
        for field in fields:
            setattr(self.message, field, array("d", bytes(8 * len(indices))))
            self._views.append(_view(getattr(self.message, field)))

    def write(self, stamp: Time, *values: Array) -> JointState:
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

    def write(self, effort: Array) -> Float64MultiArray:
        """The message with these efforts (n,), n: joints of the robot."""
        np.take(effort, self._indices, out=self._view, mode="clip")
        return self.message


def _view(field: "array[float]") -> Array:
    """A message's own array, to be written in place: assigning would copy it."""
    return np.frombuffer(field) if len(field) else np.zeros(0)
