"""Householder triangularization with column pivoting: A P = Q R (Golub & Van Loan, section 5.4).

Least squares, minimum-norm solutions and the rank from one factorization. The arrays are the caller's:
nothing is allocated.
"""

import math

from ..numba_support.compilation import inlined, inlined_strictly

__all__ = ["factor", "least_squares", "minimum_norm"]


@inlined
def factor(A, heads, order, tolerance):
    """Replace A (m, n) by R on and above the diagonal and the reflectors below it; returns the rank.

    ``heads`` (n,) takes the reflectors' first entries, ``order`` (n,) the columns in the order of the pivots.
    A column whose remainder is below ``tolerance`` of the first pivot does not count.
    """
    m, n = A.shape
    for k in range(n):
        order[k] = k
        square = 0.0
        for i in range(m):
            square += A[i, k] * A[i, k]
        heads[k] = square  # of a column whose turn has not come: the square of its remainder
    first = 0.0
    for k in range(min(m, n)):
        best, pivot = -1.0, k
        for j in range(k, n):
            if heads[j] > best:
                best, pivot = heads[j], j
        norm = math.sqrt(best)
        if k == 0:
            first = norm
        if not norm > tolerance * first:
            return k
        if pivot != k:
            for i in range(m):
                A[i, k], A[i, pivot] = A[i, pivot], A[i, k]
            order[k], order[pivot] = order[pivot], order[k]
            heads[pivot] = heads[k]
        alpha = -norm if A[k, k] > 0.0 else norm
        heads[k] = A[k, k] - alpha
        A[k, k] = alpha
        # loops that have little to do with each other make a sparse A, and what is zero stays so
        square, low, high = heads[k] * heads[k], m, k + 1
        for i in range(k + 1, m):
            if A[i, k] != 0.0:
                low, high = min(low, i), i + 1
                square += A[i, k] * A[i, k]
        for j in range(k + 1, n):
            total = heads[k] * A[k, j]
            for i in range(low, high):
                total += A[i, k] * A[i, j]
            if total == 0.0 and A[k, j] == 0.0:
                continue
            total *= 2.0 / square
            A[k, j] -= total * heads[k]
            for i in range(low, high):
                A[i, j] -= total * A[i, k]
            left = 0.0
            for i in range(k + 1, m):
                left += A[i, j] * A[i, j]
            heads[j] = left
    return min(m, n)


@inlined_strictly
def _reflect(A, head, k, b):
    """b <- H_k b."""
    m = A.shape[0]
    square, total = head * head, head * b[k]
    for i in range(k + 1, m):
        square += A[i, k] * A[i, k]
        total += A[i, k] * b[i]
    total *= 2.0 / square
    b[k] -= total * head
    for i in range(k + 1, m):
        b[i] -= total * A[i, k]


@inlined_strictly
def least_squares(A, heads, order, rank, b, x):
    """x (n,) with the least |A x - b|; of several the one with zeros for columns that do not count.

    b (m,) is overwritten: behind its first ``rank`` entries with what is left, turned by Q^T.
    """
    n = A.shape[1]
    for k in range(rank):
        _reflect(A, heads[k], k, b)
    for k in range(n):
        x[k] = 0.0
    for k in range(rank - 1, -1, -1):
        total = b[k]
        for j in range(k + 1, rank):
            total -= A[k, j] * x[order[j]]
        x[order[k]] = total / A[k, k]


@inlined_strictly
def minimum_norm(A, heads, order, rank, c, y):
    """The shortest y (m,) with A^T y = c (n,); where the rank is short, for the columns that count."""
    m = A.shape[0]
    for k in range(m):
        y[k] = 0.0
    for k in range(rank):
        total = c[order[k]]
        for i in range(k):
            total -= A[i, k] * y[i]
        y[k] = total / A[k, k]
    for k in range(rank - 1, -1, -1):
        _reflect(A, heads[k], k, y)
