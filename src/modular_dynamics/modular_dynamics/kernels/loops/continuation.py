"""Continuation: the independent coordinates move, and the loops stay closed, on one branch."""

import math

import numpy as np

from ..math.assignment import assign
from ..numba_support.compilation import inlined_strictly, kernel
from .blocks import DEPENDENT, MOTIONS, ROWS, SINGLE, part
from .constraint_rows import evaluate_rows
from .newton import LARGEST_STEP, LAST_STEP, correct, newton_step, step_length
from .steps import move_dependent

__all__ = ["SHORTEST_STRIDE", "follow"]

#: Change of independent coordinates [rad or m] that is followed in one stride at first, and the shortest.
STRIDE, SHORTEST_STRIDE = 0.2, 1e-7


@inlined_strictly
def _stays_regular(split, workspace):
    """Whether no block of J_d T has changed by more than half of its smallest pivot since J_d was saved."""
    J, T, saved, blocks = workspace.rows.J, split.T, workspace.J_saved, split.blocks
    for b in range(workspace.pivots.shape[0]):
        if workspace.pivots[b] == np.inf:
            continue
        (top, bottom), (first, stop), total = part(blocks, b, ROWS), part(blocks, b, DEPENDENT), 0.0
        motions = part(blocks, b, MOTIONS)
        for i in range(top, bottom):
            for k in range(motions[0], motions[1]):
                change = 0.0
                for j in range(first, stop):
                    amount = T[blocks.dependent[j], blocks.motions[k]]
                    if amount != 0.0:
                        change += (J[blocks.rows[i], blocks.columns[j]] - saved[i, j]) * amount
                total += change * change
        if not math.sqrt(total) <= 0.5 * workspace.pivots[b]:
            return False
    return True


@inlined_strictly
def _tangent_step(split, workspace, stride, start, target):
    """x: along the tangent for a stride of the independent coordinates; J_d and pivots are saved."""
    phi, J, saved = workspace.rows.phi, workspace.rows.J, workspace.J_saved
    blocks, pivots = split.blocks, workspace.pivots
    for b in range(pivots.shape[0]):
        (top, bottom), (first, stop) = part(blocks, b, ROWS), part(blocks, b, DEPENDENT)
        singles = part(blocks, b, SINGLE)
        for i in range(top, bottom):
            row = blocks.rows[i]
            for j in range(first, stop):
                saved[i, j] = J[row, blocks.columns[j]]
            total = 0.0
            for n in range(singles[0], singles[1]):
                k = blocks.single[n]
                total += J[row, split.single_v[k]] * stride * (target[k] - start[k])
            phi[row] = total
    newton_step(split, workspace)
    for b in range(pivots.shape[0]):
        (top, _), (first, stop), pivots[b] = part(blocks, b, ROWS), part(blocks, b, MOTIONS), np.inf
        count = stop - first
        if count > 0 and workspace.AT.ranks[b] == count:
            pivots[b] = abs(workspace.AT.matrix[top + count - 1, stop - 1])


@inlined_strictly
def _place(q, indices, start, target, part):
    """Independent coordinates at a part of the way."""
    for k in range(indices.shape[0]):
        q[indices[k]] = target[k] if part == 1.0 else start[k] + part * (target[k] - start[k])


@kernel(fastmath=False, forceinline=True)
def follow(tree, rows, split, q, target, workspace, jumped):
    """Move the independent coordinates to ``target`` and keep the loops closed, on the branch of q.

    By strides: along the tangent, then back onto the constraints, by less than the stride. A stride that
    changes a block of J_d T by more than half of its smallest pivot is halved, for a dead point, where
    branches meet, might lie in it (Weyl: a matrix does not become singular by less than its smallest singular
    value).
    ``jumped``: a floating base was moved a little, which opens loops at the start. Returns the part of the
    way that was completed, 1 at the end; q is closed there, and as it was at the start where that is 0.
    """
    independent = split.single_q
    x, saved, start = workspace.x, workspace.saved, workspace.start
    distance, reach = 0.0, 0.0
    for k in range(independent.shape[0]):
        start[k] = q[independent[k]]
        distance = max(distance, abs(target[k] - start[k]))
        reach = max(reach, split.single_reach[k] * abs(target[k] - start[k]))
    done, stride = 0.0, min(1.0, STRIDE / distance) if distance > 0.0 else 1.0
    while done < 1.0:
        end = done + stride if done + stride < 1.0 - 1e-9 else 1.0  # no rest that is rounding only
        stride = end - done
        assign(saved, q)
        step, allowed = 0.0, LARGEST_STEP
        if distance > 0.0:
            evaluate_rows(tree, rows, q, workspace.rest, workspace.rows)
            _tangent_step(split, workspace, stride, start, target)
            step = max(step_length(x, split.dependent_reach), stride * reach)
            move_dependent(split, q, saved, x, 1.0)
            _place(q, independent, start, target, end)
            if done > 0.0 or not jumped:
                allowed = 0.3 * step + LAST_STEP
        near = step < 2.0 * LARGEST_STEP and correct(tree, rows, split, q, workspace, allowed, 0.0)
        if near and (distance == 0.0 or _stays_regular(split, workspace)):
            done, stride = end, 2.0 * stride
            continue
        assign(q, saved)
        _place(q, independent, start, target, done)
        stride *= 0.5
        if stride * distance < SHORTEST_STRIDE:
            return done
    return 1.0
