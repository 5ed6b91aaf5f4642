"""Writing the entries of matrices whose rows and columns are a graph's velocities."""

from ..layout import FLOATING, KIND, V
from ..numba_support.compilation import inlined
from ..numba_support.memory import load, store

__all__ = ["put", "put9", "coordinates_are_shared", "zero_first"]


@inlined
def coordinates_are_shared(topology):
    """Do joints share coordinates (mimic joints)?"""
    n = topology.shape[0] - 1
    count = 0
    for i in range(n):
        count += 6 if topology[i, KIND] == FLOATING else 1
    return count > topology[n, V]


@inlined
def zero_first(out, size, shared, lanes, like):
    """Zeros where they are needed: for lanes the driver sees to what is never written."""
    if lanes == 1 or shared:
        for k in range(size):
            store(out, k * lanes, like)


@inlined
def put(out, row, column, nv, value, shared, lanes, like):
    """Write an entry; where joints share coordinates, add it."""
    at = (row * nv + column) * lanes
    if shared:
        value = load(out, at, like) + value
    store(out, at, value)


@inlined
def put9(out, row, column, nv, block, shared, lanes, like):
    """Write nine entries, a 3x3 block row by row."""
    for k in range(9):
        put(out, row + k // 3, column + k % 3, nv, block[k], shared, lanes, like)
