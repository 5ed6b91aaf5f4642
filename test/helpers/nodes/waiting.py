"""Waiting for conditions, never for a time."""

import time
from collections.abc import Callable

from rclpy.executors import SingleThreadedExecutor

# [s] after which a condition counts as never coming true: a machine with other work compiles for minutes
LIMIT = 300.0


def spin_until(
    executor: SingleThreadedExecutor, reached: Callable[[], object], what: str = "a condition"
) -> None:
    """Serve callbacks until the condition holds.

    Raises:
        AssertionError: it has not come true within LIMIT.
    """
    deadline = time.monotonic() + LIMIT
    while not reached():
        assert time.monotonic() < deadline, f"waited {LIMIT:g} s in vain for {what}"
        executor.spin_once(timeout_sec=0.05)
