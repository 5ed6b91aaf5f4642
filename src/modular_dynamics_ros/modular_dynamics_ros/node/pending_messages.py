"""Messages that wait behind the one that the executor has brought."""

from collections.abc import Iterator
from typing import Any

from rclpy.subscription import Subscription

__all__ = ["waiting"]

MOST = 20  # at a time: timers and other topics have their turn, too


def waiting(subscription: Subscription) -> Iterator[tuple[Any, dict]]:
    """(message, info) of those that wait, as the executor itself takes them.

    By way of the executor each costs a look at all that the node waits for, which takes longer than to answer
    it: a node that has fallen behind would never catch up.
    """
    for _ in range(MOST):
        with subscription.handle:
            taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
        if taken is None:
            return
        yield taken
