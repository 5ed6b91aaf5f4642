"""Poses as rotation matrices, translations and URDF's roll, pitch, yaw."""

import math

import numpy as np
import pytest
from hypothesis import given

from helpers.random_examples.dual_quaternions import assert_close, poses
from modular_dynamics import algebra


@given(poses)
def test_matrix_and_back(x):
    back = algebra.from_rotation_translation(*algebra.to_rotation_translation(x))
    assert_close(back, x if back.primary.dot(x.primary) > 0 else -x, 1e-9)
    rotation, _ = algebra.to_rotation_translation(x)
    assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
def test_half_turns_survive_the_matrix(axis):
    r = algebra.rotation_about(axis, math.pi)
    back = algebra.from_rotation_translation(algebra.rotation_matrix(r), [1, 2, 3])
    assert algebra.rotation_matrix(back.primary) == pytest.approx(algebra.rotation_matrix(r), abs=1e-12)
    assert algebra.translation(back) == pytest.approx([1, 2, 3])


@pytest.mark.parametrize("matrix", [np.eye(2), 2 * np.eye(3), np.diag([1.0, 1.0, -1.0])])
def test_matrices_that_are_no_rotations_are_refused(matrix):
    with pytest.raises(ValueError, match=r"rotation matrix|reflection"):
        algebra.from_rotation_translation(matrix, np.zeros(3))


def test_pose_is_rotation_then_translation():
    x = algebra.pose(algebra.rotation_about([0, 0, 1], math.pi / 2), [1.0, 2.0, 3.0])
    rotation, p = algebra.to_rotation_translation(x)
    assert p == pytest.approx([1, 2, 3])
    assert rotation @ [1, 0, 0] == pytest.approx([0, 1, 0], abs=1e-15)


def test_urdf_rpy_is_roll_then_pitch_then_yaw_about_fixed_axes():
    """Against transforms3d's static xyz Euler angles."""
    euler = pytest.importorskip("transforms3d.euler")
    angles = (0.3, -1.1, 2.0)
    rotation, _ = algebra.to_rotation_translation(algebra.from_xyz_rpy([0, 0, 0], angles))
    assert rotation == pytest.approx(euler.euler2mat(*angles, axes="sxyz"), abs=1e-14)
