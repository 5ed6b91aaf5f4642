"""Simple shapes of modules, for pictures."""

from dataclasses import dataclass

from ...algebra import DualQuaternion
from ...exceptions import ModelError
from ...model.changes.bodies import checked_number
from .port import checked_pose

__all__ = ["GREY", "SIZES", "Shape"]

#: How many numbers the size of each kind has.
SIZES = {"box": 3, "cylinder": 2, "sphere": 1}
GREY = (0.7, 0.7, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class Shape:
    """A box, cylinder (along z) or sphere, at a pose in the module's frame at zero joint positions.

    Attributes:
        size: edges of a box; radius and length of a cylinder; radius of a sphere [m].
        color: red, green, blue, opacity, from 0 to 1.

    Raises:
        ModelError: an unknown kind, or numbers that its shapes do not have.
    """

    kind: str
    size: tuple[float, ...]
    x_module_shape: DualQuaternion = DualQuaternion.identity
    color: tuple[float, float, float, float] = GREY

    def __post_init__(self) -> None:
        if self.kind not in SIZES:
            raise ModelError(f"a shape is a {self.kind!r}; {', '.join(SIZES)} are supported")
        sizes = [checked_number(f"a length of the {self.kind} [m]", length) for length in self.size]
        if len(sizes) != SIZES[self.kind] or min(sizes) <= 0.0:
            raise ModelError(
                f"the size of the {self.kind} is {sizes}; {SIZES[self.kind]} positive numbers are needed"
            )
        color = [checked_number(f"a part of the {self.kind}'s colour", part) for part in self.color]
        if len(color) != 4 or min(color) < 0.0 or max(color) > 1.0:
            raise ModelError(f"the colour of the {self.kind} is {color}; four numbers from 0 to 1 are needed")
        object.__setattr__(self, "x_module_shape", checked_pose(f"the {self.kind}", self.x_module_shape))
        object.__setattr__(self, "size", tuple(sizes))
        object.__setattr__(self, "color", tuple(color))
