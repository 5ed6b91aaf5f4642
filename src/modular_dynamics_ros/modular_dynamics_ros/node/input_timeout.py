"""What to do when joint states stop coming."""

from dataclasses import dataclass
from enum import Enum

__all__ = ["Reaction", "StaleInput"]


class Reaction(Enum):
    """What the node publishes now."""

    ANSWER = "the input is fresh: answers only"
    NOTHING = "nothing"
    HOLD_GRAVITY = "gravity torques at the last position"
    RAMP = "the last torques times a falling factor"


@dataclass
class StaleInput:
    """Judges the input by the arrival of the last good joint state, in the node's clock [ns].

    Args:
        stale_after: [s]. on_stale: stop | hold_gravity | ramp_to_zero. ramp_time: [s].
    """

    stale_after: float
    on_stale: str
    ramp_time: float
    _last: int | None = None
    _ramp_done: bool = False

    def arrived(self, now: int) -> None:
        """A good joint state came."""
        self._last, self._ramp_done = now, False

    def forget(self) -> None:
        """No joint state has come yet (the robot changed, or the node was activated)."""
        self._last, self._ramp_done = None, False

    def age(self, now: int) -> float | None:
        """Seconds since the last good joint state; None before the first."""
        return None if self._last is None else (now - self._last) * 1e-9

    def react(self, now: int) -> tuple[Reaction, float]:
        """What to publish and, for RAMP, the factor; the ramp ends with exactly one factor of zero."""
        age = self.age(now)
        if age is None:
            return Reaction.NOTHING, 0.0
        if age < 0.0:  # the clock was set back, as a simulation does when it starts again
            self._last, age = now, 0.0
        if age <= self.stale_after:
            return Reaction.ANSWER, 1.0
        if self.on_stale == "hold_gravity":
            return Reaction.HOLD_GRAVITY, 1.0
        if self.on_stale == "ramp_to_zero" and not self._ramp_done:
            factor = max(0.0, 1.0 - (age - self.stale_after) / self.ramp_time)
            self._ramp_done = factor == 0.0
            return Reaction.RAMP, factor
        return Reaction.NOTHING, 0.0
