"""Wrenches that act on bodies, as columns of the constants that a kernel reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion
from ...kernels import layout

__all__ = ["LoadedConstants"]


class LoadedConstants:
    """A copy of a graph's constants for calls with wrenches. Each call overwrites the wrenches of the last.

    Args:
        constants: without wrenches.
        into_row: (body, [force, moment] in the body's axes) -> the six numbers in the frame of its row.
    """

    def __init__(
        self,
        constants: NDArray[np.float64],
        into_row: Callable[[int, NDArray[np.float64]], NDArray[np.float64]],
    ) -> None:
        self._constants, self._into_row = constants.copy(), into_row

    def __call__(self, loads: Mapping[int, DualQuaternion]) -> NDArray[np.float64]:
        """The constants with these wrenches, {body: f + eps m, in its frame}; valid until the next call."""
        self._constants[:-1, layout.EXTERNAL :] = 0.0
        for body, zeta in loads.items():
            self._constants[body, layout.EXTERNAL :] = self._into_row(body, zeta.vec6())
        return self._constants
