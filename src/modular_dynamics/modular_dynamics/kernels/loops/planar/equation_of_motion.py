"""The equation of motion M1 vdot + h1 = tau1 of planar loops in independent coordinates, in closed form.

M1 = W^T M W, M of the tree. W is a product of one factor for each step: that of :func:`.rates.transmit`
combines the rows of M step by step, and the columns likewise, so that no W is made.
"""

import math
from typing import NamedTuple

from numpy import float64
from numpy.typing import NDArray

from ...numba_support.compilation import inlined, inlined_strictly, kernel
from ...recursions.composite_body import mass_matrix
from ...states import all_finite
from .inverse_dynamics import ELSEWHERE, close_loops, torques_at
from .steps import GEAR

__all__ = ["EquationWorkspace", "planar_equation_of_motion"]

#: A pivot of M1, relative to its entry on the diagonal, and such an entry, relative to the largest of M,
#: below which another method decides.
NO_INERTIA, LITTLE_INERTIA = 1e-10, 1e-13


class EquationWorkspace(NamedTuple):
    """Arrays that are overwritten, beside :class:`.PlanarWorkspace`, with p independent velocities.

    Attributes:
        composite: of the tree's mass matrix, which is ``tree`` (nv, nv).
        columns (nv, p): of W^T M, transposed. matrix (p, p): M1. factor (p, p): of Cholesky.
        solution (p,): accelerations.
    """

    composite: NDArray[float64]
    tree: NDArray[float64]
    columns: NDArray[float64]
    matrix: NDArray[float64]
    factor: NDArray[float64]
    solution: NDArray[float64]


@inlined
def _add_row(target, source, factor, table, width):
    """Add a multiple of one row to another."""
    for c in range(width):
        table[target, c] += factor * table[source, c]


@inlined
def _combine_rows(steps, index_in_v, table, width, rates):
    """W^T times a table, in the rows of the independent joints; those of the others are not used any more."""
    rows, joints, chain, inverses = steps.steps, steps.joints, steps.chain, rates.inverses
    for t in range(rows.shape[0] - 1, -1, -1):
        i, j = rows[t, 3], rows[t, 4]
        for k in range(rows[t, 1], rows[t, 2]):
            held = index_in_v[joints[k, 1]]
            if rows[t, 0] == GEAR:
                _add_row(held, index_in_v[i], chain[k, 0], table, width)
            elif k not in (i, j):
                x, y = rates.slopes[k, 0], rates.slopes[k, 1]
                first = x * inverses[t, 0] + y * inverses[t, 1]
                second = x * inverses[t, 2] + y * inverses[t, 3]
                _add_row(held, index_in_v[joints[i, 1]], -first, table, width)
                _add_row(held, index_in_v[joints[j, 1]], -second, table, width)


@inlined_strictly
def _reduce(mechanism, rates, own):
    """Write M1 from M."""
    independent, nv = mechanism.independent_v, own.tree.shape[0]
    p = independent.shape[0]
    _combine_rows(mechanism.steps, mechanism.index_in_v, own.tree, nv, rates)
    for k in range(p):
        for c in range(nv):
            own.columns[c, k] = own.tree[independent[k], c]
    _combine_rows(mechanism.steps, mechanism.index_in_v, own.columns, p, rates)
    for k in range(p):
        for m in range(p):  # rounding apart, it is symmetric
            own.matrix[k, m] = 0.5 * (own.columns[independent[k], m] + own.columns[independent[m], k])


@inlined_strictly
def _solve(matrix, factor, x):
    """x in place: M1^-1 x by Cholesky. Whether M1 is safely positive definite."""
    for k in range(x.shape[0]):
        for m in range(k + 1):
            total = matrix[k, m]
            for c in range(m):
                total -= factor[k, c] * factor[m, c]
            if m < k:
                factor[k, m] = total / factor[m, m]
            elif total > NO_INERTIA * matrix[k, k]:
                factor[k, k] = math.sqrt(total)
            else:
                return False
        for c in range(k):
            x[k] -= factor[k, c] * x[c]
        x[k] /= factor[k, k]
    for k in range(x.shape[0] - 1, -1, -1):
        for c in range(k + 1, x.shape[0]):
            x[k] -= factor[c, k] * x[c]
        x[k] /= factor[k, k]
    return True


@inlined_strictly
def _mass_matrix(mechanism, workspace, own):
    """Write M1 where loops are closed; the largest entry of M, or -1 where one is not finite."""
    tree, largest = mechanism.tree, 0.0
    if mass_matrix(tree.topology, tree.constants, own.composite, workspace.full, own.tree) != 0:
        return -1.0
    for k in range(own.tree.shape[0]):
        largest = max(largest, own.tree[k, k])
    _reduce(mechanism, workspace.rates, own)
    for k in range(own.matrix.shape[0]):
        if not own.matrix[k, k] < 1e308:  # |M_ij|^2 <= M_ii M_jj
            return -1.0
    return largest


@inlined_strictly
def _accelerate(mechanism, workspace, own, v, tau, largest):
    """Write accelerations by M1. Returns 0; 2 where they are not finite; or ELSEWHERE."""
    independent, solution = mechanism.independent_v, own.solution
    for k in range(independent.shape[0]):
        workspace.v[independent[k]], workspace.vdot[independent[k]] = v[k], 0.0
        if not own.matrix[k, k] > LITTLE_INERTIA * largest:
            return ELSEWHERE
    if torques_at(mechanism, workspace) != 0:
        return 2
    for k in range(independent.shape[0]):
        solution[k] = tau[k] - workspace.tau[independent[k]]
    if not _solve(own.matrix, own.factor, solution):
        return ELSEWHERE
    return 0 if all_finite(solution) else 2


@kernel(fastmath=False, forceinline=True)
def planar_equation_of_motion(mechanism, workspace, own, q, v, tau, guess, coordinates, matrix, vdot):
    """M1 at independent q; and, where ``vdot`` is not empty, accelerations at v under torques tau.

    Args:
        guess: a closed configuration (nq,) near. coordinates: for that at q; may be the guess, or be empty.
        matrix: for M1 (p, p), or empty. vdot: for M1^-1 (tau - h1), or empty as v and tau are.

    Returns 0; 1 where a number is not finite; 2 where a result is not; or ELSEWHERE. Where it is not 0,
    nothing is written.
    """
    if not (all_finite(q) and all_finite(v) and all_finite(tau) and all_finite(guess)):
        return 1
    if not close_loops(mechanism, workspace, q, guess):
        return ELSEWHERE
    largest = _mass_matrix(mechanism, workspace, own)
    if largest < 0.0:
        return 2
    if vdot.shape[0] > 0:
        status = _accelerate(mechanism, workspace, own, v, tau, largest)
        if status != 0:
            return status
    for k in range(vdot.shape[0]):
        vdot[k] = own.solution[k]
    for k in range(matrix.shape[0]):
        for m in range(matrix.shape[0]):
            matrix[k, m] = own.matrix[k, m]
    for k in range(coordinates.shape[0]):
        coordinates[k] = workspace.full[k]
    return 0
