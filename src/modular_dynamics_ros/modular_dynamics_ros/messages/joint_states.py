"""Vectors in a robot's joint order as sensor_msgs/JointState and as commands."""

from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

__all__ = ["EffortWriter", "JointStateWriter"]

Array = NDArray[np.float64]


class JointStateWriter:
    """One joint state message: of the joints at `indices` of a robot's vectors."""

    def __init__(self, joint_names: Sequence[str], indices: Sequence[int], fields: Sequence[str]) -> None:
        self.message = JointState(name=[joint_names[index] for index in indices])
        self._header, self._places = self.message.header, _places(indices)
        self._views = []
        for field in fields:
            setattr(self.message, field, array("d", bytes(8 * len(indices))))
            self._views.append(_view(getattr(self.message, field)))

    def write(self, stamp: Time, *values: Array) -> JointState:
        """The message with this stamp and these vectors, in the order of `fields`."""
        self._header.stamp = stamp
        places = self._places
        for view, vector in zip(self._views, values, strict=True):
            view[...] = vector[places]
        return self.message


class EffortWriter:
    """Efforts in the order of a controller's joints, as effort and forward_command controllers take them."""

    def __init__(self, indices: Sequence[int]) -> None:
        self.message = Float64MultiArray(data=array("d", bytes(8 * len(indices))))
        self._places, self._view = _places(indices), _view(self.message.data)

    def write(self, effort: Array) -> Float64MultiArray:
        """The message with these efforts (n,), n: joints of the robot."""
        self._view[...] = effort[self._places]
        return self.message


def _places(indices: Sequence[int]) -> NDArray[np.intp] | slice:
    """Where the values to copy are in a vector; its first ones are a slice, copied in half the time."""
    count = len(indices)
    return slice(count) if list(indices) == list(range(count)) else np.array(indices, dtype=np.intp)


def _view(field: "array[float]") -> Array:
    """A message's own array, to be written in place: assigning would copy it."""
    return np.frombuffer(field) if len(field) else np.zeros(0)
