"""Between the matrices and 6-vectors of Meister & Gutenkunst and this library's dual quaternions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import DualQuaternion, from_rotation_translation, matrix_forms, to_rotation_translation
from ...exceptions import StateError
from .checks import numbers, pose_matrix

__all__ = [
    "matrix_to_pose",
    "pose_to_matrix",
    "twist_to_vector",
    "vector_to_twist",
    "vector_to_wrench",
    "wrench_to_vector",
]

Array = NDArray[np.float64]
#: Allowed deviation from a unit or pure dual quaternion.
_TOLERANCE = 1e-9


def pose_to_matrix(x_b_a: DualQuaternion) -> Array:
    """H_b_a (4, 4) of a pose, a unit dual quaternion.

    Raises:
        StateError: not a dual quaternion, not finite, or not unit to 1e-9.
    """
    _components(x_b_a, "x_b_a")
    if not x_b_a.is_unit(_TOLERANCE):
        raise StateError(f"x_b_a is no pose: {x_b_a} is not a unit dual quaternion")
    return matrix_forms.homogeneous(*to_rotation_translation(x_b_a))


def matrix_to_pose(H_b_a: ArrayLike) -> DualQuaternion:
    """The unit dual quaternion x_b_a of a homogeneous matrix (4, 4), its real part not negative.

    Raises:
        StateError: not one homogeneous matrix with a rotation matrix and the last row 0 0 0 1.
    """
    H = pose_matrix(_single(H_b_a, "H_b_a", 2), "H_b_a")
    return from_rotation_translation(H[:3, :3], H[:3, 3])


def twist_to_vector(xi: DualQuaternion) -> Array:
    """(v, omega) (6,) of a twist omega + eps v, in the same frame and at the same point.

    Raises:
        StateError: not a dual quaternion, not finite, or not pure to 1e-9.
    """
    return np.roll(_pure(xi, "xi"), 3)


def vector_to_twist(V: ArrayLike) -> DualQuaternion:
    """The twist omega + eps v of (v, omega) (6,).

    Raises:
        StateError: a wrong shape, or a number that is not finite.
    """
    vector = numbers(_single(V, "V", 1), "V", (6,))
    return DualQuaternion.pure(vector[3:], vector[:3])


def wrench_to_vector(zeta: DualQuaternion) -> Array:
    """(f, m) (6,) of a wrench f + eps m, in the same frame and about the same point.

    Raises:
        StateError: not a dual quaternion, not finite, or not pure to 1e-9.
    """
    return _pure(zeta, "zeta")


def vector_to_wrench(F: ArrayLike) -> DualQuaternion:
    """The wrench f + eps m of (f, m) (6,).

    Raises:
        StateError: a wrong shape, or a number that is not finite.
    """
    vector = numbers(_single(F, "F", 1), "F", (6,))
    return DualQuaternion.pure(vector[:3], vector[3:])


def _single(value: ArrayLike, name: str, dimensions: int) -> ArrayLike:
    if np.ndim(value) > dimensions:
        raise StateError(f"{name} has shape {np.shape(value)}; one without leading dimensions is needed")
    return value


def _components(h: DualQuaternion, name: str) -> Array:
    if not isinstance(h, DualQuaternion):
        raise StateError(f"{name} is {type(h).__name__}; a DualQuaternion is needed")
    return numbers(h.vec8(), name, (8,))


def _pure(h: DualQuaternion, name: str) -> Array:
    components = _components(h, name)
    # the real parts that rounding leaves grow with the other components
    if not h.is_pure(_TOLERANCE * max(1.0, float(np.abs(components).max()))):
        raise StateError(f"{name} is no twist or wrench: {h} is not a pure dual quaternion")
    return h.vec6()
