"""Efforts of those joints whose effort is known, as sensor_msgs/JointState."""

from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

__all__ = ["KnownEffortsWriter"]


class KnownEffortsWriter:
    """Writes the efforts that are known.

    Args:
        joint_names: of the vectors (n,).
    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        self._names = list(joint_names)

    def write(self, stamp: Time, efforts: NDArray[np.float64]) -> JointState | None:
        """Return a message of the joints whose effort is not NaN; None if all are."""
        known = np.flatnonzero(~np.isnan(efforts))
        if not len(known):
            return None
        message = JointState(name=[self._names[index] for index in known])
        message.header.stamp = stamp
        message.effort = array("d", efforts[known].tobytes())
        return message
