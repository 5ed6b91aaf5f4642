"""sensor_msgs/JointState to arrays in joint order: joints are matched by name."""

from array import array
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.values import LARGEST, all_usable
from modular_dynamics_ros.exceptions import BadMessage, listed, repeated
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

if TYPE_CHECKING:  # the command bag runs without ROS
    from sensor_msgs.msg import JointState

__all__ = ["JointSample", "JointStateReader", "Layout"]

Array = NDArray[np.float64]
MOST_LAYOUTS = 16  # that are remembered: one for each publisher of joint states


@dataclass(frozen=True, eq=False)
class Layout:
    """Which joints of a robot the messages with these names hold, and where.

    Attributes:
        names: of the messages. joints: (k,) indices of the joints in the robot, rising; source: (k,) in the
        messages, None where those hold just these joints, in order; sources: (2 k,) in their positions and
        velocities, one behind the other. complete: whether all joints are there. optional: (index in the
        optional joints, index in the messages) of those that are there.
    """

    names: list[str]
    joints: NDArray[np.intp]
    source: NDArray[np.intp] | None
    sources: NDArray[np.intp] | None
    complete: bool
    optional: tuple[tuple[int, int], ...]


class JointSample(NamedTuple):
    """What one message says of the joints of a robot.

    Attributes:
        stamp: [ns], 0 where it was not filled in. layout: which joints.
        q, v: (k,) positions and velocities [rad or m, rad/s or m/s] of the layout's joints; NaN where a
        velocity is missing. with_velocities: whether none is.
        optional: (m,) positions of all optional joints, NaN where one is missing, not finite, or huge.
        effort: (k,) [N m or N], NaN where one is missing, not finite, or huge; None: not asked for.
    """

    stamp: int
    layout: Layout
    q: Array
    v: Array
    with_velocities: bool
    optional: Array
    effort: Array | None = None


class JointStateReader:
    """Reads joint states of one robot, of all its joints or of some.

    Positions must be finite. A velocity or an effort may be missing (empty array or NaN). Unknown joints are
    ignored, and so are the values of the effort field, not its length, unless they are asked for.

    Args:
        joint_names: their order. optional: joints whose position is read, but not needed.
    """

    def __init__(self, joint_names: Sequence[str], optional: Sequence[str] = ()) -> None:
        self.joint_names, self.optional = tuple(joint_names), tuple(optional)
        self._layouts: deque[Layout] = deque(maxlen=MOST_LAYOUTS)
        self._no_optional = np.full(len(self.optional), np.nan)
        self._no_optional.flags.writeable = False

    def layout(self, names: Sequence[str]) -> Layout:
        """Return the indices of the joints in messages with these names.

        Raises:
            BadMessage: a joint of the robot is named twice.
        """
        for known in self._layouts:
            if known.names == names:
                return known
        layout = self._layout(list(names))
        self._layouts.appendleft(layout)
        return layout

    def read(self, message: "JointState", *, efforts: bool = False) -> JointSample:
        """Return a message's values, with efforts if requested.

        Raises:
            BadMessage: duplicate joints, arrays of the wrong length, values that are not finite, or huge.
        """
        layout, stamp = self.layout(message.name), stamp_nanoseconds(message.header.stamp)
        position, velocity, effort = message.position, message.velocity, message.effort
        count = len(layout.names)
        for field, values in (("effort", effort), ("position", position), ("velocity", velocity)):
            if len(values) != count and (len(values) or field == "position"):
                text = f"{field} has {len(values)} values for {count} joint names"
                raise BadMessage("wrong length", text)
        both = _positions_and_velocities(position, velocity if len(velocity) else nan, layout)
        q, v = both.reshape(2, -1)
        with_velocities = all_usable(both)
        if not with_velocities:
            self._check(layout, q, v)
        optional = self._optional(layout, position) if layout.optional else self._no_optional
        return JointSample(
            stamp, layout, q, v, with_velocities, optional, _efforts(effort, layout) if efforts else None
        )

    def _check(self, layout: Layout, q: Array, v: Array) -> None:
        """Raise BadMessage where a position is not finite, a velocity is infinite, or one is huge."""
        if not np.isfinite(q).all():
            offenders = self._named(layout, ~np.isfinite(q))
            raise BadMessage("not finite", f"position of {offenders} is NaN or infinite")
        if np.isinf(v).any():
            raise BadMessage("not finite", f"velocity of {self._named(layout, np.isinf(v))} is infinite")
        for what, values in (("position", q), ("velocity", v)):
            if (huge := np.abs(values) > LARGEST).any():
                text = (
                    f"{what} of {self._named(layout, huge)} is beyond {LARGEST:g}, the largest that is taken"
                )
                raise BadMessage("too large", text)

    def _layout(self, names: list[str]) -> Layout:
        position = {name: index for index, name in enumerate(names)}
        if len(position) < len(names):
            ours = {*self.joint_names, *self.optional}
            if twice := sorted(ours.intersection(repeated(names))):
                raise BadMessage("duplicate joints", f"{listed(twice)} named more than once")
        joints = [index for index, name in enumerate(self.joint_names) if name in position]
        source = [position[self.joint_names[index]] for index in joints]
        optional = [(k, position[name]) for k, name in enumerate(self.optional) if name in position]
        complete = len(joints) == len(self.joint_names)
        in_order = source == list(range(len(names)))
        places = None if in_order else np.array(source, np.intp)
        both = None if places is None else np.concatenate((places, places + len(names)))
        return Layout(names, np.array(joints, np.intp), places, both, complete, tuple(optional))

    def _optional(self, layout: Layout, positions: "array[float]") -> Array:
        values = np.full(len(self.optional), np.nan)
        for k, index in layout.optional:
            if abs(positions[index]) <= LARGEST:  # not NaN
                values[k] = positions[index]
        return values

    def _named(self, layout: Layout, flags: NDArray[np.bool_]) -> str:
        return listed([self.joint_names[index] for index in layout.joints[flags]])


def _positions_and_velocities(
    position: "array[float]", velocity: "array[float] | float", layout: Layout
) -> Array:
    """Return a new array (2 k,): positions, then velocities of the layout's joints.

    The message's arrays are as long as its names.
    """
    if isinstance(position, array) and isinstance(velocity, array):  # rclpy's: joined, they are read faster
        both = np.asarray(position + velocity, np.float64)
    else:
        count = len(layout.names)
        both = np.empty(2 * count)
        both[:count], both[count:] = position, velocity
    if layout.sources is not None:
        both = both[layout.sources]
    return both


def _efforts(values: "array[float]", layout: Layout) -> Array:
    """Return efforts; NaN if missing, infinite or huge."""
    if not len(values):
        return np.full(len(layout.joints), np.nan)
    effort = np.array(values, dtype=float)
    if layout.source is not None:
        effort = effort[layout.source]
    effort[np.abs(effort) > LARGEST] = np.nan
    return effort
