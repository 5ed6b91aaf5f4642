"""Publishers and subscriptions that outlive the robots of a node: a new one takes over those of the old one.

A publisher that is made anew is known to its subscribers only after DDS has discovered it, and a subscription
that is removed loses what is queued in it: messages would be lost at every change of the robot.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from modular_dynamics_ros.node.answer_record import AnswerRecord
from modular_dynamics_ros.node.joint_table import JointTable

__all__ = ["SharedEntities", "SharedSubscription"]


@dataclass
class _Publisher:
    """A publisher and the number of sessions that use it."""

    entity: Any
    users: int = 1


@dataclass
class _Subscription:
    """A subscription and the sessions' callbacks; the latest one gets the messages."""

    topic: str
    entity: Any = None
    callbacks: list[Callable[..., None]] = field(default_factory=list)

    def receive(self, message: Any, info: dict[str, Any]) -> None:
        """Receive a message from rclpy, which passes the info because there are two parameters."""
        self.callbacks[-1](message, info)


class SharedSubscription:
    """One session's use of a subscription."""

    def __init__(self, subscription: _Subscription, callback: Callable[..., None]) -> None:
        self.subscription, self.callback = subscription, callback
        self.get_publisher_count = subscription.entity.get_publisher_count


class SharedEntities:
    """A node as its sessions see it: those of one topic share publisher and subscription; see `SessionNode`.

    Args:
        node: rclpy's; whatever is not defined here is its own. stale_after: see `AnswerRecord`.
    """

    def __init__(self, node: Any, stale_after: Callable[[], float]) -> None:
        self._node, self._stale_after = node, stale_after
        self._publishers: dict[str, _Publisher] = {}
        self._subscriptions: dict[str, _Subscription] = {}
        self.begin()

    def begin(self) -> None:
        """Forget what came: the node is activated."""
        self.record, self.joints = AnswerRecord(self._node, self._stale_after), JointTable()

    def __getattr__(self, name: str) -> Any:
        """Return what the node has."""
        return getattr(self._node, name)

    def create_lifecycle_publisher(self, kind: type, topic: str, qos: Any, **options: Any) -> Any:
        """Return the topic's publisher, created if no session has it yet."""
        if (shared := self._publishers.get(topic)) is not None:
            shared.users += 1
            return shared.entity
        entity = self._node.create_lifecycle_publisher(kind, topic, qos, **options)
        self._publishers[topic] = _Publisher(entity)
        return entity

    def destroy_lifecycle_publisher(self, publisher: Any) -> bool:
        """Remove it when its last session does."""
        topic, shared = next(pair for pair in self._publishers.items() if pair[1].entity is publisher)
        shared.users -= 1
        if shared.users:
            return True
        del self._publishers[topic]
        return bool(self._node.destroy_lifecycle_publisher(publisher))

    def create_subscription(
        self, kind: type, topic: str, callback: Callable[..., None], qos: Any, **options: Any
    ) -> SharedSubscription:
        """Return the topic's subscription, whose messages and info go to this callback from now on."""
        shared = self._subscriptions.get(topic)
        if shared is None:
            shared = _Subscription(topic)
            shared.entity = self._node.create_subscription(kind, topic, shared.receive, qos, **options)
            self._subscriptions[topic] = shared  # not before it is made: that may fail
        shared.callbacks.append(callback)
        return SharedSubscription(shared, callback)

    def destroy_subscription(self, use: SharedSubscription) -> bool:
        """Send its messages to the session before; remove it when its last session does."""
        shared = use.subscription
        shared.callbacks.remove(use.callback)
        if shared.callbacks:
            return True
        del self._subscriptions[shared.topic]
        return bool(self._node.destroy_subscription(shared.entity))
