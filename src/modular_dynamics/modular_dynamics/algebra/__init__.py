"""Dual quaternions: poses are unit ones, twists and wrenches pure ones. Values are immutable."""

from . import conversion, rigid_motions
from .conversion import *  # noqa: F403  # all of them
from .dual_quaternion import DualQuaternion, Quaternion
from .lie import adjoint, cross, exp, log
from .rigid_motions import *  # noqa: F403  # all of them

__all__ = ["DualQuaternion", "Quaternion", "adjoint", "cross", "exp", "log"]
__all__ += conversion.__all__
__all__ += rigid_motions.__all__
