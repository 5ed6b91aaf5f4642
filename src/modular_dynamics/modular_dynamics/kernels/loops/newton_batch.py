"""Inverse dynamics of many states whose loops are closed by continuation with Newton's method.

Also of designs: robots of one structure that differ in numbers alone.
"""

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

__all__ = ["NewtonDesigns", "NewtonLimits", "NewtonMechanism", "NewtonStates", "newton_batch", "own_numbers"]

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


class NewtonDesigns(NamedTuple):
    """Some of the designs that rows of states belong to, each with as many rows, one design after the other.

    Attributes:
        order (d,): the places of these designs among all; none: there are no designs.
        numbers (d, w): the numbers of each mechanism: :func:`own_numbers`.
        guess (nq,): nearly closed. Each design is closed from it, and then followed from state to state.
        states: rows of each design.
    """

    order: NDArray[int64]
    numbers: NDArray[float64]
    guess: NDArray[float64]
    states: int


def own_numbers(mechanism: NewtonMechanism) -> list[NDArray[float64]]:
    """The arrays in which designs differ, in the order in which :func:`newton_batch` copies them."""
    rows, springs = mechanism.rows, mechanism.springs
    return [mechanism.tree.constants, rows.anchors, rows.vectors, springs.rows.anchors, springs.laws]


@inlined_strictly
def _copied(target, numbers, first):
    """Numbers from a place on into an array of any shape; the place behind them."""
    flat = target.reshape(target.size)
    for k in range(flat.shape[0]):
        flat[k] = numbers[first + k]
    return first + flat.shape[0]


@inlined_strictly
def _use_design(mechanism, numbers):
    """Overwrite :func:`own_numbers`."""
    rows, springs = mechanism.rows, mechanism.springs
    place = _copied(mechanism.tree.constants, numbers, 0)
    place = _copied(rows.anchors, numbers, place)
    place = _copied(rows.vectors, numbers, place)
    place = _copied(springs.rows.anchors, numbers, place)
    _copied(springs.laws, numbers, place)


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


@inlined_strictly
def _answer(mechanism, workspace, results, states, row, q):
    """Answer one row from a nearly closed q, which is closed there then; is it answered?"""
    independent = mechanism.split.independent_v
    target, v, vdot = states.q[row], states.v[row], states.vdot[row]
    if not (_largest(target) < np.inf and _largest(v) < np.inf and _largest(vdot) < np.inf):
        return False
    if not _closes(mechanism, workspace, q, target):
        return False
    if not _is_answered(mechanism, workspace, results, q, v, vdot):
        return False
    assign(states.coordinates[row], q)
    assign(states.tensions[row], results.tensions)
    for k in range(independent.shape[0]):
        states.tau[row, k] = results.tau[independent[k]]
    return True


@inlined_strictly
def _starts_closed(mechanism, workspace, q):
    """Close a design at the independent coordinates of the guess, in place: does it succeed?"""
    limits = mechanism.limits
    if not _largest(q) <= limits.guess:
        return False
    tree, rows, split = mechanism.tree, mechanism.rows, mechanism.split
    return correct(tree, rows, split, q, workspace, LARGEST_STEP, limits.rounding)


@kernel(nogil=True, fastmath=False)
def newton_batch(mechanism, workspace, results, states, designs, block, queue):
    """Answer blocks of rows, as many as ``queue`` (:mod:`..row_queue`) gives to this thread.

    With designs a block is a design; where it does not close near the guess, none of its rows is answered.
    ``workspace``, ``results``, the work arrays of the springs, and with designs the mechanism's
    :func:`own_numbers` are this thread's own.
    """
    starts, count = states.starts, designs.order.shape[0]
    rows = count * designs.states if count > 0 else states.q.shape[0]
    each = starts.shape[0] == rows and count == 0
    last, q = np.empty(starts.shape[1]), np.empty(starts.shape[1])
    begin(queue)
    while True:
        taken = take(queue, block)
        if taken >= rows:
            break
        first, closed = taken, True
        if count > 0:
            first = designs.order[taken // block] * block
            _use_design(mechanism, designs.numbers[taken // block])
            assign(last, designs.guess)
            closed = _starts_closed(mechanism, workspace, last)
        else:
            assign(last, starts[taken if each else taken // block])
        for row in range(first, first + min(block, rows - taken)):
            assign(q, starts[row] if each else last)
            states.statuses[row] = ELSEWHERE
            if closed and _answer(mechanism, workspace, results, states, row, q):
                states.statuses[row] = ANSWERED
                assign(last, q)
    end(queue)
