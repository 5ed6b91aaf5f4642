"""Householder triangularization with column pivoting: A P = Q R (Golub & Van Loan, section 5.4).

Least squares, minimum-norm solutions and the rank from one factorization, of a part of a matrix: ``rows`` and
``columns`` are the first of it and the one behind the last. Vectors have an entry for each row or column of
the whole matrix. The arrays are the caller's: nothing is allocated.
"""

import math

from ..numba_support.compilation import inlined, inlined_strictly

__all__ = ["factor", "largest_column", "least_squares", "minimum_norm"]


@inlined_strictly
def largest_column(A, rows, columns):
    """The largest norm of a column."""
    largest = 0.0
    for k in range(columns[0], columns[1]):
        square = 0.0
        for i in range(rows[0], rows[1]):
            square += A[i, k] * A[i, k]
        largest = max(largest, square)
    return math.sqrt(largest)


@inlined
def factor(A, heads, order, rows, columns, least):
    """Replace a part of A by R on and above its diagonal and the reflectors below it; returns the rank.

    ``heads`` takes the reflectors' first entries, ``order`` the columns in the order of the pivots. A column
    whose remainder is at most ``least`` does not count.
    """
    (top, bottom), (first, stop) = rows, columns
    for k in range(first, stop):
        order[k] = k
        square = 0.0
        for i in range(top, bottom):
            square += A[i, k] * A[i, k]
        heads[k] = square  # of a column whose turn has not come: the square of its remainder
    for rank in range(min(bottom - top, stop - first)):
        k, diagonal = first + rank, top + rank
        best, pivot = -1.0, k
        for j in range(k, stop):
            if heads[j] > best:
                best, pivot = heads[j], j
        norm = math.sqrt(best)
        if not norm > least:
            return rank
        if pivot != k:
            for i in range(top, bottom):
                A[i, k], A[i, pivot] = A[i, pivot], A[i, k]
            order[k], order[pivot] = order[pivot], order[k]
            heads[pivot] = heads[k]
        alpha = -norm if A[diagonal, k] > 0.0 else norm
        heads[k] = A[diagonal, k] - alpha
        A[diagonal, k] = alpha
        # loops that have little to do with each other make a sparse A, and what is zero stays so
        square, low, high = heads[k] * heads[k], bottom, diagonal + 1
        for i in range(diagonal + 1, bottom):
            if A[i, k] != 0.0:
                low, high = min(low, i), i + 1
                square += A[i, k] * A[i, k]
        for j in range(k + 1, stop):
            total = heads[k] * A[diagonal, j]
            for i in range(low, high):
                total += A[i, k] * A[i, j]
            if total == 0.0 and A[diagonal, j] == 0.0:
                continue
            total *= 2.0 / square
            A[diagonal, j] -= total * heads[k]
            for i in range(low, high):
                A[i, j] -= total * A[i, k]
            left = 0.0
            for i in range(diagonal + 1, bottom):
                left += A[i, j] * A[i, j]
            heads[j] = left
    return min(bottom - top, stop - first)


@inlined_strictly
def _reflect(A, head, k, diagonal, bottom, b):
    """b <- H b, with the reflector below the diagonal of column k."""
    square, total = head * head, head * b[diagonal]
    for i in range(diagonal + 1, bottom):
        square += A[i, k] * A[i, k]
        total += A[i, k] * b[i]
    total *= 2.0 / square
    b[diagonal] -= total * head
    for i in range(diagonal + 1, bottom):
        b[i] -= total * A[i, k]


@inlined_strictly
def least_squares(A, heads, order, rows, columns, rank, b, x):
    """x with the least |A x - b|; of several the one with zeros for columns that do not count.

    b is overwritten: behind its first ``rank`` entries with what is left, turned by Q^T.
    """
    (top, bottom), (first, stop) = rows, columns
    for k in range(rank):
        _reflect(A, heads[first + k], first + k, top + k, bottom, b)
    for k in range(first, stop):
        x[k] = 0.0
    for k in range(rank - 1, -1, -1):
        total = b[top + k]
        for j in range(k + 1, rank):
            total -= A[top + k, first + j] * x[order[first + j]]
        x[order[first + k]] = total / A[top + k, first + k]


@inlined_strictly
def minimum_norm(A, heads, order, rows, columns, rank, c, y):
    """The shortest y with A^T y = c; where the rank is short, for the columns that count."""
    (top, bottom), first = rows, columns[0]
    for i in range(top, bottom):
        y[i] = 0.0
    for k in range(rank):
        total = c[order[first + k]]
        for i in range(k):
            total -= A[top + i, first + k] * y[top + i]
        y[top + k] = total / A[top + k, first + k]
    for k in range(rank - 1, -1, -1):
        _reflect(A, heads[first + k], first + k, top + k, bottom, y)
