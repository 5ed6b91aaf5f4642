"""How many messages a node has received, answered and rejected, and how fast it was."""

from collections import Counter, deque
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
    """Arrival time and latency of the last `size` answers."""

    def __init__(self, size: int = 1024) -> None:
        self._answers: deque[tuple[int, int]] = deque(maxlen=size)

    def add(self, arrival_ns: int, latency_ns: int) -> None:
        """Count one answer; the oldest one is dropped when the window is full."""
        self._answers.append((arrival_ns, latency_ns))

    def clear(self) -> None:
        """Forget all answers: after a pause the old ones say nothing about the rate."""
        self._answers.clear()

    def summary(self) -> LatencySummary:
        """Summary of the answers in the window."""
        arrivals, latencies = np.array(self._answers, dtype=np.int64).reshape(-1, 2).T
        return summarise(latencies, arrivals)


@dataclass
class MessageCounts:
    """Messages since activation: every joint state is answered, rejected (by cause) or superseded.

    Attributes:
        superseded: by a newer joint state before they were answered. limited: by joint, answers in which its
        effort limit was exceeded. closed_anew: answers whose assembly mode did not follow from the answer
        before. input_age: of the last joint state at its arrival [s]. latency: from arrival to answer.
    """

    received: int = 0
    answered: int = 0
    superseded: int = 0
    closed_anew: int = 0
    rejected: "Counter[str]" = field(default_factory=Counter)
    limited: "Counter[str]" = field(default_factory=Counter)
    input_age: float = float("nan")
    latency: LatencyWindow = field(default_factory=LatencyWindow)
