"""Exponential of so(3) and se(3), by Rodrigues' formula, and logarithm (Meister & Gutenkunst, eqs. 5-9)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import algebra
from ...algebra import matrix_forms
from ...exceptions import StateError
from .checks import finite, numbers, pose_matrix, rotation_matrix

__all__ = ["exp", "log"]

Array = NDArray[np.float64]
#: Below this angle [rad] a series replaces a quotient that loses digits.
_SMALL = 0.1


def exp(xi: ArrayLike, q: ArrayLike = 1.0) -> Array:
    """e^(hat(xi) q): rotations about axes, screw motions of any pitch, translations.

    Of omega (..., 3), with W = hat(omega q) and the angle phi = |omega q|:
    R = 1 + W sin(phi) / phi + W^2 (1 - cos(phi)) / phi^2. For |omega| = 1 that is Rodrigues' formula
    1 + hat(omega) sin(q) + hat(omega)^2 (1 - cos(q)); eq. 8 prints a "+" between hat(omega) and sin(q).
    Of a twist (v, omega) (..., 6) it is the pose [R p; 0 1] after the motion, with
    p = (1 + W (1 - cos(phi)) / phi^2 + W^2 (phi - sin(phi)) / phi^3) v q (Murray, Li & Sastry, 2.3).

    Args:
        xi: omega or twist per unit of q.
        q: the joint's coordinate [rad or m]; numbers (...).

    Returns:
        Rotation matrices (..., 3, 3), or homogeneous matrices (..., 4, 4).

    Raises:
        StateError: a wrong shape, a number that is not finite, or a motion too large for finite numbers.
    """
    unit, coordinate = numbers(xi, "xi", (3,), (6,)), numbers(q, "q", ())
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            a = unit * coordinate[..., None]
        except ValueError:
            raise StateError(
                f"q has shape {coordinate.shape} and xi {unit.shape}; leading dimensions that fit each other "
                "are needed"
            ) from None
        rotation, shift = _rodrigues(a[..., -3:])
        if a.shape[-1] == 3:
            return finite(rotation, "exp")
        return finite(matrix_forms.homogeneous(rotation, (shift @ a[..., :3, None])[..., 0]), "exp")


def _rodrigues(turn: Array) -> tuple[Array, Array]:
    """The rotation R, and its mean over the motion, by which linear velocities are multiplied."""
    phi = np.linalg.norm(turn, axis=-1)[..., None, None]
    W = matrix_forms.skew(turn)
    square, is_small = phi * phi, phi < _SMALL
    large = np.where(is_small, 1.0, phi)
    sine, cosine = np.sinc(phi / np.pi), 0.5 * np.sinc(0.5 * phi / np.pi) ** 2
    series = (1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0))) / 6.0
    slope = np.where(is_small, series, (large - np.sin(large)) / large**3)
    W2 = W @ W
    return np.eye(3) + sine * W + cosine * W2, np.eye(3) + cosine * W + slope * W2


def log(H: ArrayLike) -> Array:
    """The inverse of :func:`exp` with q = 1, |omega| <= pi; accurate at both ends, by way of the quaternion.

    At |omega| = pi, omega and -omega give the same rotation: one of the two is returned.

    Args:
        H: rotation matrices (..., 3, 3) or homogeneous matrices (..., 4, 4).

    Returns:
        omega (..., 3) [rad], or twists (v, omega) (..., 6).

    Raises:
        StateError: a wrong shape, a number that is not finite, no rotation matrix, or a last row not 0 0 0 1.
    """
    matrix = numbers(H, "H", (3, 3), (4, 4))
    if matrix.shape[-1] == 3:
        return _log(matrix_forms.homogeneous(rotation_matrix(matrix, "H"), np.zeros(3)))[..., 3:]
    return finite(_log(pose_matrix(matrix, "H")), "log")


def _log(H: Array) -> Array:
    result = np.empty((*H.shape[:-2], 6))
    for index in np.ndindex(H.shape[:-2]):
        R, p = H[index][:3, :3], H[index][:3, 3]
        half = algebra.log(algebra.from_rotation_translation(R, p))
        result[index] = 2.0 * np.concatenate([half.dual.vector, half.primary.vector])
    return result
