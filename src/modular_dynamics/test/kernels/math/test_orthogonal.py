"""Pivoted triangularization against numpy: rank, least squares, minimum norm; sparse and redundant rows."""

import numpy as np
import pytest
from numba import njit

from modular_dynamics.kernels.math import orthogonal


def _called(function):
    """Machine code that Python can call; that of functions which kernels inline is not."""
    return njit(getattr(function, "py_func", function))


factor, largest_column, least_squares, minimum_norm = map(
    _called,
    (orthogonal.factor, orthogonal.largest_column, orthogonal.least_squares, orthogonal.minimum_norm),
)
RNG = np.random.default_rng(0)


def blocks(rows, columns, count):
    """Blocks along a diagonal, each a stranger to the others, rows shuffled, some rows zero."""
    A = np.zeros(((rows + 1) * count, columns * count))
    for k in range(count):
        A[rows * k : rows * (k + 1), columns * k : columns * (k + 1)] = RNG.normal(size=(rows, columns))
    return RNG.permutation(A)


MATRICES = {
    "tall": RNG.normal(size=(7, 4)),
    "square": RNG.normal(size=(5, 5)),
    "wide": RNG.normal(size=(3, 6)),
    "redundant rows": np.repeat(RNG.normal(size=(3, 3)), 2, axis=0),
    "short of rank": RNG.normal(size=(6, 2)) @ RNG.normal(size=(2, 4)),
    "blocks": blocks(5, 2, 6),
    "zero": np.zeros((4, 3)),
    "a zero column": RNG.normal(size=(4, 3)) * [1.0, 0.0, 1.0],
}


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", MATRICES)
def test_against_numpy(name, order):
    given = MATRICES[name]
    (m, n), part = given.shape, ((0, given.shape[0]), (0, given.shape[1]))
    A, heads, pivots = np.array(given, order=order), np.zeros(n), np.zeros(n, np.int64)
    largest = largest_column(A, *part)
    assert largest == pytest.approx(np.linalg.norm(given, axis=0).max())
    rank = factor(A, heads, pivots, *part, 1e-11 * largest)
    assert rank == np.linalg.matrix_rank(given)
    assert sorted(pivots) == list(range(n))
    sizes = np.abs(np.diag(A)[:rank])
    assert (np.diff(sizes) <= 1e-12 * sizes[:1].sum()).all()  # the pivots fall
    R = np.triu(A[: min(m, n)])[:rank]
    P = given[:, pivots]
    assert pytest.approx(P.T @ P, abs=1e-12) == R.T @ R  # Q is orthogonal, and what is left out is nothing
    b, x = RNG.normal(size=m), np.zeros(n)
    worked = b.copy()
    least_squares(A, heads, pivots, *part, rank, worked, x)
    best = np.linalg.lstsq(given, b, rcond=1e-11)[0]
    assert given @ x == pytest.approx(given @ best, abs=1e-12)
    assert np.linalg.norm(worked[rank:]) == pytest.approx(np.linalg.norm(b - given @ best), abs=1e-12)
    assert not x[pivots[rank:]].any()
    c, y = given.T @ RNG.normal(size=m), np.zeros(m)
    minimum_norm(A, heads, pivots, *part, rank, c, y)
    assert y == pytest.approx(np.linalg.pinv(given.T, rcond=1e-11) @ c, abs=1e-10)


@pytest.mark.parametrize("name", MATRICES)
def test_a_part_of_a_matrix_is_as_if_alone_and_the_rest_stays(name):
    given = MATRICES[name]
    (m, n), top, first = given.shape, 3, 2
    whole = RNG.normal(size=(m + 5, n + 6))
    whole[top : top + m, first : first + n] = given
    part, alone = ((top, top + m), (first, first + n)), ((0, m), (0, n))
    results = []
    for A, (rows, columns) in ((whole.copy(), part), (given.copy(), alone)):
        heads, order = np.full(A.shape[1], 7.0), np.full(A.shape[1], 7)
        least = 1e-11 * largest_column(A, rows, columns)
        rank = factor(A, heads, order, rows, columns, least)
        b, x, y = np.ones(A.shape[0]), np.full(A.shape[1], 7.0), np.full(A.shape[0], 7.0)
        least_squares(A, heads, order, rows, columns, rank, b, x)
        minimum_norm(A, heads, order, rows, columns, rank, np.ones(A.shape[1]), y)
        for vector, (start, stop) in ((x, columns), (heads, columns), (y, rows)):
            assert (np.delete(vector, np.s_[start:stop]) == 7.0).all()
        changed = A[rows[0] : rows[1], columns[0] : columns[1]].copy()
        A[rows[0] : rows[1], columns[0] : columns[1]] = given
        assert A.tobytes() == (whole if len(A) > m else given).tobytes()
        own_order = order[columns[0] : columns[1]] - columns[0]
        results.append((changed, x[columns[0] : columns[1]], y[rows[0] : rows[1]], own_order, rank))
    for one, other in zip(*results, strict=True):
        assert np.array_equal(one, other)
