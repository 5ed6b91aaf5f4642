"""Interleaved timing: what is compared takes turns, so that all of it shares the machine's moods."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Spread", "Timed", "Times", "interleaved", "ratio"]

#: A name, what to call, and how many evaluations one call is.
Timed = dict[str, tuple[Callable[[], object], int]]
#: A name and the microseconds per evaluation in each round.
Times = dict[str, NDArray[np.float64]]
#: Seconds that one name gets in one round, unless one call is longer: less than the system gives a process
#: at a time, so that on a busy machine, too, most rounds are undisturbed.
SLICE = 0.002
#: Seconds that all rounds together last at least: longer than a neighbour's burst of work.
LEAST = 4.0


@dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Spread:
        """Of some numbers."""
        low, median, high = np.percentile(values, [25, 50, 75])
        return cls(float(median), float(low), float(high))

    def __str__(self) -> str:
        digits = 2 if self.median < 9.95 else 1
        return f"{self.median:.{digits}f} ({self.low:.{digits}f}-{self.high:.{digits}f})"


def interleaved(timed: Timed, rounds: int, tick: Callable[[str], None]) -> Times:
    """Time every call in each of at least so many rounds.

    First calls, which may compile, count nowhere; nor does the first one of each turn.
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
            call()  # takes back the caches from the call before
            times[name].append(_seconds(call, repeats[name]) / (repeats[name] * count) * 1e6)
    return {name: np.array(values) for name, values in times.items()}


def _seconds(call: Callable[[], object], repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        call()
    return time.perf_counter() - start


def ratio(ours: NDArray[np.float64], peer: NDArray[np.float64]) -> Spread:
    """How many times as fast as a peer, round by round."""
    return Spread.of(peer / ours)
