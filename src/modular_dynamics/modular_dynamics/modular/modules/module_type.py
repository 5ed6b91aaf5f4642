"""A type of module as data: its bodies, joints and docking ports."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import isfinite

import numpy as np

from ...exceptions import ModelError
from ...model.number_arrays import Constant, read_only_mapping
from ..names import MOST_PARTS, NAME, is_name, listed, shown
from .parts import ENTRY, ModuleBody, ModuleJoint, Port, Step, is_same

__all__ = ["ModuleType"]

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
        _check(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModuleType):
            return NotImplemented
        return is_same(self, other)

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
        return self.ports.get(str(port)) or self._numbered.get(port)

    @cached_property
    def _numbered(self) -> Mapping[object, Port]:
        return {port.number: port for port in self.ports.values()}


def _check(kind: ModuleType) -> None:
    """Raise ModelError unless bodies and joints form one tree that the root body and all ports belong to."""
    for what in chain(_too_many(kind), _wrong_bodies(kind), _wrong_joints(kind), _wrong_tree(kind)):
        raise ModelError(f"module type {shown(kind.name)}: {what}")


def _too_many(kind: ModuleType) -> Iterator[str]:
    for what, parts in {"bodies": kind.bodies, "joints": kind.joints, "ports": kind.ports}.items():
        if len(parts) > MOST_PARTS:
            yield f"it has {len(parts)} {what}; at most {MOST_PARTS} are supported"


def _wrong_bodies(kind: ModuleType) -> Iterator[str]:
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
    yield from _wrong_numbers(kind)


def _wrong_numbers(kind: ModuleType) -> Iterator[str]:
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
