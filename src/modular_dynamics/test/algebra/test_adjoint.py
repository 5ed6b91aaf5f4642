"""The adjoint is an action of the group that keeps brackets and power."""

import numpy as np
import pytest
from hypothesis import given

from helpers.random_examples.dual_quaternions import assert_close, poses, pures, vectors
from modular_dynamics.algebra import (
    DualQuaternion,
    adjoint,
    cross,
    to_rotation_translation,
)


@given(poses, poses, pures, pures)
def test_adjoint_is_an_action_that_keeps_brackets(x, y, a, b):
    assert adjoint(x, a).is_pure(1e-8)
    assert_close(adjoint(x * y, a), adjoint(x, adjoint(y, a)), 1e-9)
    assert_close(adjoint(x, cross(a, b)), cross(adjoint(x, a), adjoint(x, b)), 1e-8)
    assert_close(cross(a, b), -cross(b, a))


@given(poses, vectors, vectors)
def test_adjoint_is_rotation_and_shift(x, a, b):
    """Ad(x)(a + eps b) = R a + eps (R b + p x R a), by matrices."""
    rotation, p = to_rotation_translation(x)
    moved = adjoint(x, DualQuaternion.pure(a, b)).vec6()
    assert moved == pytest.approx(
        np.concatenate([rotation @ a, rotation @ b + np.cross(p, rotation @ a)]), abs=1e-9
    )


@given(poses, vectors)
def test_power_does_not_depend_on_the_frame(x, a):
    """f . v + m . omega of a wrench and a twist is the same in every frame."""
    twist, wrench = DualQuaternion.pure(a, a[::-1]), DualQuaternion.pure(a[[1, 2, 0]], 2 * a)

    def power(xi, zeta):
        return zeta.primary.dot(xi.dual) + zeta.dual.dot(xi.primary)

    assert power(adjoint(x, twist), adjoint(x, wrench)) == pytest.approx(power(twist, wrench), abs=1e-8)
