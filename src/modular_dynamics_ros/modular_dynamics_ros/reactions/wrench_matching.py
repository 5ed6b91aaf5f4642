"""Joint states wait for the wrenches that were computed from them: those with the same stamp."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from modular_dynamics_ros.messages.bad_message import BadMessage

__all__ = ["WrenchMatcher"]

StampedWrench = tuple[str, np.ndarray]  # link, [force, moment] at and in its frame
MOST = 1000  # stamps that are kept on either side: two seconds at 500 Hz


class WrenchMatcher:
    """Pairs what waits under a stamp with a wrench of each connection; both may come first.

    All times are in nanoseconds of one clock. A topic keeps its order: a wrench that another one with a later
    stamp has passed will not come. While a node lags behind, its topics all do, so that what waits is not
    given up as long as wrenches with earlier stamps are coming. Two states with the same stamp have wrenches
    that cannot be told apart: neither is answered.

    Args:
        names: of the connections. patience: how long [s] a state waits for a topic that has fallen silent.
    """

    def __init__(self, names: Sequence[str], patience: float) -> None:
        self.names, self.patience = tuple(names), patience
        self._waiting: dict[int, tuple[int, Any]] = {}
        self._wrenches: dict[int, dict[str, StampedWrench]] = {}
        self._last: dict[str, tuple[int, int]] = {}  # when the last wrench came, and its stamp
        self._newest: int | None = None

    def wait(self, stamp: int, what: Any, now: int) -> None:
        """Let something wait for the wrenches of this stamp.

        Raises:
            BadMessage: the one before had this stamp, or one that waits has it; that does not wait any more.
        """
        before, self._newest = self._newest, stamp
        if stamp == before or stamp in self._waiting:
            self._waiting.pop(stamp, None)
            raise BadMessage(
                "repeated stamp",
                "another joint state had its stamp: which connection wrenches are whose cannot be told",
            )
        if before is not None and stamp < before:  # a recording begins again: wrenches of its last round are
            self._wrenches.clear()  # another's, and the clock may have been set back with it
            self._last.clear()
        self._waiting[stamp] = now, what

    def add(self, name: str, stamp: int, wrench: StampedWrench, now: int) -> None:
        """Take a wrench."""
        self._last[name] = now, stamp
        self._wrenches.setdefault(stamp, {})[name] = wrench
        if len(self._wrenches) > MOST:
            del self._wrenches[next(iter(self._wrenches))]

    def take(self, stamp: int) -> tuple[Any, dict[str, StampedWrench]] | None:
        """What waited under this stamp and its wrenches, if all are there; they are gone then."""
        if stamp not in self._waiting or len(self._wrenches.get(stamp, ())) < len(self.names):
            return None
        return self._waiting.pop(stamp)[1], self._wrenches.pop(stamp, {})

    def overdue(self, now: int) -> list[tuple[str, ...]]:
        """For each that waits in vain, the connections that it lacks; these are forgotten."""
        found = []
        for stamp, (came, _) in list(self._waiting.items()):
            there = self._wrenches.get(stamp, {})
            lacking = tuple(name for name in self.names if name not in there)
            late = now - came > self.patience * 1e9 and any(self._lost(n, stamp, now) for n in lacking)
            if late or len(self._waiting) > MOST:
                found.append(lacking)
                del self._waiting[stamp]
                self._wrenches.pop(stamp, None)
        return found

    def _lost(self, name: str, stamp: int, now: int) -> bool:
        """Whether the wrench of this stamp will not come: the topic is silent, or a later one has come."""
        if name not in self._last:
            return True
        came, newest = self._last[name]
        return now - came > self.patience * 1e9 or newest > stamp

    def ages(self, now: int) -> dict[str, float | None]:
        """By connection, the time [s] since its last wrench; None where none has come."""
        return {
            name: (now - self._last[name][0]) * 1e-9 if name in self._last else None for name in self.names
        }
