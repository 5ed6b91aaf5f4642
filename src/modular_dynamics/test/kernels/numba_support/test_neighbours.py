"""Neighbouring quantities: what is read and written, compiled and interpreted; tables that are refused."""

import numpy as np
import pytest
from numba import TypingError, config, njit

from modular_dynamics.kernels.numba_support import neighbours


@njit
def three_of_row(table, row, column):
    return neighbours.row3(table, row, column)


@njit
def moved_by_three(array, lanes, like):
    neighbours.store3(array, 0, lanes, neighbours.load3(array, 1, lanes, like))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_rows_of_tables(dtype):
    table = np.arange(24).reshape(3, 8).astype(dtype)
    expected = tuple(table[1, 4:7])
    assert three_of_row(table, 1, 4) == expected
    assert neighbours.row3(table, 1, 4) == expected


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("lanes", [1, 3])
def test_three_quantities_are_read_and_written(dtype, lanes):
    array = np.arange(12, dtype=dtype) ** 2
    expected = array.copy()
    expected[[0, lanes, 2 * lanes]] = array[[1, 1 + lanes, 1 + 2 * lanes]]
    moved_by_three(array, lanes, dtype(0.0))
    # one behind the other: each is read before any is written
    assert np.array_equal(array, expected)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="plain Python reads any order")
def test_tables_in_fortran_order_are_refused():
    with pytest.raises(TypingError, match=r"rows of .* are not contiguous"):
        three_of_row(np.zeros((3, 8), order="F"), 1, 4)
