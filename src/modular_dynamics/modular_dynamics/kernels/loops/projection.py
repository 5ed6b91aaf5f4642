"""The projection W = [1; -J_d^+ J_i]: velocities of all joints from the independent ones.

Schappler et al., section 3.4, W = [E; -J2^-1 J1]. Rows may be more than dependent coordinates: least squares.
"""

import numpy as np

from ..math.assignment import set_to_zero
from ..math.orthogonal import factor, least_squares
from ..numba_support.compilation import inlined_strictly, kernel
from .constraint_rows import evaluate_rows
from .newton import RANK_TOLERANCE

__all__ = ["condition_number", "factor_dependent", "project", "projection"]


@inlined_strictly
def factor_dependent(tree, rows, split, q, workspace):
    """Rows at q at rest; their dependent columns, scaled, are triangularized in A. Returns the rank."""
    J, A, dependent = workspace.rows.J, workspace.A, split.dependent_v
    evaluate_rows(tree, rows, q, workspace.rest, workspace.rows)
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            A[i, k] = split.row_scale[i] * J[i, dependent[k]] * split.column_scale[k]
    return factor(A, workspace.A_heads, workspace.A_order, RANK_TOLERANCE)


@inlined_strictly
def project(split, workspace, rank, W):
    """W (nv, p) from J and its factored dependent columns; rows of coordinates in neither part are zero.

    Returns the largest violation of a row by one unit of an independent coordinate; zero unless these are
    too many.
    """
    independent, dependent, J, b, x = (
        split.independent_v,
        split.dependent_v,
        workspace.rows.J,
        workspace.b,
        workspace.x,
    )
    violation = 0.0
    set_to_zero(W)
    for k in range(independent.shape[0]):
        W[independent[k], k] = 1.0
        for i in range(b.shape[0]):
            b[i] = -split.row_scale[i] * J[i, independent[k]]
        least_squares(workspace.A, workspace.A_heads, workspace.A_order, rank, b, x)
        for j in range(dependent.shape[0]):
            W[dependent[j], k] = split.column_scale[j] * x[j]
        for i in range(rank, b.shape[0]):
            violation = max(violation, abs(b[i]))
    return violation


@inlined_strictly
def condition_number(A, rank):
    """Of a factored J_d; infinite where it is rank-deficient: at a dead point."""
    count = A.shape[1]
    if count == 0:
        return 1.0
    return np.inf if rank < count else abs(A[0, 0] / A[count - 1, count - 1])


@kernel(fastmath=False)
def projection(tree, rows, split, q, workspace, W):
    """W (nv, p) at q. Returns the condition number of J_d."""
    rank = factor_dependent(tree, rows, split, q, workspace)
    project(split, workspace, rank, W)
    return condition_number(workspace.A, rank)
