"""The projection W = [1; -J_d^+ J_i]: velocities of all joints from the independent ones.

Schappler et al., section 3.4, W = [E; -J2^-1 J1]. Rows may be more than dependent coordinates: least squares.
"""

from ..math.assignment import set_to_zero
from ..math.orthogonal import least_squares
from ..numba_support.compilation import inlined_strictly, kernel
from .blocks import DEPENDENT, INDEPENDENT, ROWS, condition_number, factor_blocks, part
from .constraint_rows import evaluate_rows

__all__ = ["factor_dependent", "project", "projection"]


@inlined_strictly
def factor_dependent(tree, rows, split, q, workspace):
    """Rows at q at rest; their dependent columns, scaled, are triangularized in A. Returns the rank."""
    J, A, blocks = workspace.rows.J, workspace.A.matrix, split.blocks
    evaluate_rows(tree, rows, q, workspace.rest, workspace.rows)
    for b in range(workspace.A.ranks.shape[0]):
        (top, bottom), (first, stop) = part(blocks, b, ROWS), part(blocks, b, DEPENDENT)
        for k in range(first, stop):
            column, scale = blocks.columns[k], split.column_scale[blocks.dependent[k]]
            for i in range(top, bottom):
                row = blocks.rows[i]
                A[i, k] = split.row_scale[row] * J[row, column] * scale
    return factor_blocks(blocks, DEPENDENT, workspace.A)


@inlined_strictly
def project(split, workspace, W):
    """W (nv, p) from J and its factored dependent columns; rows of coordinates in neither part are zero.

    Returns the largest violation of a row by one unit of an independent coordinate; zero unless these are
    too many.
    """
    independent, blocks = split.independent_v, split.blocks
    J, b, x, (matrix, heads, order, ranks) = workspace.rows.J, workspace.b, workspace.x, workspace.A
    violation = 0.0
    set_to_zero(W)
    for k in range(independent.shape[0]):
        W[independent[k], k] = 1.0
    for n in range(ranks.shape[0]):
        rows, columns, own = part(blocks, n, ROWS), part(blocks, n, DEPENDENT), part(blocks, n, INDEPENDENT)
        for place in range(own[0], own[1]):
            k = blocks.independent[place]
            column = independent[k]
            for i in range(rows[0], rows[1]):
                row = blocks.rows[i]
                b[i] = -split.row_scale[row] * J[row, column]
            least_squares(matrix, heads, order, rows, columns, ranks[n], b, x)
            for c in range(columns[0], columns[1]):
                W[blocks.columns[c], k] = split.column_scale[blocks.dependent[c]] * x[c]
            for i in range(rows[0] + ranks[n], rows[1]):
                violation = max(violation, abs(b[i]))
    return violation


@kernel(fastmath=False)
def projection(tree, rows, split, q, workspace, W):
    """W (nv, p) at q. Returns the condition number of J_d."""
    factor_dependent(tree, rows, split, q, workspace)
    project(split, workspace, W)
    return condition_number(split.blocks, workspace.A)
