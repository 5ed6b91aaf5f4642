"""Vectors in a robot's joint order as sensor_msgs/JointState and as commands, serialised."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from modular_dynamics_ros.messages.serialized import WrittenInPlace

__all__ = ["EffortWriter", "JointStateWriter"]

Array = NDArray[np.float64]


class JointStateWriter:
    """Joint states of the joints at `indices` of a robot's vectors."""

    def __init__(
        self, joint_names: Sequence[str], indices: Sequence[int], fields: Sequence[str], frame_id: str = ""
    ) -> None:
        message = JointState(name=[joint_names[index] for index in indices])
        message.header.frame_id = frame_id
        #: (stamp [ns], vectors in the order of `fields`) -> the serialised message
        self.write = WrittenInPlace(message, fields, indices).write


class EffortWriter:
    """Efforts in the order of a controller's joints, as effort and forward_command controllers take them."""

    def __init__(self, indices: Sequence[int]) -> None:
        #: (efforts (n,)) -> the serialised message, n: joints of the robot; it has no stamp
        self.write = partial(WrittenInPlace(Float64MultiArray(), ("data",), indices).write, 0)
