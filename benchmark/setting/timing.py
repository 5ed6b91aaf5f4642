"""Interleaved timing: what is compared takes turns, so that other load slows all of it alike."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: A name, what to call, and how many evaluations one call is.
Timed = dict[str, tuple[Callable[[], object], int]]
#: A name and the microseconds per evaluation in each round.
Times = dict[str, NDArray[np.float64]]
#: Seconds of one name in one round, unless one call is longer: less than a time slice of the scheduler, so
#: that most rounds are undisturbed on a busy machine, too.
SLICE = 0.002
#: Least duration of all rounds together [s]: longer than a short burst of other load.
LEAST = 4.0


@dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "Spread":
        """Return median and quartiles of these numbers."""
        low, median, high = np.percentile(values, [25, 50, 75])
        return cls(float(median), float(low), float(high))

    def __str__(self) -> str:
        digits = 2 if self.median < 9.95 else 1
        return f"{self.median:.{digits}f} ({self.low:.{digits}f}-{self.high:.{digits}f})"


def interleaved(timed: Timed, rounds: int, tick: Callable[[str], None]) -> Times:
    """Time every call in each of at least so many rounds.

    The first call, which may compile, is not timed, nor is the first one of each turn.
    """
    repeats = {}
    for name, (call, _) in timed.items():
        tick(f"first call: {name}")
        call()
        repeats[name] = max(1, round(SLICE / max(_seconds(call, 1), 1e-7)))
    times: dict[str, list[float]] = {name: [] for name in timed}
    start, number = time.perf_counter(), 0
    while number < rounds or time.perf_counter() - start < LEAST:
        number += 1
        tick(f"round {number} of {max(rounds, number)}")
        for name, (call, count) in timed.items():
            call()  # not timed: fetches its arrays into the caches
            times[name].append(_seconds(call, repeats[name]) / (repeats[name] * count) * 1e6)
    return {name: np.array(values) for name, values in times.items()}


def _seconds(call: Callable[[], object], repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        call()
    return time.perf_counter() - start


def ratio(ours: NDArray[np.float64], peer: NDArray[np.float64]) -> Spread:
    """Return how many times as fast as a peer ours is, round by round."""
    return Spread.of(peer / ours)
