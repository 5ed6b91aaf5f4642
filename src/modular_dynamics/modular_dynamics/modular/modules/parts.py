"""The parts of a module type: bodies, joints, and the steps from one body to the next."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import ModelError
from ...model import JointType, Limits
from ...model.changes.bodies import checked_inertial, checked_number, checked_numbers
from ...model.number_arrays import Constant, read_only
from .shape import Shape

__all__ = ["ENTRY", "ModuleBody", "ModuleJoint", "Step", "unit"]

#: As ``parent`` of a joint: the port at which the module is docked towards the base.
ENTRY = "entry"
_TYPES = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
_ZERO = read_only(np.zeros(3), (3,), "an origin")
_NO_INERTIA = read_only(np.zeros((3, 3)), (3, 3), "an inertia")
#: Functions between `checked_inertial` and the line that makes a body: its __post_init__, and its __init__.
_DEPTH = 2
#: A vector whose length differs from 1 by less is a unit vector already.
_ROUNDING = 4 * np.finfo(float).eps


def unit(what: str, vector: ArrayLike) -> NDArray[np.float64]:
    """Return the unit vector (3,) of a direction. Raises ModelError: not three finite numbers, or all 0."""
    array = checked_numbers(what, vector, (3,))
    length = float(np.linalg.norm(array))
    if length == 0.0:
        raise ModelError(f"{what} is {array.tolist()}; a vector that is not 0 is needed")
    return array if abs(length - 1.0) <= _ROUNDING else array / length


@dataclass(frozen=True, eq=False)
class ModuleBody(Constant):
    """A rigid body of a module, in the module's frame at zero joint positions.

    Attributes:
        mass: [kg]. com: centre of mass [m], shape (3,).
        inertia: about the centre of mass, in the module's axes [kg m^2], shape (3, 3).
        shapes: what is drawn.

    Raises:
        ModelError: a mass or an inertia that no body has; names the body. An inertia that breaks the triangle
            inequality is a :class:`.ModelWarning`, as everywhere: vendors publish such numbers.
    """

    name: str
    mass: float = 0.0
    com: NDArray[np.float64] = field(default_factory=lambda: _ZERO)
    inertia: NDArray[np.float64] = field(default_factory=lambda: _NO_INERTIA)
    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        what = f"body '{self.name}'"
        own = checked_inertial(what, self.mass, self.com, self.inertia, _DEPTH)
        if own.mass == 0.0 and own.inertia.any():
            raise ModelError(f"{what} has an inertia and no mass; no rigid body has such an inertia")
        # a matrix that is symmetric but for rounding becomes symmetric
        symmetric = read_only(0.5 * (own.inertia + own.inertia.T) + 0.0, (3, 3), f"the inertia of {what}")
        com = read_only(own.com + 0.0, (3,), f"the centre of mass of {what}")  # turns -0.0 into 0.0
        self._set(mass=own.mass, com=com, inertia=symmetric)


@dataclass(frozen=True, eq=False)
class ModuleJoint(Constant):
    """A joint of a module, in the module's frame at zero joint positions.

    Attributes:
        type: revolute, continuous or prismatic.
        parent: a body of the module, or :data:`ENTRY`. child: a body.
        axis: a direction, made a unit vector, shape (3,); None: the outward normal of the entered port.
        origin: a point on the axis [m], shape (3,).
        damping, friction, armature: as those of :class:`.Joint`.

    Raises:
        ModelError: numbers that no joint has; names the joint.
    """

    name: str
    type: JointType
    parent: str
    child: str
    axis: NDArray[np.float64] | None
    origin: NDArray[np.float64] = field(default_factory=lambda: _ZERO)
    limits: Limits = field(default_factory=Limits)
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0

    def __post_init__(self) -> None:
        what = f"joint '{self.name}'"
        if self.type not in _TYPES:
            raise ModelError(f"{what} is {self.type!r}; revolute, continuous or prismatic is needed")
        if self.axis is not None:
            axis = unit(f"the axis of {what}", self.axis)
            self._set(axis=read_only(axis + 0.0, (3,), f"the axis of {what}"))
        origin = checked_numbers(f"the origin of {what} [m]", self.origin, (3,))
        self._set(origin=read_only(origin + 0.0, (3,), f"the origin of {what}"))
        for name in ("damping", "friction", "armature"):
            value = checked_number(f"the {name} of {what}", getattr(self, name))
            if value < 0.0:
                raise ModelError(f"the {name} of {what} is {value:g}; it cannot be negative")
            self._set(**{name: value})
        self._set(limits=_checked_limits(what, self.type, self.limits))


def _checked_limits(what: str, kind: JointType, limits: Limits) -> Limits:
    """Return the limits as floats. Raises ModelError: limits that no joint has."""
    given = {name: getattr(limits, name) for name in ("lower", "upper", "effort", "velocity")}
    limits = Limits(
        **{
            name: checked_number(f"the limit '{name}' of {what}", value)
            for name, value in given.items()
            if value is not None
        }
    )
    lower, upper = limits.lower, limits.upper
    for name in ("effort", "velocity"):
        if (getattr(limits, name) or 0.0) < 0.0:
            raise ModelError(
                f"the limit '{name}' of {what} is {getattr(limits, name):g}; it cannot be negative"
            )
    if lower is not None and upper is not None and lower > upper:
        raise ModelError(f"the lower limit of {what}, {lower:g}, is above its upper limit, {upper:g}")
    if kind is JointType.CONTINUOUS and (lower is not None or upper is not None):
        raise ModelError(f"{what} is continuous and has limits of its position; revolute is needed")
    return limits


class Step(NamedTuple):
    """A joint on the way from the entered body outwards; ``reversed``: from its child to its parent."""

    joint: ModuleJoint
    parent: str
    child: str
    reversed: bool
