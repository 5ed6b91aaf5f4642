"""Inverse dynamics with planar loops of many states, also of designs: robots that differ in numbers alone.

The arrays are found by their addresses (:mod:`.plan`).
"""

from typing import NamedTuple

import numpy as np
from numba import config
from numpy import float64, int64
from numpy.typing import NDArray

from ...math.assignment import assign
from ...numba_support.array_objects import floats, numbers
from ...numba_support.compilation import inlined_strictly, kernel, spliced
from ...row_queue import begin, end, take
from .inverse_dynamics import ELSEWHERE, PlanarMechanism, PlanarWorkspace, planar_inverse_dynamics
from .plan import COORDINATES, FIRST, NQ, STRIDE, VELOCITIES, mechanism_of, planar_plan, workspace_at
from .steps import solve

__all__ = ["BLOCK", "UNCLOSED", "DesignArrays", "PlanarStates", "design_numbers", "planar_batch"]

#: States of a batch that follow each other from one closed configuration, whatever the number of threads.
BLOCK = 64
#: Status of a design's state at which step t of the loops has no solution: UNCLOSED + t.
UNCLOSED = 8
#: Arrays of a mechanism that designs have of their own: places in the plan, and dimensions. Constants of the
#: tree; anchors and laws of springs; points, chain and reach of the steps.
OWN = ((1, 2), (3, 3), (11, 2), (13, 2), (15, 2), (16, 1))


class PlanarStates(NamedTuple):
    """States and their results, C-contiguous, r rows.

    Attributes:
        q (r, p), v, vdot (r, independent): of the independent joints.
        starts: a closed configuration (nq,) for each row, or for each block: then each state of a block
            starts from the last one before it that was answered.
        coordinates (r, nq), tau (r, independent), tensions (r, springs), statuses (r,): written.
        sines (r,): the smallest sine between the slopes of a step, written.
    """

    q: NDArray[float64]
    v: NDArray[float64]
    vdot: NDArray[float64]
    starts: NDArray[float64]
    coordinates: NDArray[float64]
    tau: NDArray[float64]
    tensions: NDArray[float64]
    sines: NDArray[float64]
    statuses: NDArray[int64]


class DesignArrays(NamedTuple):
    """Designs d, each with as many rows of states, one design after the other.

    Attributes:
        numbers (d, w): the arrays of each mechanism in the order of OWN: :func:`design_numbers`.
        signs (s,): the branch in which the loops are closed.
        guess (nq,): closed. Angles of a design's first state are those nearest to it, modulo whole turns; its
            other states are followed from the last one before that was answered.
    """

    numbers: NDArray[float64]
    signs: NDArray[float64]
    guess: NDArray[float64]


def design_numbers(mechanism: PlanarMechanism) -> list[NDArray[float64]]:
    """The arrays in which designs differ, in the order of OWN."""
    springs, steps = mechanism.springs, mechanism.steps
    return [
        mechanism.tree.constants,
        springs.rows.anchors,
        springs.laws,
        steps.points,
        steps.chain,
        steps.reach,
    ]


@spliced
def _use_design(plan, address):
    """Copy the numbers of a design, which stand at an address, into the arrays of the plan."""
    for place, dimensions in OWN:
        at = FIRST + STRIDE * place
        size = 1
        for k in range(dimensions):
            size *= plan[at + 1 + k]
        assign(floats(plan[at], size), floats(address, size))
        address += 8 * size


@inlined_strictly
def _closed_directly(mechanism, workspace, q, signs, guess, start):
    """Write ``start``, closed at independent q on a branch. The step that has no solution, or -1."""
    assign(start, guess)
    independent = mechanism.independent_q
    for k in range(independent.shape[0]):
        start[independent[k]] = q[k]
    step, _, _ = solve(mechanism.steps, signs, start, workspace.walk.cosines[0])
    return -1 if step == signs.shape[0] else step


@inlined_strictly
def _answer_of_design(mechanism, workspace, q, v, vdot, last, signs, guess, start, coordinates, tau):
    """A state of a design from the last one that was answered, or else directly. Its status."""
    status = planar_inverse_dynamics(mechanism, workspace, q, v, vdot, last, coordinates, tau)
    if status == ELSEWHERE:
        step = _closed_directly(mechanism, workspace, q, signs, guess, start)
        if step >= 0:
            return UNCLOSED + step
        status = planar_inverse_dynamics(mechanism, workspace, q, v, vdot, start, coordinates, tau)
    return status


@inlined_strictly
def _write_rest(workspace, tensions):
    """The tensions of the state that was answered last; returns the smallest sine."""
    assign(tensions, workspace.tensions)
    smallest, sines = 1.0, workspace.rates.sines
    for t in range(sines.shape[0]):
        smallest = min(smallest, sines[t])
    return smallest


@kernel(nogil=True, fastmath=False)
def _batch(plan, tables, rows, states, each, width, queue):
    """See :func:`planar_batch`; ``tables``: addresses of its arrays; ``states``: rows that one thread takes.

    ``each``: as many starts as rows. ``width``: of the numbers of a design; 0: there are no designs.
    """
    mechanism, workspace = mechanism_of(plan), workspace_at(plan)
    nq, p, independent = plan[NQ], plan[COORDINATES], plan[VELOCITIES]
    springs = workspace.tensions.shape[0]
    sines, statuses = floats(tables[7], rows), numbers(tables[8], rows)
    signs, guess = floats(tables[10], workspace.walk.signs.shape[0]), tables[11]
    own = np.empty(nq)
    begin(queue)
    while True:
        first = take(queue, states)
        if first >= rows:
            break
        start = tables[3] + 8 * nq * (first // states)
        if width > 0:
            _use_design(plan, tables[9] + 8 * width * (first // states))
            start = guess
        for row in range(first, min(first + states, rows)):
            if each:
                start = tables[3] + 8 * nq * row
            there = tables[4] + 8 * nq * row
            q = floats(tables[0] + 8 * p * row, p)
            v = floats(tables[1] + 8 * independent * row, independent)
            vdot = floats(tables[2] + 8 * independent * row, independent)
            tau = floats(tables[5] + 8 * independent * row, independent)
            last, coordinates = floats(start, nq), floats(there, nq)
            if width > 0:
                statuses[row] = _answer_of_design(
                    mechanism,
                    workspace,
                    q,
                    v,
                    vdot,
                    last,
                    signs,
                    floats(guess, nq),
                    own,
                    coordinates,
                    tau,
                )
            else:
                statuses[row] = planar_inverse_dynamics(
                    mechanism, workspace, q, v, vdot, last, coordinates, tau
                )
            if statuses[row] == 0:
                start = there
                sines[row] = _write_rest(workspace, floats(tables[6] + 8 * springs * row, springs))
    end(queue)


def planar_batch(
    mechanism: PlanarMechanism,
    workspace: PlanarWorkspace,
    states: PlanarStates,
    designs: DesignArrays | None,
    queue: NDArray[int64],
) -> None:
    """Answer rows, as many as ``queue`` (:mod:`...row_queue`) gives to this thread.

    With designs the mechanism's own arrays (:func:`design_numbers`) are overwritten.
    """
    rows = len(states.q)
    each = len(states.starts) == rows and designs is None
    taken = BLOCK if designs is None else rows // max(len(designs.numbers), 1)
    if config.DISABLE_JIT:
        _interpreted(mechanism, workspace, states, designs, taken, each)
        return
    arrays = [*states, *(designs or ())]
    tables = np.zeros(len(PlanarStates._fields) + len(DesignArrays._fields), np.int64)
    tables[: len(arrays)] = [array.ctypes.data for array in arrays]
    width = 0 if designs is None else designs.numbers.shape[1]
    _batch(planar_plan(mechanism, workspace), tables, rows, taken, each, width, queue)


def _interpreted(
    mechanism: PlanarMechanism,
    workspace: PlanarWorkspace,
    states: PlanarStates,
    designs: DesignArrays | None,
    taken: int,
    each: bool,
) -> None:
    """All rows, without the compiler."""
    own = np.empty(len(mechanism.index_in_v))
    start = own
    for row in range(len(states.q)):
        if each or row % taken == 0:
            start = states.starts[row if each else row // taken] if designs is None else designs.guess
        state = states.q[row], states.v[row], states.vdot[row], start
        results = states.coordinates[row], states.tau[row]
        if designs is None:
            status = planar_inverse_dynamics(mechanism, workspace, *state, *results)
        else:
            if row % taken == 0:
                numbers_left = designs.numbers[row // taken]
                for array in design_numbers(mechanism):
                    array.ravel()[:], numbers_left = numbers_left[: array.size], numbers_left[array.size :]
            status = _answer_of_design(
                mechanism, workspace, *state, designs.signs, designs.guess, own, *results
            )
        states.statuses[row] = status
        if status == 0:
            start = states.coordinates[row]
            states.sines[row] = _write_rest(workspace, states.tensions[row])
