"""Wrenches as matrices of se(3)'s dual, their motion and power; motions have theirs at modular/equations."""

import numpy as np
import pytest
from hypothesis import given

from helpers.random_examples.dual_quaternions import pures
from modular_dynamics.algebra import matrix_forms
from modular_dynamics.algebra.matrix_forms import SquareMatrix


@given(pures, pures, pures)
def test_wrench_as_a_form_of_two_twists(zeta, a, b):
    """B(F) x = ad(x)^T F and x^T B(F) y = F . [y, x]; skew-symmetric; F can be read from it."""
    F, x, y = zeta.vec6(), a.vec6(), b.vec6()
    B = matrix_forms.dual_bracket_matrix(F)
    assert np.array_equal(B, -B.T)
    assert np.array_equal(matrix_forms.wrench_vector(B), F)
    assert B @ x == pytest.approx(matrix_forms.ad(x).T @ F, abs=1e-12)
    assert x @ B @ y == pytest.approx(F @ (matrix_forms.ad(y) @ x), abs=1e-10)


def test_wrench_in_another_frame():
    """Ad^T B(F) Ad = B(Ad^T F)."""
    rng = np.random.default_rng(0)
    F, p = rng.normal(size=(8, 6)), rng.normal(size=(8, 3))
    R = np.linalg.qr(rng.normal(size=(8, 3, 3)))[0]
    R *= np.linalg.det(R)[:, None, None]
    Ad = matrix_forms.adjoint_matrix(matrix_forms.homogeneous(R, p))
    AdT = np.swapaxes(Ad, -1, -2)
    moved = (AdT @ F[..., None])[..., 0]
    forms = AdT @ matrix_forms.dual_bracket_matrix(F) @ Ad
    assert forms == pytest.approx(matrix_forms.dual_bracket_matrix(moved), abs=1e-13)
    assert matrix_forms.wrench_vector(forms) == pytest.approx(moved, abs=1e-13)


# Square matrices as single elements of arrays: sums, and products of matrices, not of entries.


def test_arrays_of_matrices_multiply_as_block_matrices():
    rng = np.random.default_rng(0)
    blocks = rng.integers(-9, 9, size=(2, 3, 6, 6)).astype(float)
    A = np.empty((2, 3), dtype=object)
    for index in np.ndindex(2, 3):
        A[index] = SquareMatrix(blocks[index])
    ones = np.full(3, SquareMatrix(np.eye(6)), dtype=object)
    block_matrix = blocks.transpose(0, 2, 1, 3).reshape(12, 18)
    stacked = block_matrix @ np.tile(np.eye(6), (3, 1))
    product = A @ ones
    assert np.array_equal(np.concatenate([element.array for element in product]), stacked)
    assert np.array_equal((A[0, 0] * A[0, 1]).array, blocks[0, 0] @ blocks[0, 1])
    assert np.array_equal((A[0, 0] - A[0, 1]).array, blocks[0, 0] - blocks[0, 1])
    assert np.array_equal((-A[0, 0]).array, -blocks[0, 0])
