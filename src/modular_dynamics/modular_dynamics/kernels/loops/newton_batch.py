"""Inverse dynamics of many states whose loops are closed by continuation with Newton's method."""

from typing import NamedTuple

import numpy as np
from numpy import float64, int64
from numpy.typing import NDArray

from ..math.assignment import assign
from ..numba_support.compilation import inlined_strictly, kernel
from ..row_queue import begin, end, take
from .continuation import follow
from .inverse_dynamics import closed_loop_inverse_dynamics
from .newton import LARGEST_STEP, correct
from .structures import CoordinateSplit, RowArrays, SpringArrays, Tree

__all__ = ["NewtonLimits", "NewtonMechanism", "NewtonStates", "newton_batch"]

#: Statuses of a state: answered, or left to the general method.
ANSWERED, ELSEWHERE = 0, 1


class NewtonLimits(NamedTuple):
    """What is left to the general method.

    Attributes:
        guess: largest coordinate of a start [rad or m]. distance: longest motion of loops [rad or m].
        condition: of J_d, from which on a state is a dead point. violation: largest rate of a row by one unit
            of an independent coordinate. rounding: residual of a start that needs no correction [m or 1].
    """

    guess: float
    distance: float
    condition: float
    violation: float
    rounding: float


class NewtonMechanism(NamedTuple):
    """A mechanism without free coordinates whose joints have one coordinate each; work arrays in ``springs``.

    Attributes:
        independent_q (p,): in the order of the states' q. reach (p,): by how much one unit of each moves
            loops. is_uncoupled (p,): whether it is in no loop and no gear.
    """

    tree: Tree
    rows: RowArrays
    springs: SpringArrays
    split: CoordinateSplit
    independent_q: NDArray[int64]
    reach: NDArray[float64]
    is_uncoupled: NDArray[int64]
    limits: NewtonLimits


class NewtonStates(NamedTuple):
    """States and their results, r rows.

    Attributes:
        q, v, vdot (r, p): of the independent joints.
        starts: a configuration (nq,) that is nearly closed for each row, or for each block: then each state
            of a block starts from the last one before it that was answered.
        coordinates (r, nq), tau (r, p), tensions (r, springs): written where a state is answered.
        statuses (r,): written; 0: answered.
    """

    q: NDArray[float64]
    v: NDArray[float64]
    vdot: NDArray[float64]
    starts: NDArray[float64]
    coordinates: NDArray[float64]
    tau: NDArray[float64]
    tensions: NDArray[float64]
    statuses: NDArray[int64]


@inlined_strictly
def _largest(values):
    """The largest |value|; infinite where one is not finite."""
    largest = 0.0
    for k in range(values.shape[0]):
        size = abs(values[k])
        if not size < np.inf:
            return np.inf
        largest = max(largest, size)
    return largest


@inlined_strictly
def _closes(mechanism, workspace, q, target):
    """Move the independent coordinates of q to ``target`` and close the loops, in place: does it succeed?"""
    independent, limits, split = mechanism.independent_q, mechanism.limits, mechanism.split
    tree, rows = mechanism.tree, mechanism.rows
    if not _largest(q) <= limits.guess:
        return False
    for k in range(independent.shape[0]):
        if mechanism.is_uncoupled[k]:
            q[independent[k]] = target[k]
        if not mechanism.reach[k] * abs(target[k] - q[independent[k]]) <= limits.distance:
            return False
    if not correct(tree, rows, split, q, workspace, LARGEST_STEP, limits.rounding):
        return False
    return follow(tree, rows, split, q, target, workspace, False) == 1.0


@inlined_strictly
def _is_answered(mechanism, workspace, results, q, v, vdot):
    """Inverse dynamics at a closed q, into ``results``: are these within the limits?"""
    independent = mechanism.split.independent_v
    for k in range(results.v.shape[0]):
        results.v[k] = results.vdot[k] = 0.0
    for k in range(independent.shape[0]):
        results.v[independent[k]], results.vdot[independent[k]] = v[k], vdot[k]
    status, condition, _, violation = closed_loop_inverse_dynamics(
        mechanism.tree, mechanism.rows, mechanism.springs, mechanism.split, q, workspace, results
    )
    limits, sizes = mechanism.limits, _largest(results.tau) + _largest(results.tensions)
    return status == 0 and condition < limits.condition and violation <= limits.violation and sizes < np.inf


@kernel(nogil=True, fastmath=False)
def newton_batch(mechanism, workspace, results, states, block, queue):
    """Answer blocks of rows, as many as ``queue`` (:mod:`..row_queue`) gives to this thread.

    ``workspace``, ``results`` and the work arrays of the springs are this thread's own.
    """
    rows, starts, independent = states.q.shape[0], states.starts, mechanism.split.independent_v
    each = starts.shape[0] == rows
    last, q = np.empty(starts.shape[1]), np.empty(starts.shape[1])
    begin(queue)
    while True:
        first = take(queue, block)
        if first >= rows:
            break
        assign(last, starts[first if each else first // block])
        for row in range(first, min(first + block, rows)):
            assign(q, starts[row] if each else last)
            target, v, vdot = states.q[row], states.v[row], states.vdot[row]
            states.statuses[row] = ELSEWHERE
            if not (_largest(target) < np.inf and _largest(v) < np.inf and _largest(vdot) < np.inf):
                continue
            if not _closes(mechanism, workspace, q, target):
                continue
            if not _is_answered(mechanism, workspace, results, q, v, vdot):
                continue
            states.statuses[row] = ANSWERED
            assign(last, q)
            assign(states.coordinates[row], q)
            assign(states.tensions[row], results.tensions)
            for k in range(independent.shape[0]):
                states.tau[row, k] = results.tau[independent[k]]
    end(queue)
