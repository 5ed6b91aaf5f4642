"""Progress of a run and of a refinement on stderr: designs, designs per second, time left."""

import sys
import time
from typing import TextIO

__all__ = ["Progress", "RefinementProgress", "duration"]

#: Time between two lines [s]: where stderr is a terminal (one line that changes), and elsewhere.
_ON_TERMINAL, _ELSEWHERE = 0.2, 10.0


class _Lines:
    """Lines of progress on a stream, rate-limited; on a terminal, one line that changes."""

    def __init__(self, quiet: bool, stream: TextIO | None) -> None:
        self._quiet, self._stream = quiet, sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty()
        self._start = self._last = time.monotonic()
        self._printed = False

    def _passed(self) -> None:
        """Print the line, unless the last one is too recent."""
        now = time.monotonic()
        if now - self._last >= (_ON_TERMINAL if self._terminal else _ELSEWHERE):
            self._last = now
            self._print(self.line(now - self._start))

    def line(self, seconds: float) -> str:
        """Return the line after so many seconds."""
        raise NotImplementedError

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


class Progress(_Lines):
    """Prints how far a run is.

    Args:
        total: designs. done: of them finished by an earlier run. quiet: whether nothing is printed.
    """

    def __init__(self, total: int, done: int, *, quiet: bool, stream: TextIO | None = None) -> None:
        super().__init__(quiet, stream)
        self.total, self.done, self.before = total, done, done

    def add(self, designs: int) -> None:
        """Count a finished chunk, and print perhaps."""
        self.done += designs
        self._passed()

    def line(self, seconds: float) -> str:
        """Return the line after so many seconds."""
        rate = (self.done - self.before) / seconds if seconds > 0.0 else 0.0
        left = f", {duration((self.total - self.done) / rate)} left" if rate > 0.0 else ""
        return f"{self.done:,} of {self.total:,} designs, {rate:,.0f} designs/s{left}"


class RefinementProgress(_Lines):
    """Prints how far a refinement is: generations, the best score.

    The first population, which is drawn, is generation 0. The search may end before the last generation.

    Args:
        generations: at most. start: score of the design that is refined. quiet: whether nothing is printed.
    """

    def __init__(self, generations: int, start: float, *, quiet: bool, stream: TextIO | None = None) -> None:
        super().__init__(quiet, stream)
        self.generations, self.generation, self.designs = generations, -1, 0
        self.start = self.best = start

    def add(self, designs: int, best: float) -> None:
        """Count a generation with its best score, and print perhaps."""
        self.generation, self.designs = self.generation + 1, self.designs + designs
        self.best = min(self.best, best)
        self._passed()

    def line(self, seconds: float) -> str:
        """Return the line after so many seconds."""
        populations = self.generation + 1
        rate = self.designs / seconds if seconds > 0.0 else 0.0
        left = (self.generations - self.generation) * seconds / populations if populations else 0.0
        best = f"best score {self.best:.5g} (before: {self.start:.5g})"
        generation = f"generation {self.generation} of at most {self.generations}"
        return f"refining: {generation}, {best}, {rate:,.0f} designs/s, at most {duration(left)} left"


def duration(seconds: float) -> str:
    """Return a duration as text for people."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    minutes = seconds / 60.0
    return f"{minutes:.0f} min" if minutes < 90.0 else f"{minutes / 60.0:.1f} h"
