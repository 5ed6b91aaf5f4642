"""Other libraries' orders of joints and their coordinates, to and from a graph's."""

from .order import JointOrder
from .readers import from_mujoco, from_names, from_pinocchio

__all__ = ["JointOrder", "from_mujoco", "from_names", "from_pinocchio"]
