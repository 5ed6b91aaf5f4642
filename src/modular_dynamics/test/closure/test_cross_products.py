"""Cross products against NumPy's."""

import numpy as np

from modular_dynamics.closure.cross_products import cross, cross_rows


def test_they_are_those_of_numpy():
    a, b = np.random.default_rng(1).normal(size=(2, 5, 3))
    assert np.array_equal(cross(a[0], b[0]), np.cross(a[0], b[0]))
    assert np.array_equal(cross_rows(a, b), np.cross(a, b))
