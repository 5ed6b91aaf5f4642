"""The wrenches that joints transmit, as modular_dynamics_interfaces/JointWrenches."""

from collections.abc import Iterable

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Wrench
from modular_dynamics_interfaces.msg import JointWrenches
from numpy.typing import NDArray

__all__ = ["JointWrenchesWriter"]


class JointWrenchesWriter:
    """One message of all joints, written again and again.

    Args:
        joints: of each its name, and the link that it moves. frame_prefix: begins every frame in TF.
    """

    def __init__(self, joints: Iterable[tuple[str, str]], frame_prefix: str = "") -> None:
        named = list(joints)
        self.message = JointWrenches(
            joint_names=[name for name, _ in named],
            frames=[frame_prefix + link for _, link in named],
            wrenches=[Wrench() for _ in named],
        )

    def write(self, stamp: Time, wrenches: NDArray[np.float64]) -> JointWrenches:
        """Return the message of [force, moment] (k, 6), at and in the frames of the links."""
        message = self.message
        message.header.stamp = stamp
        for part, values in zip(message.wrenches, wrenches.tolist(), strict=True):
            force, moment = part.force, part.torque
            force.x, force.y, force.z, moment.x, moment.y, moment.z = values
        return message
