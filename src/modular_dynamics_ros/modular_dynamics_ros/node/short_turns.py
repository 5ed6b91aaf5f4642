"""Python's threads take short turns while one of them prepares a robot."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["short_turns"]

SWITCH_INTERVAL = 2e-4  # [s] after which Python's other thread has its turn: the executor must not wait long

_lock = threading.Lock()
_usual: list[float] = []  # one for each thread that is inside; the first is Python's own


@contextmanager
def short_turns() -> Iterator[None]:
    """Until the end of the block, and until the last of several threads leaves its own."""
    with _lock:
        _usual.append(sys.getswitchinterval())
        sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        yield
    finally:
        with _lock:
            last = _usual.pop()
            if not _usual:
                sys.setswitchinterval(last)
