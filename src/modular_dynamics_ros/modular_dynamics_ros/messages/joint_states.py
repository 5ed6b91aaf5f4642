"""Vectors in a robot's joint order as sensor_msgs/JointState and as commands; written again and again."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

__all__ = ["EffortWriter", "JointStateWriter"]

SECOND = 1_000_000_000  # [ns]


class JointStateWriter:
    """One joint state of the joints at `indices` of a robot's vectors, in the order of `indices`."""

    def __init__(
        self, joint_names: Sequence[str], indices: Sequence[int], fields: Sequence[str], frame_id: str = ""
    ) -> None:
        self._fields, self._indices = tuple(fields), np.array(indices, np.intp)
        self.message = JointState(name=[joint_names[index] for index in indices])
        self.message.header.frame_id = frame_id

    def write(self, stamp: int, *vectors: ArrayLike) -> JointState:
        """Return the message with this stamp [ns] and the numbers of the fields' vectors."""
        message = self.message
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, SECOND)
        for field, vector in zip(self._fields, vectors, strict=True):
            setattr(message, field, _numbers(vector, self._indices))
        return message


class EffortWriter:
    """Efforts in the order of a controller's joints, as effort and forward_command controllers take them."""

    def __init__(self, indices: Sequence[int]) -> None:
        self._indices, self.message = np.array(indices, np.intp), Float64MultiArray()

    def write(self, efforts: ArrayLike) -> Float64MultiArray:
        """Return the message of efforts (n,), n: joints of the robot; it has no stamp."""
        self.message.data = _numbers(efforts, self._indices)
        return self.message


def _numbers(vector: ArrayLike, indices: NDArray[np.intp]) -> "array[float]":
    """Return the numbers at `indices` as rclpy takes them without a look at each."""
    return array("d", np.asarray(vector, np.float64)[indices].tobytes())
