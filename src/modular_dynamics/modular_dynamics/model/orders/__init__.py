"""Other libraries' orders of joints and their coordinates, to and from a graph's."""

from .order import Order
from .readers import from_mujoco, from_names, from_pinocchio

__all__ = ["Order", "from_mujoco", "from_names", "from_pinocchio"]
