"""A type of module as data: its bodies, joints and docking ports."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cached_property
from itertools import chain
from math import isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import DualQuaternion, Quaternion, from_rotation_translation, pose
from ...exceptions import ModelError
from ...model import JointType, Limits
from ...model.changes.bodies import checked_inertial, checked_number, checked_numbers
from ...model.number_arrays import Constant, read_only, read_only_mapping
from ..names import MOST_PARTS, NAME, is_name, listed, shown

# The parts of a module type: shapes, docking ports, bodies, joints, and the steps from body to body.

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
        gender: "m", "f", or "h" for ports that mate with their like. kind: only equal kinds mate.

    Raises:
        ModelError: another value; names the port.
    """

    name: str
    number: int
    body: str
    x_module_port: DualQuaternion
    gender: str = "h"
    kind: str = ""

    def __post_init__(self) -> None:
        what = f"port {self.name}"
        if isinstance(self.number, bool) or not isinstance(self.number, int) or self.number < 1:
            raise ModelError(f"the number of {what} is {self.number!r}; a whole number from 1 on is needed")
        if self.gender not in GENDERS:
            raise ModelError(f"the gender of {what} is {self.gender!r}; m, f or h is needed")
        self._set(x_module_port=_checked_pose(what, self.x_module_port))


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
        bounds = {f"limit '{key}'": limits.get(key, 0.0) for key in ("effort", "velocity")}
        for key, value in {**bounds, **terms}.items():
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


#: Names of joints that an assembly adds to a module: "v1/dock" fixes it, "v1/floating" lets the base float.
_RESERVED = ("dock", "floating")


@dataclass(frozen=True, eq=False)
class ModuleType(Constant):
    """What all modules of one kind have in common. Poses are in the module's frame at zero joint positions.

    A module has joints between its bodies, and joints between :data:`ENTRY` and its bodies. Those of the
    second kind move the whole module against the one at which it is docked, at whichever port: so do the
    hinges of Backbone and Scout (Meister & Gutenkunst, eq. 18). A module at the base has no entry, and these
    joints are not there.

    Attributes:
        ports: by name.
        root: the body at which the chain of joints from the entry ends; that of the base.
        cells, cell_size: the cubes of a grid [m] that it fills; none: it is not checked for collisions.

    Types of the same data are equal.

    Raises:
        ModelError: bodies, joints and ports that form no module; names type and element.
    """

    name: str
    bodies: Mapping[str, ModuleBody]
    joints: tuple[ModuleJoint, ...]
    ports: Mapping[str, Port]
    root: str
    cells: tuple[tuple[int, int, int], ...] = ()
    cell_size: float = 0.0

    def __post_init__(self) -> None:
        self._set(bodies=read_only_mapping(self.bodies), ports=read_only_mapping(self.ports))
        self._set(cell_size=float(self.cell_size), cells=tuple(tuple(cell) for cell in self.cells))
        for what in chain(_wrong_parts(self), _wrong_ports(self), _wrong_joints(self), _wrong_tree(self)):
            raise ModelError(f"module type {shown(self.name)}: {what}")

    def __eq__(self, other: object) -> bool:
        return is_same(self, other) if isinstance(other, ModuleType) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def entry_steps(self) -> tuple[Step, ...]:
        """Return the joints from the entry to the root body, in order; none if a port's body is entered."""
        by_child = {joint.child: joint for joint in self.joints}
        steps: list[Step] = []
        body = self.root
        while body in by_child and len(steps) < len(self.joints):
            joint = by_child[body]
            steps.insert(0, Step(joint, joint.parent, body, False))
            body = joint.parent
        return tuple(steps) if body == ENTRY else ()

    def steps_from(self, body: str) -> tuple[Step, ...]:
        """Return the joints between bodies, from ``body`` outwards, each after the one that carries it."""
        return self._steps[body]

    @cached_property
    def _steps(self) -> Mapping[str, tuple[Step, ...]]:
        return {body: tuple(self._outwards(body)) for body in self.bodies}

    def _outwards(self, start: str) -> Iterator[Step]:
        """Yield the joints between bodies, breadth first from a body."""
        entry = {step.joint.name for step in self.entry_steps}
        between = [joint for joint in self.joints if joint.name not in entry]
        reached, queue = {start}, [start]
        while queue:
            body = queue.pop(0)
            for joint in between:
                turned = joint.child == body
                if body not in (joint.parent, joint.child):
                    continue
                other = joint.parent if turned else joint.child
                if other not in reached:
                    reached.add(other)
                    queue.append(other)
                    yield Step(joint, body, other, turned)

    def port(self, port: str | int) -> Port | None:
        """Return the port of that name or number; None if there is none."""
        return self.ports.get(str(port)) or next((p for p in self.ports.values() if p.number == port), None)


def _wrong_parts(kind: ModuleType) -> Iterator[str]:
    """Yield errors of the numbers of parts, of bodies, names and cells."""
    for what, parts in {"bodies": kind.bodies, "joints": kind.joints, "ports": kind.ports}.items():
        if len(parts) > MOST_PARTS:
            yield f"it has {len(parts)} {what}; at most {MOST_PARTS} are supported"
    bodies = listed(kind.bodies)
    if kind.root not in kind.bodies:
        yield f"its root body '{kind.root}' is none of its bodies: {bodies}"
    for port in kind.ports.values():
        if port.body not in kind.bodies:
            yield f"port {port.name} is on body '{port.body}'; its bodies: {bodies}"
    if not is_name(kind.name):
        yield f"{NAME} is needed as its name"
    if ENTRY in kind.bodies:
        yield f"a body is named '{ENTRY}', which is the parent of joints at the entered port"
    for name in (*kind.bodies, *(joint.name for joint in kind.joints), *kind.ports):
        if not is_name(name):
            yield f"a name in it is {shown(name)}; {NAME} is needed"
    if not isfinite(kind.cell_size) or bool(kind.cells) != (kind.cell_size > 0.0):
        yield "cells and a positive cell_size are needed, or neither"


def _wrong_ports(kind: ModuleType) -> Iterator[str]:
    """Yield errors of the names and numbers of ports."""
    port_of: dict[int, str] = {}
    for name, port in kind.ports.items():
        if name != port.name:
            yield f"port '{port.name}' stands under the name '{name}'"
        if port.number in port_of:
            yield f"ports {port_of[port.number]} and {name} both have the number {port.number}"
        port_of[port.number] = name
    for number, name in port_of.items():
        if name != str(number) and str(number) in kind.ports:
            yield f"port {name} has the number {number}, which is the name of another port"


def _wrong_joints(kind: ModuleType) -> Iterator[str]:
    """Yield errors of single joints."""
    names = [joint.name for joint in kind.joints]
    children = [joint.child for joint in kind.joints]
    for k, joint in enumerate(kind.joints):
        where = f"joint '{joint.name}'"
        if joint.child not in kind.bodies or joint.parent not in (*kind.bodies, ENTRY):
            yield f"{where} is between '{joint.parent}' and '{joint.child}'; bodies: {listed(kind.bodies)}"
        if joint.name in _RESERVED:
            yield f"{where} has a name that a docking or a mount has; {' and '.join(_RESERVED)} are reserved"
        if joint.name in names[:k]:
            yield f"two joints are named '{joint.name}'"
        if joint.child in children[:k]:
            yield f"body '{joint.child}' is the child of two joints"
        if joint.axis is None and joint.parent != ENTRY:
            yield f"{where} has no axis; only a joint whose parent is 'entry' needs none"


def _wrong_tree(kind: ModuleType) -> Iterator[str]:
    """Yield errors of the tree of bodies and joints, and of the entry."""
    entered = [joint.name for joint in kind.joints if joint.parent == ENTRY]
    if len(entered) > 1:
        yield f"several joints begin at 'entry': {', '.join(entered)}; one is needed"
    if entered and not kind.entry_steps:
        yield f"joint '{entered[0]}' from 'entry' does not lead to its root body '{kind.root}'"
    for port in kind.ports.values():
        if entered and port.body != kind.root:
            yield f"port {port.name} is on '{port.body}'; with a joint at 'entry' all are on '{kind.root}'"
    between = {step.child for step in kind.entry_steps} - {kind.root}
    for step in kind.entry_steps:
        own = kind.bodies[step.child]
        is_ball = np.array_equal(own.inertia, own.inertia[0, 0] * np.eye(3))
        if step.child in between and not (is_ball and np.array_equal(own.com, step.joint.origin)):
            yield (
                f"body '{own.name}' lies between the entry and the root body, which may be entered from "
                "several sides: its centre of mass must be the origin of its joint, its inertia a ball's"
            )
    reached = {kind.root, *between, *(step.child for step in kind.steps_from(kind.root))}
    for body in kind.bodies:
        if body not in reached:
            yield f"no joint connects body '{body}' with its root body '{kind.root}'"
    if len(kind.joints) != len(kind.bodies) - (not entered):
        yield f"{len(kind.joints)} joints for {len(kind.bodies)} bodies: a loop in a module is not supported"
