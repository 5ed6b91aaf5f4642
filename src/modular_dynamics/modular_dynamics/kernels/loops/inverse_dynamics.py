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
from .body_motions import anchor_motion
from .constraint_rows import evaluate_rows
from .orientation_rows import orientation_row
from .projection import condition_number, factor_dependent, project
from .row_kinds import ALONG, COUPLING
from .springs import add_springs

__all__ = ["STILL", "closed_loop_inverse_dynamics"]

#: Velocities up to this part of the largest are rounding, to which dry friction would give a sign.
STILL = 1e-12


@inlined_strictly
def _complete(split, workspace, rank, rates, with_gamma):
    """The dependent entries of velocities; or of accelerations, with gamma. They are zero on entry."""
    dependent, b, x = split.dependent_v, workspace.b, workspace.x
    J, gamma = workspace.rows.J, workspace.rows.gamma
    for i in range(b.shape[0]):
        b[i] = -gamma[i] if with_gamma else 0.0
        for k in range(rates.shape[0]):
            b[i] -= J[i, k] * rates[k]
        b[i] *= split.row_scale[i]
    least_squares(workspace.A, workspace.A_heads, workspace.A_order, rank, b, x)
    for j in range(dependent.shape[0]):
        rates[dependent[j]] = split.column_scale[j] * x[j]


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
def _transmit(split, workspace, rank, tau, multipliers):
    """Multipliers that leave no torque in the dependent coordinates; tau of the independent ones."""
    dependent, independent, J, x = split.dependent_v, split.independent_v, workspace.rows.J, workspace.x
    for j in range(dependent.shape[0]):
        x[j] = split.column_scale[j] * tau[dependent[j]]
        tau[dependent[j]] = 0.0
    minimum_norm(workspace.A, workspace.A_heads, workspace.A_order, rank, x, multipliers)
    for i in range(multipliers.shape[0]):
        multipliers[i] *= split.row_scale[i]
    for k in range(independent.shape[0]):
        for i in range(multipliers.shape[0]):
            tau[independent[k]] -= J[i, independent[k]] * multipliers[i]


@inlined
def _write_cut_wrenches(tree, rows, values, multipliers, wrenches):
    """wrenches (loops, 6): [force, moment] of each predecessor on its successor, at and in S; summed up."""
    n = tree.topology.shape[0] - 1
    set_to_zero(wrenches)
    for row in range(rows.indices.shape[0]):
        kind, loop = rows.indices[row, 0], rows.indices[row, 1]
        if kind == COUPLING:
            continue
        P, _, _, _, _, _ = anchor_motion(rows.ends[loop, 0], n, rows.anchors[loop, 0], values.body_motions)
        S, _, _, _, _, _ = anchor_motion(rows.ends[loop, 1], n, rows.anchors[loop, 1], values.body_motions)
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
    condition = condition_number(workspace.A, rank)
    violation = project(split, workspace, rank, result.projection)
    _complete(split, workspace, rank, v, False)
    _stop_rounding(split, v)
    evaluate_rows(tree, rows, q, v, workspace.rows)
    _complete(split, workspace, rank, vdot, True)
    status = inverse_dynamics(tree.topology, tree.constants, workspace.newton_euler, q, v, vdot, result.tau)
    if springs.laws.shape[0] > 0:
        add_springs(tree, springs, q, v, result.tau, result.tensions)
    _transmit(split, workspace, rank, result.tau, result.multipliers)
    for i in range(result.residual.shape[0]):
        result.residual[i] = abs(workspace.rows.phi[i])
    _write_cut_wrenches(tree, rows, workspace.rows, result.multipliers, result.cut_wrenches)
    return status, condition, rank, violation
