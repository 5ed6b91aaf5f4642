"""Wrenches from topics that hold for a while: external ones by link, black boxes' by subsystem."""

import numpy as np

__all__ = ["TimedWrenches"]


class TimedWrenches:
    """The newest wrench under each name, and when it came [ns]."""

    def __init__(self) -> None:
        self._wrenches: dict[str, tuple[int, np.ndarray]] = {}

    def set(self, name: str, wrench: np.ndarray, now: int) -> None:
        """Take a wrench [force, moment] (6,)."""
        self._wrenches[name] = (now, wrench)

    def clear(self) -> None:
        """Forget all of them."""
        self._wrenches.clear()

    def valid(self, now: int, valid_for: float) -> dict[str, np.ndarray] | None:
        """Wrenches not older than `valid_for` [s]; None when there are none, which solvers treat fastest."""
        if not self._wrenches:
            return None
        oldest = now - valid_for * 1e9
        return {name: wrench for name, (came, wrench) in self._wrenches.items() if came >= oldest} or None
