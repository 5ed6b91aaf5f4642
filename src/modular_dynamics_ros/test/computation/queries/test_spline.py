"""Completed points against polynomials whose values and derivatives are known."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from modular_dynamics_ros.computation.queries.spline import completed

pytestmark = pytest.mark.ros

S = 1_000_000_000
TIMES = np.array([0.0, 0.5, 2.0])
INSTANTS = (TIMES * S).astype(np.int64)
Q = np.array([[0.0, 1.0], [1.0, -2.0], [4.0, 0.0]])


def test_positions_alone_are_joined_by_straight_lines():
    q, v, a = completed(INSTANTS, Q, None, None)
    assert q is Q
    assert v.tolist() == [[2.0, -6.0], [2.0, 4 / 3], [2.0, 4 / 3]]
    assert not a.any()


def test_positions_and_velocities_are_joined_by_cubics():
    v = np.array([[1.0, 0.0], [-1.0, 2.0], [0.5, -0.5]])
    _, given, a = completed(INSTANTS, Q, v, None)
    spline = CubicHermiteSpline(TIMES, Q, v).derivative(2)
    assert given is v
    assert a[:2] == pytest.approx(spline(TIMES[:2]), rel=1e-12)  # of the piece that begins there
    assert a[2] == pytest.approx(spline(TIMES[2] - 1e-12), rel=1e-9)


def test_what_is_given_stays():
    v, a = np.ones((3, 2)), np.full((3, 2), 2.0)
    assert [one.tolist() for one in completed(INSTANTS, Q, v, a)] == [Q.tolist(), v.tolist(), a.tolist()]


def test_a_single_point_stands_still():
    _, v, a = completed(INSTANTS[:1], Q[:1], None, None)
    assert not v.any()
    assert not a.any()
    assert completed(INSTANTS[:1], Q[:1], Q[:1], None)[2].tolist() == [[0.0, 0.0]]


def test_points_that_are_too_far_apart_are_not_finite():
    _, v, _ = completed(np.array([0, 1]), np.array([[-1e308], [1e308]]), None, None)
    assert not np.isfinite(v).all()
