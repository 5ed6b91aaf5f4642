"""Simple shapes of modules, for pictures."""

from dataclasses import dataclass

from ...algebra import DualQuaternion

__all__ = ["Shape"]


@dataclass(frozen=True, eq=False)
class Shape:
    """A box, cylinder (along z) or sphere, at a pose in the module's frame at zero joint positions.

    Attributes:
        size: edges of a box; radius and length of a cylinder; radius of a sphere [m].
        color: red, green, blue, opacity, from 0 to 1.
    """

    kind: str
    size: tuple[float, ...]
    x_module_shape: DualQuaternion = DualQuaternion.identity
    color: tuple[float, float, float, float] = (0.7, 0.7, 0.75, 1.0)
