"""What waits in the queue of joint_states, and what was lost before it."""

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
    """joint_states with messages in its queue: (stamp [s], how long ago it arrived [s], number)."""

    def __init__(self, publishers=1):
        self.node, self.got, self.queue, self.rejected = lone_node(), [], [], []
        self.node.count_publishers = lambda topic: publishers
        self.node.create_subscription.return_value.handle = Handle(self.queue)
        self.arrivals = JointStateArrivals(self.node, self, lambda: 0.2)

    def answer(self, data, info):
        if info["publication_sequence_number"] != AT_ONCE:
            return False
        self.got.append((deserialize_message(data, JointState).header.stamp.sec, "at once"))
        return True

    def deliver(self, message, info, superseded):
        self.got.append((message.header.stamp.sec, superseded))

    def reject(self, error):
        self.rejected.append(str(error))

    def wake(self, *messages):
        self.queue[:] = [self.message(*one) for one in messages]
        self.node.create_subscription.call_args.args[2](*self.queue.pop(0))

    @staticmethod
    def message(stamp, age=0.0, number=None, names=()):
        message = JointState(name=names)
        message.header.stamp = stamp_message(stamp * 1_000_000_000)
        arrival = time.time_ns() - round(age * 1e9)
        return serialize_message(message), {
            "received_timestamp": arrival,
            "publication_sequence_number": number,
        }


class Handle:
    def __init__(self, queue):
        self.queue = queue

    def __enter__(self):
        return self

    def __exit__(self, *of):
        return False

    def take_message(self, kind, raw):
        return self.queue.pop(0) if self.queue else None


def test_in_time_every_message_is_answered():
    topic = Topic()
    topic.wake((1, 0.05), (2, 0.04), (3, 0.0))
    assert topic.got == [(1, False), (2, False), (3, False)]


def test_what_is_answered_as_it_is_goes_no_further():
    topic = Topic()
    topic.wake((1, 0.05, 76), (2, 0.04, AT_ONCE), (3, 0.0, 78))
    assert topic.got == [(1, False), (2, "at once"), (3, False)]
    assert topic.arrivals.lost == 0


@pytest.mark.parametrize("age", [0.0, 0.3])
def test_one_that_nobody_can_read_is_reported_and_takes_no_others_along(age):
    topic = Topic()
    topic.queue[:] = [topic.message(stamp, age, stamp) for stamp in range(1, 7)]
    topic.queue[2:5] = [(data[:20], info) for data, info in topic.queue[2:5]]
    topic.node.create_subscription.call_args.args[2](*topic.queue.pop(0))
    assert [stamp for stamp, _ in topic.got] == [1, 2, 6]
    assert [text[:20] for text in topic.rejected] == ["it cannot be read: f"] * 3
    assert topic.arrivals.lost == 0


def test_a_node_that_has_fallen_behind_answers_nothing_as_it_is():
    topic = Topic()
    topic.wake((1, 0.3, AT_ONCE), (2, 0.3, AT_ONCE))
    assert topic.got == [(1, True), (2, False)]


def test_a_node_that_has_fallen_behind_answers_only_the_newest():
    topic = Topic()
    topic.wake(*[(k, 0.3) for k in range(1, 200)], (250, 0.0), (240, 0.0))
    assert len(topic.got) == 201
    assert [stamp for stamp, superseded in topic.got if not superseded] == [250]


def test_a_message_ahead_of_the_clock_does_not_take_the_good_ones_along():
    topic = Topic()
    topic.node.time = 250 * 10**9
    topic.wake((249, 0.3), (250, 0.3), (999, 0.3))
    assert topic.got == [(999, True), (249, True), (250, False)]


@pytest.mark.parametrize(
    ("publishers", "numbers", "lost"),
    [(1, [5, 6, 7], 0), (1, [5, 6, 9, 10, 12], 3), (1, [5, 6, 1, 2], 0), (2, [5, 6, 1, 7, 2], None)],
)
def test_what_was_lost_is_counted_where_it_is_known(publishers, numbers, lost):
    topic = Topic(publishers)
    topic.wake(*[(k, 0.0, number) for k, number in enumerate(numbers)])
    assert topic.arrivals.lost == lost


def test_another_device_on_the_topic_does_not_silence_a_node_that_has_fallen_behind():
    topic = Topic()
    topic.wake(
        (1, 0.3, None, ["arm"]), (3, 0.2, None, ["arm"]), (2, 0.1, None, ["arm"]), (4, 0.0, None, ["lid"])
    )
    assert topic.got == [(1, True), (2, True), (3, False), (4, False)]


def test_messages_are_delivered_by_time_so_that_an_answer_has_nothing_newer_in_it():
    topic = Topic()
    topic.wake((5, 0.3, None, ["arm"]), (6, 0.2, None, ["lid"]), (7, 0.1, None, ["lid"]))
    assert topic.got == [(5, False), (6, True), (7, False)]


def test_publishers_of_a_remapped_topic_are_counted_by_its_full_name():
    topic = Topic()
    topic.node.create_subscription.return_value.topic_name = "/arm/joint_states"
    topic.node.count_publishers = {"/arm/joint_states": 2, "joint_states": 0}.get
    topic.wake((1, 0.0, 5), (2, 0.0, 1), (3, 0.0, 7))
    assert topic.arrivals.lost is None
