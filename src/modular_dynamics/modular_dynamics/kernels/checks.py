"""Checks of arrays that cost nothing beside the computation."""

import math

from .numba_support.compilation import kernel

__all__ = ["first_not_finite"]


@kernel()
def first_not_finite(array):
    """Index of the first NaN or infinity in a 1-D float64 array; -1 where all are finite."""
    for k in range(array.shape[0]):
        if not math.isfinite(array[k]):
            return k
    return -1
