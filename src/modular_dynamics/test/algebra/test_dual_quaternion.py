"""Dual quaternions are a ring, those of unit norm a group; Hamilton's units; adjoint and bracket.

Further laws of these two are those of the composition's algebras: composition/test_algebras.py.
"""

import numpy as np
import pytest
from hypothesis import given

from helpers.random_examples.dual_quaternions import ROUNDING, assert_close, duals, poses, vectors
from modular_dynamics.algebra import DualQuaternion, Quaternion, adjoint, cross, to_rotation_translation


@given(duals, duals, duals)
def test_ring_laws(a, b, c):
    assert_close((a * b) * c, a * (b * c), 1e-10)
    assert_close(a * (b + c), a * b + a * c)
    assert_close((a - b) + b, a)
    assert_close(a * DualQuaternion.identity, a)
    assert_close(2.0 * a, a + a)
    assert_close((a * b).conjugate(), b.conjugate() * a.conjugate())


@given(poses, poses)
def test_unit_dual_quaternions_are_a_group(x, y):
    assert x.is_unit()
    assert (x * y).is_unit(ROUNDING * 100)
    assert_close(x * x.conjugate(), DualQuaternion.identity)
    assert not (2.0 * x).is_unit()


@given(duals)
def test_normalized_is_unit(h):
    if h.primary.norm() > 0.1:
        assert h.normalized().is_unit(1e-9)
        primary, dual = h.norm()
        # the norm is the dual number whose square is h h*
        square = h * h.conjugate()
        assert square.primary.w == pytest.approx(primary**2, rel=1e-12)
        assert square.dual.w == pytest.approx(2 * primary * dual, rel=1e-9, abs=1e-9)


def test_units_multiply_as_hamilton_said():
    i, j, k = Quaternion(0, 1), Quaternion(0, 0, 1), Quaternion(0, 0, 0, 1)
    minus_one = Quaternion(-1.0)
    assert i * i == j * j == k * k == i * j * k == minus_one
    eps = DualQuaternion(Quaternion(), Quaternion(1.0))
    assert eps * eps == DualQuaternion.zero


@given(poses, vectors, vectors)
def test_adjoint_is_rotation_and_shift(x, a, b):
    """Ad(x)(a + eps b) = R a + eps (R b + p x R a), by matrices."""
    rotation, p = to_rotation_translation(x)
    moved = adjoint(x, DualQuaternion.pure(a, b)).vec6()
    assert moved == pytest.approx(
        np.concatenate([rotation @ a, rotation @ b + np.cross(p, rotation @ a)]), abs=1e-9
    )


@given(vectors, vectors)
def test_cross_of_vectors(a, b):
    assert cross(DualQuaternion.pure(a, a), DualQuaternion.pure(b, b)).vec6()[:3] == pytest.approx(
        np.cross(a, b)
    )
