"""Checks of arguments: shapes, finite numbers, rotation matrices.

Each returns an array of floats or raises StateError.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import StateError
from ...model.number_arrays import number_array

__all__ = ["direction", "finite", "numbers", "pose_matrix", "rotation_matrix"]

Array = NDArray[np.float64]
#: Allowed deviation of R R^T from 1, of skew matrices from skew symmetry: numbers of files have ten digits.
TOLERANCE = 1e-9


def numbers(value: ArrayLike, name: str, *shapes: tuple[int, ...]) -> Array:
    """The array of finite numbers whose last dimensions are one of ``shapes``."""
    array = number_array(name, value)
    if not any(array.shape[max(array.ndim - len(shape), 0) :] == shape for shape in shapes):
        needed = " or ".join("(..., " + ", ".join(map(str, shape)) + ")" for shape in shapes)
        raise StateError(f"{name} has shape {array.shape}; {needed.replace('(..., )', '()')} is needed")
    if not np.isfinite(array).all():
        raise StateError(f"{name} is not finite: {array.tolist()}")
    return array


def finite(result: Array, what: str) -> Array:
    """``result``, computed from finite arguments: refused where they were too large for it."""
    if not np.isfinite(result).all():
        raise StateError(f"{what}: the arguments are finite, but so large that the result is not")
    return result


def rotation_matrix(value: ArrayLike, name: str) -> Array:
    """Rotation matrices (..., 3, 3): R R^T = 1, det R = 1."""
    R = numbers(value, name, (3, 3))
    with np.errstate(over="ignore", invalid="ignore"):
        errors = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if not errors <= TOLERANCE:
        raise StateError(f"{name} is no rotation matrix: R R^T differs from 1 by {errors:.2g}")
    if (np.linalg.det(R) < 0.0).any():
        raise StateError(f"{name} is no rotation matrix: its determinant is -1, a reflection")
    return R


def pose_matrix(value: ArrayLike, name: str) -> Array:
    """Homogeneous matrices (..., 4, 4): a rotation matrix, a position, and the last row 0 0 0 1."""
    H = numbers(value, name, (4, 4))
    last = H[..., 3, :]
    if (np.abs(last - np.array([0.0, 0.0, 0.0, 1.0])) > TOLERANCE).any():
        raise StateError(f"{name} is no homogeneous matrix: its last row is {last.tolist()}, not 0 0 0 1")
    rotation_matrix(H[..., :3, :3], f"the upper left block of {name}")
    return H


def direction(value: ArrayLike, name: str) -> Array:
    """Unit vectors (..., 3) along ``value``."""
    axis = numbers(value, name, (3,))
    largest = np.abs(axis).max(axis=-1, keepdims=True)
    if (largest == 0.0).any():
        raise StateError(f"{name} is zero; an axis with a direction is needed")
    scaled = axis / largest  # the squares of tiny or huge numbers would be 0 or infinite
    unit: Array = scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
    return unit
