"""Angles of vectors by a rational function, against the C library's atan2."""

import math

import numpy as np
import pytest
from numba import njit

from modular_dynamics.kernels.math.arctangent import LARGE, arctangent
from modular_dynamics.kernels.numba_support.memory import load, store, zero_float64x8

HARD = (
    0.0,
    1.0,
    LARGE,
    np.nextafter(LARGE, 1.0),
    np.nextafter(1.0, 2.0),
    1e-300,
    1e-140,
    1e-17,
    1e140,
    0.25,
    3.0,
)


@njit
def swept(y, x, out):
    for k in range(0, x.shape[0], 8):
        store(out, k, arctangent(load(y, k, zero_float64x8()), load(x, k, zero_float64x8())))


def vectors(kind):
    rng = np.random.default_rng(0)
    if kind == "all directions":
        angle = rng.uniform(-math.pi, math.pi, 8000)
        return np.sin(angle), np.cos(angle)
    if kind == "all sizes":
        return rng.normal(size=(2, 8000)) * 10.0 ** rng.uniform(-30, 30, (2, 8000))
    if kind == "near the axes":
        angle = 0.5 * math.pi * rng.integers(-2, 3, 8000) + 10.0 ** rng.uniform(-17, -1, 8000)
        return np.sin(angle), np.cos(angle)
    signs = np.array([*HARD, *(-x for x in HARD if x != 0.0), 0.5, 0.5, 0.5])
    y, x = np.meshgrid(signs, signs)
    return np.resize(y, 600), np.resize(x, 600)


@pytest.mark.parametrize("kind", ["all directions", "all sizes", "near the axes", "hard"])
def test_to_two_units_in_the_last_place(kind):
    y, x = vectors(kind)
    out = np.empty(len(x))
    swept(y, x, out)
    exact = np.array([math.atan2(*pair) for pair in zip(y, x, strict=True)])
    assert (np.abs(out - exact) <= 2.0 * np.spacing(np.abs(exact))).all()


def test_what_is_not_finite_spoils_its_lane_alone():
    y, x, out = np.ones(8), np.ones(8), np.empty(8)
    y[2], x[5] = np.nan, np.nan
    swept(y, x, out)
    assert np.isnan(out[[2, 5]]).all()
    assert out[[0, 1, 3, 4, 6, 7]] == pytest.approx(math.pi / 4, rel=1e-15)
