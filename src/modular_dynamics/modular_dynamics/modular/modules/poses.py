"""Poses of ports and shapes as directions and angles, and back to the last bit."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import (
    DualQuaternion,
    from_rotation_translation,
    from_xyz_rpy,
    rotation_matrix,
    to_xyz_rpy,
    translation,
)
from ...exceptions import ModelError
from .parts import unit

__all__ = ["facing", "port_pose", "shape_pose"]

#: Digits of numbers that a person wrote.
_DIGITS = 12
#: Cosine of the angle between a port's normal and its up, up to which they are perpendicular.
_PERPENDICULAR = 1e-6


def facing(xyz: ArrayLike, normal: ArrayLike, up: ArrayLike) -> DualQuaternion:
    """Return the pose at xyz [m] with the z axis along ``normal`` and the x axis along ``up``.

    Raises:
        ModelError: one of them is 0, or they are not perpendicular; names the cosine of their angle.
    """
    z, x = unit("the normal", normal), unit("up", up)
    if abs(cosine := float(x @ z)) > _PERPENDICULAR:
        raise ModelError(
            f"up is not perpendicular to the normal: the cosine of their angle is {cosine:.3g}; 0 is needed"
        )
    x = unit("up", x - cosine * z)
    return from_rotation_translation(np.column_stack([x, np.cross(z, x), z]), xyz)


def port_pose(x: DualQuaternion) -> dict[str, list[float]]:
    """Return xyz, normal and up of a pose if :func:`facing` restores it from them, else its eight numbers."""
    rotation, xyz = rotation_matrix(x.primary), _written(translation(x))
    # scaled as a person writes directions: the largest component is 1 or -1
    normal, up = (_written(a / np.abs(a).max()) for a in (rotation[:, 2], rotation[:, 0]))
    try:
        same = facing(xyz, normal, up) == x
    except ModelError:  # the other components do not round to short numbers
        same = False
    if same:
        return {"xyz": xyz.tolist(), "normal": normal.tolist(), "up": up.tolist()}
    return {"pose": x.vec8().tolist()}


def shape_pose(x: DualQuaternion) -> dict[str, list[float]]:
    """Return xyz and rpy of a pose if :func:`.from_xyz_rpy` restores it, else its eight numbers."""
    xyz, rpy = map(_written, to_xyz_rpy(x))
    if from_xyz_rpy(xyz, rpy) == x:
        return {key: value.tolist() for key, value in (("xyz", xyz), ("rpy", rpy)) if value.any()}
    return {"pose": x.vec8().tolist()}


def _written(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the vector rounded as a person writes it, without the sign of zero."""
    rounded: NDArray[np.float64] = np.round(vector, _DIGITS) + 0.0
    return rounded
