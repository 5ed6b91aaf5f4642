"""The matrices do to twists and wrenches what dual quaternions do; there and back; bad input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.random_examples.dual_quaternions import angles, assert_close, poses, pures, vectors
from modular_dynamics import algebra
from modular_dynamics.algebra import DualQuaternion
from modular_dynamics.exceptions import StateError
from papers.modular_robots import lie

#: Products of three numbers of size 10.
ROUNDING = 1e-12


@given(poses)
def test_poses_there_and_back(x):
    H = lie.pose_to_matrix(x)
    back = lie.matrix_to_pose(H)
    assert_close(back, x if np.sign(back.primary.dot(x.primary)) > 0 else -x, ROUNDING)
    assert H[:3, 3] == pytest.approx(algebra.translation(x), abs=ROUNDING)


@given(pures)
def test_twists_and_wrenches_there_and_back(a):
    assert lie.vector_to_twist(lie.twist_to_vector(a)) == a
    assert lie.vector_to_wrench(lie.wrench_to_vector(a)) == a
    assert np.array_equal(lie.twist_to_vector(a), [*a.dual.vector, *a.primary.vector])
    assert np.array_equal(lie.wrench_to_vector(a), [*a.primary.vector, *a.dual.vector])


@given(poses, poses, pures, pures)
def test_both_algebras_move_alike(x, y, xi, zeta):
    """x y, adjoint and cross of dual quaternions are H G, Ad, dual Ad and bracket of matrices."""
    H, V, F = lie.pose_to_matrix(x), lie.twist_to_vector(xi), lie.wrench_to_vector(zeta)
    product = lie.pose_to_matrix(x * y)
    assert product == pytest.approx(H @ lie.pose_to_matrix(y), abs=1e-11)
    assert_close(algebra.adjoint(x, xi), lie.vector_to_twist(lie.Ad(H) @ V), ROUNDING)
    moved = lie.dual_Ad(lie.inverse(H)) @ F  # from frame a to b by H_a_b, eq. 17
    assert_close(algebra.adjoint(x, zeta), lie.vector_to_wrench(moved), ROUNDING)
    bracket = lie.bracket(V, lie.twist_to_vector(zeta))
    assert_close(algebra.cross(xi, zeta), lie.vector_to_twist(bracket), ROUNDING)


@given(angles, vectors, st.floats(0.0, 1.0))
def test_both_exponentials_are_the_same_motion(omega, v, t):
    """exp(xi t / 2) of dual quaternions is e^(hat(xi) t), by two formulas."""
    xi = DualQuaternion.pure(omega, v)
    H = lie.exp(lie.twist_to_vector(xi), t)
    assert lie.pose_to_matrix(algebra.exp(xi * (0.5 * t))) == pytest.approx(H, abs=ROUNDING)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lie.pose_to_matrix(np.eye(4)), "x_b_a is ndarray; a DualQuaternion is needed"),
        (lambda: lie.pose_to_matrix(DualQuaternion.identity * 2.0), "is not a unit dual quaternion"),
        (lambda: lie.pose_to_matrix(DualQuaternion.zero), "is not a unit dual quaternion"),
        (lambda: lie.pose_to_matrix(DualQuaternion.identity * math.nan), "x_b_a is not finite"),
        (lambda: lie.matrix_to_pose(np.diag([1, 1, -1, 1])), "a reflection"),
        (lambda: lie.matrix_to_pose(np.eye(4)[None]), "one without leading dimensions is needed"),
        (lambda: lie.twist_to_vector(DualQuaternion.identity), "is not a pure dual quaternion"),
        (lambda: lie.wrench_to_vector([0.0] * 6), "zeta is list; a DualQuaternion is needed"),
        (lambda: lie.vector_to_twist([0.0] * 3), r"V has shape \(3,\); \(..., 6\) is needed"),
        (lambda: lie.vector_to_twist(np.zeros((2, 6))), "one without leading dimensions is needed"),
        (lambda: lie.vector_to_wrench([math.inf] * 6), "F is not finite"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(StateError, match=message):
        call()
