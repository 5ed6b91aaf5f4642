"""Wrenches from topics, which stay valid for a while: external ones by link, black boxes' by subsystem."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["TimedWrenches"]

Array = NDArray[np.float64]


class TimedWrenches:
    """The newest wrench under each name, and when it arrived [ns]."""

    def __init__(self) -> None:
        self._wrenches: dict[str, tuple[int, Array]] = {}

    def set(self, name: str, wrench: Array, now: int) -> None:
        """Take a wrench [force, moment] (6,)."""
        self._wrenches[name] = (now, wrench)

    def clear(self) -> None:
        """Forget all of them."""
        self._wrenches.clear()

    def valid(self, now: int, valid_for: float) -> dict[str, Array] | None:
        """Wrenches not older than `valid_for` [s]; None when there are none, the fastest case for solvers."""
        if not self._wrenches:
            return None
        oldest = now - valid_for * 1e9
        return {
            name: wrench for name, (arrived, wrench) in self._wrenches.items() if arrived >= oldest
        } or None
