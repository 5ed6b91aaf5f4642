"""How a recorder lets a player with lead_in begin: by being the last subscriber that it waits for."""

from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

__all__ = ["join"]


def join(node: Node) -> None:
    """Subscribe to what a player publishes once more, when the first pose has been answered."""
    for kind, topic in ((JointTrajectory, "reference"), (JointState, "joint_states")):
        node.create_subscription(kind, topic, _unheard, 1)


def _unheard(message: object) -> None:
    """The recorder hears it elsewhere."""
