"""Instants between the points of a trajectory, against scipy's splines."""

import numpy as np
import pytest
from scipy.interpolate import BPoly

from modular_dynamics_ros.computation.queries import samples as module
from modular_dynamics_ros.computation.queries.samples import SPACING, samples
from modular_dynamics_ros.computation.queries.spline import completed

pytestmark = pytest.mark.ros

INSTANTS = np.array([10, 250, 400, 1000]) * 1_000_000


def of(degree, count=4, joints=3, seed=2):
    numbers = np.random.default_rng(seed)
    q, v, a = numbers.normal(size=(3, count, joints))
    v, a = None if degree < 3 else v, None if degree < 5 else a
    given = q, v, a
    return given, samples(INSTANTS[:count], *completed(INSTANTS[:count], *given), degree)


@pytest.mark.parametrize("degree", [1, 3, 5])
def test_values_are_those_of_the_spline(degree):
    given, found = of(degree)
    t, between = 1e-9 * INSTANTS, ~found.is_point
    derivatives = np.stack([one for one in given if one is not None], axis=1)
    for k in range(3):
        pieces = [BPoly.from_derivatives(t[p : p + 2], derivatives[p : p + 2, :, k]) for p in range(3)]
        for point, instant, *values in zip(
            found.points[between],
            found.instants[between],
            *(one[between, k] for one in found[2:5]),
            strict=True,
        ):
            piece, x = pieces[point], 1e-9 * instant
            expected = [float(one(x)) for one in (piece, piece.derivative(), piece.derivative(2))]
            assert values == pytest.approx(expected, rel=1e-5, abs=1e-5)  # instants are whole nanoseconds


@pytest.mark.parametrize("degree", [1, 3, 5])
def test_points_stay_and_joints_never_move_far_between(degree):
    (q, *_), found = of(degree)
    assert found.q[found.is_point].tolist() == q.tolist()
    assert found.instants[found.is_point].tolist() == INSTANTS.tolist()
    assert (np.diff(found.instants) >= 0).all()
    assert (found.points == np.searchsorted(INSTANTS, found.instants, side="right") - 1)[found.is_point].all()
    assert np.abs(np.diff(found.q, axis=0)).max() <= SPACING * (1.0 + 1e-6)


def test_dense_points_have_nothing_between():
    t = 0.2e-9 * INSTANTS[:, None]
    points = 0.1 * np.sin(t), 0.02 * np.cos(t), -0.004 * np.sin(t)
    assert samples(INSTANTS, *completed(INSTANTS, *points), 5).is_point.all()
    assert samples(INSTANTS[:1], *completed(INSTANTS[:1], points[0][:1], None, None), 1).is_point.all()


@pytest.mark.parametrize("stroke", [0.001, 0.04, 0.08, 0.5])
def test_the_largest_acceleration_from_rest_to_rest_is_near_an_instant(stroke):
    """10 / sqrt(3) times stroke by time squared, at a share of 0.211."""
    q, rest = np.array([[0.0], [stroke]]), np.zeros((2, 1))
    found = samples(np.array([0, 100_000_000]), q, rest, rest, 5)
    assert np.abs(found.a).max() == pytest.approx(10.0 / np.sqrt(3.0) * stroke / 0.1**2, rel=0.01)


def test_there_is_a_most(monkeypatch):
    monkeypatch.setattr(module, "MOST", 50)
    _, found = of(3)
    assert 20 < (~found.is_point).sum() <= 50 + 3
    assert found.instants[found.is_point].tolist() == INSTANTS.tolist()


def test_where_says_what_is_meant():
    _, found = of(5)
    assert found.where(0) == "point 0"
    assert found.where(1).endswith("s, after point 0")
