"""Dual quaternions, readable and immutable: poses are unit, twists and wrenches are pure."""

from . import conversion
from .conversion import *  # noqa: F403  # all of them
from .dual_quaternion import DualQuaternion, Quaternion
from .lie import adjoint, cross, exp, log

__all__ = ["DualQuaternion", "Quaternion", "adjoint", "cross", "exp", "log"]
__all__ += conversion.__all__
