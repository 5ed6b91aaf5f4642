"""Messages that are queued behind the one that the executor has delivered."""

from collections.abc import Iterator
from typing import Any

__all__ = ["pending_messages"]

MOST = 20  # timers and other topics have their turn, too


def pending_messages(subscription: Any, most: int = MOST) -> Iterator[tuple[Any, dict[str, Any]]]:
    """(message, info) of at most so many queued ones, taken as rclpy's executor itself takes them.

    By way of the executor each message costs a look at everything that the node waits for, which takes longer
    than the answer: a node that has fallen behind would never catch up. An rclpy that has no such method
    leaves them to the executor.
    """
    handle = subscription.handle
    if not hasattr(handle, "take_message"):
        return
    for _ in range(most):
        with handle:
            taken = handle.take_message(subscription.msg_type, subscription.raw)
        if taken is None:
            return
        yield taken
