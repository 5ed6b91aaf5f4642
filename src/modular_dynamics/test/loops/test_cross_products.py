"""Cross products against NumPy's."""

import numpy as np

from modular_dynamics.loops.cross_products import cross


def test_they_are_those_of_numpy():
    a, b = np.random.default_rng(1).normal(size=(2, 5, 3))
    assert np.array_equal(cross(a, b), np.cross(a, b))
    assert np.array_equal(cross(a[:, None], b), np.cross(a[:, None], b))
