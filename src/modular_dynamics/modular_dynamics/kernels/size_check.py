"""Whether numbers are finite and of a bounded size, as a Python function of an array.

NumPy needs three calls for it, each of which takes longer than the comparisons.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .numba_support.array_objects import (
    as_status,
    bound_function,
    data_of,
    entries_are_direct,
    expected_objects,
    floats,
    numbers,
    plan_of,
)

__all__ = ["size_check"]

#: Status for an argument that is not the array which the function needs, and for one with another number.
REFUSED, BEYOND = 1, 2

# A plan: behind what all plans have, where the bound stands, and how many numbers there are.
BOUND, COUNT = range(2, 4)
PLAN_SIZE = 4


def _size_check(owner, arguments, count):
    """(values) -> status."""
    if count != 1:
        return as_status(REFUSED)
    plan, objects = plan_of(owner, PLAN_SIZE), numbers(arguments, 1)
    data = data_of(plan, objects[0], 1, plan[COUNT])
    if data == 0:
        return as_status(REFUSED)
    values, bound = floats(data, plan[COUNT]), floats(plan[BOUND], 1)[0]
    for k in range(plan[COUNT]):
        if not abs(values[k]) <= bound:  # NaN is not
            return as_status(BEYOND)
    return as_status(0)


def size_check(bound: float, count: int) -> Callable[..., int]:
    """A function (values) -> status of an array of ``count`` numbers.

    Status 0: each lies between -``bound`` and ``bound``; 2: one is larger, or NaN; 1: the argument is no
    float64 array of this size, contiguous, aligned and writeable.
    """
    if not entries_are_direct():
        return _in_numpy(bound, count)
    kept = np.array([bound])
    plan = np.array([*expected_objects(), kept.ctypes.data, count], np.int64)
    function: Callable[..., int] = bound_function(_size_check, plan, kept)
    return function


def _in_numpy(bound: float, count: int) -> Callable[..., int]:
    def check(*arguments: Any) -> int:
        values = arguments[0] if len(arguments) == 1 else None
        if not isinstance(values, np.ndarray) or values.dtype != np.float64 or values.shape != (count,):
            return REFUSED
        if not values.flags.carray:
            return REFUSED
        return 0 if (np.abs(values) <= bound).all() else BEYOND

    return check
