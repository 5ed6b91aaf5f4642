"""SIGINT and SIGTERM, which end a node."""

import signal
import sys
import time
from math import inf

__all__ = ["EndSignals", "EndedEarly"]

#: [s] in which further signals are the same one: Ctrl-C comes from the terminal and from ros2 launch.
REPEATED = 0.5


class EndedEarly(BaseException):
    """A signal came before the node spins.

    No KeyboardInterrupt: where one has passed through a text that exec or eval runs, as named tuples
    do, `python -m` ends by SIGINT, although it was caught.
    """


class EndSignals:
    """Counts the signals from now on.

    The handler calls nothing of rclpy: it may have interrupted rclpy, which holds a lock.

    Attributes:
        count: signals so far. early: whether they raise EndedEarly; later they are only counted, because in a
        callback an exception may become any error.
    """

    def __init__(self) -> None:
        self.count, self.early, self._last = 0, True, -inf
        self._take(self._on_signal)
        unraisable = sys.unraisablehook
        # some C code cannot pass an exception on, and would print it
        sys.unraisablehook = lambda one: None if one.exc_type is EndedEarly else unraisable(one)

    def ignore(self) -> None:
        """Ignore further signals: one must not interrupt the shutdown."""
        self._take(signal.SIG_IGN)

    def _take(self, handler: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, handler)  # type: ignore[arg-type]  # a function, or SIG_IGN

    def _on_signal(self, number: int, frame: object) -> None:
        now = time.monotonic()
        if now - self._last < REPEATED:
            return
        self._last = now
        self.count += 1
        if self.early:
            raise EndedEarly
