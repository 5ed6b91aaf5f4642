"""Completed points, and pieces between them, against polynomials whose values and derivatives are known."""

import numpy as np
import pytest
from scipy.interpolate import BPoly, CubicHermiteSpline

from modular_dynamics_ros.computation.queries.spline import completed, pieces

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


@pytest.mark.parametrize("degree", [3, 5])
def test_pieces_are_those_of_scipy(degree):
    numbers = np.random.default_rng(degree)
    instants = np.cumsum(numbers.integers(1, 3 * S, 12))
    q, v, a = numbers.normal(size=(3, 12))
    times = 1e-9 * instants
    if degree == 3:
        a, spline = None, CubicHermiteSpline(times, q, v)
    else:
        spline = BPoly.from_derivatives(times, np.transpose([q, v, a]))
    found = pieces(instants, q, v, a)
    assert [len(one) for one in found] == [degree + 1, degree]
    at = np.sort(numbers.uniform(times[0], times[-1], 200))
    assert BPoly(found[0], times)(at) == pytest.approx(spline(at), abs=1e-9)
    assert BPoly(found[1], times)(at) == pytest.approx(spline.derivative()(at), abs=1e-7)
    for one, given in zip(found, (q, v), strict=True):  # a number that is at a limit stays there
        assert one[0].tolist() == given[:-1].tolist()
        assert one[-1].tolist() == given[1:].tolist()


def test_one_point_has_no_pieces():
    assert [one.shape for one in pieces(INSTANTS[:1], *np.ones((2, 1)), None)] == [(4, 0), (3, 0)]


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
