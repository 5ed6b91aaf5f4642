"""Vectors in a robot's joint order as sensor_msgs/JointState and as commands, serialised."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from modular_dynamics_ros.messages.serialized.in_place import STAMP, WrittenInPlace

__all__ = ["EffortWriter", "JointStateWriter"]

Array = NDArray[np.float64]


class JointStateWriter:
    """Joint states of the joints at `indices` of a robot's vectors."""

    def __init__(
        self, joint_names: Sequence[str], indices: Sequence[int], fields: Sequence[str], frame_id: str = ""
    ) -> None:
        message = JointState(name=[joint_names[index] for index in indices])
        message.header.frame_id = frame_id
        written = WrittenInPlace(message, dict.fromkeys(fields, len(indices)))
        self._buffer, self._stamp, self._arrays = written.buffer, written.stamp, written.arrays
        self._places = _places(indices)

    def write(self, stamp: int, *values: Array) -> bytes:
        """The serialised message with this stamp [ns] and these vectors, in the order of `fields`."""
        STAMP.pack_into(self._buffer, self._stamp, *divmod(stamp, 1_000_000_000))
        places = self._places
        for array, vector in zip(self._arrays, values, strict=True):
            array[...] = vector[places]
        return self._buffer.tobytes()


class EffortWriter:
    """Efforts in the order of a controller's joints, as effort and forward_command controllers take them."""

    def __init__(self, indices: Sequence[int]) -> None:
        written = WrittenInPlace(Float64MultiArray(), {"data": len(indices)})
        self._buffer, (self._efforts,) = written.buffer, written.arrays
        self._places = _places(indices)

    def write(self, effort: Array) -> bytes:
        """The serialised message with these efforts (n,), n: joints of the robot."""
        self._efforts[...] = effort[self._places]
        return self._buffer.tobytes()


def _places(indices: Sequence[int]) -> NDArray[np.intp] | slice:
    """Where the values to copy are in a vector; its first ones are a slice, copied in half the time."""
    count = len(indices)
    return slice(count) if list(indices) == list(range(count)) else np.array(indices, dtype=np.intp)
