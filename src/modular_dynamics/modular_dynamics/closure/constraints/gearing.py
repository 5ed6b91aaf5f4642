"""Dependent coordinates that gears determine: eliminated exactly, as gears are linear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Gearing", "eliminated"]

Array = NDArray[np.float64]
#: Relative size of a coefficient that other gears cancel: rounding.
CANCELLED = 1e-12


@dataclass(frozen=True, eq=False)
class Gearing:
    """q_d = T y + terms of the independent coordinates; y are the dependent coordinates that are left.

    Attributes:
        T (d, r): motions of the dependent coordinates that keep gears closed.
        left (r,): indices of y among them.
        correction (d, gears): q_d - correction phi closes the gears.
    """

    T: Array
    left: NDArray[np.int64]
    correction: Array


def eliminated(gears: Array, own: Sequence[int | None], in_loops: NDArray[np.bool_]) -> Gearing:
    """Gauss-Jordan elimination of gear rows (gears, d).

    Each gear determines one coordinate: one that moves no loop rather than one that does; among these the
    gear's own joint, ``own``, rather than its drivers.
    """
    count, d = gears.shape
    rows = np.hstack([gears, np.eye(count)])
    followers: list[tuple[int, int]] = []
    for i in range(count):
        size = np.abs(rows[i, :d])
        choices = [k for k in range(d) if size[k] > CANCELLED * np.abs(gears[i]).max(initial=0.0)]
        if not choices:
            continue  # of independent coordinates only, or redundant
        best = max(choices, key=lambda k: (not in_loops[k], own[i] == k, size[k]))
        rows[i] /= rows[i, best]
        others = np.arange(count) != i
        rows[others] -= np.outer(rows[others, best], rows[i])
        followers.append((i, best))
    following = [k for _, k in followers]
    left = np.array([k for k in range(d) if k not in following], np.int64)
    T, correction = np.zeros((d, len(left))), np.zeros((d, count))
    T[left, range(len(left))] = 1.0
    for i, k in followers:
        T[k] = -rows[i, left]
        correction[k] = rows[i, d:]
    return Gearing(T, left, correction)
