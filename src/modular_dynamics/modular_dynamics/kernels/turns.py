"""What threads share of a batch: the rows that nobody has taken yet, who is at work, the first bad row.

``turns`` is an int64 array (SIZE,); its numbers stand in cache lines of their own.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from .numba_support.compilation import kernel

__all__ = ["begin", "end", "first_bad", "new_turns", "none_at_work", "stop", "take"]

NEXT, WORKERS, FIRST_BAD, SIZE = 0, 8, 16, 24
NONE = np.iinfo(np.int64).max


def new_turns() -> NDArray[np.int64]:
    """At the first row, nobody at work, nothing bad."""
    turns = np.zeros(SIZE, np.int64)
    turns[FIRST_BAD] = NONE
    return turns


def first_bad(turns: NDArray[np.int64]) -> int | None:
    """The first bad row that anybody met, or None."""
    row = int(turns[FIRST_BAD])
    return None if row == NONE else row


def _changed(operation):
    """An atomic change of an element, as a function (array, index, value) -> what stood there."""

    @intrinsic
    def compiled(typing, array, index, value):
        def generate(context, builder, sig, args):
            data = context.make_array(sig.args[0])(context, builder, args[0]).data
            return builder.atomic_rmw(operation, builder.gep(data, [args[1]]), args[2], "seq_cst")

        return types.int64(array, types.intp, types.int64), generate

    return compiled


_atomic_add, _atomic_min = _changed("add"), _changed("min")


def _add(turns, index, value):
    old = turns[index]
    turns[index] += value
    return old


def _lower(turns, index, value):
    turns[index] = min(turns[index], value)


@overload(_add, inline="always")
def _(turns, index, value):
    return lambda turns, index, value: _atomic_add(turns, index, value)


@overload(_lower, inline="always")
def _(turns, index, value):
    return lambda turns, index, value: _atomic_min(turns, index, value)


@kernel(inline="always")
def begin(turns):
    """One more at work."""
    _add(turns, WORKERS, 1)


@kernel(inline="always")
def take(turns, count):
    """The first of ``count`` rows that are now the caller's."""
    return _add(turns, NEXT, count)


@kernel(inline="always")
def stop(turns, row, rows):
    """Nobody takes any more of the ``rows``, for this one is bad."""
    _lower(turns, FIRST_BAD, row)
    _add(turns, NEXT, rows)


@kernel(inline="always")
def end(turns):
    """One less at work."""
    _add(turns, WORKERS, -1)


@kernel(nogil=True)
def none_at_work(turns, tries):
    """Are all done? Looks so many times: what others still have takes less time than being woken."""
    for _ in range(tries):
        if _add(turns, WORKERS, 0) == 0:
            return True
    return False
