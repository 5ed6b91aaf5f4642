"""Where the rods of Fig. 8 are, from the side."""

import numpy as np

from papers.modular_robots.benchmark_pictures import rods_of
from papers.modular_robots.benchmarks import crane, double_pendulum


def test_rods_of_the_double_pendulum_hang_below_each_other():
    upper, lower = rods_of(double_pendulum(), (1.0, -0.5))
    below = np.array([np.sin(1.0), -np.cos(1.0)])
    np.testing.assert_allclose(upper.top, [0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(upper.bottom, below, atol=1e-12)
    np.testing.assert_allclose(lower.top, below, atol=1e-12)
    np.testing.assert_allclose(lower.bottom, below + 0.6 * np.array([-np.sin(0.5), -np.cos(0.5)]), atol=1e-12)
    assert (upper.joint, lower.joint) == ("upper/swing", "lower/swing")
    assert (upper.mass, lower.mass) == (1.0, 1.5)


def test_the_rod_of_the_crane_moves_with_its_cart():
    (load,) = rods_of(crane(), (0.3, np.pi / 2))
    np.testing.assert_allclose([load.top, load.bottom], [[0.3, 0.0], [1.3, 0.0]], atol=1e-12)
    assert abs(load.length - 1.0) < 1e-12
