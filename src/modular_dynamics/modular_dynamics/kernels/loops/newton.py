"""Newton's method for the dependent coordinates: J_d x = -phi, in steps that keep gears closed."""

import numpy as np

from ..math.assignment import assign
from ..math.orthogonal import least_squares
from ..numba_support.compilation import inlined_strictly, kernel
from .blocks import DEPENDENT, MOTIONS, ROWS, factor_blocks, part
from .constraint_rows import evaluate_rows
from .row_kinds import COUPLING
from .steps import move_dependent

__all__ = [
    "CLOSED",
    "LARGEST_STEP",
    "LAST_STEP",
    "correct",
    "newton_step",
    "settle",
    "step_length",
]

#: Newton's steps [rad or m]: the largest that is taken at once, and the one with which it ends.
LARGEST_STEP, LAST_STEP = 0.3, 1e-10
#: Residual [m or 1] of a closed loop, and of a gear as a part of its coordinates.
CLOSED = 1e-10
#: Newton's steps from a good start, from far away, and halvings of one of the latter.
MOST_CORRECTIONS, MOST_STEPS, MOST_HALVINGS = 8, 200, 12


@inlined_strictly
def _residual(rows, q, phi):
    """The largest |phi|; of gears as a part of the coordinates, which may be many turns."""
    indices, vectors, largest = rows.indices, rows.vectors, 0.0
    for i in range(phi.shape[0]):
        size = 1.0
        if indices[i, 0] == COUPLING:
            size = max(1.0, abs(q[indices[i, 1]]), abs(vectors[i, 0] * q[indices[i, 3]]))
        largest = max(largest, abs(phi[i]) / size)
    return largest


@inlined_strictly
def _square(phi):
    total = 0.0
    for i in range(phi.shape[0]):
        total += phi[i] ** 2
    return total


@inlined_strictly
def step_length(x, reach):
    """How far a step of the dependent coordinates moves loops at most [rad or m]."""
    largest = 0.0
    for k in range(reach.shape[0]):
        largest = max(largest, reach[k] * abs(x[k]))
    return largest


@inlined_strictly
def _factor_with_gears(split, workspace):
    """J_d T, J being known, is triangularized in AT. Returns the rank."""
    blocks, T, J, A = split.blocks, split.T, workspace.rows.J, workspace.AT.matrix
    for b in range(workspace.AT.ranks.shape[0]):
        (top, bottom), (first, stop) = part(blocks, b, ROWS), part(blocks, b, DEPENDENT)
        own, end = part(blocks, b, MOTIONS)
        for k in range(own, end):
            for i in range(top, bottom):
                A[i, k] = 0.0
            for j in range(first, stop):
                amount = T[blocks.dependent[j], blocks.motions[k]]
                if amount != 0.0:
                    column = blocks.columns[j]
                    for i in range(top, bottom):
                        A[i, k] += J[blocks.rows[i], column] * amount
    return factor_blocks(blocks, MOTIONS, workspace.AT)


@inlined_strictly
def newton_step(split, workspace):
    """x with phi + J_d x = 0 at given phi and J: a step that closes gears, then T y. Returns the rank."""
    T, correction, blocks = split.T, split.gear_correction, split.blocks
    phi, J, b, x, y = workspace.rows.phi, workspace.rows.J, workspace.b, workspace.x, workspace.y
    m, gears = phi.shape[0], correction.shape[1]
    for j in range(T.shape[0]):
        x[j] = 0.0
        for g in range(gears):
            x[j] -= correction[j, g] * phi[m - gears + g]
    rank, (matrix, heads, order, ranks) = _factor_with_gears(split, workspace), workspace.AT
    for n in range(ranks.shape[0]):
        rows, own = part(blocks, n, ROWS), part(blocks, n, DEPENDENT)
        for i in range(rows[0], rows[1]):
            b[i] = -phi[blocks.rows[i]]
        for k in range(own[0], own[1]):
            amount, column = x[blocks.dependent[k]], blocks.columns[k]
            if amount != 0.0:
                for i in range(rows[0], rows[1]):
                    b[i] -= J[blocks.rows[i], column] * amount
        columns = part(blocks, n, MOTIONS)
        least_squares(matrix, heads, order, rows, columns, ranks[n], b, y)
        for k in range(own[0], own[1]):
            j = blocks.dependent[k]
            for c in range(columns[0], columns[1]):
                x[j] += T[j, blocks.motions[c]] * y[c]
    return rank


@kernel(fastmath=False, forceinline=True)
def correct(tree, rows, split, q, workspace, allowed, enough):
    """Newton's method from a good start, in place. Is q closed, by a first step of at most ``allowed``?

    No step is taken where the residual is less than ``enough`` at the start.
    """
    x = workspace.x
    step, previous = np.inf, np.inf
    for corrections in range(MOST_CORRECTIONS + 1):
        evaluate_rows(tree, rows, q, workspace.rest, workspace.rows)
        residual = _residual(rows, q, workspace.rows.phi)
        if step < LAST_STEP or (corrections == 0 and residual < enough):
            return residual < CLOSED
        if corrections == MOST_CORRECTIONS:
            return False
        newton_step(split, workspace)
        step = step_length(x, split.dependent_reach)
        if not step <= allowed or not step <= 0.5 * previous + LAST_STEP:  # another branch, or none
            return False
        move_dependent(split, q, q, x, 1.0)
        previous, allowed = step, step
    return False


@kernel(fastmath=False)
def settle(tree, rows, split, q, workspace):
    """Newton's method from far away: short steps that reduce |phi|, in place. Returns the residual.

    A step that does not reduce |phi| is halved.
    """
    phi, x, saved = workspace.rows.phi, workspace.x, workspace.saved
    square, step, scale, steps, halvings = np.inf, np.inf, 1.0, 0, 0
    while True:
        evaluate_rows(tree, rows, q, workspace.rest, workspace.rows)
        now = _square(phi)
        if halvings == MOST_HALVINGS or (steps == MOST_STEPS and now < square):
            break
        if steps == 0 or now < square:
            if scale * step < LAST_STEP:
                break
            square, halvings, steps = now, 0, steps + 1
            newton_step(split, workspace)
            step = step_length(x, split.dependent_reach)
            scale = min(1.0, LARGEST_STEP / max(step, 1e-300))
            assign(saved, q)
        else:
            scale *= 0.5
            halvings += 1
        if halvings < MOST_HALVINGS:
            move_dependent(split, q, saved, x, scale)
        else:
            assign(q, saved)
    return _residual(rows, q, phi)
