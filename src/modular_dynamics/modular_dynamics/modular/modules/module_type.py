"""A type of module as data: its bodies, joints and docking ports."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...exceptions import ModelError
from ...model import JointType, Limits
from ...model.constant import Constant, read_only, read_only_mapping
from .equality import is_same
from .port import Port
from .shape import Shape

__all__ = ["ENTRY", "ModuleBody", "ModuleJoint", "ModuleType", "Step"]

#: As ``parent`` of a joint: the port at which the module is docked towards the base.
ENTRY = "entry"
_TYPES = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
#: Names of joints that an assembly adds to a module: "v1/dock" fixes it, "v1/floating" lets the base float.
_RESERVED = ("dock", "floating")
_ZERO = read_only(np.zeros(3), (3,), "an origin")
_NO_INERTIA = read_only(np.zeros((3, 3)), (3, 3), "an inertia")


@dataclass(frozen=True, eq=False)
class ModuleBody(Constant):
    """A rigid body of a module, in the module's frame at zero joint positions.

    Attributes:
        mass: [kg]. com: centre of mass [m], shape (3,).
        inertia: about the centre of mass, in the module's axes [kg m^2], shape (3, 3).
        shapes: what is drawn.
    """

    name: str
    mass: float = 0.0
    com: NDArray[np.float64] = field(default_factory=lambda: _ZERO)
    inertia: NDArray[np.float64] = field(default_factory=lambda: _NO_INERTIA)
    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        self._set(
            com=read_only(self.com, (3,), f"the centre of mass of body '{self.name}'"),
            inertia=read_only(self.inertia, (3, 3), f"the inertia of body '{self.name}'"),
        )


@dataclass(frozen=True, eq=False)
class ModuleJoint(Constant):
    """A joint of a module, in the module's frame at zero joint positions.

    Attributes:
        parent: a body of the module, or :data:`ENTRY`. child: a body.
        axis: unit axis, shape (3,); None: the outward normal of the entered port.
        origin: a point on the axis [m], shape (3,).
        damping, friction, armature: as those of :class:`.Joint`.
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
        self._set(origin=read_only(self.origin, (3,), f"the origin of joint '{self.name}'"))
        if self.axis is not None:
            self._set(axis=read_only(self.axis, (3,), f"the axis of joint '{self.name}'"))


class Step(NamedTuple):
    """A joint on the way from the entered body outwards; ``reversed``: from its child to its parent."""

    joint: ModuleJoint
    parent: str
    child: str
    reversed: bool


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
        _check(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModuleType):
            return NotImplemented
        return is_same(self, other)

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def entry_steps(self) -> tuple[Step, ...]:
        """The joints from the entry to the root body, in this order; none where a port's body is entered."""
        by_child = {joint.child: joint for joint in self.joints}
        steps: list[Step] = []
        body = self.root
        while body in by_child and len(steps) < len(self.joints):
            joint = by_child[body]
            steps.insert(0, Step(joint, joint.parent, body, False))
            body = joint.parent
        return tuple(steps) if body == ENTRY else ()

    def steps_from(self, body: str) -> tuple[Step, ...]:
        """The joints between bodies, from ``body`` outwards, each after the one that carries it."""
        return self._steps[body]

    @cached_property
    def _steps(self) -> Mapping[str, tuple[Step, ...]]:
        return {body: tuple(self._outwards(body)) for body in self.bodies}

    def _outwards(self, start: str) -> Iterator[Step]:
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
        """The port of that name or number; None if there is none."""
        return self.ports.get(str(port)) or self._numbered.get(port)

    @cached_property
    def _numbered(self) -> Mapping[object, Port]:
        return {port.number: port for port in self.ports.values()}


def _check(kind: ModuleType) -> None:
    """Raise ModelError unless bodies and joints form one tree that the root body and all ports belong to."""
    for what in chain(_wrong_bodies(kind), _wrong_joints(kind), _wrong_tree(kind)):
        raise ModelError(f"module type '{kind.name}': {what}")


def _wrong_bodies(kind: ModuleType) -> Iterator[str]:
    bodies = ", ".join(kind.bodies)
    if kind.root not in kind.bodies:
        yield f"its root body '{kind.root}' is none of its bodies: {bodies}"
    for port in kind.ports.values():
        if port.body not in kind.bodies:
            yield f"port {port.name} is on body '{port.body}'; its bodies: {bodies}"
    if bool(kind.cells) != (kind.cell_size > 0.0):
        yield "cells and a positive cell_size are needed, or neither"


def _wrong_joints(kind: ModuleType) -> Iterator[str]:
    names = [joint.name for joint in kind.joints]
    children = [joint.child for joint in kind.joints]
    for k, joint in enumerate(kind.joints):
        where = f"joint '{joint.name}'"
        if joint.type not in _TYPES:
            yield f"{where} is {joint.type.value}; revolute, continuous or prismatic is needed"
        if joint.child not in kind.bodies or joint.parent not in (*kind.bodies, ENTRY):
            yield f"{where} is between '{joint.parent}' and '{joint.child}'; bodies: {', '.join(kind.bodies)}"
        if joint.name in _RESERVED:
            yield f"{where} has a name that a docking or a mount has; {' and '.join(_RESERVED)} are reserved"
        if joint.name in names[:k]:
            yield f"two joints are named '{joint.name}'"
        if joint.child in children[:k]:
            yield f"body '{joint.child}' is the child of two joints"
        if joint.axis is None and joint.parent != ENTRY:
            yield f"{where} has no axis; only a joint whose parent is 'entry' needs none"


def _wrong_tree(kind: ModuleType) -> Iterator[str]:
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
