"""Poses of ports and shapes as directions and angles, and back to the last bit."""

from collections.abc import Iterator

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

__all__ = ["facing", "port_pose", "shape_pose"]

#: Digits of numbers that a person wrote.
_WRITTEN = 12


def facing(xyz: ArrayLike, normal: NDArray[np.float64], up: NDArray[np.float64]) -> DualQuaternion:
    """The pose at xyz [m] with the z axis ``normal`` and the x axis ``up``, perpendicular unit vectors."""
    return from_rotation_translation(np.column_stack([up, np.cross(normal, up), normal]), xyz)


def port_pose(x: DualQuaternion) -> dict[str, list[float]]:
    """xyz, normal and up of a pose where :func:`facing` makes it of them again, else its eight numbers."""
    rotation, position = rotation_matrix(x.primary), translation(x)
    for xyz, normal, up in _candidates(position, rotation[:, 2], rotation[:, 0]):
        try:
            same = facing(xyz, normal, up) == x
        except ValueError:  # rounding made it no rotation
            continue
        if same:
            return {"xyz": xyz.tolist(), "normal": normal.tolist(), "up": up.tolist()}
    return {"pose": x.vec8().tolist()}


def shape_pose(x: DualQuaternion) -> dict[str, list[float]]:
    """xyz and rpy of a pose where :func:`.from_xyz_rpy` makes it of them again, else its eight numbers."""
    for xyz, rpy in _candidates(*to_xyz_rpy(x)):
        if from_xyz_rpy(xyz, rpy) == x:
            return {key: value.tolist() for key, value in (("xyz", xyz), ("rpy", rpy)) if value.any()}
    return {"pose": x.vec8().tolist()}


def _candidates(*vectors: NDArray[np.float64]) -> Iterator[tuple[NDArray[np.float64], ...]]:
    """The vectors rounded as a person writes them, without the sign of zero; as they are."""
    yield tuple(np.round(vector, _WRITTEN) + 0.0 for vector in vectors)
    yield vectors
