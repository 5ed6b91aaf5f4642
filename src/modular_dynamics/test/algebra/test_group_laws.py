"""Axioms: unit dual quaternions are a group, Ad its action, the cross product its Lie bracket."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modular_dynamics.algebra import (
    DualQuaternion,
    Quaternion,
    adjoint,
    cross,
    exp,
    from_rotation_translation,
    from_xyz_rpy,
    log,
    pose,
    rotation_about,
    rotation_matrix,
    to_rotation_translation,
    translation,
)

#: Products of a dozen numbers of size 10 in double precision.
ROUNDING = 1e-11

numbers = st.floats(-10.0, 10.0, allow_subnormal=False)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
quaternions = st.builds(Quaternion, numbers, numbers, numbers, numbers)
duals = st.builds(DualQuaternion, quaternions, quaternions)
pures = st.builds(DualQuaternion.pure, vectors, vectors)
angles = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(np.array)
poses = st.builds(from_xyz_rpy, vectors, angles)


def assert_close(a: DualQuaternion, b: DualQuaternion, tolerance: float = ROUNDING) -> None:
    scale = max(1.0, float(np.abs(a.vec8()).max()), float(np.abs(b.vec8()).max()))
    assert np.abs(a.vec8() - b.vec8()).max() <= tolerance * scale


def test_units_multiply_as_hamilton_said():
    i, j, k = Quaternion(0, 1), Quaternion(0, 0, 1), Quaternion(0, 0, 0, 1)
    minus_one = Quaternion(-1.0)
    assert i * i == j * j == k * k == i * j * k == minus_one
    eps = DualQuaternion(Quaternion(), Quaternion(1.0))
    assert eps * eps == DualQuaternion.zero


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


@given(poses, poses, pures, pures)
def test_adjoint_is_an_action_that_keeps_brackets(x, y, a, b):
    assert adjoint(x, a).is_pure(1e-8)
    assert_close(adjoint(x * y, a), adjoint(x, adjoint(y, a)), 1e-9)
    assert_close(adjoint(x, cross(a, b)), cross(adjoint(x, a), adjoint(x, b)), 1e-8)
    assert_close(cross(a, b), -cross(b, a))


@given(pures, pures, pures)
def test_jacobi_identity(a, b, c):
    total = cross(a, cross(b, c)) + cross(b, cross(c, a)) + cross(c, cross(a, b))
    assert np.abs(total.vec8()).max() <= 1e-9


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


@given(poses)
def test_matrix_and_back(x):
    back = from_rotation_translation(*to_rotation_translation(x))
    assert_close(back, x if back.primary.dot(x.primary) > 0 else -x, 1e-9)
    rotation, _ = to_rotation_translation(x)
    assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
def test_half_turns_survive_the_matrix(axis):
    r = rotation_about(axis, math.pi)
    back = from_rotation_translation(rotation_matrix(r), [1, 2, 3])
    assert rotation_matrix(back.primary) == pytest.approx(rotation_matrix(r), abs=1e-12)
    assert translation(back) == pytest.approx([1, 2, 3])


@pytest.mark.parametrize("matrix", [np.eye(2), 2 * np.eye(3), np.diag([1.0, 1.0, -1.0])])
def test_matrices_that_are_no_rotations_are_refused(matrix):
    with pytest.raises(ValueError, match=r"rotation matrix|reflection"):
        from_rotation_translation(matrix, np.zeros(3))


def test_vec8_and_vec6():
    h = DualQuaternion(Quaternion(0, 1, 2, 3), Quaternion(4, 5, 6, 7))
    assert h.vec8().tolist() == list(range(8))
    assert h.vec6().tolist() == [1, 2, 3, 5, 6, 7]
    assert not h.is_pure()


def test_pose_is_rotation_then_translation():
    x = pose(rotation_about([0, 0, 1], math.pi / 2), [1.0, 2.0, 3.0])
    rotation, p = to_rotation_translation(x)
    assert p == pytest.approx([1, 2, 3])
    assert rotation @ [1, 0, 0] == pytest.approx([0, 1, 0], abs=1e-15)


def test_urdf_rpy_is_roll_then_pitch_then_yaw_about_fixed_axes():
    """Against transforms3d's static xyz Euler angles."""
    euler = pytest.importorskip("transforms3d.euler")
    angles = (0.3, -1.1, 2.0)
    rotation, _ = to_rotation_translation(from_xyz_rpy([0, 0, 0], angles))
    assert rotation == pytest.approx(euler.euler2mat(*angles, axes="sxyz"), abs=1e-14)


def test_immutable():
    with pytest.raises(AttributeError):
        DualQuaternion.identity.primary = Quaternion()
