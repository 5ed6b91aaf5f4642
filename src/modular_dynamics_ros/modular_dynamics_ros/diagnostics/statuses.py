"""Counts and latencies of nodes about a robot, and the statuses in /diagnostics that these nodes share."""

from collections import Counter, deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.messages.status import Status, status_of

LATENCIES = 1024  # answers of which rate and latency are reported


@dataclass(frozen=True)
class LatencySummary:
    """Rate [Hz] and latencies [s] of `count` answers; NaN where there are too few."""

    count: int
    rate: float
    p50: float
    p99: float
    max: float


def summarise(latencies_ns: NDArray[np.int64], arrivals_ns: NDArray[np.int64]) -> LatencySummary:
    """Return a summary of latencies [ns] of messages with arrival times [ns], in order of arrival.

    The percentiles are values that occurred (nearest rank, rounded up).
    """
    if not (count := len(latencies_ns)):
        return LatencySummary(0, np.nan, np.nan, np.nan, np.nan)
    seconds = np.sort(latencies_ns) * 1e-9
    p50, p99 = (float(seconds[int(np.ceil(share * count)) - 1]) for share in (0.50, 0.99))
    span = (int(arrivals_ns[-1]) - int(arrivals_ns[0])) * 1e-9
    rate = (count - 1) / span if span > 0.0 else np.nan
    return LatencySummary(count, rate, p50, p99, float(seconds[-1]))


@dataclass
class MessageCounts:
    """Numbers of joint states since activation that arrived, were processed, or were rejected (by cause).

    Attributes:
        incomplete: read, while other joints are awaited. of_other_joints: without a joint of the robot.
        closed_anew: answers after a new search for the assembly mode. input_age: of the last joint state at
        its arrival [s]. latencies: arrival of the state and time until its answer [ns], of the last answers.
        last_stamp: of the last answer [ns].
    """

    received: int = 0
    processed: int = 0
    incomplete: int = 0
    of_other_joints: int = 0
    closed_anew: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    input_age: float = float("nan")
    latencies: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=LATENCIES))
    last_stamp: int | None = None


def input_status(counts: MessageCounts, problems: list[str], age: float | None, stale: str) -> Status:
    """Return the status of joint states.

    Args:
        problems: that make them unusable. age: since the last answer, or the first joint state [s]; None
            before it. stale: the error about a stale input; empty: it is not stale.
    """
    values = {
        "messages in": str(counts.received),
        "messages rejected": str(sum(counts.rejected.values())),
        "read while other joints are awaited": str(counts.incomplete),
        "without a joint of the robot": str(counts.of_other_joints),
        "time since last answer, or first joint state [s]": "none yet" if age is None else f"{age:.3f}",
        "age of input at arrival [s]": f"{counts.input_age:.6f}",
    }
    values |= {f"rejected: {cause}": str(count) for cause, count in sorted(counts.rejected.items())}
    if age is None and not problems:
        problems = ["waiting for the first joint state"]
    return status_of("input", "joint states are good", values, [stale] if stale else [], problems)


def answer_values(counts: MessageCounts, source: str) -> dict[str, str]:
    """Return number, rate and latency of the answers, and the `source` of the accelerations."""
    arrivals, latencies = np.array(counts.latencies, dtype=np.int64).reshape(-1, 2).T
    summary = summarise(latencies, arrivals)
    return {
        "messages out": str(counts.processed),
        "rate [Hz]": f"{summary.rate:.2f}",
        "latency p50 [ms]": f"{1e3 * summary.p50:.3f}",
        "latency p99 [ms]": f"{1e3 * summary.p99:.3f}",
        "latency max [ms]": f"{1e3 * summary.max:.3f}",
        "acceleration source": source,
    }


def closure_status(answer: Answer | None, closed_anew: int, errors: list[str], warnings: list[str]) -> Status:
    """Return the status of closed loops: residuals, condition number, recent failures to close.

    Args:
        answer: the last one; None: there is none. closed_anew: see `MessageCounts`.
    """
    values: dict[str, str] = {}
    text = "the loops of no joint state have been closed yet"
    if answer is not None and isinstance(answer.dynamics, ClosedLoopSolution):
        result, disagreements = answer.dynamics.result, answer.configuration.disagreements
        worst = max(result.residual.values(), default=0.0)
        text = f"the loops are closed; largest residual {worst:.1e} [m or 1]"
        values = {"largest residual [m or 1]": f"{worst:.3e}"}
        values |= {f"residual of {name} [m or 1]": f"{value:.3e}" for name, value in result.residual.items()}
        values |= {
            "condition number": f"{result.condition:.3e}",
            "redundant constraint rows": str(result.redundant),
            "answers with a new search for the assembly mode": str(closed_anew),
        }
        values |= {f"tension of {name} [N]": f"{value:.6g}" for name, value in result.tensions.items()}
        values |= {
            f"measured minus computed position of {name} [rad or m]": f"{value:.3e}"
            for name, value in disagreements.items()
        }
    return status_of("closure", text, values, errors, warnings)
