"""Continuation: the independent coordinates move, and the loops stay closed, on one branch."""

import math

import numpy as np

from ..math.assignment import assign
from ..numba_support.compilation import inlined_strictly, kernel
from .constraint_rows import evaluate_rows
from .newton import LARGEST_STEP, LAST_STEP, correct, newton_step, step_length
from .steps import move_dependent

__all__ = ["SHORTEST_STRIDE", "follow"]

#: Change of independent coordinates [rad or m] that is followed in one stride at first, and the shortest.
STRIDE, SHORTEST_STRIDE = 0.2, 1e-7


@inlined_strictly
def _jacobian_change(split, workspace):
    """Frobenius norm of the change of J_d T since J_d was saved."""
    J, T, saved, dependent, total = workspace.rows.J, split.T, workspace.J_saved, split.dependent_v, 0.0
    for i in range(saved.shape[0]):
        for k in range(T.shape[1]):
            change = 0.0
            for j in range(T.shape[0]):
                if T[j, k] != 0.0:
                    change += (J[i, dependent[j]] - saved[i, j]) * T[j, k]
            total += change * change
    return math.sqrt(total)


@inlined_strictly
def _tangent_step(split, workspace, stride, start, target):
    """x: along the tangent for a stride of the independent coordinates. Returns the rank of J_d T."""
    phi, J, saved, dependent = workspace.rows.phi, workspace.rows.J, workspace.J_saved, split.dependent_v
    for i in range(phi.shape[0]):
        for k in range(dependent.shape[0]):
            saved[i, k] = J[i, dependent[k]]
        phi[i] = 0.0
        for k in range(split.single_v.shape[0]):
            phi[i] += J[i, split.single_v[k]] * stride * (target[k] - start[k])
    return newton_step(split, workspace)


@inlined_strictly
def _place(q, indices, start, target, part):
    """Independent coordinates at a part of the way."""
    for k in range(indices.shape[0]):
        q[indices[k]] = target[k] if part == 1.0 else start[k] + part * (target[k] - start[k])


@kernel(fastmath=False, forceinline=True)
def follow(tree, rows, split, q, target, workspace, jumped):
    """Move the independent coordinates to ``target`` and keep the loops closed, on the branch of q.

    By strides: along the tangent, then back onto the constraints, by less than the stride. A stride that
    changes J_d T by more than half of its smallest pivot is halved, for a dead point might lie in it, where
    branches meet (Weyl: a matrix does not become singular by less than its smallest singular value).
    ``jumped``: a floating base was moved a little, which opens loops at the start. Returns the part of the
    way that was completed, 1 at the end; q is closed there, and as it was at the start where that is 0.
    """
    independent, last = split.single_q, split.T.shape[1] - 1
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
        pivot, step, allowed = np.inf, 0.0, LARGEST_STEP
        if distance > 0.0:
            evaluate_rows(tree, rows, q, workspace.rest, workspace.rows)
            rank = _tangent_step(split, workspace, stride, start, target)
            if rank == last + 1 and rank > 0:
                pivot = abs(workspace.AT[last, last])
            step = max(step_length(x, split.dependent_reach), stride * reach)
            move_dependent(split, q, saved, x, 1.0)
            _place(q, independent, start, target, end)
            if done > 0.0 or not jumped:
                allowed = 0.3 * step + LAST_STEP
        near = step < 2.0 * LARGEST_STEP and correct(tree, rows, split, q, workspace, allowed, 0.0)
        if near and (pivot == np.inf or _jacobian_change(split, workspace) <= 0.5 * pivot):
            done, stride = end, 2.0 * stride
            continue
        assign(q, saved)
        _place(q, independent, start, target, done)
        stride *= 0.5
        if stride * distance < SHORTEST_STRIDE:
            return done
    return 1.0
