"""Wrenches as matrices of se(3)'s dual, their motion and power; motions have theirs at modular/equations."""

import numpy as np
import pytest
from hypothesis import given

from helpers.random_examples.dual_quaternions import pures
from modular_dynamics.algebra import matrix_forms


@given(pures, pures, pures)
def test_wrench_as_a_form_of_two_twists(zeta, a, b):
    """B(F) x = ad(x)^T F and x^T B(F) y = F . [y, x]; skew-symmetric; F can be read from it."""
    F, x, y = zeta.vec6(), a.vec6(), b.vec6()
    B = matrix_forms.dual_bracket_matrix(F)
    assert np.array_equal(B, -B.T)
    assert np.array_equal(matrix_forms.wrench_vector(B), F)
    assert B @ x == pytest.approx(matrix_forms.ad(x).T @ F, abs=1e-12)
    assert x @ B @ y == pytest.approx(F @ (matrix_forms.ad(y) @ x), abs=1e-10)


# Square matrices as single elements of arrays: sums, and products of matrices, not of entries.
