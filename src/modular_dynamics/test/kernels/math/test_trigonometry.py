"""Sines and cosines by polynomials, against the C library's; loads and stores of floats and lanes."""

import numpy as np
import pytest
from numba import njit

from modular_dynamics.kernels.math.trigonometry import LARGEST_ANGLE, sincos
from modular_dynamics.kernels.numba_support.memory import (
    load,
    store,
    zero_float32x16,
    zero_float64,
    zero_float64x8,
)


def sweep(zero, lanes):
    """A kernel that writes sines, and cosines behind them, in vectors of so many lanes."""

    @njit
    def swept(x, out):
        for k in range(0, x.shape[0], lanes):
            sine, cosine = sincos(load(x, k, zero()))
            store(out, k, sine)
            store(out, x.shape[0] + k, cosine)

    return swept


SWEEPS = [
    (sweep(zero_float64x8, 8), np.float64, 2.3e-16),
    (sweep(zero_float64, 1), np.float64, 2.3e-16),
    (sweep(zero_float32x16, 16), np.float32, 1.2e-7),
]


@pytest.mark.parametrize(("sweep", "kind", "ulp"), SWEEPS)
@pytest.mark.parametrize("size", [1e-8, 1.0, 10.0, 1e3, LARGEST_ANGLE])
def test_sine_and_cosine(sweep, kind, ulp, size):
    rng = np.random.default_rng(0)
    quarters = np.pi / 2 * np.arange(-8, 8)  # where signs and roles change
    x = np.concatenate([rng.uniform(-size, size, 4080), quarters[np.abs(quarters) < 1e9]]).astype(kind)
    out = np.empty(2 * len(x), kind)
    sweep(x, out)
    exact = x.astype(np.float64)
    # both lie in [-1, 1]: one unit in the last place of 1
    assert np.abs(out[: len(x)] - np.sin(exact)).max() <= ulp
    assert np.abs(out[len(x) :] - np.cos(exact)).max() <= ulp
