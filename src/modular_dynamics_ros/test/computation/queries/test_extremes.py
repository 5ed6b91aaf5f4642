"""Largest values of polynomials in Bernstein form against dense sampling with scipy."""

import numpy as np
import pytest
from scipy.interpolate import BPoly

from modular_dynamics_ros.computation.queries.extremes import Extreme, largest

pytestmark = pytest.mark.ros

SHARES = np.linspace(0.0, 1.0, 2001)


def values(pieces, shares=SHARES):
    """Of each piece (m, shares)."""
    return np.array([BPoly(piece[:, np.newaxis], [0.0, 1.0])(shares) for piece in pieces.T])


@pytest.mark.parametrize("degree", range(6))
@pytest.mark.parametrize("seed", range(5))
def test_the_largest_of_random_pieces(degree, seed):
    pieces = np.random.default_rng(seed).normal(size=(degree + 1, 40))
    sampled = values(pieces)
    above = sampled.max() - 0.01
    found = largest(pieces, above, 1e-9)
    assert values(pieces[:, [found.piece]], [found.share])[0, 0] == pytest.approx(found.value, abs=1e-12)
    assert found.value >= sampled.max() - 1e-8  # a millionth of the excess
    # slopes are 10 times the largest coefficient at most, and vanish there
    assert found.value <= sampled.max() + 1e-4
    assert largest(pieces, sampled.max() - 5.0, 1e-9).value == pytest.approx(found.value, abs=2 * 5e-6)
    assert largest(pieces, found.value + 2e-9, 1e-9) is None


def test_coefficients_above_a_limit_that_the_polynomial_keeps():
    hump = np.array([[0.0], [1.0], [0.0]])  # 2 s (1 - s)
    assert largest(hump, 0.5, 1e-9) is None
    assert largest(hump, 0.4, 1e-9) == Extreme(0, 0.5, 0.5)


def test_ends_count_and_the_first_of_equal_ones():
    pieces = np.array([[0.0, 1.0, 2.0], [0.5, 1.5, 1.0], [1.0, 2.0, 0.0]])
    assert largest(pieces, 0.0, 1e-9) == Extreme(2, 0.0, 2.0)
    assert largest(pieces[:, [0, 1, 1]], 0.0, 1e-9) == Extreme(1, 1.0, 2.0)
    assert largest(pieces, 2.0, 1e-9) is None


def test_a_narrow_peak_between_flat_pieces():
    pieces = np.zeros((6, 1000))
    pieces[1, 700] = 1.0  # 5 s (1 - s)^4
    found = largest(pieces, 0.1, 1e-12)
    assert (found.piece, found.share) == (700, pytest.approx(0.2, abs=1e-3))
    assert found.value == pytest.approx(0.8**4, abs=1e-6)


def test_the_same_largest_value_in_every_piece():
    pieces = np.tile([[0.0], [0.7], [0.3], [-0.2], [0.9], [0.0]], 500)
    found = largest(pieces, 0.0, 1e-9)
    assert found.value == pytest.approx(values(pieces[:, :1]).max(), abs=1e-6)
    assert found.value == pytest.approx(largest(pieces[:, :1], 0.0, 1e-9).value, abs=1e-6)


def test_no_pieces():
    assert largest(np.zeros((4, 0)), -1.0, 1e-9) is None
