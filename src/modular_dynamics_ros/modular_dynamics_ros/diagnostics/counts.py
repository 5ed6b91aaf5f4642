"""How many messages a node has received, answered and rejected, and how fast it was."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["LatencySummary", "LatencyWindow", "MessageCounts", "summarise"]


@dataclass(frozen=True)
class LatencySummary:
    """Rate [Hz] and latency percentiles [s] of `count` answers; NaN where there are too few."""

    count: int
    rate: float
    p50: float
    p99: float
    max: float


def summarise(latencies_ns: NDArray[np.int64], arrivals_ns: NDArray[np.int64]) -> LatencySummary:
    """Summary of latencies [ns] of messages that arrived at the given times [ns], in order of arrival.

    The percentiles are values that occurred (nearest rank, rounded up), so p99 never looks better than the
    data.
    """
    count = len(latencies_ns)
    if count == 0:
        return LatencySummary(0, np.nan, np.nan, np.nan, np.nan)
    seconds = np.sort(latencies_ns) * 1e-9
    p50, p99 = (float(seconds[int(np.ceil(share * count)) - 1]) for share in (0.50, 0.99))
    span = (int(arrivals_ns[-1]) - int(arrivals_ns[0])) * 1e-9
    rate = (count - 1) / span if span > 0.0 else np.nan
    return LatencySummary(count, rate, p50, p99, float(seconds[-1]))


class LatencyWindow:
    """The last `size` answers: arrival time and latency of each, in two arrays of fixed size."""

    def __init__(self, size: int = 1024) -> None:
        if size < 2:
            raise ValueError(f"latency window of {size} answers: needs at least 2 for a rate")
        self._arrivals = np.zeros(size, dtype=np.int64)
        self._latencies = np.zeros(size, dtype=np.int64)
        self._next = 0
        self._filled = 0

    def add(self, arrival_ns: int, latency_ns: int) -> None:
        """Count one answer; the oldest one is dropped when the window is full."""
        self._arrivals[self._next] = arrival_ns
        self._latencies[self._next] = latency_ns
        self._next = (self._next + 1) % len(self._arrivals)
        self._filled = min(self._filled + 1, len(self._arrivals))

    def clear(self) -> None:
        """Forget all answers: after a pause the old ones say nothing about the rate."""
        self._next = self._filled = 0

    def summary(self) -> LatencySummary:
        """Summary of the answers in the window."""
        order = np.arange(self._next - self._filled, self._next) % len(self._arrivals)
        return summarise(self._latencies[order], self._arrivals[order])


@dataclass
class MessageCounts:
    """Messages since activation: every joint state is answered, rejected (by cause) or superseded.

    Attributes:
        superseded: by a newer joint state before they were answered. limited: answers in which each joint's
        effort limit was exceeded. closed_anew: answers whose assembly mode did not follow from the answer
        before. input_age: of the last joint state at its arrival [s]. latency: from arrival to answer.
    """

    received: int = 0
    answered: int = 0
    superseded: int = 0
    closed_anew: int = 0
    rejected: "Counter[str]" = field(default_factory=Counter)
    limited: NDArray[np.int64] | None = None
    input_age: float = float("nan")
    latency: LatencyWindow = field(default_factory=LatencyWindow)

    def count_limits(self, exceeded: NDArray[np.bool_]) -> None:
        """Count the joints of one answer whose effort limit was exceeded."""
        self.limited = exceeded.astype(np.int64) if self.limited is None else self.limited + exceeded
