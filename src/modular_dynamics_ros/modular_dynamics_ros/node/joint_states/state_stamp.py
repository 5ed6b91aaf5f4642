"""The stamp of a joint state, also of one that has none."""

from typing import TYPE_CHECKING, Any

from modular_dynamics_ros.messages.stamps import sending_time, stamp_nanoseconds
from modular_dynamics_ros.node.interfaces import SessionNode

if TYPE_CHECKING:  # the command bag runs without ROS
    from sensor_msgs.msg import JointState

__all__ = ["state_stamp"]


def state_stamp(message: "JointState", info: dict[str, Any], node: SessionNode) -> int:
    """Return the stamp [ns] of a message, by the node's clock.

    Where it was not filled in: when the message was sent, as far as the middleware knows; with use_sim_time,
    whose clock the middleware does not know, now.

    Args:
        info: rclpy's.
    """
    if stamp := stamp_nanoseconds(message.header.stamp):
        return stamp
    return sending_time(info, node.now(), simulated=node.simulated)
