"""The plan by which compiled functions find the arrays of a mechanism with planar loops.

It (:mod:`...numba_support.array_objects`) lists the arrays of a mechanism and of its workspace in the order
of their fields: address and shape, in STRIDE numbers each. Counting the references to all of them at each
state takes Numba longer than the dynamics.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...numba_support.array_objects import expected_objects, floats, numbers
from ...numba_support.compilation import spliced
from ..structures import RowArrays, RowValues, SpringArrays, Tree
from .equation_of_motion import EquationWorkspace
from .inverse_dynamics import PlanarMechanism, PlanarWorkspace
from .rates import StepRates
from .steps import PlanarSteps
from .walk import WalkWorkspace

__all__ = [
    "COORDINATES",
    "EQUATION_PLAN_SIZE",
    "FIRST",
    "NQ",
    "PLAN_SIZE",
    "STRIDE",
    "VELOCITIES",
    "equation_at",
    "mechanism_of",
    "planar_plan",
    "workspace_at",
]

#: A plan: behind what all plans have, nq, the numbers of independent coordinates and velocities, the arrays.
NQ, COORDINATES, VELOCITIES, FIRST = range(2, 6)
STRIDE = 4
#: The arrays: int64 or float64, and dimensions. What is read as another kind would be other memory.
MECHANISM = "i2 f2  i2 f3 i2 f2  f1 f1 f1 f2 f1  f2  i2 f2 i2 f2 f1  i1 i1 i1 i1 f1 i1"
WORKSPACE = "f1 f2 f1 f1  f2 f2 f2 f1  f1 f1 f1 f1 f1 f1 f1"
KINDS = (*MECHANISM.split(), *WORKSPACE.split())
PLAN_SIZE = FIRST + STRIDE * len(KINDS)
#: Behind these, those of an :class:`.EquationWorkspace` where a plan has one.
EQUATION_KINDS = ("f1", "f2", "f2", "f2", "f2", "f1")
EQUATION_PLAN_SIZE = PLAN_SIZE + STRIDE * len(EQUATION_KINDS)


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
def mechanism_of(plan):
    """The first arrays of a plan."""
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
def workspace_at(plan):
    """The others of a plan."""
    walk = WalkWorkspace(_float1(plan, 23), _float2(plan, 24), _float1(plan, 25), _float1(plan, 26))
    rates = StepRates(_float2(plan, 27), _float2(plan, 28), _float2(plan, 29), _float1(plan, 30))
    return PlanarWorkspace(
        walk,
        rates,
        _float1(plan, 31),
        _float1(plan, 32),
        _float1(plan, 33),
        _float1(plan, 34),
        _float1(plan, 35),
        _float1(plan, 36),
        _float1(plan, 37),
    )


@spliced
def equation_at(plan):
    """The arrays behind them."""
    return EquationWorkspace(
        _float1(plan, 38),
        _float2(plan, 39),
        _float2(plan, 40),
        _float2(plan, 41),
        _float2(plan, 42),
        _float1(plan, 43),
    )


def planar_plan(
    mechanism: PlanarMechanism, workspace: PlanarWorkspace, equation: EquationWorkspace | None = None
) -> NDArray[np.int64]:
    """The plan of arrays that the caller keeps alive."""
    arrays = list(_arrays((mechanism, workspace, () if equation is None else equation)))
    kinds = tuple(f"{array.dtype.kind}{array.ndim}" for array in arrays)
    expected = KINDS if equation is None else (*KINDS, *EQUATION_KINDS)
    assert kinds == expected, f"other arrays than the kernel reads: {kinds}"
    entries = [(array.ctypes.data, *array.shape, *[0] * (STRIDE - 1 - array.ndim)) for array in arrays]
    described = [number for entry in entries for number in entry]
    sizes = len(mechanism.index_in_v), len(mechanism.independent_q), len(mechanism.independent_v)
    return np.array([*expected_objects(), *sizes, *described], np.int64)


def _arrays(structure: Any) -> Iterator[NDArray[Any]]:
    """The arrays of nested structures, in order."""
    for item in structure:
        if isinstance(item, np.ndarray):
            assert item.flags.c_contiguous, "the plan knows no strides"
            assert item.itemsize == 8, "all numbers of the kernel have 8 bytes"
            yield item
        else:
            yield from _arrays(item)
