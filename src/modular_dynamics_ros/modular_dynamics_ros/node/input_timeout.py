"""What to publish when joint states stop coming."""

from dataclasses import dataclass
from enum import Enum

__all__ = ["InputTimeout", "Output"]


class Output(Enum):
    """What the node publishes now."""

    ANSWERS = "the input is fresh: answers only"
    NOTHING = "nothing"
    HOLD_GRAVITY = "gravity torques at the last position"
    RAMP = "the last torques times a falling factor"


@dataclass
class InputTimeout:
    """Measures the time since the last good joint state arrived, in the node's clock [ns].

    Args:
        stale_after: [s]. on_stale: stop | hold_gravity | ramp_to_zero. ramp_time: [s].
    """

    stale_after: float
    on_stale: str = "stop"
    ramp_time: float = 1.0
    _last: int | None = None
    _ramp_done: bool = False

    def arrived(self, now: int) -> None:
        """A good joint state has arrived."""
        self._last, self._ramp_done = now, False

    def age(self, now: int) -> float | None:
        """Seconds since the last good joint state; None before the first."""
        return None if self._last is None else (now - self._last) * 1e-9

    def output(self, now: int) -> tuple[Output, float]:
        """What to publish and, for RAMP, the factor; the ramp ends with exactly one factor of zero."""
        age = self.age(now)
        if age is None:
            return Output.NOTHING, 0.0
        if age < 0.0:  # the clock was set back, as a simulation does when it starts again
            self._last, age = now, 0.0
        if age <= self.stale_after:
            return Output.ANSWERS, 1.0
        if self.on_stale == "hold_gravity":
            return Output.HOLD_GRAVITY, 1.0
        if self.on_stale == "ramp_to_zero" and not self._ramp_done:
            factor = max(0.0, 1.0 - (age - self.stale_after) / self.ramp_time)
            self._ramp_done = factor == 0.0
            return Output.RAMP, factor
        return Output.NOTHING, 0.0
