"""Blocks of J_d: loops that share no dependent coordinate are eliminated on their own.

J_d, with its rows and columns in the order of the blocks, is block-diagonal: loops side by side, or each on a
link of the one before, cost as much as each of them alone. Loops with a common passive joint are one block.
"""

from typing import NamedTuple

import numpy as np
from numpy import float64, int64
from numpy.typing import NDArray

from ..math.orthogonal import factor, largest_column
from ..numba_support.compilation import inlined_strictly

__all__ = [
    "DEPENDENT",
    "INDEPENDENT",
    "MOTIONS",
    "ROWS",
    "SINGLE",
    "Blocks",
    "Triangles",
    "condition_number",
    "factor_blocks",
    "part",
]

#: Columns of Blocks.bounds.
ROWS, DEPENDENT, MOTIONS, SINGLE, INDEPENDENT = range(5)
#: What is smaller than this part of the largest is no direction.
RANK_TOLERANCE = 1e-11


class Blocks(NamedTuple):
    """The members of b blocks, one block after the other.

    Attributes:
        bounds (b + 1, 5): the first entry of each block in the arrays that follow.
        rows (m,): constraint rows. dependent (d,): places among the dependent coordinates, columns (d,):
            theirs in J. motions (r,): columns of T, which keep gears closed.
        single, independent: places in ``single_v`` and ``independent_v`` (CoordinateSplit) of coordinates
            that move rows of the block; one may move several blocks.
    """

    bounds: NDArray[int64]
    rows: NDArray[int64]
    dependent: NDArray[int64]
    columns: NDArray[int64]
    motions: NDArray[int64]
    single: NDArray[int64]
    independent: NDArray[int64]


class Triangles(NamedTuple):
    """A matrix with columns in blocks, triangularized block by block (:mod:`..math.orthogonal`).

    Attributes:
        matrix (m, n), heads (n,), order (n,): rows and columns in the order of the blocks; only what is
            inside of blocks is used. ranks (b,): of each block.
    """

    matrix: NDArray[float64]
    heads: NDArray[float64]
    order: NDArray[int64]
    ranks: NDArray[int64]


@inlined_strictly
def part(blocks, b, kind):
    """The first entry of block b in an array, and the one behind its last."""
    return blocks.bounds[b, kind], blocks.bounds[b + 1, kind]


@inlined_strictly
def factor_blocks(blocks, kind, triangles):
    """Triangularize the blocks, whose columns are of this kind, in place. Returns the rank of all.

    What counts as a direction is measured by the largest column of all blocks.
    """
    matrix, heads, order, ranks = triangles
    largest, rank = 0.0, 0
    for b in range(ranks.shape[0]):
        largest = max(largest, largest_column(matrix, part(blocks, b, ROWS), part(blocks, b, kind)))
    for b in range(ranks.shape[0]):
        rows, columns = part(blocks, b, ROWS), part(blocks, b, kind)
        ranks[b] = factor(matrix, heads, order, rows, columns, RANK_TOLERANCE * largest)
        rank += ranks[b]
    return rank


@inlined_strictly
def condition_number(blocks, triangles):
    """Of triangularized J_d: largest by smallest pivot; infinite at a dead point, where a rank is short."""
    matrix, largest, smallest = triangles.matrix, 0.0, np.inf
    for b in range(triangles.ranks.shape[0]):
        (row, _), (first, stop) = part(blocks, b, ROWS), part(blocks, b, DEPENDENT)
        count = stop - first
        if triangles.ranks[b] < count:
            return np.inf
        if count > 0:
            largest = max(largest, abs(matrix[row, first]))
            smallest = min(smallest, abs(matrix[row + count - 1, stop - 1]))
    return largest / smallest if largest > 0.0 else 1.0
