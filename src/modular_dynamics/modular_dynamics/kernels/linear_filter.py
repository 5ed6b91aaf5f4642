"""One step of a linear filter of many signals, as a Python function of arrays.

NumPy needs five calls for it, each of which takes longer than the arithmetic.
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

__all__ = ["linear_filter"]

#: Status for arguments that are not the arrays which the function needs.
REFUSED = 1

# A plan: behind what all plans have, where the matrix stands, its rows, and how many signals there are.
MATRIX, ROWS, SIGNALS = range(2, 5)
PLAN_SIZE = 5


def _filter_step(owner, arguments, count):
    """(states, before, now, share, result) -> status."""
    if count != 5:
        return as_status(REFUSED)
    plan, objects = plan_of(owner, PLAN_SIZE), numbers(arguments, 5)
    rows, signals = plan[ROWS], plan[SIGNALS]
    states, result = (
        data_of(plan, objects[0], 1, rows * signals),
        data_of(plan, objects[4], 1, rows * signals),
    )
    before, now = data_of(plan, objects[1], 1, signals), data_of(plan, objects[2], 1, signals)
    share = data_of(plan, objects[3], 1, 1)
    if states == 0 or before == 0 or now == 0 or share == 0 or result == 0:
        return as_status(REFUSED)
    matrix = floats(plan[MATRIX], (rows, rows))
    old, new = floats(states, (rows, signals)), floats(result, (rows, signals))
    first, last, part = floats(before, signals), floats(now, signals), floats(share, 1)[0]
    for row in range(rows):
        factor = matrix[row, 0]
        for k in range(signals):
            new[row, k] = factor * (first[k] + part * (last[k] - first[k]))
        for column in range(1, rows):
            factor = matrix[row, column]
            if factor != 0.0:
                for k in range(signals):
                    new[row, k] += factor * old[column, k]
    return as_status(0)


def linear_filter(matrix: Any, signals: int) -> Callable[..., int]:
    """A function (states, before, now, share, result) -> status that makes a step of a filter.

    [output, states] = matrix @ [input, states before] of each signal, where the input is interpolated:
    before + share (now - before). ``states`` and ``result`` are flat arrays of (rows, signals) numbers, the
    first row of which is the output; ``share`` is an array of one number. The result is none of the others.
    Where the matrix has a zero, NaN and infinity of that state may or may not reach the result.
    Status 1: arguments are not float64 arrays of these sizes, contiguous, aligned and writeable.

    Args:
        matrix: (rows, rows); it is kept and must not change. signals: how many there are.
    """
    matrix = np.ascontiguousarray(matrix, np.float64)
    rows = len(matrix)
    if not entries_are_direct():
        return _in_numpy(matrix, signals)
    plan = np.array([*expected_objects(), matrix.ctypes.data, rows, signals], np.int64)
    function: Callable[..., int] = bound_function(_filter_step, plan, matrix)
    return function


def _in_numpy(matrix: Any, signals: int) -> Callable[..., int]:
    sizes = len(matrix) * signals, signals, signals, 1, len(matrix) * signals

    def step(*arguments: Any) -> int:
        if len(arguments) != 5 or any(
            not isinstance(x, np.ndarray) or x.dtype != np.float64 or x.shape != (size,) or not x.flags.carray
            for x, size in zip(arguments, sizes, strict=True)
        ):
            return REFUSED
        states, before, now, share, result = arguments
        entered = states.reshape(len(matrix), signals).copy()
        entered[0] = before + share[0] * (now - before)
        np.matmul(matrix, entered, out=result.reshape(len(matrix), signals))
        return 0

    return step
