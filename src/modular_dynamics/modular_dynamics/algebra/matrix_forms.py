"""Rigid motions, twists and wrenches as matrices: SE(3), se(3) and the duals of their adjoints.

Twists are ordered (v, omega), wrenches (f, m); the equations are those of Meister & Gutenkunst, section II.
Arrays have any leading dimensions. Their entries are float64, or symbols as objects; zeros stay exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "SquareMatrix",
    "ad",
    "adjoint_matrix",
    "dual_bracket_matrix",
    "homogeneous",
    "inverse",
    "skew",
    "twist_matrix",
    "twist_vector",
    "unskew",
    "wrench_vector",
]


@dataclass(frozen=True, eq=False, slots=True)
class SquareMatrix:
    """The matrix ``array`` (n, n) as one element of an object array; * is the matrix product.

    Elements that are NumPy arrays themselves would be multiplied entry by entry.
    """

    array: NDArray[np.float64]

    def __add__(self, other: SquareMatrix) -> SquareMatrix:
        return SquareMatrix(self.array + other.array)

    def __sub__(self, other: SquareMatrix) -> SquareMatrix:
        return SquareMatrix(self.array - other.array)

    def __neg__(self) -> SquareMatrix:
        return SquareMatrix(-self.array)

    def __mul__(self, other: SquareMatrix) -> SquareMatrix:
        """Return the matrix product."""
        return SquareMatrix(self.array @ other.array)


Array = NDArray[Any]


def skew(a: Array) -> Array:
    """Return the matrices (..., 3, 3) of x -> a x x (eq. 3)."""
    matrix = np.zeros((*a.shape[:-1], 3, 3), a.dtype)
    matrix[..., 2, 1], matrix[..., 0, 2], matrix[..., 1, 0] = a[..., 0], a[..., 1], a[..., 2]
    matrix[..., 1, 2], matrix[..., 2, 0], matrix[..., 0, 1] = -a[..., 0], -a[..., 1], -a[..., 2]
    return matrix


def unskew(A: Array) -> Array:
    """Return the vectors a (..., 3) with skew(a) = A."""
    return np.stack([A[..., 2, 1], A[..., 0, 2], A[..., 1, 0]], axis=-1)


def homogeneous(rotation: Array, position: Array) -> Array:
    """Return H = [R p; 0 1] (..., 4, 4) (eq. 1)."""
    H = np.zeros(
        (*np.broadcast_shapes(rotation.shape[:-2], position.shape[:-1]), 4, 4),
        np.result_type(rotation, position),
    )
    H[..., :3, :3] = rotation
    H[..., :3, 3] = position
    H[..., 3, 3] = 1
    return H


def inverse(H: Array) -> Array:
    """Return H^-1 = [R^T -R^T p; 0 1]."""
    transposed = np.swapaxes(H[..., :3, :3], -1, -2)
    return homogeneous(transposed, -(transposed @ H[..., :3, 3:])[..., 0])


def twist_matrix(xi: Array) -> Array:
    """Return the elements [skew(omega) v; 0 0] (..., 4, 4) of se(3) (eq. 2)."""
    X = np.zeros((*xi.shape[:-1], 4, 4))
    X[..., :3, :3] = skew(xi[..., 3:])
    X[..., :3, 3] = xi[..., :3]
    return X


def twist_vector(X: Array) -> Array:
    """Return the twists (v, omega) (..., 6) of elements of se(3)."""
    return np.concatenate([X[..., :3, 3], unskew(X[..., :3, :3])], axis=-1)


def adjoint_matrix(H_b_a: Array) -> Array:
    """Return Ad(H) = [R skew(p) R; 0 R] (..., 6, 6) (eq. 13): twists from frame a to frame b.

    Its transpose takes wrenches from frame b to frame a (eq. 17).
    """
    rotation = H_b_a[..., :3, :3]
    Ad = np.zeros((*H_b_a.shape[:-2], 6, 6), H_b_a.dtype)
    Ad[..., :3, :3] = Ad[..., 3:, 3:] = rotation
    Ad[..., :3, 3:] = skew(H_b_a[..., :3, 3]) @ rotation
    return Ad


def ad(xi: Array) -> Array:
    """Return ad(xi) = [skew(omega) skew(v); 0 skew(omega)] (..., 6, 6) (eq. 15): ad(x) y = [x, y]."""
    matrix = np.zeros((*xi.shape[:-1], 6, 6), xi.dtype)
    matrix[..., :3, :3] = matrix[..., 3:, 3:] = skew(xi[..., 3:])
    matrix[..., :3, 3:] = skew(xi[..., :3])
    return matrix


def dual_bracket_matrix(wrench: Array) -> Array:
    """Return B(F) = [0 skew(f); skew(f) skew(m)] (..., 6, 6): B(F) x = ad(x)^T F, x^T B(F) y = F . [y, x].

    Skew-symmetric, linear in F, and zero only for F = 0: it represents a wrench F = (f, m) as a bilinear form
    of two twists x, y. In another frame it is Ad^T B Ad.
    """
    matrix = np.zeros((*wrench.shape[:-1], 6, 6), wrench.dtype)
    matrix[..., :3, 3:] = matrix[..., 3:, :3] = skew(wrench[..., :3])
    matrix[..., 3:, 3:] = skew(wrench[..., 3:])
    return matrix


def wrench_vector(B: Array) -> Array:
    """Return the wrenches (f, m) (..., 6) of matrices B(F)."""
    return np.concatenate([unskew(B[..., :3, 3:]), unskew(B[..., 3:, 3:])], axis=-1)
