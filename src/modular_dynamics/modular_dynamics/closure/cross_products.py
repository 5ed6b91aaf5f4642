"""Cross products of small arrays: several times as fast as np.cross, which is made for large ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["cross", "cross_rows"]

Array = NDArray[np.float64]


def cross(a: Array, b: Array) -> Array:
    """a x b of two vectors (3,)."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def cross_rows(a: Array, b: Array) -> Array:
    """a x b, row by row, of arrays (n, 3)."""
    return a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]]
