"""Publishers and subscriptions of the nodes: a message that cannot be read is one that a callback refuses."""

import pytest
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import String

from helpers.nodes.listening_node import Lines
from helpers.nodes.waiting import SpunNodes
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.lifecycle.entities import ReadingNode
from modular_dynamics_ros.node.spinning import PersistentExecutor

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


@pytest.fixture
def nodes():
    made = SpunNodes(ReadingNode("reading"))
    made.executor.shutdown()
    made.log = Lines()
    made.executor = PersistentExecutor(ChangeLog(made.log, lambda: 0.0), lambda: False)
    made.node = made._nodes[0]
    made.executor.add_node(made.node)
    yield made
    made.close()


def test_callbacks_get_messages_with_and_without_info_or_as_they_came(nodes):
    node, got, publisher = nodes.node, {}, nodes.node.create_publisher(String, "said", 10)
    node.create_subscription(String, "said", lambda message: got.update(alone=message.data), 10)
    node.create_subscription(
        String, "said", lambda message, info: got.update(informed=(message.data, len(info))), 10
    )
    node.create_subscription(String, "said", lambda data: got.update(raw=data), 10, raw=True)

    def heard():
        publisher.publish(String(data="word"))
        return len(got) == 3

    nodes.spin_until(heard)
    assert got["alone"] == got["informed"][0] == "word"
    assert got["informed"][1] > 1
    assert deserialize_message(got["raw"], String) == String(data="word")  # the middleware may pad it


def test_one_that_cannot_be_read_is_logged_with_its_topic_and_the_next_is_taken(nodes):
    node, got = nodes.node, []
    subscription = node.create_subscription(String, "said", lambda message: got.append(message.data), 10)
    publisher = node.create_publisher(String, "said", 10)
    for damaged in (b"", b"\x00\x01\x00\x00", serialize_message(String(data="longer"))[:-3]):
        with pytest.raises(RuntimeError):
            subscription.callback(damaged, {})
    nodes.spin_until(publisher.get_subscription_count)
    publisher.publish(serialize_message(String(data="longer"))[:9])
    publisher.publish(String(data="good"))
    nodes.spin_until(lambda: got)
    assert got == ["good"]
    (line,) = nodes.log.lines
    assert line.startswith("/said: skipped, unexpectedly: RMWError: failed to deserialize")
