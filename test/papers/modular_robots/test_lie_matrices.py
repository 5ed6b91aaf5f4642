"""Matrices of SO(3), SE(3) and their algebras, entry by entry as printed; hat and vee; bad input."""

import math

import numpy as np
import pytest
from hypothesis import given

from helpers.random_examples.dual_quaternions import vectors
from modular_dynamics.exceptions import StateError
from papers.modular_robots import lie


def test_matrices_as_printed():
    """Eqs. 1-3, written out."""
    quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    H = [[0, -1, 0, 5], [1, 0, 0, 6], [0, 0, 1, 7], [0, 0, 0, 1]]
    assert lie.homogeneous(quarter, [5, 6, 7]).tolist() == H
    assert lie.inverse(H).tolist() == [[0, 1, 0, -6], [-1, 0, 0, 5], [0, 0, 1, -7], [0, 0, 0, 1]]
    assert lie.hat([1, 2, 3]).tolist() == [[0, -3, 2], [3, 0, -1], [-2, 1, 0]]
    xi = [[0, -3, 2, 4], [3, 0, -1, 5], [-2, 1, 0, 6], [0, 0, 0, 0]]
    assert lie.hat([4, 5, 6, 1, 2, 3]).tolist() == xi


@given(vectors, vectors)
def test_hat_is_the_cross_product_and_vee_undoes_it(a, b):
    assert lie.hat(a) @ b == pytest.approx(np.cross(a, b), abs=1e-13)
    assert np.array_equal(lie.vee(lie.hat(a)), a)
    twist = np.concatenate([b, a])
    assert np.array_equal(lie.vee(lie.hat(twist)), twist)


def test_many_at_once_are_those_of_one():
    rng = np.random.default_rng(0)
    a, p = rng.normal(size=(5, 6)), rng.normal(size=(2, 1, 3))
    assert np.array_equal(lie.vee(lie.hat(a)), a)
    H = lie.homogeneous(lie.exp(a[:, 3:]), p)
    assert H.shape == (2, 5, 4, 4)
    assert np.array_equal(H[1, 3], lie.homogeneous(lie.exp(a[:, 3:])[3], p[1, 0]))
    assert lie.inverse(H) @ H == pytest.approx(np.broadcast_to(np.eye(4), H.shape), abs=1e-14)


def test_the_callers_arrays_stay_as_they_are():
    H = lie.exp([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    kept = H.copy()
    result = lie.inverse(H)
    result[:] = 0.0
    assert np.array_equal(H, kept)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lie.homogeneous(np.eye(4), np.zeros(3)), r"R has shape \(4, 4\); \(..., 3, 3\) is needed"),
        (lambda: lie.homogeneous(np.eye(3), np.zeros(4)), r"p has shape \(4,\); \(..., 3\) is needed"),
        (lambda: lie.homogeneous(np.eye(3), [0, math.nan, 0]), "p is not finite"),
        (lambda: lie.homogeneous(np.eye(3), ["a", "b", "c"]), "p is not an array of numbers"),
        (lambda: lie.homogeneous(np.eye(3) + 1e-6, np.zeros(3)), "R is no rotation matrix: R R.T differs"),
        (lambda: lie.homogeneous(1e200 * np.eye(3), np.zeros(3)), "R is no rotation matrix"),
        (lambda: lie.homogeneous(-np.eye(3), np.zeros(3)), "its determinant is -1, a reflection"),
        (lambda: lie.homogeneous([np.eye(3)] * 2, np.zeros((3, 3))), "leading dimensions that fit"),
        (lambda: lie.inverse(np.zeros((4, 4))), "its last row is .*, not 0 0 0 1"),
        (lambda: lie.inverse(np.diag([2, 2, 2, 1])), "the upper left block of H is no rotation matrix"),
        (lambda: lie.hat([1.0, 2.0]), r"a has shape \(2,\); \(..., 3\) or \(..., 6\) is needed"),
        (lambda: lie.vee(np.eye(3)), r"A is no element of so\(3\) or se\(3\): A \+ A.T of its rotation is 2"),
        (lambda: lie.vee(np.diag([0, 0, 0, 1])), r"A is no element of se\(3\): its last row is"),
        (lambda: lie.vee(np.zeros(3)), r"A has shape \(3,\); \(..., 3, 3\) or \(..., 4, 4\) is needed"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(StateError, match=message):
        call()
