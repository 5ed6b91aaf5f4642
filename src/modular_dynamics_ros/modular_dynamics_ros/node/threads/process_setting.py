"""A setting of the process that several threads may need at the same time."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["ProcessSetting"]

Restore = Callable[[], None]


class ProcessSetting:
    """Changed by the first thread that needs it, and put back by the last one.

    Args:
        change: changes the setting, and returns what puts it back.
    """

    def __init__(self, change: Callable[[], Restore]) -> None:
        self._change, self._lock, self._users = change, threading.Lock(), 0
        self._restore: Restore

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Change the setting while the body runs."""
        with self._lock:
            if not self._users:
                self._restore = self._change()
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._restore()
