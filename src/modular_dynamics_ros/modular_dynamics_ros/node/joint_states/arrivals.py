"""The subscription to joint_states, and what the middleware lost of it."""

from typing import Any, Protocol

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.lifecycle.entities import NO_SUBSCRIPTION_EVENTS
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.node.topics import JOINT_STATES

__all__ = ["JointStateArrivals", "Receiver"]


class Receiver(Protocol):
    """Takes joint states with rclpy's info."""

    def answer(self, data: bytes, info: dict[str, Any]) -> bool:
        """Answer a serialised one as it is, if that is possible; False: nothing has happened."""

    def deliver(self, message: JointState, info: dict[str, Any]) -> None:
        """Take one."""

    def reject(self, error: BadMessage) -> None:
        """Count and report one that cannot be answered."""


class JointStateArrivals(Subscriptions):
    """Delivers joint states in order. Of a node that has fallen behind, `JOINT_STATES` drops the oldest ones.

    Args:
        receiver: gets messages serialised first, because rclpy makes an object of each name, which takes
            longer than the answer.

    Attributes:
        lost: messages that were sent and not received; None where there are several publishers, because
        each has numbers of its own.
    """

    def __init__(self, node: SessionNode, receiver: Receiver) -> None:
        super().__init__(node)
        self._receiver = receiver
        self.lost: int | None = 0
        self._number = 0  # of the last message, as its publisher counts
        events = NO_SUBSCRIPTION_EVENTS
        self._subscription = self._subscribe_with_info(
            JointState, "joint_states", self._on_message, JOINT_STATES, raw=True, event_callbacks=events
        )

    def _on_message(self, data: bytes, info: dict[str, Any]) -> None:
        self._count(info)
        if not self._receiver.answer(data, info) and (message := self._read(data)) is not None:
            self._receiver.deliver(message, info)

    def _read(self, data: bytes) -> JointState | None:
        """Return the message; None if it is unreadable, so that others are still processed."""
        try:
            message: JointState = deserialize_message(data, JointState)
        except RuntimeError as error:  # rclpy's RMWError, which is private
            self._receiver.reject(BadMessage("damaged", f"it cannot be read: {error}"))
            return None
        return message

    def _count(self, info: dict[str, Any]) -> None:
        """Look for gaps in the numbers that a publisher gives its messages."""
        number, last = info.get("publication_sequence_number") or 0, self._number
        self._number = number
        if number == last + 1 or self.lost is None or not (number and last):
            return
        # the full name: rclpy does not remap the topic that it is asked about
        if self._node.count_publishers(self._subscription.topic_name) > 1:
            self.lost = None
        elif number > last:
            self.lost += number - last - 1
