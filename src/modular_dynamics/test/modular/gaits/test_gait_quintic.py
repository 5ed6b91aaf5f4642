"""Quintics between knots: through q, v and a of the knots, exact for polynomials of degree five."""

import numpy as np
import pytest

from modular_dynamics.modular.gaits.gait import GaitState, between_knots

POLYNOMIAL = np.polynomial.Polynomial([0.3, -1.0, 0.5, 2.0, -1.5, 0.4])


def exact(t):
    derivatives = POLYNOMIAL, POLYNOMIAL.deriv(1), POLYNOMIAL.deriv(2)
    return GaitState(*(np.atleast_1d(f(t)) for f in derivatives))


def test_polynomials_of_degree_five_are_met_everywhere():
    times = np.array([1.9, 0.0, 0.33, 0.7, 1.4, 1.05])
    found = between_knots(lambda k: exact(0.7 * k), times, 0.7)
    for values, expected in zip(found, exact(times), strict=True):
        assert values[:, 0] == pytest.approx(expected, abs=1e-12)


def test_rest_to_rest_is_the_motion_of_least_jerk():
    """10 u^3 - 15 u^4 + 6 u^5; peaks 15/8 and 10/sqrt(3) as the gait of coupled maps promises."""
    ends = np.array([[0.2], [1.2]])
    knot = lambda k: GaitState(ends[k], np.zeros(1), np.zeros(1))  # noqa: E731
    u = np.linspace(0.0, 1.0, 10001)[:-1]
    state = between_knots(knot, 0.5 * u, 0.5)
    assert state.q[:, 0] == pytest.approx(0.2 + u**3 * (10 - 15 * u + 6 * u**2), abs=1e-14)
    assert np.abs(state.v).max() == pytest.approx(15 / 8 / 0.5, rel=1e-7)
    assert np.abs(state.a).max() == pytest.approx(10 / np.sqrt(3) / 0.25, rel=1e-6)
