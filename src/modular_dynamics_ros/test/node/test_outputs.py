"""Publishers of a session: what is written, for whom, and how long its end waits for them."""

from unittest.mock import MagicMock

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message, serialize_message

from helpers.nodes.lone_node import lone_node
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node import outputs as outputs_module
from modular_dynamics_ros.node.outputs import JointStateWriter, Outputs, SubscribedPublishers

pytestmark = pytest.mark.ros
TOPIC = "~/stamped_effort_commands"


@pytest.mark.parametrize("controller_joints", [(), ("grip", "turn")])
def test_the_stamped_twin_has_the_names_of_the_commands(controller_joints, monkeypatch):
    monkeypatch.setattr(outputs_module, "LOOK_PERIOD", 0)
    node, indices = lone_node(), {"turn": 0, "bend": 1, "grip": 3}
    outputs, stamp = Outputs(node, controller_joints, indices, "it has"), 7_000_000_009
    efforts = np.array([1.0, 2.0, 3.0, 4.0])
    outputs._publish_commands(efforts, stamp)
    assert node.sent[TOPIC] == []  # nobody listens
    outputs._stamped_publisher.get_subscription_count = MagicMock(return_value=1)
    outputs._publish_commands(efforts, stamp)
    (message,) = node.sent[TOPIC]
    names = list(controller_joints or indices)
    assert (message.header.stamp, message.name) == (stamp_message(stamp), names)
    assert message.effort.tolist() == [efforts[indices[name]] for name in names]
    assert message.effort == node.sent["~/effort_commands"][-1].data
    assert len(message.position) == len(message.velocity) == 0


def test_subscribers_that_stand_still_delay_the_end_once_and_not_on_each_topic(monkeypatch):
    outputs, now = Outputs(lone_node(), (), {"turn": 0}, "it has"), 10**9

    def wait(timeout):
        nonlocal now
        now += timeout.nanoseconds

    monkeypatch.setattr(outputs_module.time, "monotonic_ns", lambda: now)
    outputs._publishers = [MagicMock(wait_for_all_acked=wait) for _ in range(40)]
    outputs.wait_until_received()
    assert now == 10**9 + outputs_module.RECEIPT


def test_a_subscriber_is_noticed_a_look_later_and_asking_is_rare(monkeypatch):
    subscribed, publisher, now = SubscribedPublishers(), MagicMock(), 10**9
    monkeypatch.setattr(outputs_module.time, "monotonic_ns", lambda: now)
    publisher.get_subscription_count.return_value = 0
    subscribed.add(publisher)
    for now in range(10**9, 10**9 + 10**8 + 1, 10**6):  # 1 kHz for 0.1 s
        if now == 10**9 + 5 * 10**7:
            publisher.get_subscription_count.return_value = 1
        subscribed.update()
        assert (publisher in subscribed.publishers) >= (now >= 10**9 + 7 * 10**7)
        assert (publisher in subscribed.publishers) <= (now >= 10**9 + 5 * 10**7)
    assert publisher.get_subscription_count.call_count == 6


def read(message):
    """The message as a subscriber gets it."""
    return deserialize_message(serialize_message(message), type(message))


def test_states_are_written_again_and_again():
    """The robot's vectors may go on behind the written joints: its last ones are inside black boxes."""
    writer = JointStateWriter(["a", "b", "c"], [0, 2], ("position", "effort"), "world")
    first = read(writer.write(3_000_000_001, np.array([1.0, 2.0, 3.0, np.nan]), [4.0, 5.0, 6.0, np.nan]))
    second = read(writer.write(-1, np.zeros(3), np.ones(3)))
    assert first.name == ["a", "c"]
    assert (first.position.tolist(), first.effort.tolist()) == ([1.0, 3.0], [4.0, 6.0])
    assert len(first.velocity) == 0
    assert (first.header.stamp, first.header.frame_id) == (Time(sec=3, nanosec=1), "world")
    assert second.effort.tolist() == [1.0, 1.0]
    assert second.header.stamp == Time(sec=-1, nanosec=999_999_999)
