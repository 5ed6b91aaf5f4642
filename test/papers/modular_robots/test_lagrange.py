"""Lagrange's equations against what else is known of these mechanisms: frequencies, momentum, work."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from papers.modular_robots.lagrange import Crane, DoublePendulum, growth, integrate

TIMES = np.linspace(0.0, 3.0, 3001)
MOMENTUM = 1e-6  # of the trapezoidal rule at 1 ms: 1e-6 / 12 times the second derivative of the force
MOVING = np.array([0.4, -0.7]), np.array([1.3, 2.1])


def test_a_double_pendulum_swings_in_its_two_modes():
    """Of m = 1 kg, l = 1 m each: frequencies squared are g (2 -+ sqrt 2), amplitudes 1 : +-sqrt 2."""
    for sign in (1.0, -1.0):
        frequency = np.sqrt(9.81 * (2.0 - sign * np.sqrt(2.0)))
        mode = 1e-5 * np.array([1.0, sign * np.sqrt(2.0)])
        x, _ = integrate(DoublePendulum(1.0, 1.0, 1.0, 1.0), mode, TIMES)
        np.testing.assert_allclose(x, np.cos(frequency * TIMES)[:, None] * mode, atol=1e-12)  # of third order


def test_a_crane_swings_faster_than_its_pendulum():
    x, _ = integrate(Crane(2.0, 1.0, 0.8), np.array([0.0, 1e-5]), TIMES)
    frequency = np.sqrt(9.81 / 0.8 * (2.0 + 1.0) / 2.0)
    np.testing.assert_allclose(x[:, 1], 1e-5 * np.cos(frequency * TIMES), atol=1e-12)


def test_the_force_on_the_cart_gives_momentum_and_work():
    crane = Crane(2.0, 1.5, 0.8, force=lambda t: 6.0 * np.sin(3.0 * t))
    x, v = integrate(crane, np.array([0.1, 1.2]), TIMES)
    force = 6.0 * np.sin(3.0 * TIMES)
    momentum = 3.5 * v[:, 0] + 1.5 * 0.8 * np.cos(x[:, 1]) * v[:, 1]
    np.testing.assert_allclose(momentum, 2.0 * (1.0 - np.cos(3.0 * TIMES)), atol=1e-10)
    work = np.array([trapezoid((force * v[:, 0])[:k], TIMES[:k]) for k in (1000, 2000, 3001)])
    gained = crane.energy(x, v) - crane.energy(x[0], v[0])
    np.testing.assert_allclose(gained[[999, 1999, 3000]], work, atol=60.0 * MOMENTUM)


@pytest.mark.parametrize("equations", [DoublePendulum(1.0, 1.5, 1.0, 0.6), Crane(2.0, 1.0, 1.0)])
def test_energy_keeps_its_value_at_every_acceleration(equations):
    """Its rate by central differences along the accelerations."""
    (x, v), h = MOVING, 1e-5
    a = equations.accelerations(0.0, x, v)
    ends = [equations.energy(x + s * h * v + 0.5 * h * h * a, v + s * h * a) for s in (1.0, -1.0)]
    assert ends[0] - ends[1] == pytest.approx(0.0, abs=2.0 * h * 1e-7)


def test_growth_of_a_free_cart_is_none_and_of_a_pendulum_upside_down_is_exponential():
    assert growth(Crane(2.0, 1.0, 1.0), np.array([0.0, 1.5]), TIMES) == pytest.approx(1.0, abs=1e-6)
    upside_down = growth(DoublePendulum(1e9, 1e-3, 1.0, 1.0), np.array([np.pi, np.pi]), TIMES[:1001])
    rate = np.sqrt(9.81)  # th1 grows by cosh, and drives th2 at its own rate, after 1 s to:
    assert upside_down == pytest.approx(rate / 2.0 * np.sinh(rate), rel=1e-5)
