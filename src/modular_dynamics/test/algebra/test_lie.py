"""The adjoint is an action of the group that keeps brackets and power; the bracket; exp and log."""

import math

import numpy as np
import pytest
from hypothesis import given

from helpers.random_examples.dual_quaternions import angles, assert_close, poses, pures, vectors
from modular_dynamics.algebra import DualQuaternion, adjoint, cross, exp, log, to_rotation_translation


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


@given(pures, pures, pures)
def test_jacobi_identity(a, b, c):
    total = cross(a, cross(b, c)) + cross(b, cross(c, a)) + cross(c, cross(a, b))
    assert np.abs(total.vec8()).max() <= 1e-9


@given(vectors, vectors)
def test_cross_of_vectors(a, b):
    assert cross(DualQuaternion.pure(a, a), DualQuaternion.pure(b, b)).vec6()[:3] == pytest.approx(
        np.cross(a, b)
    )


@given(angles.map(lambda a: a * 0.5), vectors)
def test_log_undoes_exp(u, w):
    a = DualQuaternion.pure(u, w)
    assert exp(a).is_unit(1e-9)
    if np.linalg.norm(u) < 3.1:
        assert_close(log(exp(a)), a, 1e-8)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-5, 0.99e-4, 1.01e-4, 1e-3, 1.0, math.pi / 2])
def test_exp_and_log_across_their_series(angle):
    a = DualQuaternion.pure([angle, 0.0, 0.0], [0.3, -0.2, 0.5])
    assert_close(log(exp(a)), a, 1e-12)


def test_exp_is_the_motion_of_a_constant_twist():
    """exp((omega + eps v) t / 2) integrates xdot = x xi / 2; here by many small steps of it."""
    xi = DualQuaternion.pure([0.3, -0.8, 0.5], [1.0, 0.2, -0.4])
    steps = 2**14
    small = DualQuaternion.identity + xi * (0.5 / steps)
    x = DualQuaternion.identity
    for _ in range(steps):
        x = (x * small).normalized()
    assert_close(x, exp(xi * 0.5), 1e-4)  # explicit Euler: error of one step length


def test_log_of_minus_one_is_refused():
    with pytest.raises(ValueError, match="take the log of -x"):
        log(-DualQuaternion.identity)
