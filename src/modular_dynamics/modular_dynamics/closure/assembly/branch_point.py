"""A point on a branch of a mechanism's motion, with the singular value decomposition of its constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["BranchLostError", "BranchPoint"]

Array = NDArray[np.float64]


class BranchLostError(Exception):
    """The branch cannot be distinguished from others; ``condition`` number of the constraints there."""

    def __init__(self, message: str, condition: float) -> None:
        super().__init__(message)
        self.condition = condition


@dataclass(frozen=True, eq=False)
class BranchPoint:
    """Coordinates q and velocities v on a branch, and their weight in an interpolation.

    ``left`` (m, m), ``sizes``, ``right`` (nv, nv): singular value decomposition of the scaled J, with
    ``rank`` values that count. Directions, steps and tangents are in the mechanism's units of velocities.
    """

    q: Array
    v: Array
    left: Array
    sizes: Array
    right: Array
    rank: int
    weight: float = 1.0

    @property
    def constrained(self) -> Array:
        """(rank, nv): the directions that the loops exclude, as rows."""
        return self.right[: self.rank]

    @property
    def free(self) -> Array:
        """(nv - rank, nv): the directions that they allow."""
        return self.right[self.rank :]

    @property
    def width(self) -> float:
        """The smallest singular value as a part of the largest: the distance from a crossing."""
        return float(self.sizes[self.rank - 1] / self.sizes[0]) if self.rank else 1.0

    def shortest(self, b: Array) -> Array:
        """The shortest x with J x = b, both scaled."""
        x: Array = self.constrained.T @ (self.left[:, : self.rank].T @ b / self.sizes[: self.rank])
        return x
