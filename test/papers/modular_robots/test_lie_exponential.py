"""exp is the series of the matrix exponential, log undoes it over the whole ball; Pinocchio; bad input."""

import math

import numpy as np
import pinocchio
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from helpers.random_examples.dual_quaternions import vectors
from modular_dynamics.exceptions import StateError
from papers.modular_robots import lie

AXES = [[1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [1.0, -1.0, 1.0], [-2.0, 1.0, 0.3]]
#: Across both ends of each series and each branch of the quaternion, and up to the end of the ball.
ANGLES = [0.0, 1e-300, 1e-160, 1e-12, 1e-5, 1.99e-4, 2.01e-4, 0.0999, 0.1001, 1.0, math.pi / 2, 2.0, 3.0]
ANGLES += [math.pi - gap for gap in (1e-3, 1e-6, 1e-9, 1e-12)]
V = np.array([0.3, -0.2, 0.5])
twists = st.builds(lambda v, omega: np.concatenate([v, omega]), vectors, vectors)


@given(twists)
def test_exp_is_the_matrix_exponential(a):
    expected = scipy.linalg.expm(lie.hat(a))
    # |hat(a)| is up to 30: expm squares its approximation some five times
    assert np.abs(lie.exp(a) - expected).max() <= 1e-11 * np.abs(expected).max()
    rotation = lie.exp(a[3:])
    assert np.abs(rotation - expected[:3, :3]).max() <= 1e-11
    assert np.abs(rotation @ rotation.T - np.eye(3)).max() <= 1e-13


@pytest.mark.parametrize("angle", ANGLES)
def test_exp_at_its_series(angle):
    a = np.concatenate([V, angle * np.array([0.0, 0.6, 0.8])])
    assert lie.exp(a) == pytest.approx(scipy.linalg.expm(lie.hat(a)), abs=3e-15)


@given(twists)
def test_exp_of_pinocchio(a):
    assert np.abs(lie.exp(a) - pinocchio.exp6(a).homogeneous).max() <= 1e-12


def test_rodrigues_formula():
    """Eq. 8 without its misprint: 1 + hat(omega) sin(q) + hat(omega)^2 (1 - cos(q))."""
    omega = np.array([2.0, -1.0, 2.0]) / 3.0
    for q in np.linspace(-7.0, 7.0, 29):
        W = lie.hat(omega)
        expected = np.eye(3) + W * math.sin(q) + W @ W * (1.0 - math.cos(q))
        assert lie.exp(omega, q) == pytest.approx(expected, abs=1e-15)


@given(twists, st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_exp_along_one_twist_is_a_group(a, s, t):
    product = lie.exp(a, s) @ lie.exp(a, t)
    assert np.abs(lie.exp(a, s + t) - product).max() <= 1e-12 * max(1.0, np.abs(a).max())


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("axis", AXES)
def test_log_undoes_exp_over_the_whole_ball(axis, angle):
    omega = angle * np.array(axis) / np.linalg.norm(axis)
    assert np.abs(lie.log(lie.exp(omega)) - omega).max() <= 1e-14 * angle + 1e-15
    a = np.concatenate([V, omega])
    assert np.abs(lie.log(lie.exp(a)) - a).max() <= 2e-14


@pytest.mark.parametrize("axis", AXES)
def test_at_pi_one_of_the_two_logarithms_is_returned(axis):
    omega = math.pi * np.array(axis) / np.linalg.norm(axis)
    found = lie.log(lie.exp(omega))
    assert min(np.abs(found - omega).max(), np.abs(found + omega).max()) <= 1e-14
    H = lie.exp(np.concatenate([V, omega]))
    assert lie.exp(lie.log(H)) == pytest.approx(H, abs=1e-14)


@pytest.mark.parametrize("diagonal", [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
def test_log_of_exact_half_turns(diagonal):
    found = lie.log(np.diag(diagonal))
    assert np.abs(found) == pytest.approx(math.pi * (np.array(diagonal) > 0), abs=1e-15)


def test_log_of_pinocchio():
    rng = np.random.default_rng(0)
    for a in rng.normal(size=(200, 6)):
        H = lie.exp(a)
        assert lie.log(H) == pytest.approx(pinocchio.log6(pinocchio.SE3(H)).vector, abs=1e-12)
        assert lie.log(H[:3, :3]) == pytest.approx(pinocchio.log3(H[:3, :3]), abs=1e-12)


def test_motions_of_joints():
    """A quarter turn about an axis through a point, a screw with pitch, and a translation (eqs. 9-12)."""
    quarter = lie.exp(lie.revolute_twist([0, 0, 1], [1, 0, 0]), math.pi / 2)
    assert quarter @ [2.0, 0.0, 0.0, 1.0] == pytest.approx([1.0, 1.0, 0.0, 1.0], abs=1e-15)
    assert quarter @ [1.0, 0.0, 5.0, 1.0] == pytest.approx([1.0, 0.0, 5.0, 1.0], abs=1e-15)
    screw = lie.exp(lie.screw_twist([0, 0, 2], [1, 0, 0], 0.5), math.pi / 2)
    assert screw @ [2.0, 0.0, 0.0, 1.0] == pytest.approx([1.0, 1.0, 0.25 * math.pi, 1.0], abs=1e-15)
    shift = lie.exp(lie.prismatic_twist([0, 3, 4]), 10.0)
    assert shift == pytest.approx(lie.homogeneous(np.eye(3), [0.0, 6.0, 8.0]), abs=1e-15)


def test_many_at_once_are_those_of_one():
    a = np.random.default_rng(1).normal(size=(4, 3, 6))
    a[0, 0, 3:] = 0.0
    q = np.linspace(0.0, 1.0, 3)
    H = lie.exp(a, q)
    for index in np.ndindex(4, 3):
        assert H[index] == pytest.approx(lie.exp(a[index], q[index[1]]), abs=1e-15)
        assert np.array_equal(lie.log(H)[index], lie.log(H[index]))
    assert lie.exp(a[0, 1], q).shape == (3, 4, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lie.exp([1.0, 2.0]), r"xi has shape \(2,\); \(..., 3\) or \(..., 6\) is needed"),
        (lambda: lie.exp([1j, 0, 0]), "xi is not an array of numbers"),
        (lambda: lie.exp([math.inf, 0, 0]), "xi is not finite"),
        (lambda: lie.exp([1, 0, 0], math.nan), "q is not finite"),
        (lambda: lie.exp(np.ones((2, 3)), np.ones(3)), r"q has shape \(3,\) and xi \(2, 3\)"),
        (lambda: lie.exp([1e200, 0, 0], 1e200), "so large that the result is not"),
        (lambda: lie.exp([1, 0, 0, 1e200, 0, 0]), "so large that the result is not"),
        (lambda: lie.log(np.eye(2)), r"H has shape \(2, 2\); \(..., 3, 3\) or \(..., 4, 4\) is needed"),
        (lambda: lie.log(1.1 * np.eye(3)), "H is no rotation matrix: R R.T differs from 1 by 0.21"),
        (lambda: lie.log(-np.eye(3)), "H is no rotation matrix: its determinant is -1, a reflection"),
        (lambda: lie.log(np.ones((4, 4))), "H is no homogeneous matrix: its last row is"),
        (lambda: lie.log(np.full((4, 4), math.nan)), "H is not finite"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(StateError, match=message):
        call()
