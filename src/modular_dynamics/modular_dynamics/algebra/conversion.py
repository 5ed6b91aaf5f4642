"""Poses as rotation matrix and translation, as URDF's xyz and rpy, and back. Lengths [m], angles [rad]."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .dual_quaternion import DualQuaternion, Quaternion

__all__ = [
    "from_rotation_translation",
    "from_xyz_rpy",
    "pose",
    "rotation_about",
    "rotation_matrix",
    "rotation_quaternion",
    "to_rotation_translation",
    "to_xyz_rpy",
    "translation",
]

#: Cosine of the pitch up to which it counts as zero: there roll and yaw turn about one axis.
_GIMBAL_LOCK = 2e-15


def pose(rotation: Quaternion, position: ArrayLike) -> DualQuaternion:
    """Return x = r + eps (1/2) p r (Silva & Adorno, appendix A) of a unit quaternion and a 3-vector."""
    return DualQuaternion(rotation, Quaternion.pure(position) * rotation * 0.5)


def translation(x: DualQuaternion) -> NDArray[np.float64]:
    """Return p = 2 D(x) P(x)* of a pose x."""
    return (x.dual * x.primary.conjugate() * 2.0).vector


def rotation_about(axis: ArrayLike, angle: float) -> Quaternion:
    """Return r = cos(angle/2) + n sin(angle/2) about the unit vector n = ``axis``."""
    n = np.asarray(axis, dtype=float) * math.sin(angle / 2.0)
    return Quaternion(math.cos(angle / 2.0), float(n[0]), float(n[1]), float(n[2]))


def rotation_matrix(r: Quaternion) -> NDArray[np.float64]:
    """Return the 3 x 3 matrix R of a unit quaternion: R a = vector part of r a r*."""
    w, x, y, z = r.w, r.x, r.y, r.z
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rotation_quaternion(matrix: NDArray[np.float64]) -> Quaternion:
    """Return the unit quaternion, w >= 0, of a rotation matrix, from its largest component (Shepperd)."""
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    squares = [1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i]  # 4 times w^2, x^2, y^2, z^2
    candidates = [
        Quaternion(squares[0], h - f, c - g, d - b),
        Quaternion(h - f, squares[1], b + d, c + g),
        Quaternion(c - g, b + d, squares[2], f + h),
        Quaternion(d - b, c + g, f + h, squares[3]),
    ]
    best = candidates[int(np.argmax(squares))]
    return best * (math.copysign(1.0, best.w) / best.norm())


def from_rotation_translation(rotation: ArrayLike, position: ArrayLike) -> DualQuaternion:
    """Return the pose of a rotation matrix (3, 3) and a translation (3,) [m].

    Raises:
        ValueError: the matrix is not a rotation to 1e-9.
    """
    matrix = np.asarray(rotation, dtype=float)
    if matrix.shape != (3, 3) or not np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-9):
        raise ValueError(f"not a rotation matrix (R R^T = 1, 3 x 3): {matrix.tolist()}")
    if np.linalg.det(matrix) < 0.0:
        raise ValueError(f"a reflection (determinant -1) is not a rotation matrix: {matrix.tolist()}")
    return pose(rotation_quaternion(matrix), position)


def to_rotation_translation(x: DualQuaternion) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return rotation matrix (3, 3) and translation (3,) [m] of a pose."""
    return rotation_matrix(x.primary), translation(x)


def from_xyz_rpy(xyz: ArrayLike, rpy: ArrayLike) -> DualQuaternion:
    """Return the pose of a URDF <origin>: xyz [m], rotation Rz(yaw) Ry(pitch) Rx(roll) [rad]."""
    roll, pitch, yaw = np.asarray(rpy, dtype=float).tolist()
    rotation = (
        rotation_about([0, 0, 1], yaw) * rotation_about([0, 1, 0], pitch) * rotation_about([1, 0, 0], roll)
    )
    return pose(rotation, xyz)


def to_xyz_rpy(x: DualQuaternion) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return translation xyz [m] and angles roll, pitch, yaw [rad] of a pose: those of :func:`from_xyz_rpy`.

    Pitch is from -pi/2 to pi/2. At both ends only the sum or difference of roll and yaw matters: roll is 0.
    """
    R = rotation_matrix(x.primary).tolist()
    (_, r01, r02), (_, r11, r12), (r20, r21, r22) = R
    cosine = math.hypot(r21, r22)
    roll = math.atan2(r21, r22) if cosine > _GIMBAL_LOCK else 0.0
    s, c = math.sin(roll), math.cos(roll)
    yaw = math.atan2(s * r02 - c * r01, c * r11 - s * r12)  # from R Rx(-roll): errors of roll cancel
    return translation(x), np.array([roll, math.atan2(-r20, cosine), yaw])
