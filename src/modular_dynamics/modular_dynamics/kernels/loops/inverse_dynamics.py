"""Inverse dynamics of a tree whose loops are closed.

The tree's torques tau, with all joints moving as the loops make them; J_d^T lambda = tau_d gives the
multipliers of the rows, of the least norm where rows are redundant; tau_1 = tau_i - J_i^T lambda
(Schappler et al., section 3.4).
"""

from ..math.assignment import set_to_zero
from ..math.orthogonal import least_squares, minimum_norm
from ..math.vectors import times, transposed_times
from ..numba_support.compilation import inlined, inlined_strictly, kernel
from ..numba_support.neighbours import row3
from ..recursions.newton_euler import inverse_dynamics
from .blocks import DEPENDENT, INDEPENDENT, ROWS, condition_number, part
from .body_motions import anchor_motion
from .constraint_rows import evaluate_rows
from .orientation_rows import orientation_row
from .projection import factor_dependent, project
from .row_kinds import ALONG, COUPLING
from .springs import add_springs

__all__ = ["STILL", "closed_loop_inverse_dynamics"]

#: Velocities up to this part of the largest are rounding, to which dry friction would give a sign.
STILL = 1e-12


@inlined_strictly
def _complete(split, workspace, rates, with_gamma):
    """The dependent entries of velocities; or of accelerations, with gamma. They are zero on entry."""
    independent, blocks = split.independent_v, split.blocks
    J, gamma, b, x = workspace.rows.J, workspace.rows.gamma, workspace.b, workspace.x
    matrix, heads, order, ranks = workspace.A
    for n in range(ranks.shape[0]):
        rows, columns, own = part(blocks, n, ROWS), part(blocks, n, DEPENDENT), part(blocks, n, INDEPENDENT)
        for i in range(rows[0], rows[1]):
            row = blocks.rows[i]
            b[i] = -gamma[row] if with_gamma else 0.0
            for place in range(own[0], own[1]):
                k = independent[blocks.independent[place]]
                b[i] -= J[row, k] * rates[k]
            b[i] *= split.row_scale[row]
        least_squares(matrix, heads, order, rows, columns, ranks[n], b, x)
        for c in range(columns[0], columns[1]):
            rates[blocks.columns[c]] = split.column_scale[blocks.dependent[c]] * x[c]


@inlined_strictly
def _stop_rounding(split, v):
    """Zero for velocities of dependent coordinates that are rounding."""
    dependent, independent, scale, largest = split.dependent_v, split.independent_v, split.column_scale, 0.0
    for k in range(independent.shape[0]):
        largest = max(largest, abs(v[independent[k]]))
    for j in range(dependent.shape[0]):
        largest = max(largest, abs(v[dependent[j]]) / scale[j])
    for j in range(dependent.shape[0]):
        if abs(v[dependent[j]]) <= STILL * scale[j] * largest:
            v[dependent[j]] = 0.0


@inlined_strictly
def _transmit(split, workspace, tau, multipliers):
    """Multipliers that leave no torque in the dependent coordinates; tau of the independent ones."""
    independent, blocks = split.independent_v, split.blocks
    J, b, x, (matrix, heads, order, ranks) = workspace.rows.J, workspace.b, workspace.x, workspace.A
    for n in range(ranks.shape[0]):
        rows, columns, own = part(blocks, n, ROWS), part(blocks, n, DEPENDENT), part(blocks, n, INDEPENDENT)
        for c in range(columns[0], columns[1]):
            column = blocks.columns[c]
            x[c], tau[column] = split.column_scale[blocks.dependent[c]] * tau[column], 0.0
        minimum_norm(matrix, heads, order, rows, columns, ranks[n], x, b)
        for i in range(rows[0], rows[1]):
            row = blocks.rows[i]
            multipliers[row] = b[i] * split.row_scale[row]
            for place in range(own[0], own[1]):
                k = independent[blocks.independent[place]]
                tau[k] -= J[row, k] * multipliers[row]


@inlined
def _write_cut_wrenches(tree, rows, values, multipliers, wrenches):
    """wrenches (loops, 6): [force, moment] of each predecessor on its successor, at and in S; summed up."""
    n = tree.topology.shape[0] - 1
    set_to_zero(wrenches)
    for row in range(rows.indices.shape[0]):
        kind, loop = rows.indices[row, 0], rows.indices[row, 1]
        if kind == COUPLING:
            continue
        ends, anchors, work = rows.ends[loop], rows.anchors[loop], values.body_motions
        P, _, _, _, _, _ = anchor_motion(ends[0], n, anchors[0], True, work)
        S, _, _, _, _, _ = anchor_motion(ends[1], n, anchors[1], True, work)
        vector, first = row3(rows.vectors, row, 0), 0
        direction = times(P, vector)
        if kind != ALONG:
            rest, first = (0.0, 0.0, 0.0), 3
            _, direction, _ = orientation_row(
                kind, vector, row3(rows.vectors, row, 3), P, S, rest, rest, rest
            )
        in_anchor = transposed_times(S, direction)
        for k in range(3):
            wrenches[loop, first + k] += multipliers[row] * in_anchor[k]


@kernel(fastmath=False, forceinline=True)
def closed_loop_inverse_dynamics(tree, rows, springs, split, q, workspace, result):
    """Inverse dynamics at a closed q; ``result.v``, ``result.vdot`` hold the independent rates, else zeros.

    Fills ``result``. Returns (status of the tree's inverse dynamics, condition number of J_d, its rank, and
    the largest violation of a row by one unit of an independent coordinate: zero unless these are too many).
    """
    v, vdot = result.v, result.vdot
    rank = factor_dependent(tree, rows, split, q, workspace)
    condition = condition_number(split.blocks, workspace.A)
    violation = project(split, workspace, result.projection)
    _complete(split, workspace, v, False)
    _stop_rounding(split, v)
    evaluate_rows(tree, rows, q, v, workspace.rows)
    _complete(split, workspace, vdot, True)
    status = inverse_dynamics(tree.topology, tree.constants, workspace.newton_euler, q, v, vdot, result.tau)
    if springs.laws.shape[0] > 0:
        add_springs(tree, springs, q, v, result.tau, result.tensions)
    _transmit(split, workspace, result.tau, result.multipliers)
    for i in range(result.residual.shape[0]):
        result.residual[i] = abs(workspace.rows.phi[i])
    _write_cut_wrenches(tree, rows, workspace.rows, result.multipliers, result.cut_wrenches)
    return status, condition, rank, violation
