from contextlib import nullcontext
from types import SimpleNamespace

from modular_dynamics_ros.lifecycle.pending_messages import MOST, pending_messages


class Handle(nullcontext):
    """A subscription's handle with this many messages in its queue."""

    def __init__(self, count):
        super().__init__()
        self.queue = [(k, {}) for k in range(count)]

    def take_message(self, kind, raw):
        return self.queue.pop(0) if self.queue else None


def subscription(handle):
    return SimpleNamespace(handle=handle, msg_type=object, raw=False)


def test_queued_messages_are_taken_in_order_up_to_a_limit():
    queued = subscription(Handle(MOST + 3))
    assert [message for message, _ in pending_messages(queued)] == list(range(MOST))
    assert [message for message, _ in pending_messages(queued)] == list(range(MOST, MOST + 3))
    assert list(pending_messages(queued)) == []


def test_an_rclpy_without_the_private_method_leaves_them_to_the_executor():
    assert list(pending_messages(subscription(nullcontext()))) == []
