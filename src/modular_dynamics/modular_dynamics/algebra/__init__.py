"""Dual quaternions: poses are unit ones, twists and wrenches pure ones. Values are immutable."""

from . import conversion, dual_quaternion, rigid_motions
from .conversion import *  # noqa: F403  # all of them
from .dual_quaternion import *  # noqa: F403  # all of them
from .rigid_motions import *  # noqa: F403  # all of them

__all__ = conversion.__all__ + dual_quaternion.__all__ + rigid_motions.__all__
