"""The rows of a batch that its threads share: the next one to take, how many threads work, the first bad row.

``queue`` is an int64 array (SIZE,); its numbers stand in cache lines of their own.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from .numba_support.compilation import kernel, replaced_by

__all__ = ["begin", "end", "first_bad", "new_queue", "none_at_work", "stop", "take"]

NEXT, WORKERS, FIRST_BAD, SIZE = 0, 8, 16, 24
NONE = np.iinfo(np.int64).max


def new_queue() -> NDArray[np.int64]:
    """At the first row, no thread at work, nothing bad."""
    queue = np.zeros(SIZE, np.int64)
    queue[FIRST_BAD] = NONE
    return queue


def first_bad(queue: NDArray[np.int64]) -> int | None:
    """The first bad row that any thread reported, or None."""
    row = int(queue[FIRST_BAD])
    return None if row == NONE else row


def _atomic(operation):
    """An atomic change of an element, as an intrinsic (array, index, value) -> previous value."""

    def compiled(typing, array, index, value):
        def generate(context, builder, sig, args):
            data = context.make_array(sig.args[0])(context, builder, args[0]).data
            return builder.atomic_rmw(operation, builder.gep(data, [args[1]]), args[2], "seq_cst")

        return types.int64(array, types.intp, types.int64), generate

    return compiled


@replaced_by(_atomic("add"))
def _add(queue, index, value):
    previous = queue[index]
    queue[index] += value
    return previous


@replaced_by(_atomic("min"))
def _lower(queue, index, value):
    queue[index] = min(queue[index], value)


@kernel(inline="always")
def begin(queue):
    """One more thread at work."""
    _add(queue, WORKERS, 1)


@kernel(inline="always")
def take(queue, count):
    """The first of ``count`` rows that are now the caller's."""
    return _add(queue, NEXT, count)


@kernel(inline="always")
def stop(queue, row, rows):
    """No thread takes any more of the ``rows``, for this one is bad."""
    _lower(queue, FIRST_BAD, row)
    _add(queue, NEXT, rows)


@kernel(inline="always")
def end(queue):
    """One thread less at work."""
    _add(queue, WORKERS, -1)


@kernel(nogil=True)
def none_at_work(queue, tries):
    """Are all threads done? Looks so many times: what they still have takes less time than being woken."""
    for _ in range(tries):
        if _add(queue, WORKERS, 0) == 0:
            return True
    return False
