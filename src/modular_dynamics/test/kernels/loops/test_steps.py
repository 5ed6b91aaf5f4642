"""Steps of dependent coordinates: single ones, a floating and a spherical joint, against SciPy."""

import numpy as np
import pytest
from numba import njit
from scipy.spatial.transform import Rotation

from helpers.robots.spatial_mechanisms import platform
from modular_dynamics.closure import solver_of
from modular_dynamics.kernels.loops.steps import move_dependent

#: q: a single coordinate, a floating joint at 1, a spherical one at 8, a single coordinate.
SINGLES = np.array([0, *[-1] * 9, 12])
POSED = np.array([[1, 4, 1, 2, 3, 4, 5, 6], [-1, 8, -1, -1, -1, 7, 8, 9]])


@njit
def moved_by_kernel(split, q, saved, x, scale):
    move_dependent(split, q, saved, x, scale)


@pytest.fixture(scope="module")
def split():
    return solver_of(platform(floating=True)).system.split._replace(dependent_q=SINGLES, posed=POSED)


def turned(quaternion, omega):
    """(w x y z) after a small rotation omega in the body, by SciPy."""
    after = Rotation.from_quat(quaternion[[1, 2, 3, 0]]) * Rotation.from_rotvec(omega)
    return after.as_quat()[[3, 0, 1, 2]]


def test_a_small_step_is_a_twist(split):
    rng = np.random.default_rng(0)
    for _ in range(20):
        saved, x = rng.normal(size=13), rng.normal(size=11)
        q, scale = np.zeros(13), 1e-5
        moved_by_kernel(split, q, saved, x, scale)
        assert q[[0, 12]] == pytest.approx(saved[[0, 12]] + scale * x[[0, 10]], abs=1e-16)
        rotation = Rotation.from_quat(saved[[5, 6, 7, 4]])
        assert q[1:4] == pytest.approx(saved[1:4] + scale * rotation.apply(x[1:4]), abs=1e-14)
        for first, omega in ((4, x[4:7]), (8, x[7:10])):
            expected = turned(saved[first : first + 4], scale * omega)
            assert abs(q[first : first + 4] @ expected) == pytest.approx(1.0, abs=1e-14)
            before = saved[first : first + 4] / np.linalg.norm(saved[first : first + 4])
            assert np.abs(q[first : first + 4] - before).max() > 1e-7
            sign = np.sign(q[first : first + 4] @ expected)
            assert q[first : first + 4] == pytest.approx(sign * expected, abs=1e-10)  # to first order


def test_a_held_component_does_not_move(split):
    """The free coordinate of a joint with a quaternion is not among the dependent ones."""
    posed = POSED.copy()
    posed[1, 7] = -1
    x, saved = np.ones(11), np.array([0.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0])
    q = saved.copy()
    moved_by_kernel(split._replace(posed=posed), q, q, x, 1e-3)
    assert q[11] == 0.0
    assert q[9:11] == pytest.approx([5e-4, 5e-4], rel=1e-5)
    assert q[1:4] == pytest.approx([1e-3] * 3)
