"""A stand-in for the node of a session: without DDS, with a clock that the test sets."""

import time
from copy import deepcopy
from unittest.mock import MagicMock

from rclpy.serialization import deserialize_message, serialize_message

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.session_node import AnswerRecord


def lone_node(subscribed=(), stale_after=0.2):
    """A node that keeps what it publishes in `sent`, by topic. `time`: its clock [ns].

    Args:
        subscribed: topics that have a subscriber; a set may change. stale_after: the parameter [s].
    """
    node = MagicMock(log=ChangeLog(MagicMock(), lambda: 0.0), time=0, sent={}, simulated=False)
    node.now = lambda: node.time
    node.steady = lambda: node.time
    node.stamp = lambda: stamp_message(node.time)
    node.record = AnswerRecord(node, lambda: stale_after)

    def publisher(kind, topic, qos, **options):
        node.sent[topic] = sent = []  # copies: messages are written again

        def publish(one):
            sent.append(deserialize_message(one, kind) if isinstance(one, bytes) else deepcopy(one))

        return MagicMock(publish=publish, get_subscription_count=lambda: topic in subscribed)

    node.create_lifecycle_publisher = publisher
    return node


def receive(node, topic, message):
    """Give a message to the callback that subscribes to a topic."""
    calls = {call.args[1]: call for call in node.create_subscription.call_args_list}
    call = calls[topic]
    given = serialize_message(message) if call.kwargs.get("raw") else message
    call.args[2](given, message_info(node.time))


def message_info(arrival):
    """Return the message_info that rclpy gives to a callback, of a message that arrived then [ns]."""
    return {"received_timestamp": arrival, "source_timestamp": arrival}


def hand_over(worker):
    """Wait until a worker has finished its tasks; hand over their results, as the executor does."""
    end = time.monotonic() + 30.0
    while len(worker._done) < len(worker):
        assert time.monotonic() < end
        time.sleep(0.001)
    while len(worker):
        worker._hand_over()
