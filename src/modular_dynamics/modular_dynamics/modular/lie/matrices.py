"""Elements of SO(3), SE(3), so(3) and se(3) as matrices, and back (Meister & Gutenkunst, eqs. 1-3)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import matrix_forms
from ...exceptions import StateError
from .checks import TOLERANCE, numbers, pose_matrix, rotation_matrix

__all__ = ["hat", "homogeneous", "inverse", "vee"]

Array = NDArray[np.float64]


def homogeneous(R: ArrayLike, p: ArrayLike) -> Array:
    """H = [R p; 0 1] (eq. 1).

    Args:
        R: rotation matrices (..., 3, 3).
        p: positions (..., 3) [m].

    Returns:
        Homogeneous matrices (..., 4, 4).

    Raises:
        StateError: a wrong shape, a number that is not finite, no rotation matrix.
    """
    rotation, position = rotation_matrix(R, "R"), numbers(p, "p", (3,))
    try:
        return matrix_forms.homogeneous(rotation, position)
    except ValueError:
        raise StateError(
            f"R has shape {rotation.shape} and p {position.shape}; (..., 3, 3) and (..., 3) with leading "
            "dimensions that fit each other are needed"
        ) from None


def inverse(H: ArrayLike) -> Array:
    """H^-1 = [R^T -R^T p; 0 1] (..., 4, 4) of homogeneous matrices.

    Raises:
        StateError: not homogeneous matrices (..., 4, 4) with a rotation matrix and the last row 0 0 0 1.
    """
    return matrix_forms.inverse(pose_matrix(H, "H"))


def hat(a: ArrayLike) -> Array:
    """The element of so(3) of omega (..., 3), or of se(3) of a twist (v, omega) (..., 6) (eqs. 2, 3).

    Returns:
        skew(omega) (..., 3, 3), or [skew(omega) v; 0 0] (..., 4, 4).

    Raises:
        StateError: a wrong shape, or a number that is not finite.
    """
    vector = numbers(a, "a", (3,), (6,))
    return matrix_forms.skew(vector) if vector.shape[-1] == 3 else matrix_forms.twist_matrix(vector)


def vee(A: ArrayLike) -> Array:
    """The inverse of :func:`hat`: omega (..., 3) of elements of so(3), (v, omega) (..., 6) of se(3).

    Raises:
        StateError: a wrong shape, a number that is not finite, or a matrix that is not in the algebra to 1e-9
            of its largest entry: the block of omega is skew-symmetric, the last row of se(3) is zero.
    """
    matrix = numbers(A, "A", (3, 3), (4, 4))
    rotation = matrix[..., :3, :3]
    error = np.abs(rotation + np.swapaxes(rotation, -1, -2)).max(initial=0.0)
    if error > TOLERANCE * np.abs(matrix).max(initial=0.0):
        raise StateError(f"A is no element of so(3) or se(3): A + A^T of its rotation is {error:.2g}, not 0")
    antisymmetric = 0.5 * (rotation - np.swapaxes(rotation, -1, -2))
    if matrix.shape[-1] == 3:
        return matrix_forms.unskew(antisymmetric)
    if np.abs(matrix[..., 3, :]).max(initial=0.0) > TOLERANCE * np.abs(matrix).max(initial=0.0):
        raise StateError(f"A is no element of se(3): its last row is {matrix[..., 3, :].tolist()}, not 0")
    return np.concatenate([matrix[..., :3, 3], matrix_forms.unskew(antisymmetric)], axis=-1)
