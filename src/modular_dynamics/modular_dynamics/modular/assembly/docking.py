"""How modules are connected: dockings and the mount of the base; checks that name modules and ports."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...exceptions import AssemblyError, ModelError, UnknownNameError
from ...model import JointType, Limits
from ..modules.module_type import ModuleType
from ..modules.parts import ENTRY, MOVING, ModuleJoint, Port, Step, is_same, unit
from ..names import NAME, is_name, listed, shown

__all__ = [
    "FIXED",
    "FLOATING",
    "Docking",
    "Mount",
    "beyond",
    "checked_kind",
    "checked_mount",
    "checked_name",
    "checked_port",
    "connected_from",
    "integer",
    "virtual_joint",
]


class Docking(NamedTuple):
    """Port ``port`` of ``module`` docked at ``parent_port`` of ``parent``, the one nearer to the base.

    ``turn``: quarter turns about the parent port's normal; 0 keeps the tops of both modules on one side.
    """

    parent: str
    parent_port: str
    module: str
    port: str
    turn: int = 0


def beyond(tree: Iterable[Docking], module: str) -> dict[str, None]:
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
    at: dict[str, list[Docking]] = {}
    for docking in dockings:
        parent, parent_port, module, port, turn = docking
        at.setdefault(parent, []).append(docking)
        # seen from the other module the turn stays: the inverse of R = Rz(turn) Rx(pi) is R
        at.setdefault(module, []).append(Docking(module, port, parent, parent_port, turn))
    reached, queue = {start}, [start]
    tree: list[Docking] = []
    rings: list[Docking] = []
    seen: set[tuple[str, str]] = set()
    for module in queue:
        for docking in at.get(module, ()):
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
    if not is_name(name):
        raise ModelError(f"a virtual joint's name is {shown(name)}; {NAME} is needed")


def checked_name(name: object) -> str:
    """Return a name for a module: see :func:`.is_name`. Raises AssemblyError."""
    if not isinstance(name, str) or not is_name(name):
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
