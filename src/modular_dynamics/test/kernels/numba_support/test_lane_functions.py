"""Functions of lanes and of floats: compiled and interpreted alike."""

import numpy as np
import pytest
from numba import njit

from modular_dynamics.kernels.numba_support.lane_functions import (
    absolute,
    any_differs,
    chosen,
    nearest_whole,
    shifted,
    square_root,
)
from modular_dynamics.kernels.numba_support.memory import load, store, zero_float64, zero_float64x8


@njit
def written(x, y, out):
    for k in range(0, 8, 8):
        a, b = load(x, k, zero_float64x8()), load(y, k, zero_float64x8())
        store(out, 0, square_root(a))
        store(out, 8, absolute(a))
        store(out, 16, nearest_whole(a))
        store(out, 24, chosen(a, b, -1.0))
        store(out, 32, shifted(a, 7.5))
    return any_differs(load(x, 0, zero_float64x8()), load(y, 0, zero_float64x8()))


@njit
def written_one_by_one(x, y, out):
    for k in range(8):
        a, b = load(x, k, zero_float64()), load(y, k, zero_float64())
        store(out, k, square_root(a))
        store(out, 8 + k, absolute(a))
        store(out, 16 + k, nearest_whole(a))
        store(out, 24 + k, chosen(a, b, -1.0))


X = np.array([4.0, -2.6, 0.0, 0.49, 1e300, np.nan, -0.1, np.inf])
Y = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])


@pytest.mark.parametrize("function", [written, written_one_by_one])
def test_each_function(function):
    out = np.zeros(40)
    function(X, Y, out)
    with np.errstate(invalid="ignore"):
        assert np.array_equal(out[:8], np.sqrt(X), equal_nan=True)
    assert np.array_equal(out[8:16], np.abs(X), equal_nan=True)
    assert np.array_equal(out[16:24], np.rint(X), equal_nan=True)
    assert out[24:32].tolist() == [1.0, -1.0, -1.0, 4.0, 5.0, -1.0, -1.0, 8.0]


def test_lanes_are_shifted():
    out = np.zeros(40)
    written(X, Y, out)
    assert np.array_equal(out[32:], [7.5, *X[:7]], equal_nan=True)


def test_any_lane_that_differs():
    out = np.zeros(40)
    assert written(X, Y, out)
    assert not written(Y, Y.copy(), out)
    other = Y.copy()
    other[7] = np.nan
    assert written(other, other, out)
