"""Dual quaternions, readable and immutable: poses are unit, twists and wrenches are pure."""

from .conversion import (
    from_rotation_translation,
    from_xyz_rpy,
    pose,
    rotation_about,
    rotation_matrix,
    to_rotation_translation,
    translation,
)
from .dual_quaternion import DualQuaternion, Quaternion
from .lie import adjoint, cross, exp, log

__all__ = [
    "DualQuaternion",
    "Quaternion",
    "adjoint",
    "cross",
    "exp",
    "from_rotation_translation",
    "from_xyz_rpy",
    "log",
    "pose",
    "rotation_about",
    "rotation_matrix",
    "to_rotation_translation",
    "translation",
]
