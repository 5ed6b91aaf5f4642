"""Whether a node that receives requests is still the one that it was."""

from typing import Any

from lifecycle_msgs.msg import TransitionEvent
from rclpy.node import Node

__all__ = ["Instance"]


class Instance:
    """A lifecycle node, by one of its services: notices its transitions, and another process in its place.

    A process that was killed is known to DDS for some seconds more, so that its services never seem to be
    away where the next process starts at once. But that one's publishers are others.

    Args:
        service: name of a service of the node, "NODE/SERVICE".
    """

    def __init__(self, node: Node, service: str) -> None:
        self._node, self._topic = node, f"{service.rpartition('/')[0]}/transition_event".lstrip("/")
        if service.startswith("/"):
            self._topic = f"/{self._topic}"
        self._known, self._moved = set[bytes](), False
        node.create_subscription(TransitionEvent, self._topic, self._on_transition, 10)

    def _on_transition(self, message: Any) -> None:
        self._moved = True

    def changed(self) -> bool:
        """Return whether the instance changed its state, appeared or vanished since the last call."""
        found = self._node.get_publishers_info_by_topic(self._topic)
        publishers = {bytes(one.endpoint_gid) for one in found}
        before, self._known = self._known, publishers
        moved, self._moved = self._moved, False
        return moved or publishers != before
