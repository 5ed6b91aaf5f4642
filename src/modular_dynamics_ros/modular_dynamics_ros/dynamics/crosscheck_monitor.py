"""What comparisons of torques with Pinocchio have shown, and whether torques are held back because of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan

from modular_dynamics_ros.messages.status import ERROR, OK, WARN, Status

__all__ = ["AGREEMENTS", "CrossCheckMonitor", "crosscheck_status"]

AGREEMENTS = 10  # comparisons in a row below half the threshold after which torques are published again


@dataclass
class CrossCheckMonitor:
    """Counts comparisons and keeps the worst difference [N m or N] of each subsystem and of the robot.

    Differences are relative to the size of the terms that add up to a torque (`Residual.of_terms`).

    Args:
        rate: comparisons per second [Hz], 0: none. threshold: largest allowed relative difference.
        stops: whether torques are held back from a disagreement on, until AGREEMENTS agree.

    Attributes:
        relative, where: the last comparison's largest relative difference and its subsystem.
        stopped: whether torques are held back. held_back: how many answers were not published.
    """

    rate: float
    threshold: float
    stops: bool = True
    count: int = 0
    failed: int = 0
    failure: str = ""
    relative: float = 0.0
    where: str = ""
    worst_relative: float = 0.0
    worst: dict[str, float] = field(default_factory=dict)
    stopped: bool = False
    held_back: int = 0
    _agreed: int = 0  # in a row, below half the threshold
    _next: float = float("-inf")

    def change(self, rate: float, threshold: float, *, stops: bool) -> None:
        """Take other settings; they count at once, also for the last comparison."""
        self.rate, self.threshold, self.stops = rate, threshold, stops
        self.stopped = stops and rate > 0.0 and (self.stopped or self.disagrees)

    def due(self, now: float) -> bool:
        """Return whether to compare the answer of `now` [s]: at most `rate` per second; all while stopped."""
        if self.stopped:
            return True
        if self.rate == 0.0 or now < self._next:
            return False
        period = 1.0 / self.rate
        late = now - self._next > period  # comparisons missed during a pause are not caught up on
        self._next = (now if late else self._next) + period
        return True

    def add(self, relative: Mapping[str, float], absolute: Mapping[str, float]) -> None:
        """Count one comparison: relative and absolute differences by subsystem."""
        self.count += 1
        self.failure = ""
        self.where, self.relative = max(
            relative.items(), key=lambda item: (isnan(item[1]), item[1]), default=("", 0.0)
        )
        self.worst_relative = _larger(self.worst_relative, self.relative)
        for name, difference in absolute.items():
            self.worst[name] = _larger(self.worst.get(name, 0.0), difference)
        self._agreed = self._agreed + 1 if self.relative <= 0.5 * self.threshold else 0
        if self.disagrees:
            self.stopped = self.stops
        elif self._agreed >= AGREEMENTS:
            self.stopped = False

    def add_failure(self, failure: str) -> None:
        """Count a comparison that could not be made, and keep the reason until the next one."""
        self.failed += 1
        self.failure = failure

    @property
    def disagrees(self) -> bool:
        """Return whether the last comparison is above the threshold, or NaN."""
        return self.count > 0 and not self.relative <= self.threshold

    @property
    def disagreement(self) -> str:
        """The last comparison in words."""
        return (
            f"torques of '{self.where}' differ from Pinocchio's by {self.relative:.1e} of the terms that "
            f"add up to them, threshold {self.threshold:.1e}"
        )


def _larger(one: float, other: float) -> float:
    """Return the larger number, or NaN if one is; max() may lose it."""
    return one if isnan(one) or one >= other else other


def crosscheck_status(monitor: CrossCheckMonitor, unavailable: str, closed: bool = False) -> Status:
    """Return the status of the comparison with Pinocchio; with closed loops that of the open tree.

    Args:
        unavailable: why nothing can be compared; empty where it can.
    """
    subject = "torques of the open tree, under the wrenches at its cuts," if closed else "torques"
    values = {
        "comparisons": str(monitor.count),
        "comparisons that failed": str(monitor.failed),
        "answers held back by the cross-check": str(monitor.held_back),
        "relative difference": f"{monitor.relative:.3e}",
        "worst relative difference": f"{monitor.worst_relative:.3e}",
        "threshold": f"{monitor.threshold:.3e}",
    }
    values |= {
        f"worst difference of {name} [N m or N]": f"{worst:.3e}" for name, worst in monitor.worst.items()
    }
    level, text = OK, f"{subject} equal Pinocchio's"
    if monitor.rate == 0.0:
        text = "off"
    elif monitor.stopped:
        level, text = (
            ERROR,
            f"torques are held back until {AGREEMENTS} in a row agree: {monitor.disagreement}",
        )
    elif unavailable:
        level, text = WARN, f"not possible: {unavailable}"
    elif monitor.failure:
        level, text = WARN, f"the last comparison failed: {monitor.failure}"
    elif monitor.count == 0:
        text = "nothing was compared yet"
    elif monitor.disagrees:
        level, text = ERROR, monitor.disagreement
    return Status(level, "cross-check", text, values=values)
