"""Joint states as they are delivered, and what was lost before."""

import time

import pytest
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from helpers.nodes.lone_node import lone_node
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.joint_states.arrivals import JointStateArrivals

pytestmark = pytest.mark.ros
AT_ONCE = 77  # number of messages that are answered as they are


class Topic:
    """joint_states with messages: (stamp [s], number)."""

    def __init__(self, publishers=1):
        self.node, self.got, self.rejected = lone_node(), [], []
        self.node.count_publishers = lambda topic: publishers
        self.arrivals = JointStateArrivals(self.node, self)

    def answer(self, data, info):
        if info["publication_sequence_number"] != AT_ONCE:
            return False
        self.got.append((deserialize_message(data, JointState).header.stamp.sec, "at once"))
        return True

    def deliver(self, message, info):
        self.got.append((message.header.stamp.sec, "read"))

    def reject(self, error):
        self.rejected.append(str(error))

    def wake(self, *messages):
        for one in messages:
            self.node.create_subscription.call_args.args[2](*self.message(*one))

    @staticmethod
    def message(stamp, number=None, size=None):
        message = JointState()
        message.header.stamp = stamp_message(stamp * 1_000_000_000)
        info = {"received_timestamp": time.time_ns(), "publication_sequence_number": number}
        return serialize_message(message)[:size], info


def test_in_time_every_message_is_answered():
    topic = Topic()
    topic.wake((1,), (2,), (3,))
    assert topic.got == [(1, "read"), (2, "read"), (3, "read")]


def test_what_is_answered_as_it_is_goes_no_further():
    topic = Topic()
    topic.wake((1, 76), (2, AT_ONCE), (3, 78))
    assert topic.got == [(1, "read"), (2, "at once"), (3, "read")]
    assert topic.arrivals.lost == 0


def test_one_that_nobody_can_read_is_reported_and_takes_no_others_along():
    topic = Topic()
    topic.wake(*((stamp, stamp, 20 if stamp in (3, 4, 5) else None) for stamp in range(1, 7)))
    assert [stamp for stamp, _ in topic.got] == [1, 2, 6]
    assert [text[:20] for text in topic.rejected] == ["it cannot be read: f"] * 3
    assert topic.arrivals.lost == 0


@pytest.mark.parametrize(
    ("publishers", "numbers", "lost"),
    [(1, [5, 6, 7], 0), (1, [5, 6, 9, 10, 12], 3), (1, [5, 6, 1, 2], 0), (2, [5, 6, 1, 7, 2], None)],
)
def test_what_was_lost_is_counted_where_it_is_known(publishers, numbers, lost):
    topic = Topic(publishers)
    topic.wake(*enumerate(numbers))
    assert topic.arrivals.lost == lost


def test_publishers_of_a_remapped_topic_are_counted_by_its_full_name():
    topic = Topic()
    topic.node.create_subscription.return_value.topic_name = "/arm/joint_states"
    topic.node.count_publishers = {"/arm/joint_states": 2, "joint_states": 0}.get
    topic.wake((1, 5), (2, 1), (3, 7))
    assert topic.arrivals.lost is None
