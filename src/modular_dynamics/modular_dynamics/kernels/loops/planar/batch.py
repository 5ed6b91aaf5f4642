"""Inverse dynamics with planar loops of many states, also of designs: robots that differ in numbers alone.

The arrays are found by their addresses (:mod:`.plan`).
"""

from typing import NamedTuple

import numpy as np
from numba import config
from numpy import float64, int64
from numpy.typing import NDArray

from ...drivers import aligned
from ...math.assignment import assign
from ...numba_support.array_objects import floats, numbers
from ...numba_support.compilation import kernel, spliced
from ...row_queue import begin, end, take
from .inverse_dynamics import PlanarMechanism, PlanarWorkspace
from .lanes.block import answer_block
from .lanes.sections import LANES, sections_of
from .one_state import UNCLOSED
from .plan import COORDINATES, FIRST, NQ, STRIDE, VELOCITIES, mechanism_of, planar_plan, workspace_at

__all__ = ["BLOCK", "UNCLOSED", "DesignArrays", "PlanarStates", "design_numbers", "planar_batch"]

#: States of a batch that follow each other from one closed configuration, whatever the number of threads.
BLOCK = 64
#: Results of a row.
WRITTEN = "coordinates", "tau", "tensions", "sines", "statuses"
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


@kernel(nogil=True, fastmath=False)
def _batch(plan, tables, rows, states, each, width, queue):
    """See :func:`planar_batch`; ``tables``: addresses of its arrays; ``states``: rows that one thread takes.

    ``each``: as many starts as rows. ``width``: of the numbers of a design; 0: there are no designs.
    """
    mechanism, workspace = mechanism_of(plan), workspace_at(plan)
    nq, p, independent = plan[NQ], plan[COORDINATES], plan[VELOCITIES]
    springs, steps = workspace.tensions.shape[0], workspace.walk.signs.shape[0]
    sines, statuses = floats(tables[7], rows), numbers(tables[8], rows)
    signs, own, none = floats(tables[10], steps), np.empty(nq), np.empty(0, np.bool_)
    at = sections_of(mechanism)
    memory = aligned(at.size, np.float64, LANES)
    memory[:] = 0.0
    work = floats(memory.ctypes.data, at.size)  # no references to count
    begin(queue)
    while True:
        first = take(queue, states)
        if first >= rows:
            break
        last, start = min(first + states, rows), tables[3] + 8 * nq * (first // states)
        if width > 0:
            _use_design(plan, tables[9] + 8 * width * (first // states))
            start = tables[11]
        block = PlanarStates(
            floats(tables[0], (last, p)),
            floats(tables[1], (last, independent)),
            floats(tables[2], (last, independent)),
            floats(tables[3], (last if each else 1, nq)),
            floats(tables[4], (last, nq)),
            floats(tables[5], (last, independent)),
            floats(tables[6], (last, springs)),
            sines,
            statuses,
        )
        branch = signs, floats(start, nq), floats(own.ctypes.data, nq)
        answer_block(mechanism, workspace, block, first, each, width > 0, branch, none, work, at)
    end(queue)
    memory[0], own[0] = 0.0, 0.0  # kept until here


@kernel()
def _find(q, v, vdot, starts, coordinates, tau, tensions, sines, statuses, tables):
    """Write the addresses of the arrays of :class:`PlanarStates`; in Python each takes a microsecond."""
    tables[0], tables[1], tables[2] = q.ctypes.data, v.ctypes.data, vdot.ctypes.data
    tables[3], tables[4], tables[5] = starts.ctypes.data, coordinates.ctypes.data, tau.ctypes.data
    tables[6], tables[7], tables[8] = tensions.ctypes.data, sines.ctypes.data, statuses.ctypes.data


def planar_batch(
    mechanism: PlanarMechanism,
    workspace: PlanarWorkspace,
    states: PlanarStates,
    designs: DesignArrays | None,
    queue: NDArray[int64],
    block: int = BLOCK,
    plan: NDArray[int64] | None = None,
) -> None:
    """Answer rows, as many as ``queue`` (:mod:`...row_queue`) gives to this thread, ``block`` at a time.

    ``plan``: that of mechanism and workspace, if it is kept (:func:`.plan.planar_plan`).
    With designs the mechanism's own arrays (:func:`design_numbers`) are overwritten.
    """
    rows = len(states.q)
    each = len(states.starts) == rows and designs is None
    taken = block if designs is None else rows // max(len(designs.numbers), 1)
    if config.DISABLE_JIT:
        _interpreted(mechanism, workspace, states, designs, taken, each)
        return
    tables = np.zeros(len(PlanarStates._fields) + len(DesignArrays._fields), np.int64)
    _find(*states, tables)
    if designs is not None:
        tables[len(states) :] = [array.ctypes.data for array in designs]
    width = 0 if designs is None else designs.numbers.shape[1]
    plan = planar_plan(mechanism, workspace) if plan is None else plan
    _batch(plan, tables, rows, taken, each, width, queue)


def _interpreted(
    mechanism: PlanarMechanism,
    workspace: PlanarWorkspace,
    states: PlanarStates,
    designs: DesignArrays | None,
    taken: int,
    each: bool,
) -> None:
    """All rows, without the compiler."""
    own, at = np.empty(len(mechanism.index_in_v)), sections_of(mechanism)
    signs, none, work = workspace.walk.signs, np.empty(0, np.bool_), np.zeros(at.size)
    for first in range(0, len(states.q), taken):
        block = states._replace(**{name: getattr(states, name)[: first + taken] for name in WRITTEN})
        start = states.starts[0 if each else first // taken] if designs is None else designs.guess
        if designs is not None:
            signs, numbers_left = designs.signs, designs.numbers[first // taken]
            for array in design_numbers(mechanism):
                array.ravel()[:], numbers_left = numbers_left[: array.size], numbers_left[array.size :]
        branch, direct = (signs, start, own), designs is not None
        with np.errstate(all="ignore"):  # of lanes that are not plain
            answer_block(mechanism, workspace, block, first, each, direct, branch, none, work, at)
