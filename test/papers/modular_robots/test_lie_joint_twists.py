"""Unit twists of joints: as printed, points of the axis stay, pitch is travel per radian; bad input."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.random_examples.dual_quaternions import vectors
from modular_dynamics.exceptions import StateError
from papers.modular_robots import lie


def test_twists_as_printed():
    """Eqs. 10-12: (-omega x p, omega), (0, omega), (v, 0)."""
    assert lie.revolute_twist([0, 0, 1], [1, 0, 0]).tolist() == [0, -1, 0, 0, 0, 1]
    assert lie.revolute_twist([0, 5, 0]).tolist() == [0, 0, 0, 0, 1, 0]
    assert lie.prismatic_twist([-2, 0, 0]).tolist() == [-1, 0, 0, 0, 0, 0]
    assert lie.screw_twist([0, 0, 1], [1, 0, 0], 0.5).tolist() == [0, -1, 0.5, 0, 0, 1]


@given(vectors, vectors, st.floats(-3.0, 3.0), st.floats(-4.0, 4.0), st.floats(-10.0, 10.0))
def test_points_of_the_axis_travel_along_it(axis, point, pitch, q, along):
    assume(np.abs(axis).max() > 0.0)
    s = lie.screw_twist(axis, point, pitch)
    unit = s[3:]
    assert np.linalg.norm(unit) == pytest.approx(1.0, abs=1e-15)
    on_axis = point + along * unit
    moved = lie.exp(s, q) @ [*on_axis, 1.0]
    assert moved[:3] == pytest.approx(on_axis + pitch * q * unit, abs=1e-12)


@given(vectors, st.floats(-10.0, 10.0))
def test_any_point_of_the_axis_gives_the_same_twist(point, along):
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    other = lie.revolute_twist(axis, point + along * axis)
    assert lie.revolute_twist(axis, point) == pytest.approx(other, abs=1e-13)


@pytest.mark.parametrize("length", [1e-200, 1e200])
def test_axes_of_any_length(length):
    assert lie.prismatic_twist([0.0, 3.0 * length, 4.0 * length]) == pytest.approx([0, 0.6, 0.8, 0, 0, 0])


def test_many_at_once_are_those_of_one():
    axes, points = np.random.default_rng(0).normal(size=(2, 4, 3))
    pitches = np.arange(4.0)
    for k, s in enumerate(lie.screw_twist(axes, points, pitches)):
        assert np.array_equal(s, lie.screw_twist(axes[k], points[k], pitches[k]))
    assert lie.revolute_twist([0, 0, 1], points).shape == (4, 6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lie.revolute_twist([0, 0, 0]), "axis is zero; an axis with a direction is needed"),
        (lambda: lie.prismatic_twist([0, 0, 0]), "axis is zero"),
        (lambda: lie.prismatic_twist([0, 0]), r"axis has shape \(2,\); \(..., 3\) is needed"),
        (lambda: lie.revolute_twist([0, 0, 1], [0, math.inf, 0]), "point is not finite"),
        (lambda: lie.screw_twist([0, 0, 1], [0, 0, 0], "fine"), "pitch is not an array of numbers"),
        (lambda: lie.screw_twist([1, 1, 0], [1.7e308, -1.7e308, 0], 0.0), "so large that the result is not"),
        (lambda: lie.screw_twist(np.ones((2, 3)), np.ones((3, 3)), 0.0), "leading dimensions that fit"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(StateError, match=message):
        call()
