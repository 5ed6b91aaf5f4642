"""Wrenches: [force N, moment N m] at the origin of a frame, in its axes, and geometry_msgs/WrenchStamped."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.values import LARGEST
from modular_dynamics_ros.exceptions import BadMessage

try:
    from builtin_interfaces.msg import Time
    from geometry_msgs.msg import Wrench, WrenchStamped
except ImportError:  # the command bag runs without ROS: there messages are only read
    Time = Wrench = WrenchStamped = None

__all__ = ["WrenchWriter", "require_usable", "wrench_from_message", "wrench_message"]


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
        """Return the message of [force, moment] at the origin of the frame of `link`, in its axes."""
        self.message.header.stamp, self.message.header.frame_id = stamp, self._prefix + link
        force, moment = self._force, self._moment
        force.x, force.y, force.z, moment.x, moment.y, moment.z = wrench.tolist()
        return self.message


def wrench_from_message(message: WrenchStamped) -> NDArray[np.float64]:
    """Return [force, moment] (6,). Raises BadMessage: a component is not finite, or huge."""
    force, moment = message.wrench.force, message.wrench.torque
    wrench = np.array([force.x, force.y, force.z, moment.x, moment.y, moment.z])
    require_usable(wrench, f"wrench in frame '{message.header.frame_id:.80}'")
    return wrench


def require_usable(values: NDArray[np.floating[Any]], what: str) -> None:
    """Refuse numbers of a size that descriptions and requests refuse: no digit of a torque would be right.

    Args:
        what: begins the text.

    Raises:
        BadMessage: one is NaN, infinite or huge.
    """
    sizes = np.abs(values)
    if (sizes <= LARGEST).all():  # False for NaN
        return
    if not np.isfinite(sizes).all():
        raise BadMessage("not finite", f"{what} holds NaN or infinite values")
    raise BadMessage("too large", f"{what} holds {sizes.max():.3g}; sizes of at most {LARGEST:g} are taken")


def wrench_message(wrench: NDArray[np.float64]) -> Wrench:
    """Return [force, moment] (6,) as a message without a frame."""
    message = Wrench()
    force, moment = message.force, message.torque
    force.x, force.y, force.z, moment.x, moment.y, moment.z = wrench.tolist()
    return message
