"""The subscription to joint_states: what waits in its queue, and what the middleware lost."""

import time
from collections.abc import Callable
from typing import Any, Protocol

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.lifecycle.pending_messages import pending_messages
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.joint_states.state_stamp import state_stamp
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.node.topics import JOINT_STATES, NO_SUBSCRIPTION_EVENTS

__all__ = ["JointStateArrivals", "Receiver"]

Serialized = tuple[bytes, dict[str, Any]]
"""A message as the middleware delivers it, and rclpy's info."""

BEHIND = 0.5  # share of stale_after for which a message may wait until the node has fallen behind


class Receiver(Protocol):
    """Takes joint states with rclpy's info."""

    def answer(self, data: bytes, info: dict[str, Any]) -> bool:
        """Answer a serialised one as it is, if that is possible; False: nothing has happened."""

    def deliver(self, message: JointState, info: dict[str, Any], superseded: bool) -> None:
        """Take one; `superseded`: a newer one waits, which alone is to be answered."""

    def reject(self, error: BadMessage) -> None:
        """Count and report one that cannot be answered."""


class JointStateArrivals(Subscriptions):
    """Delivers joint states in order.

    A node that has fallen behind answers only the newest of what waits: the next controller's cycle needs
    that one, and the others would make it later. Publishers that name other joints each have a newest one.

    Args:
        receiver: gets messages serialised first, because rclpy makes an object of each name, which takes
            longer than the answer.
        patience: stale_after [s].

    Attributes:
        lost: messages that were sent and not received; None where there are several publishers, because
        each has numbers of its own.
    """

    def __init__(self, node: SessionNode, receiver: Receiver, patience: Callable[[], float]) -> None:
        super().__init__(node)
        self._receiver, self._patience = receiver, patience
        self.lost: int | None = 0
        self._number = 0  # of the last message, as its publisher counts
        self._subscription = self._subscribe_with_info(
            JointState,
            "joint_states",
            self._on_message,
            JOINT_STATES,
            raw=True,
            event_callbacks=NO_SUBSCRIPTION_EVENTS,
        )

    def _on_message(self, data: bytes, info: dict[str, Any]) -> None:
        waited = (time.time_ns() - info["received_timestamp"]) * 1e-9
        if waited > BEHIND * self._patience():
            self._catch_up([(data, info), *pending_messages(self._subscription, JOINT_STATES.depth)])
            return
        self._take(data, info)
        for queued in pending_messages(self._subscription):
            self._take(*queued)

    def _take(self, data: bytes, info: dict[str, Any]) -> None:
        self._count(info)
        if not self._receiver.answer(data, info) and (message := self._read(data)) is not None:
            self._receiver.deliver(message, info, False)

    def _read(self, data: bytes) -> JointState | None:
        """None where nobody can read it: it must not take others along."""
        try:
            message: JointState = deserialize_message(data, JointState)
        except RuntimeError as error:  # rclpy's RMWError, which is private
            self._receiver.reject(BadMessage("damaged", f"it cannot be read: {error}"))
            return None
        return message

    def _catch_up(self, serialized: list[Serialized]) -> None:
        read = [(self._read(data), info) for data, info in serialized]
        waiting = [(message, info) for message, info in read if message is not None]
        stamps = [state_stamp(message, info, self._node) for message, info in waiting]
        horizon = self._node.now() + self._patience() * 1e9  # beyond it no state can be answered
        by_time = sorted(range(len(waiting)), key=lambda k: (stamps[k] <= horizon, stamps[k]))
        known, newest = list[list[str]](), set[int]()  # of each list of names
        for k in reversed(by_time):
            message = waiting[k][0]
            # mostly equal ones: compared, not hashed; and once, because identical lists are compared faster
            if (names := next((one for one in known if one == message.name), None)) is not None:
                message.name = names
                continue
            known.append(message.name)
            newest.add(k)
        for _, info in serialized:
            self._count(info)
        for k in by_time:  # so that an answer has nothing newer in it
            self._receiver.deliver(*waiting[k], k not in newest)

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
