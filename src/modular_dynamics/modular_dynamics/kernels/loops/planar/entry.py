"""Inverse dynamics with planar loops as a Python function of arrays, as :mod:`...entry` has it for trees.

The plan (:mod:`...numba_support.array_objects`) lists the arrays of a mechanism and of its workspace in the
order of their fields: address and shape, in STRIDE numbers each.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from ...numba_support.compilation import spliced
from ..structures import RowArrays, RowValues, SpringArrays, Tree
from .inverse_dynamics import PlanarMechanism, PlanarWorkspace, planar_inverse_dynamics
from .rates import StepRates
from .steps import PlanarSteps
from .walk import WalkWorkspace

__all__ = ["planar_entry"]

#: Status for arguments that are not the arrays which the kernel needs.
REFUSED = 1
#: A plan: behind what all plans have, nq, the numbers of independent coordinates and velocities, the arrays.
NQ, COORDINATES, VELOCITIES, FIRST = range(2, 6)
STRIDE, ARRAYS = 4, 37
PLAN_SIZE = FIRST + STRIDE * ARRAYS


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
    """The first 23 arrays."""
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
    kept = list(_arrays((mechanism, workspace)))
    assert len(kept) == ARRAYS, f"{len(kept)} arrays"
    entries = [(array.ctypes.data, *array.shape, *[0] * (STRIDE - 1 - array.ndim)) for array in kept]
    described = [number for entry in entries for number in entry]
    plan = np.array([*expected_objects(), nq, *sizes, *described], np.int64)
    function: Callable[..., int] = bound_function(_planar_inverse_dynamics, plan, kept)
    return function


def _arrays(structure: Any) -> Iterator[NDArray[Any]]:
    """The arrays of nested structures, in order."""
    for item in structure:
        if isinstance(item, np.ndarray):
            assert item.flags.c_contiguous, "the plan knows no strides"
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
