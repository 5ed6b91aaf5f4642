"""How a recorder lets a player with lead_in begin, and which of its messages belong to the motion."""

from collections.abc import Mapping, MutableMapping
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

__all__ = ["MotionStart", "join"]


class MotionStart:
    """When the motion begins, according to its reference; until then the player holds the first pose.

    Args:
        kept: what is recorded by stamp; a later start empties it.

    Attributes:
        stamp: [ns]; 0 before a reference was received.
    """

    def __init__(self, *kept: MutableMapping[int, Any]) -> None:
        self.stamp, self._kept = 0, kept

    def add_reference(self, reference: JointTrajectory) -> None:
        """Take a window of the reference."""
        if (stamp := stamp_nanoseconds(reference.header.stamp)) > self.stamp:
            self.stamp = stamp
            for kept in self._kept:
                kept.clear()

    def connected(self, states: Mapping[int, object], *answers: Mapping[int, object]) -> bool:
        """Whether a reference, a state and all answers to it were received: DDS has connected all nodes."""
        return self.stamp > 0 and any(all(stamp in kept for kept in answers) for stamp in states)


def join(node: Node) -> None:
    """Subscribe once more to the player's topics: this is the last subscriber that it waits for."""
    for kind, topic in ((JointTrajectory, "reference"), (JointState, "joint_states")):
        node.create_subscription(kind, topic, _ignore, 1)


def _ignore(message: object) -> None:
    """The node receives it by another subscription."""
