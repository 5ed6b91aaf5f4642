"""States x_(k+1) = advance(x_k) by their index, computed once while they are near the last one asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Recursion"]

State = NDArray[Any]
#: States that are kept behind the last one: integrators and callers step back by a few.
KEPT = 1000


class Recursion:
    """Memory stays bounded: an index further back than ``KEPT`` is computed from the first state again.

    The states do not depend on which were asked for before. Threads may share it: what it keeps is replaced
    as a whole.
    """

    def __init__(self, first: State, advance: Callable[[State], State]) -> None:
        first = np.array(first)
        first.flags.writeable = False
        self._advance = advance
        self._first = first
        self._kept: tuple[int, list[State]] = 0, [first]

    def __getitem__(self, k: int) -> State:
        """Return x_k; the caller must not change it."""
        start, states = self._kept
        if k < start:
            start, states = 0, [self._first]
        if k >= start + len(states):
            states = states.copy()
            while k >= start + len(states):
                following = self._advance(states[-1])
                following.flags.writeable = False
                states.append(following)
                if len(states) > 2 * KEPT:
                    del states[:KEPT]
                    start += KEPT
            self._kept = start, states
        return states[k - start]
