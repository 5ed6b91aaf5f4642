"""Wrenches: [force N, moment N m] at the origin of a frame, in its axes, and geometry_msgs/WrenchStamped."""

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.exceptions import BadMessage

try:
    from builtin_interfaces.msg import Time
    from geometry_msgs.msg import Wrench, WrenchStamped
except ImportError:  # the command bag runs without ROS: there messages are only read
    Time = Wrench = WrenchStamped = None

__all__ = ["WrenchWriter", "wrench_from_message", "wrench_message"]


class WrenchWriter:
    """One stamped wrench message, written again and again.

    Args:
        frame_prefix: begins every frame in TF.
    """

    def __init__(self, frame_prefix: str = "") -> None:
        self._prefix = frame_prefix
        self.message = WrenchStamped()
        self._force, self._moment = self.message.wrench.force, self.message.wrench.torque

    def write(self, stamp: Time, link: str, wrench: NDArray[np.float64]) -> WrenchStamped:
        """The message of [force, moment] at the origin of the frame of `link`, in its axes."""
        self.message.header.stamp, self.message.header.frame_id = stamp, self._prefix + link
        force, moment = self._force, self._moment
        force.x, force.y, force.z, moment.x, moment.y, moment.z = wrench.tolist()
        return self.message


def wrench_from_message(message: WrenchStamped) -> NDArray[np.float64]:
    """[force, moment] (6,). Raises BadMessage where a component is not finite."""
    force, moment = message.wrench.force, message.wrench.torque
    wrench = np.array([force.x, force.y, force.z, moment.x, moment.y, moment.z])
    if not np.isfinite(wrench).all():
        raise BadMessage(
            "not finite", f"wrench in frame '{message.header.frame_id}' holds NaN or infinite values"
        )
    return wrench


def wrench_message(wrench: NDArray[np.float64]) -> Wrench:
    """[force, moment] (6,) as a message without a frame."""
    message = Wrench()
    force, moment = message.force, message.torque
    force.x, force.y, force.z, moment.x, moment.y, moment.z = wrench.tolist()
    return message
