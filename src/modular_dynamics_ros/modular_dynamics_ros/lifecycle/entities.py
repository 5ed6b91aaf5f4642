"""Publishers and subscriptions as the nodes here need them of rclpy."""

import inspect
from collections.abc import Callable
from typing import Any

from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.serialization import deserialize_message

__all__ = ["NO_PUBLISHER_EVENTS", "NO_SUBSCRIPTION_EVENTS", "ReadingNode"]

#: rclpy would watch two events of each publisher at every message, a third of its time; that a subscriber is
#: incompatible is still logged by the subscriber.
NO_PUBLISHER_EVENTS = PublisherEventCallbacks(use_default_callbacks=False)
#: The same of subscriptions; best effort is compatible with every publisher.
NO_SUBSCRIPTION_EVENTS = SubscriptionEventCallbacks(use_default_callbacks=False)


class ReadingNode(Node):
    """Reads messages in the callbacks of its subscriptions.

    Where a message cannot be read, which depends on the middleware, rclpy would raise before the callback and
    never call any of the node again. From a callback the executor takes it as any other error.
    """

    def create_subscription(
        self, msg_type: type, topic: str, callback: Callable[..., None], *qos: Any, **options: Any
    ) -> Any:
        """Create rclpy's subscription, read by this package's executor."""
        if options.pop("raw", False):
            return super().create_subscription(msg_type, topic, callback, *qos, raw=True, **options)
        alone = _takes_one(callback)

        def read(serialized: bytes, info: Any) -> None:
            message = deserialize_message(serialized, msg_type)
            callback(message) if alone else callback(message, info)

        return super().create_subscription(msg_type, topic, read, *qos, raw=True, **options)

    def create_publisher(self, *arguments: Any, **options: Any) -> Any:
        """Create rclpy's publisher, also for the node's own topics."""
        return super().create_publisher(*arguments, **{"event_callbacks": NO_PUBLISHER_EVENTS} | options)


def _takes_one(callback: Callable[..., None]) -> bool:
    """Return whether a callback takes only the message, without its info; decided as rclpy does."""
    try:
        inspect.signature(callback).bind(None)
    except TypeError:
        return False
    return True
