"""The running comparison with Pinocchio: when one is due, and the worst result so far."""

from dataclasses import dataclass, field

__all__ = ["CrossCheckMonitor"]


@dataclass
class CrossCheckMonitor:
    """Counts comparisons and keeps the worst difference [N m or N] of each subsystem and of the robot.

    Args:
        rate: comparisons per second [Hz], 0: none. threshold: largest allowed difference, relative to the
        largest torque.
    """

    rate: float
    threshold: float
    count: int = 0
    failed: int = 0
    failure: str = ""
    relative: float = 0.0
    worst_relative: float = 0.0
    worst: dict[str, float] = field(default_factory=dict)
    _next: float = float("-inf")

    def due(self, now: float) -> bool:
        """Whether the answer given at `now` [s] is to be compared; at most `rate` of them per second are."""
        if self.rate == 0.0 or now < self._next:
            return False
        period = 1.0 / self.rate
        late = now - self._next > period  # comparisons missed during a pause are not caught up on
        self._next = (now if late else self._next) + period
        return True

    def add(self, relative: float, per_subsystem: dict[str, float]) -> None:
        """Count one comparison: relative difference, and absolute ones per subsystem."""
        self.count += 1
        self.failure = ""
        self.relative = relative
        self.worst_relative = max(self.worst_relative, relative)
        for name, difference in per_subsystem.items():
            self.worst[name] = max(self.worst.get(name, 0.0), difference)

    def add_failure(self, failure: str) -> None:
        """Count a comparison that could not be made, and keep the reason until the next one."""
        self.failed += 1
        self.failure = failure

    @property
    def disagrees(self) -> bool:
        """Whether the last comparison lies above the threshold. A NaN does."""
        return self.count > 0 and not self.relative <= self.threshold
