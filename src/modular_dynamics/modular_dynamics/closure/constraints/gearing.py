"""Dependent coordinates that follow from others by gears: eliminated exactly, as gears are linear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Gearing", "eliminated"]

Array = NDArray[np.float64]
#: Rounding of a coefficient that other gears cancel.
CANCELLED = 1e-12


@dataclass(frozen=True, eq=False)
class Gearing:
    """q_d = T y + what independent coordinates add; y are those of the dependent coordinates that are left.

    Attributes:
        T (d, r): motions of the dependent coordinates with gears kept.
        left (r,): which of them y is.
        meeting (d, gears): what to add to q_d, -meeting phi, so that gears are met.
    """

    T: Array
    left: NDArray[np.int64]
    meeting: Array


def eliminated(gears: Array, own: Sequence[int | None], in_loops: NDArray[np.bool_]) -> Gearing:
    """Gauss-Jordan elimination of gear rows (gears, d).

    Of each gear follows what moves no loop, before others; among these ``own``, the joint that the gear is
    said to be of, before its drivers.
    """
    count, d = gears.shape
    rows = np.hstack([gears, np.eye(count)])
    followers: list[tuple[int, int]] = []
    for i in range(count):
        size = np.abs(rows[i, :d])
        choices = [k for k in range(d) if size[k] > CANCELLED * np.abs(gears[i]).max(initial=0.0)]
        if not choices:
            continue  # of independent coordinates only, or said twice
        best = max(choices, key=lambda k: (not in_loops[k], own[i] == k, size[k]))
        rows[i] /= rows[i, best]
        for j in range(count):
            if j != i:
                rows[j] -= rows[j, best] * rows[i]
        followers.append((i, best))
    following = [k for _, k in followers]
    left = np.array([k for k in range(d) if k not in following], np.int64)
    T, meeting = np.zeros((d, len(left))), np.zeros((d, count))
    T[left, range(len(left))] = 1.0
    for i, k in followers:
        T[k] = -rows[i, left]
        meeting[k] = rows[i, d:]
    return Gearing(T, left, meeting)
