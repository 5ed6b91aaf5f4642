"""The parts of a module type: shapes, docking ports, bodies, joints, and the steps from body to body."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import DualQuaternion, Quaternion, from_rotation_translation, pose
from ...exceptions import ModelError
from ...model import JointType, Limits
from ...model.changes.bodies import checked_inertial, checked_number, checked_numbers
from ...model.number_arrays import Constant, read_only

__all__ = [
    "ENTRY",
    "GENDERS",
    "GREY",
    "MOVING",
    "SIZES",
    "ModuleBody",
    "ModuleJoint",
    "Port",
    "Shape",
    "Step",
    "docked_pose",
    "facing",
    "is_same",
    "mating",
    "unit",
    "why_not_mating",
]

#: As ``parent`` of a joint: the port at which the module is docked towards the base.
ENTRY = "entry"
#: Types of joints of modules.
MOVING = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
#: How many numbers the size of each kind of shape has.
SIZES = {"box": 3, "cylinder": 2, "sphere": 1}
GREY = (0.7, 0.7, 0.75, 1.0)
_HALF = sqrt(0.5)
#: x_port_mated by quarter turns: the other port's z axis is opposite, its x axis equal, then it is turned.
_QUARTERS = tuple(
    pose(Quaternion(w, 0.0, 0.0, z) * Quaternion(0.0, 1.0, 0.0, 0.0), np.zeros(3))
    for w, z in ((1.0, 0.0), (_HALF, _HALF), (0.0, 1.0), (_HALF, -_HALF))
)
#: Which genders mate.
_MATES = {"m": "f", "f": "m", "h": "h"}
GENDERS = tuple(_MATES)
#: How far a pose may be from a unit dual quaternion.
_POSE_ROUNDING = 1e-9
#: A vector whose length differs from 1 by less is a unit vector already.
_ROUNDING = 4 * np.finfo(float).eps
#: Cosine of the angle between a port's normal and its up, up to which they are perpendicular.
_PERPENDICULAR = 1e-6
#: Functions between `checked_inertial` and the line that makes a body: its __post_init__, and its __init__.
_DEPTH = 2
_ZERO = read_only(np.zeros(3), (3,), "an origin")
_NO_INERTIA = read_only(np.zeros((3, 3)), (3, 3), "an inertia")


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal to the bit: dataclasses by fields, mappings also in order."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return bool(one.tobytes() == other.tobytes())
    if isinstance(one, Mapping):
        one, other = tuple(one.items()), tuple(other.items())
    elif is_dataclass(one):
        one, other = (tuple(getattr(each, field.name) for field in fields(one)) for each in (one, other))
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    return bool(one == other)


def unit(what: str, vector: ArrayLike) -> NDArray[np.float64]:
    """Return the unit vector (3,) of a direction. Raises ModelError: not three finite numbers, or all 0."""
    array = checked_numbers(what, vector, (3,))
    length = float(np.linalg.norm(array))
    if length == 0.0:
        raise ModelError(f"{what} is {array.tolist()}; a vector that is not 0 is needed")
    return array if abs(length - 1.0) <= _ROUNDING else array / length


def facing(xyz: ArrayLike, normal: ArrayLike, up: ArrayLike) -> DualQuaternion:
    """Return the pose at xyz [m] with the z axis along ``normal`` and the x axis along ``up``.

    Raises:
        ModelError: one of them is 0, or they are not perpendicular; names the cosine of their angle.
    """
    z, x = unit("the normal", normal), unit("up", up)
    if abs(cosine := float(x @ z)) > _PERPENDICULAR:
        raise ModelError(
            f"up is not perpendicular to the normal: the cosine of their angle is {cosine:.3g}; 0 is needed"
        )
    x = unit("up", x - cosine * z)
    return from_rotation_translation(np.column_stack([x, np.cross(z, x), z]), xyz)


def _checked_pose(what: str, x: object) -> DualQuaternion:
    """Return a unit dual quaternion of finite floats. Raises ModelError: ``x`` is not one."""
    if not isinstance(x, DualQuaternion) or not np.isfinite(x.vec8()).all() or not x.is_unit(_POSE_ROUNDING):
        raise ModelError(f"the pose of {what} is {x!r}; a unit dual quaternion is needed")
    numbers = x.vec8().tolist()
    return DualQuaternion(Quaternion(*numbers[:4]), Quaternion(*numbers[4:]))


@dataclass(frozen=True, eq=False)
class Shape(Constant):
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
        size = [checked_number(f"a length of the {self.kind} [m]", length) for length in self.size]
        if len(size) != SIZES[self.kind] or min(size) <= 0.0:
            needed = f"{SIZES[self.kind]} positive numbers are needed"
            raise ModelError(f"the size of the {self.kind} is {size}; {needed}")
        color = [checked_number(f"a part of the {self.kind}'s colour", part) for part in self.color]
        if len(color) != 4 or min(color) < 0.0 or max(color) > 1.0:
            raise ModelError(f"the colour of the {self.kind} is {color}; four numbers from 0 to 1 are needed")
        x = _checked_pose(f"the {self.kind}", self.x_module_shape)
        self._set(x_module_shape=x, size=tuple(size), color=tuple(color))


@dataclass(frozen=True, eq=False)
class Port(Constant):
    """A docking port: a frame with z outwards, fixed in a body of the module.

    Attributes:
        number: of the face, in an incidence matrix; from 1.
        x_module_port: pose in the module's frame at zero joint positions.
        size: lengths [m] that two mated ports have in common.
        gender: "m", "f", or "h" for ports that mate with their like. kind: only equal kinds mate.

    Raises:
        ModelError: another value; names the port.
    """

    name: str
    number: int
    body: str
    x_module_port: DualQuaternion
    size: tuple[float, ...] = ()
    gender: str = "h"
    kind: str = ""

    def __post_init__(self) -> None:
        what = f"port {self.name}"
        if isinstance(self.number, bool) or not isinstance(self.number, int) or self.number < 1:
            raise ModelError(f"the number of {what} is {self.number!r}; a whole number from 1 on is needed")
        if self.gender not in GENDERS:
            raise ModelError(f"the gender of {what} is {self.gender!r}; m, f or h is needed")
        size = tuple(checked_number(f"a size of {what} [m]", length) for length in self.size)
        if size and min(size) <= 0.0:
            raise ModelError(f"a size of {what} is {min(size):g} m; it must be positive")
        self._set(size=size, x_module_port=_checked_pose(what, self.x_module_port))


def mating(turn: int) -> DualQuaternion:
    """Return x_a_b of two mated ports: z opposite, x equal, then ``turn`` quarter turns about z of a."""
    return _QUARTERS[turn % 4]


def docked_pose(port: Port, other: Port, turn: int) -> DualQuaternion:
    """Return x_a_b of two modules at zero joint positions, with ``other`` of b docked at ``port`` of a."""
    return port.x_module_port * mating(turn) * other.x_module_port.conjugate()


def why_not_mating(a: Port, b: Port) -> str:
    """Return why two ports cannot mate, as the end of a sentence; empty if they can."""
    if _MATES.get(a.gender) != b.gender:
        return f"their genders are {a.gender} and {b.gender}; m mates with f, h with h"
    if a.kind != b.kind:
        return f"their kinds are '{a.kind}' and '{b.kind}'; equal ones mate"
    if a.size != b.size:
        return f"their sizes are {list(a.size)} and {list(b.size)} m; equal ones mate"
    return ""


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
        if self.type not in MOVING:
            raise ModelError(f"{what} is {self.type!r}; revolute, continuous or prismatic is needed")
        if self.axis is not None:
            axis = unit(f"the axis of {what}", self.axis)
            self._set(axis=read_only(axis + 0.0, (3,), f"the axis of {what}"))
        origin = checked_numbers(f"the origin of {what} [m]", self.origin, (3,))
        self._set(origin=read_only(origin + 0.0, (3,), f"the origin of {what}"))
        if not isinstance(self.limits, Limits):
            raise ModelError(f"the limits of {what} are {self.limits!r}; a Limits is needed")
        given = {key: value for key, value in asdict(self.limits).items() if value is not None}
        limits = {key: checked_number(f"the limit '{key}' of {what}", value) for key, value in given.items()}
        terms = {key: getattr(self, key) for key in ("damping", "friction", "armature")}
        terms = {key: checked_number(f"the {key} of {what}", value) for key, value in terms.items()}
        for key in ("effort", "velocity"):
            if limits.get(key, 0.0) < 0.0:
                raise ModelError(f"the limit '{key}' of {what} is {limits[key]:g}; it cannot be negative")
        for key, value in terms.items():
            if value < 0.0:
                raise ModelError(f"the {key} of {what} is {value:g}; it cannot be negative")
        if self.type is JointType.CONTINUOUS and ("lower" in limits or "upper" in limits):
            raise ModelError(f"{what} is continuous and has limits of its position; revolute is needed")
        if "lower" in limits and "upper" in limits and limits["lower"] > limits["upper"]:
            both = f"{limits['lower']:g}, is above its upper limit, {limits['upper']:g}"
            raise ModelError(f"the lower limit of {what}, {both}")
        self._set(limits=Limits(**limits), **terms)


class Step(NamedTuple):
    """A joint on the way from the entered body outwards; ``reversed``: from its child to its parent."""

    joint: ModuleJoint
    parent: str
    child: str
    reversed: bool
