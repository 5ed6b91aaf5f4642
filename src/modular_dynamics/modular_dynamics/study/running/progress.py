"""Progress of a run on stderr: designs, designs per second, time left."""

import sys
import time
from typing import TextIO

__all__ = ["Progress", "duration"]

#: Time between two lines [s]: where stderr is a terminal (one line that changes), and elsewhere.
_ON_TERMINAL, _ELSEWHERE = 0.2, 10.0


class Progress:
    """Prints how far a run is.

    Args:
        total: designs. done: of them finished by an earlier run. quiet: whether nothing is printed.
    """

    def __init__(self, total: int, done: int, *, quiet: bool, stream: TextIO | None = None) -> None:
        self.total, self.done, self.before = total, done, done
        self._quiet, self._stream = quiet, sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty()
        self._start = self._last = time.monotonic()
        self._printed = False

    def add(self, designs: int) -> None:
        """Count a finished chunk, and print perhaps."""
        self.done += designs
        now = time.monotonic()
        if now - self._last >= (_ON_TERMINAL if self._terminal else _ELSEWHERE):
            self._last = now
            self._print(self.line(now - self._start))

    def line(self, seconds: float) -> str:
        """The line after so many seconds."""
        rate = (self.done - self.before) / seconds if seconds > 0.0 else 0.0
        left = f", {duration((self.total - self.done) / rate)} left" if rate > 0.0 else ""
        return f"{self.done:,} of {self.total:,} designs, {rate:,.0f} designs/s{left}"

    def _print(self, line: str) -> None:
        if self._quiet:
            return
        if self._terminal:
            self._stream.write(f"\r\x1b[K{line}")
            self._printed = True
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def end(self) -> None:
        """Remove the changing line."""
        if self._printed and not self._quiet:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._printed = False


def duration(seconds: float) -> str:
    """A length of time as people say it."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    minutes = seconds / 60.0
    return f"{minutes:.0f} min" if minutes < 90.0 else f"{minutes / 60.0:.1f} h"
