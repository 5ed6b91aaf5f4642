"""Publishers and subscriptions as the nodes here need them of rclpy; qualities of service."""

import inspect
from collections.abc import Callable
from typing import Any

from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message

#: SensorDataQoS keeps 5: at 500 Hz a pause of 10 ms (another process on the core) would lose some. At 1 kHz
#: 200 are all that a pause of any length leaves fresh by the usual stale_after. Where states come faster than
#: they are processed, each waits behind a full queue: in a longer one it would become stale.
JOINT_STATES = QoSProfile(depth=200, reliability=ReliabilityPolicy.BEST_EFFORT)
#: A sensor may publish reliably or not.
SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
#: Published once, received by late subscribers too.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: The same of robots that change: with a depth of 1 a description that is followed by the next one before it
#: is taken would be lost, and its joint states would belong to no robot.
DESCRIPTIONS = QoSProfile(depth=20, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: Answers that a reliable publisher keeps for a slow subscriber: 0.2 s at 500 Hz.
ANSWER_DEPTH = 100
#: Requests to a service that wait while one is processed, and answers. The middleware drops what exceeds that
#: without a word.
REQUESTS = QoSProfile(depth=500, reliability=ReliabilityPolicy.RELIABLE)


#: rclpy would watch two events of each publisher at every message, a third of its time; that a subscriber is
#: incompatible is still logged by the subscriber.
NO_PUBLISHER_EVENTS = PublisherEventCallbacks(use_default_callbacks=False)
#: The same of subscriptions: watching the events of one takes a tenth of each look for messages.
NO_SUBSCRIPTION_EVENTS = SubscriptionEventCallbacks(use_default_callbacks=False)


class ReadingNode(Node):
    """Reads messages in the callbacks of its subscriptions; counts the requests that wait for their answer.

    Where a message cannot be read, which depends on the middleware, rclpy would raise before the callback and
    never call any of the node again. From a callback the executor takes it as any other error.

    Attributes:
        unprocessed: requests whose service awaits something.
    """

    unprocessed = 0

    def create_subscription(
        self, msg_type: type, topic: str, callback: Callable[..., None], *qos: Any, **options: Any
    ) -> Any:
        """Create rclpy's subscription, read by this package's executor; without events, unless asked for."""
        options.setdefault("event_callbacks", NO_SUBSCRIPTION_EVENTS)
        if options.pop("raw", False):
            return super().create_subscription(msg_type, topic, callback, *qos, raw=True, **options)
        alone = _takes_one(callback)

        def read(serialized: bytes, info: Any) -> None:
            message = deserialize_message(serialized, msg_type)
            callback(message) if alone else callback(message, info)

        return super().create_subscription(msg_type, topic, read, *qos, raw=True, **options)

    def create_service(self, srv_type: type, srv_name: str, callback: Any, **options: Any) -> Any:
        """Create rclpy's service, whose requests are counted while its coroutine runs."""
        if not inspect.iscoroutinefunction(callback):
            return super().create_service(srv_type, srv_name, callback, **options)

        async def answer(request: Any, response: Any) -> Any:
            self.unprocessed += 1
            try:
                return await callback(request, response)
            finally:
                self.unprocessed -= 1

        return super().create_service(srv_type, srv_name, answer, **options)

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
