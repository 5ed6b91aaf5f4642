"""Inverse dynamics with planar loops as a Python function of arrays, as :mod:`...entry` has it for trees.

And for many states: there, too, the arrays are found by their addresses, for counting the references to all
of them at each state takes Numba longer than the dynamics.

The plan (:mod:`...numba_support.array_objects`) lists the arrays of a mechanism and of its workspace in the
order of their fields: address and shape, in STRIDE numbers each.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import config
from numpy.typing import NDArray

from ...drivers import aligned
from ...numba_support.array_objects import (
    as_status,
    bound_function,
    data_of,
    entries_are_direct,
    expected_objects,
    floats,
    numbers,
    plan_of,
)
from ...numba_support.compilation import kernel, spliced
from ...row_queue import begin, end, take
from ..structures import RowArrays, RowValues, SpringArrays, Tree
from .inverse_dynamics import PlanarMechanism, PlanarWorkspace, planar_inverse_dynamics
from .lanes.block import BLOCK, answer_block
from .lanes.sections import LANES, sections_of
from .rates import StepRates
from .steps import PlanarSteps
from .walk import WalkWorkspace

__all__ = ["BLOCK", "planar_batch", "planar_entry"]

#: Status for arguments that are not the arrays which the kernel needs.
REFUSED = 1
#: A plan: behind what all plans have, nq, the numbers of independent coordinates and velocities, the arrays.
NQ, COORDINATES, VELOCITIES, FIRST = range(2, 6)
STRIDE = 4
#: The arrays: int64 or float64, and dimensions. What is read as another kind would be other memory.
MECHANISM = "i2 f2  i2 f3 i2 f2  f1 f1 f1 f2 f1  f2  i2 f2 i2 f2 f1  i1 i1 i1 i1 f1 i1"
WORKSPACE = "f1 f2 f1 f1  f2 f2 f2  f1 f1 f1 f1 f1 f1 f1"
KINDS = (*MECHANISM.split(), *WORKSPACE.split())
PLAN_SIZE = FIRST + STRIDE * len(KINDS)


@spliced
def _whole1(plan, k):
    at = FIRST + STRIDE * k
    return numbers(plan[at], plan[at + 1])


@spliced
def _whole2(plan, k):
    at = FIRST + STRIDE * k
    return numbers(plan[at], (plan[at + 1], plan[at + 2]))


@spliced
def _float1(plan, k):
    at = FIRST + STRIDE * k
    return floats(plan[at], plan[at + 1])


@spliced
def _float2(plan, k):
    at = FIRST + STRIDE * k
    return floats(plan[at], (plan[at + 1], plan[at + 2]))


@spliced
def _float3(plan, k):
    at = FIRST + STRIDE * k
    return floats(plan[at], (plan[at + 1], plan[at + 2], plan[at + 3]))


@spliced
def _mechanism(plan):
    """The first arrays."""
    rows = RowArrays(_whole2(plan, 2), _float3(plan, 3), _whole2(plan, 4), _float2(plan, 5))
    values = RowValues(
        _float1(plan, 6), _float1(plan, 7), _float1(plan, 8), _float2(plan, 9), _float1(plan, 10)
    )
    springs = SpringArrays(rows, values, _float2(plan, 11))
    steps = PlanarSteps(
        _whole2(plan, 12), _float2(plan, 13), _whole2(plan, 14), _float2(plan, 15), _float1(plan, 16)
    )
    tree = Tree(_whole2(plan, 0), _float2(plan, 1))
    independent, moving = (_whole1(plan, 17), _whole1(plan, 18)), _whole1(plan, 19)
    dependent = _whole1(plan, 20), _float1(plan, 21)
    return PlanarMechanism(tree, springs, steps, *independent, moving, *dependent, _whole1(plan, 22))


@spliced
def _workspace(plan):
    """The others."""
    walk = WalkWorkspace(_float1(plan, 23), _float2(plan, 24), _float1(plan, 25), _float1(plan, 26))
    rates = StepRates(_float2(plan, 27), _float2(plan, 28), _float2(plan, 29))
    return PlanarWorkspace(
        walk,
        rates,
        _float1(plan, 30),
        _float1(plan, 31),
        _float1(plan, 32),
        _float1(plan, 33),
        _float1(plan, 34),
        _float1(plan, 35),
        _float1(plan, 36),
    )


def _planar_inverse_dynamics(owner, arguments, count):
    """(q, v, vdot, guess, tau) or (q, v, vdot, guess, tau, coordinates) -> status."""
    if count not in (5, 6):
        return as_status(REFUSED)
    plan, objects = plan_of(owner, PLAN_SIZE), numbers(arguments, count)
    nq, p, width = plan[NQ], plan[COORDINATES], plan[VELOCITIES]
    q, v, vdot = (
        data_of(plan, objects[0], 1, p),
        data_of(plan, objects[1], 1, width),
        data_of(plan, objects[2], 1, width),
    )
    guess, tau = data_of(plan, objects[3], 1, nq), data_of(plan, objects[4], 1, width)
    coordinates, written = guess, 0
    if count == 6:
        coordinates, written = data_of(plan, objects[5], 1, nq), nq
    if q == 0 or v == 0 or vdot == 0 or guess == 0 or tau == 0 or coordinates == 0:
        return as_status(REFUSED)
    state = floats(q, p), floats(v, width), floats(vdot, width), floats(guess, nq)
    results = floats(coordinates, written), floats(tau, width)
    return as_status(planar_inverse_dynamics(_mechanism(plan), _workspace(plan), *state, *results))


def planar_entry(mechanism: PlanarMechanism, workspace: PlanarWorkspace) -> Callable[..., int]:
    """A function (q, v, vdot, guess, tau) -> status, see :func:`.planar_inverse_dynamics`.

    With a sixth argument for the coordinates of all joints. 1 also for arguments that are not float64 arrays
    of the right shape, contiguous, aligned and writeable.
    """
    nq, sizes = len(mechanism.index_in_v), (len(mechanism.independent_q), len(mechanism.independent_v))
    if not entries_are_direct():
        return _wrapped(mechanism, workspace, (sizes[0], sizes[1], sizes[1], nq, sizes[1], nq))
    plan = _plan(mechanism, workspace)
    function: Callable[..., int] = bound_function(_planar_inverse_dynamics, plan, (mechanism, workspace))
    return function


def _plan(mechanism: PlanarMechanism, workspace: PlanarWorkspace) -> NDArray[np.int64]:
    """The plan of arrays that the caller keeps alive."""
    arrays = list(_arrays((mechanism, workspace)))
    kinds = tuple(f"{array.dtype.kind}{array.ndim}" for array in arrays)
    assert kinds == KINDS, f"other arrays than the kernel reads: {kinds}"
    entries = [(array.ctypes.data, *array.shape, *[0] * (STRIDE - 1 - array.ndim)) for array in arrays]
    described = [number for entry in entries for number in entry]
    sizes = len(mechanism.index_in_v), len(mechanism.independent_q), len(mechanism.independent_v)
    return np.array([*expected_objects(), *sizes, *described], np.int64)


@kernel(nogil=True, fastmath=False)
def _batch(plan, tables, rows, each, queue):
    """See :func:`planar_batch`; ``tables``: addresses of its arrays. ``each``: as many starts as rows."""
    mechanism, workspace = _mechanism(plan), _workspace(plan)
    nq, p, width = plan[NQ], plan[COORDINATES], plan[VELOCITIES]
    statuses, starts = numbers(tables[6], rows), floats(tables[3], (rows if each else -(-rows // BLOCK), nq))
    at, none = sections_of(mechanism), np.empty(0, np.bool_)
    work = aligned(at.size, np.float64, LANES)
    work[:] = 0.0
    begin(queue)
    while True:
        first = take(queue, BLOCK)
        if first >= rows:
            break
        last = min(first + BLOCK, rows)
        q = floats(tables[0], (last, p))
        states = q, floats(tables[1], (last, width)), floats(tables[2], (last, width))
        results = floats(tables[4], (last, nq)), floats(tables[5], (last, width))
        answer_block(mechanism, workspace, states, starts, each, first, results, statuses, none, work, at)
    end(queue)


def planar_batch(
    mechanism: PlanarMechanism,
    workspace: PlanarWorkspace,
    arrays: tuple[NDArray[Any], ...],
    queue: NDArray[np.int64],
) -> None:
    """Answer rows, as many as ``queue`` (:mod:`...row_queue`) gives to this thread.

    Args:
        arrays: q (n, p), v and vdot (n, independent); starts, a closed configuration (nq,) for each row, or
            for each block: then each state of a block starts from the last one before it that was answered;
            coordinates (n, nq), tau (n, independent) and statuses (n,), which are written. Contiguous, of
            float64; statuses of int64.
    """
    q, v, vdot, starts, coordinates, tau, statuses = arrays
    each = len(starts) == len(q)
    if not config.DISABLE_JIT:
        tables = np.array([array.ctypes.data for array in arrays], np.int64)
        _batch(_plan(mechanism, workspace), tables, len(q), each, queue)
        return
    at = sections_of(mechanism)
    others = np.empty(0, np.bool_), np.zeros(at.size), at
    for first in range(0, len(q), BLOCK):
        last = first + BLOCK
        states, results = (q[:last], v[:last], vdot[:last]), (coordinates[:last], tau[:last])
        answer_block(mechanism, workspace, states, starts, each, first, results, statuses, *others)


def _arrays(structure: Any) -> Iterator[NDArray[Any]]:
    """The arrays of nested structures, in order."""
    for item in structure:
        if isinstance(item, np.ndarray):
            assert item.flags.c_contiguous, "the plan knows no strides"
            assert item.itemsize == 8, "all numbers of the kernel have 8 bytes"
            yield item
        else:
            yield from _arrays(item)


def _wrapped(
    mechanism: PlanarMechanism, workspace: PlanarWorkspace, sizes: tuple[int, ...]
) -> Callable[..., int]:
    """The same through Numba's wrapper, or interpreted where NUMBA_DISABLE_JIT is set."""
    double = np.dtype(np.float64)

    def call(*arguments: Any) -> int:
        if len(arguments) not in (5, 6):
            return REFUSED
        for x, size in zip(arguments, sizes, strict=False):
            if not (type(x) is np.ndarray and x.dtype is double and x.shape == (size,) and x.flags.carray):
                return REFUSED
        *state, tau = arguments[:5]
        coordinates = arguments[5] if len(arguments) == 6 else np.zeros(0)
        return int(planar_inverse_dynamics(mechanism, workspace, *state, coordinates, tau))

    return call
