"""Python's threads take short turns while one of them works beside the executor, which must not wait long."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["short_turns"]

SWITCH_INTERVAL = 2e-4  # [s] after which another thread has its turn

_lock = threading.Lock()
_users = 0
_usual = 0.0  # [s] what the interval was before the first of them


@contextmanager
def short_turns() -> Iterator[None]:
    """Until the last one ends that uses this at the same time."""
    global _users, _usual  # noqa: PLW0603  # the interval is one of the process, too
    with _lock:
        if not _users:
            _usual = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH_INTERVAL)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                sys.setswitchinterval(_usual)
