"""Subscriptions that a part of an active node has."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.lifecycle.entities import NO_SUBSCRIPTION_EVENTS
from modular_dynamics_ros.node.session_node import SessionNode

__all__ = ["Subscriptions"]


class Subscriptions:
    """Subscriptions from activation to deactivation."""

    def __init__(self, node: SessionNode) -> None:
        self._node = node
        self._subscriptions: list[Any] = []

    def _subscribe(self, kind: type, topic: str, receive: Callable[[Any], None], qos: Any) -> None:
        """Subscribe to a topic; `receive` gets each message."""
        self._subscribe_with_info(kind, topic, lambda message, info: receive(message), qos)

    def _subscribe_with_info(
        self,
        kind: type,
        topic: str,
        callback: Callable[[Any, dict[str, Any]], None],
        qos: Any,
        **options: Any,
    ) -> Any:
        subscription = self._node.create_subscription(kind, topic, callback, qos, **options)
        self._subscriptions.append(subscription)
        return subscription

    def _subscribe_to_stream(
        self, kind: type, topic: str, receive: Callable[[Any, dict[str, Any]], None], qos: Any
    ) -> None:
        """Subscribe to a topic as frequent as joint states; `receive` gets each message with its info."""
        self._subscribe_with_info(kind, topic, receive, qos, event_callbacks=NO_SUBSCRIPTION_EVENTS)

    @contextmanager
    def _refusing(self, where: str, what: str) -> Iterator[None]:
        """Report messages that the body rejects as unusable."""
        try:
            yield
        except BadMessage as error:
            self._node.log.problem(where, error.cause, f"{what} refused: {error}")

    def destroy(self) -> None:
        """Remove the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
