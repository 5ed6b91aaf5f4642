"""Values of whole arrays. Loops, for assignments to slices bring code for their error messages with them."""

from ..numba_support.compilation import inlined_strictly

__all__ = ["assign", "set_to_zero"]


@inlined_strictly
def assign(target, source):
    """The values of an array (n,) to another."""
    for k in range(target.shape[0]):
        target[k] = source[k]


@inlined_strictly
def set_to_zero(table):
    """Zeros in a 2-D array."""
    for i in range(table.shape[0]):
        for k in range(table.shape[1]):
            table[i, k] = 0.0
