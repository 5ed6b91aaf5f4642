"""Wrenches that were measured at some time, and which of them are valid at an instant.

Two clocks measure the age of a wrench. By the node's clock, which stamps belong to, it may be `stale_after`
old, or as far ahead: a clock that is set back makes it invalid at once. By the monotonic clock it may have
arrived as long ago: a clock that stands still or is set cannot keep it. A simulation may run slowly or
pause, so with use_sim_time the monotonic clock allows it `SLOWEST` at least.
"""

import time
from collections.abc import Callable, Mapping
from copy import copy
from typing import NamedTuple

from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import BadMessage

SLOWEST = 10.0  # [s]
#: What stamps are compared with, and what to do where they are far from it.
NODES_CLOCK = "this node's clock: synchronise the clocks; play recordings with use_sim_time"


class Arrival(NamedTuple):
    """When a wrench was measured and received.

    Attributes:
        stamp: by the node's clock [ns]. steady: of its arrival, by the monotonic clock [ns].
        simulated: whether the node's clock is /clock.
    """

    stamp: int
    steady: int
    simulated: bool = False


class TimedWrench(NamedTuple):
    """A wrench [force, moment] (6,) at and in the frame of a link."""

    link: str
    values: Array
    arrival: Arrival


def longest_silence(valid_for: float, *, simulated: bool) -> float:
    """Return how long [s] of the monotonic clock an input, valid for a time of the node's, may be silent."""
    return max(valid_for, SLOWEST) if simulated else valid_for


def check_age(stamp: int, now: int, valid_for: float, clock: str = NODES_CLOCK) -> None:
    """Refuse a wrench whose stamp is too far from now [ns].

    Args:
        clock: whose time `now` is, and what to do about it, for a sentence.

    Raises:
        BadMessage: it is older than `valid_for` [s], or as far ahead.
    """
    age = (now - stamp) * 1e-9
    if abs(age) > valid_for:
        cause, side = ("too old", "behind") if age > 0.0 else ("ahead of the clock", "ahead of")
        raise BadMessage(cause, f"its stamp is more than {valid_for:g} s (stale_after) {side} {clock}")


class TimedWrenches:
    """The newest wrench of each source. A wrench that has stopped is valid only when its source sends again.

    Args:
        ends_by_zero: whether a source whose last wrench is zero has ended, not stopped.
        steady: the monotonic clock [ns].

    Attributes:
        newest: by source. stopped: sources that had stopped at the last call of `by_validity`.
        stops: how many times a source has stopped.
    """

    def __init__(self, *, ends_by_zero: bool, steady: Callable[[], int] = time.monotonic_ns) -> None:
        self._ends_by_zero, self._steady = ends_by_zero, steady
        self.newest: dict[str, TimedWrench] = {}
        self.stopped: set[str] = set()
        self.stops = 0

    def set(self, source: str, wrench: TimedWrench) -> None:
        """Take a wrench."""
        self.newest[source] = wrench
        self.stopped.discard(source)

    def require_order(self, source: str, stamp: int, now: int, valid_for: float) -> None:
        """Refuse a wrench whose stamp [ns] is older than that of its source's wrench that is valid now [ns].

        One that has become invalid, because its source stopped or a clock was set, refuses none.

        Raises:
            BadMessage: that one is newer.
        """
        newest = self.newest.get(source)
        if newest is None or stamp >= newest.arrival.stamp or source in self.stopped:
            return
        if _is_valid(newest.arrival, now, self._steady(), valid_for):
            text = f"its stamp is {(newest.arrival.stamp - stamp) * 1e-9:.3f} s older than that of the last"
            raise BadMessage("older than the last one", f"{text}, which is still valid")

    def __contains__(self, source: str) -> bool:
        """Return whether a source has sent a wrench."""
        return source in self.newest

    def copy(self) -> "TimedWrenches":
        """Return a copy; calls on it do not change this one. Thread-safe."""
        other = copy(self)
        other.newest, other.stopped = self.newest.copy(), self.stopped.copy()
        return other

    def clear(self) -> None:
        """Forget all of them."""
        self.newest.clear()
        self.stopped.clear()

    def continue_from(self, other: "TimedWrenches", fits: Callable[[str, TimedWrench], bool]) -> None:
        """Take over the wrenches of another robot that this one can use, by source."""
        self.newest = {source: one for source, one in other.newest.items() if fits(source, one)}
        self.stopped = other.stopped.intersection(self.newest)
        self.stops = other.stops

    def by_validity(
        self, now: int, valid_for: float
    ) -> tuple[Mapping[str, TimedWrench], Mapping[str, TimedWrench]]:
        """Return the wrenches that are valid now [ns], and the last ones of sources that have stopped."""
        if not self.newest:
            return {}, {}
        steady = self._steady()
        for source, wrench in list(self.newest.items()):
            if source in self.stopped or _is_valid(wrench.arrival, now, steady, valid_for):
                continue
            if self._ends_by_zero and not wrench.values.any():
                del self.newest[source]
            else:
                self.stopped.add(source)
                self.stops += 1
        if not self.stopped:
            return self.newest, {}
        newest, stopped = self.newest, self.stopped
        return (
            {source: wrench for source, wrench in newest.items() if source not in stopped},
            {source: wrench for source, wrench in newest.items() if source in stopped},
        )


def _is_valid(arrival: Arrival, now: int, steady: int, valid_for: float) -> bool:
    silence = longest_silence(valid_for, simulated=arrival.simulated)
    return abs(now - arrival.stamp) <= valid_for * 1e9 and steady - arrival.steady <= silence * 1e9
