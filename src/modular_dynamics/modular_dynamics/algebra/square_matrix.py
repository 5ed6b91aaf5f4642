"""Square matrices as elements of vectors and matrices: * is the matrix product, as it is of quaternions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SquareMatrix"]


@dataclass(frozen=True, eq=False, slots=True)
class SquareMatrix:
    """The square matrix ``array`` (n, n), which NumPy's object arrays hold as one element.

    In an array of plain arrays, NumPy would multiply entry by entry.
    """

    array: NDArray[np.float64]

    def __add__(self, other: SquareMatrix) -> SquareMatrix:
        return SquareMatrix(self.array + other.array)

    def __sub__(self, other: SquareMatrix) -> SquareMatrix:
        return SquareMatrix(self.array - other.array)

    def __neg__(self) -> SquareMatrix:
        return SquareMatrix(-self.array)

    def __mul__(self, other: SquareMatrix) -> SquareMatrix:
        """The matrix product."""
        return SquareMatrix(self.array @ other.array)
