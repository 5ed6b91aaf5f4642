"""Wrenches at the cut joints from the multipliers of their rows."""

from numba import njit

from ..math.vectors import cross, times, transposed_times
from ..numba_support.lanes import FAST
from .body_motions import anchor_motion, vector_at
from .constraint_rows import ACROSS, COUPLING

__all__ = ["cut_wrenches"]


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def cut_wrenches(tree, rows, values, multipliers, wrenches):
    """wrenches (loops, 6): [force, moment] of each predecessor on its successor, at and in S; summed up."""
    n = tree.topology.shape[0] - 1
    wrenches[:, :] = 0.0
    for row in range(rows.indices.shape[0]):
        kind, loop = rows.indices[row, 0], rows.indices[row, 1]
        if kind == COUPLING:
            continue
        P, _, _, _, _, _ = anchor_motion(rows.ends[loop, 0], n, rows.anchors[loop, 0], values.body_motions)
        S, _, _, _, _, _ = anchor_motion(rows.ends[loop, 1], n, rows.anchors[loop, 1], values.body_motions)
        direction, first = times(P, vector_at(rows.vectors[row], 0)), 0
        if kind == ACROSS:
            direction, first = cross(times(S, vector_at(rows.vectors[row], 3)), direction), 3
        in_anchor = transposed_times(S, direction)
        for k in range(3):
            wrenches[loop, first + k] += multipliers[row] * in_anchor[k]
