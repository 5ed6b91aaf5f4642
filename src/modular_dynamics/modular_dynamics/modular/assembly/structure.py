"""The data of an assembly, and how docking and releasing change them.

A module is placed when it docks: its joints and bodies are made then, and kept until it undocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import DualQuaternion, Quaternion, pose, rotation_matrix, to_rotation_translation
from ...exceptions import AssemblyError, ModelError, UnknownNameError
from ...model import Body, Inertial, Joint, JointType, Limits, Link, merged
from ..modules.module_type import (
    ENTRY,
    MOVING,
    ModuleJoint,
    ModuleType,
    Port,
    Step,
    docked_pose,
    is_same,
    unit,
)
from ..names import NAME, is_name, listed, shown

# How modules are connected: dockings and the mount of the base; checks that name modules and ports.


class Docking(NamedTuple):
    """Port ``port`` of ``module`` docked at ``parent_port`` of ``parent``, the one nearer to the base.

    ``turn``: quarter turns about the parent port's normal; 0 keeps the tops of both modules on one side.
    """

    parent: str
    parent_port: str
    module: str
    port: str
    turn: int = 0


def with_carried(tree: Iterable[Docking], module: str) -> dict[str, None]:
    """Return a module and all that it carries, by a tree of dockings, parents first."""
    carried = {module: None}
    for docking in tree:
        if docking.parent in carried:
            carried[docking.module] = None
    return carried


def connected_from(dockings: Iterable[Docking], start: str) -> list[Docking]:
    """Return the dockings connected with ``start``, each seen from the module nearer to it.

    Those that form a tree come in breadth-first order, those that close rings after them.
    """
    of_module: dict[str, list[Docking]] = {}
    for docking in dockings:
        parent, parent_port, module, port, turn = docking
        of_module.setdefault(parent, []).append(docking)
        # seen from the other module the turn stays: the inverse of R = Rz(turn) Rx(pi) is R
        of_module.setdefault(module, []).append(Docking(module, port, parent, parent_port, turn))
    reached, queue = {start}, [start]
    tree: list[Docking] = []
    rings: list[Docking] = []
    seen: set[tuple[str, str]] = set()
    for module in queue:
        for docking in of_module.get(module, ()):
            if docking[:2] in seen:
                continue  # seen already, from the other module
            seen.update((docking[:2], docking[2:4]))
            if docking.module in reached:
                rings.append(docking)
                continue
            reached.add(docking.module)
            queue.append(docking.module)
            tree.append(docking)
    return tree + rings


@dataclass(frozen=True, eq=False)
class Mount:
    """How the base module stands in the world: fixed, floating, or on virtual joints, in this order.

    Virtual joints move the base (Meister & Gutenkunst, section V.B); massless bodies lie between them.
    """

    floating: bool = False
    virtual_joints: tuple[ModuleJoint, ...] = ()

    def __eq__(self, other: object) -> bool:
        return is_same(self, other) if isinstance(other, Mount) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.floating, len(self.virtual_joints)))

    def steps(self, root: str) -> tuple[Step, ...]:
        """Return the joints from the world to the root body of the base."""
        ends = [ENTRY, *(joint.name for joint in self.virtual_joints[:-1]), root]
        return tuple(Step(joint, ends[k], ends[k + 1], False) for k, joint in enumerate(self.virtual_joints))


FIXED = Mount()
FLOATING = Mount(floating=True)


def virtual_joint(
    name: str, kind: str, axis: ArrayLike, *, limits: Limits | None = None, damping: float = 0.0
) -> ModuleJoint:
    """Return a virtual joint that moves the base: "prismatic", "revolute" or "continuous", by ``axis``.

    Args:
        axis: in the world's frame at zero joint positions, shape (3,); made a unit vector.

    Raises:
        ModelError: no name, another kind, an axis of zero length, other limits or damping than these.
    """
    _require_name(name)
    kinds = [each.value for each in MOVING]
    if not isinstance(kind, str) or kind not in kinds:
        raise ModelError(f"virtual joint '{name}' is {kind!r}; needed is one of {', '.join(kinds)}")
    direction = unit(f"the axis of virtual joint '{name}'", axis)
    own = Limits() if limits is None else limits
    return ModuleJoint(name, JointType(kind), ENTRY, name, direction, limits=own, damping=damping)


def checked_mount(mount: object, base: str, bodies: Iterable[str]) -> Mount:
    """Return the mount given as "fixed", "floating", a Mount, or virtual joints in order.

    Args:
        base: the base module. bodies: names of its bodies.

    Raises:
        ModelError: anything else; virtual joints of one name, of other types, or without an axis.
    """
    if isinstance(mount, str) and mount in ("fixed", "floating"):
        return FLOATING if mount == "floating" else FIXED
    if isinstance(mount, (list, tuple)) and mount:
        mount = Mount(virtual_joints=tuple(mount))
    if not isinstance(mount, Mount):
        raise ModelError(f"the mount is {mount!r}; needed is fixed, floating, or a list of virtual joints")
    if mount.floating and mount.virtual_joints:
        raise ModelError("the mount is floating and has virtual joints; needed is one of both")
    names = [*bodies]  # a link between virtual joints has the name of a joint
    for joint in mount.virtual_joints:
        if not isinstance(joint, ModuleJoint):
            raise ModelError(f"the mount has {joint!r}; virtual joints are made by virtual_joint()")
        _require_name(joint.name)
        what = f"virtual joint '{joint.name}' of module '{base}'"
        if joint.name in names:
            raise ModelError(f"{what} has the name of another one, or of one of its bodies")
        if joint.axis is None:
            raise ModelError(f"{what} has no axis; a direction is needed")
        names.append(joint.name)
    return mount


def _require_name(name: object) -> None:
    """Raise ModelError if a virtual joint cannot have this name."""
    if not is_name(name):
        raise ModelError(f"a virtual joint's name is {shown(name)}; {NAME} is needed")


def checked_name(name: object) -> str:
    """Return a name for a module: see :func:`.is_name`. Raises AssemblyError."""
    if not is_name(name):
        raise AssemblyError(f"a module's name is {shown(name)}; {NAME} is needed")
    return name


def checked_kind(kind: object, module: str, types: Mapping[str, ModuleType]) -> ModuleType:
    """Return the module type of that name, or the type itself. Raises UnknownNameError, AssemblyError."""
    if isinstance(kind, ModuleType):
        if types.get(kind.name, kind) != kind:
            other = f"another kind '{kind.name}' than that of module '{module}'"
            raise AssemblyError(f"the assembly knows {other}")
        return kind
    if not isinstance(kind, str):
        needed = "its name or a ModuleType is needed"
        raise AssemblyError(f"the kind of module '{module}' is {shown(kind)}; {needed}")
    if kind not in types:
        raise UnknownNameError(f"unknown kind {shown(kind)} of module '{module}'; known: {listed(types)}")
    return types[kind]


def checked_port(module: str, kind: ModuleType, port: object) -> Port:
    """Return the port of that name or number.

    Raises:
        UnknownNameError: there is none; names the module and the ports that it has.
        AssemblyError: neither a name nor a number.
    """
    key = port if isinstance(port, str) else integer(port)
    found = None if key is None else kind.port(key)
    if found is None:
        error = AssemblyError if key is None else UnknownNameError
        ports = f"the ports of a {kind.name}: {listed(kind.ports) or 'none'}"
        raise error(f"port {shown(port)} of module '{module}' cannot dock; {ports}")
    return found


def integer(value: object) -> int | None:
    """Return an integer, of Python or NumPy, as int; None for anything else."""
    if type(value) is bool or not isinstance(value, (int, np.integer)):
        return None
    return int(value)


WORLD = "world"
_TURNLESS = Quaternion(1.0)
_Z = np.array([0.0, 0.0, 1.0])
#: Distance from the grid [cells] up to which a module is on it.
_OFF_GRID = 0.01
#: Edge [m] and integer coordinates, from the base module's centre in its axes.
Cell = tuple[float, int, int, int]
PortKey = tuple[str, str]


class Site(NamedTuple):
    """A pose fixed in a body of the robot: body ``body`` of module ``module``, or the ground (None).

    ``link``: the link at which it is, which belongs to that body.
    """

    module: str | None
    body: int
    link: str
    x: DualQuaternion


class PlacedModule(NamedTuple):
    """The joints and bodies that a module adds to the robot.

    Attributes:
        site: the module's frame in the body that carries it.
        joints: in order. parents: body that carries each: an index into this module's, or None: the site's.
        bodies: one for each joint, as if nothing were fixed to them.
        fixed: the link that becomes part of the carrying body; None where a joint leads to every body.
        sites: the module's frame in the robot's body that each body of the module belongs to.
        x_base_module: pose in the base module's frame at zero joint positions.
    """

    type: ModuleType
    docking: Docking | None
    site: Site
    joints: tuple[Joint, ...]
    parents: tuple[int | None, ...]
    bodies: tuple[Body, ...]
    fixed: Link | None
    sites: Mapping[str, Site]
    x_base_module: DualQuaternion


def place(
    name: str, kind: ModuleType, docking: Docking | None, parent: PlacedModule | None, mount: Mount
) -> PlacedModule:
    """Return the module ``name`` docked at ``parent``, or, without a docking, the base on its mount."""
    entered, steps = kind.root, kind.entry_steps
    if docking is None or parent is None:
        ground = f"{name}/{kind.root}" if mount == FIXED else WORLD
        site, steps = Site(None, 0, ground, DualQuaternion.identity), mount.steps(kind.root)
        x_base, normal = DualQuaternion.identity, _Z
    else:
        port, own = parent.type.ports[docking.parent_port], kind.ports[docking.port]
        x_parent_module = docked_pose(port, own, docking.turn)
        carrier = parent.sites[port.body]
        site = carrier._replace(x=carrier.x * x_parent_module)
        entered = kind.root if steps else own.body
        x_base = parent.x_base_module * x_parent_module
        normal = rotation_matrix(own.x_module_port.primary)[:, 2]
    built = _Builder(name, kind, site, normal, docking is None)
    if docking is None and mount.floating:
        link = f"{name}/{entered}"
        joint = Joint(f"{name}/floating", JointType.FLOATING, site.link, link, site.x, _Z)
        built.append(joint, None, entered, np.zeros(3))
    elif steps:
        for step in steps:
            built.add(step, virtual=docking is None)
    else:
        built.fix(entered)
    if docking is None:
        built.sites.update((step.child, built.sites[kind.root]) for step in kind.entry_steps)
    for step in kind.steps_from(entered):
        built.add(step)
    joints, parents, bodies = tuple(built.joints), tuple(built.parents), tuple(built.bodies)
    return PlacedModule(kind, docking, site, joints, parents, bodies, built.fixed, built.sites, x_base)


class _Builder:
    """Builder of one module's joints and bodies, from its site outwards."""

    def __init__(
        self, name: str, kind: ModuleType, site: Site, normal: NDArray[np.float64], is_base: bool
    ) -> None:
        self.name, self.kind, self.site, self.normal, self.is_base = name, kind, site, normal, is_base
        self.joints: list[Joint] = []
        self.parents: list[int | None] = []
        self.bodies: list[Body] = []
        self.sites: dict[str, Site] = {}
        self.fixed: Link | None = None

    def fix(self, body: str) -> None:
        """Make the body part of the one that carries the module."""
        link = f"{self.name}/{body}"
        parent = None if link == self.site.link else self.site.link
        joint = None if parent is None else f"{self.name}/dock"
        self.fixed = Link(link, self._inertial(body, np.zeros(3)), parent, joint)
        self.sites[body] = self.site._replace(link=link)

    def add(self, step: Step, virtual: bool = False) -> None:
        """Append a joint and the body that it moves. The name of a virtual joint is its own."""
        joint = step.joint
        carrier = self.sites.get(step.parent, self.site)  # no site: the joint starts at the entry
        axis = self.normal if joint.axis is None else joint.axis
        made = Joint(
            joint.name if virtual else f"{self.name}/{joint.name}",
            joint.type,
            carrier.link,
            f"{self.name}/{step.child}",
            carrier.x * pose(_TURNLESS, joint.origin),
            -axis if step.reversed else axis,
            joint.limits,
            joint.damping,
            joint.friction,
            armature=joint.armature,
        )
        self.append(made, carrier.body if carrier.module == self.name else None, step.child, joint.origin)

    def append(self, joint: Joint, parent: int | None, body: str, origin: NDArray[np.float64]) -> None:
        """Append a joint and the body that it moves, whose frame is at ``origin`` of the module."""
        link, inertial = joint.child_link, self._inertial(body, origin)
        self.joints.append(joint)
        self.parents.append(parent)
        self.sites[body] = Site(self.name, len(self.bodies), link, pose(_TURNLESS, -origin))
        links, parts = {link: DualQuaternion.identity}, (Link(link, inertial),)
        self.bodies.append(Body(link, links, parts))

    def _inertial(self, body: str, origin: NDArray[np.float64]) -> Inertial:
        """Return a body's inertia (massless for virtual joints) about a frame at ``origin``."""
        if body not in self.kind.bodies:
            return Inertial.none
        # a base has no entry joints: what these would move is part of its root body
        parts = [self.kind.bodies[body]]
        if self.is_base and body == self.kind.root:
            parts += [self.kind.bodies[step.child] for step in self.kind.entry_steps if step.child != body]
        own = [(Inertial(p.mass, p.com - origin, p.inertia), DualQuaternion.identity) for p in parts]
        return own[0][0] if len(own) == 1 else merged(own)


def filled_cells(
    docking: str, kind: ModuleType, x_base_module: DualQuaternion, filled: Mapping[Cell, str]
) -> tuple[Cell, ...]:
    """Return a module's cells at zero joint positions; none if it has no cells or is off the grid.

    Raises:
        AssemblyError: another module fills one of them; names it and the cell after ``docking``, which says
            what cannot be.
    """
    if not kind.cells:
        return ()
    rotation, position = to_rotation_translation(x_base_module)
    places = np.array(kind.cells) @ rotation.T + position / kind.cell_size
    nearest = np.rint(places)
    if np.abs(places - nearest).max() > _OFF_GRID:
        return ()
    cells = tuple((kind.cell_size, *cell) for cell in nearest.astype(int).tolist())
    for cell in cells:
        if cell in filled:
            place = ", ".join(map(str, cell[1:]))
            raise AssemblyError(
                f"{docking}: it would be in the cell ({place}), which module '{filled[cell]}' fills"
            )
    return cells


AnyStructure = TypeVar("AnyStructure", bound="Structure")


@dataclass(frozen=True, eq=False, repr=False)
class Structure:
    """The data of an assembly. Constant: each change gives a new one.

    Attributes:
        name: of the robot. base: the base module. mount: joints between the world and the base.
        known: module types by name. placed: the modules in the order of their docking.
        used: by module and port, what is docked there. filled: modules by the cells that they fill.
        rings: the dockings that close rings.
    """

    name: str
    base: str
    mount: Mount
    known: Mapping[str, ModuleType]
    placed: Mapping[str, PlacedModule]
    used: Mapping[PortKey, PortKey]
    filled: Mapping[Cell, str]
    rings: tuple[Docking, ...]

    @property
    def dockings(self) -> tuple[Docking, ...]:
        """Docking of each module but the base towards the base, in order."""
        return tuple([placed.docking for placed in self.placed.values() if placed.docking is not None])

    def changed(self: AnyStructure, **fields: object) -> AnyStructure:
        """Return the assembly with other values of these fields."""
        other = object.__new__(type(self))
        other.__dict__.update({**self.__dict__, **fields})
        return other
