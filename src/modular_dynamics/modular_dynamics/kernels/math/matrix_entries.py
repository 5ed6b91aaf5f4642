"""Writing the entries of matrices whose rows and columns are a graph's velocities."""

from ..layout import VELOCITIES, V
from ..numba_support.compilation import inlined
from ..numba_support.memory import load, store

__all__ = ["add_on_diagonal", "coordinates_are_shared", "put", "put9", "zero_first"]


@inlined
def coordinates_are_shared(topology):
    """Do joints share coordinates (mimic joints)?"""
    n = topology.shape[0] - 1
    shared = False
    for i in range(n):
        shared = shared or topology[i, VELOCITIES] == 0
    return shared


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


@inlined
def add_on_diagonal(out, first, topology, constants, column, lanes, like):
    """Add a column of the constants, by joint, to the diagonal of the matrix that begins at row ``first``."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    for i in range(n):
        for k in range(topology[i, V], topology[i, V] + topology[i, VELOCITIES]):
            at = ((first + k) * nv + k) * lanes
            store(out, at, load(out, at, like) + constants[i, column])
