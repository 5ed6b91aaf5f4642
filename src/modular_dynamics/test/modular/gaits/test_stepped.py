"""Between knots: quintics through q, v and a of both; states computed forwards, and kept for a while."""

from dataclasses import dataclass

import numpy as np
import pytest

from modular_dynamics.modular.gaits.stepped import KEPT, Stepped

POLYNOMIAL = np.polynomial.Polynomial([0.3, -1.0, 0.5, 2.0, -1.5, 0.4])


@dataclass(frozen=True)
class Counting(Stepped):
    """Knots of a function of time; state k is the number k."""

    knot_at: object
    _interval: float
    calls: list
    joint_names: tuple = ("j",)
    ramp: float = 0.0
    _first = np.zeros(1)

    def _advance(self, x):
        self.calls.append(x)
        return x + 1.0

    def _knot(self, x):
        return self.knot_at(self._interval * x)

    def mapping(self):
        return {}


def exact(t):
    return tuple(np.atleast_1d(f(t)) for f in (POLYNOMIAL, POLYNOMIAL.deriv(1), POLYNOMIAL.deriv(2)))


def test_polynomials_of_degree_five_are_met_everywhere():
    times = np.array([1.9, 0.0, 0.33, 0.7, 1.4, 1.05])
    found = Counting(exact, 0.7, []).states(times)
    for values, expected in zip(found, exact(times), strict=True):
        assert values[:, 0] == pytest.approx(expected, abs=1e-12)


def test_rest_to_rest_is_the_motion_of_least_jerk():
    """10 u^3 - 15 u^4 + 6 u^5; peaks 15/8 and 10/sqrt(3) as the gait of coupled maps promises."""
    u = np.linspace(0.0, 1.0, 10001)[:-1]
    state = Counting(lambda t: (0.2 + 2.0 * t, 0.0 * t, 0.0 * t), 0.5, []).states(0.5 * u)
    assert state.q[:, 0] == pytest.approx(0.2 + u**3 * (10 - 15 * u + 6 * u**2), abs=1e-14)
    assert np.abs(state.v).max() == pytest.approx(15 / 8 / 0.5, rel=1e-7)
    assert np.abs(state.a).max() == pytest.approx(10 / np.sqrt(3) / 0.25, rel=1e-6)


def test_any_order_gives_the_same_states_and_memory_is_bounded():
    calls = []
    gait = Counting(exact, 1.0, calls)
    for k in (10, 3, 5 * KEPT, 5 * KEPT - 100, 7, 0, 3 * KEPT):
        assert gait._x(k)[0] == k
    before = len(calls)
    assert gait._x(3 * KEPT - 100)[0] == 3 * KEPT - 100
    assert len(calls) == before  # near the last one: kept
    assert len(gait._kept[1]) <= 2 * KEPT
