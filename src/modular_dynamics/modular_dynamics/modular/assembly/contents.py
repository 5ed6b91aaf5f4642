"""What an assembly consists of: its modules, kinds, dockings and mount."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ...exceptions import UnknownNameError
from ..modules.module_type import ModuleType
from ..names import listed, shown
from . import checks
from .docking import Docking, Mount
from .structure import Structure, module_of

__all__ = ["Contents"]

# An assembly as a tree of text.


def tree_of(name: str, structure: Structure) -> str:
    """Return one line for each module (ports, name, kind), then one for each ring."""
    children: dict[str, list[Docking]] = {}
    for docking in structure.tree:
        children.setdefault(docking.parent, []).append(docking)
    joints = sum(len(placed.joints) for placed in structure.placed.values())
    lines = [
        f"{name}: {len(structure.placed)} modules, {joints} joints",
        f"{structure.base} ({structure.placed[structure.base].type.name})",
    ]
    kinds = {module: placed.type.name for module, placed in structure.placed.items()}
    stack = [(docking, "") for docking in reversed(children.get(structure.base, []))]
    last = {dockings[-1].module for dockings in children.values()}
    while stack:
        docking, indent = stack.pop()
        ends = docking.module in last
        lines.append(f"{indent}{'└─' if ends else '├─'} {_connection(docking)} ({kinds[docking.module]})")
        below = indent + ("   " if ends else "│  ")
        stack += [(child, below) for child in reversed(children.get(docking.module, []))]
    lines += [f"ring: {ring.parent} {_connection(ring)}" for ring in structure.rings]
    return "\n".join(lines)


def _connection(docking: Docking) -> str:
    turned = f" turned {90 * docking.turn} deg" if docking.turn else ""
    return f"{docking.parent_port}-{docking.port} {docking.module}{turned}"


class _Known(dict[str, ModuleType]):
    """A dictionary of module types that raises UnknownNameError for an unknown name."""

    def __init__(self, what: str, types: Mapping[str, ModuleType]) -> None:
        super().__init__(types)
        self._what = what

    def __missing__(self, name: object) -> ModuleType:
        raise UnknownNameError(f"no {self._what} {shown(name)}; known: {listed(self)}")


class Contents:
    """Look-ups in the data of an assembly; its only subclass, :class:`.Assembly`, makes and changes it."""

    _name: str
    _structure: Structure

    @property
    def name(self) -> str:
        """The robot's name."""
        return self._name

    @property
    def base(self) -> str:
        """The base module."""
        return self._structure.base

    @property
    def mount(self) -> Mount:
        """Joints between the world and the base."""
        return self._structure.mount

    @property
    def types(self) -> Mapping[str, ModuleType]:
        """Module types by name. Raises UnknownNameError for other names, with the choices."""
        return MappingProxyType(_Known("kind", self._structure.types))

    @property
    def kinds(self) -> Mapping[str, ModuleType]:
        """Module type of each module, in order. Raises UnknownNameError for other names, with the choices."""
        kinds = {name: placed.type for name, placed in self._structure.placed.items()}
        return MappingProxyType(_Known("module", kinds))

    @property
    def dockings(self) -> tuple[Docking, ...]:
        """Docking of each module but the base towards the base, in order."""
        return self._structure.tree

    @property
    def rings(self) -> tuple[Docking, ...]:
        """The dockings that close rings."""
        return self._structure.rings

    def __len__(self) -> int:
        return len(self._structure.placed)

    def __iter__(self) -> Iterator[str]:
        return iter(self._structure.placed)

    def __contains__(self, module: object) -> bool:
        return isinstance(module, str) and module in self._structure.placed

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Contents):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.base, self._structure.dockings))

    def _identity(self) -> tuple[object, ...]:
        return tuple(self.kinds.items()), self._structure.dockings, self.mount

    def docked_at(self, module: str, port: str | int) -> tuple[str, str] | None:
        """Return module and port docked at a port; None if it is free. Raises UnknownNameError."""
        own = checks.checked_port(module, module_of(self._structure, module).type, port)
        return self._structure.used.get((module, own.name))

    def __str__(self) -> str:
        return tree_of(self._name, self._structure)

    def __repr__(self) -> str:
        return f"<Assembly '{self.name}': {len(self)} modules, {len(self.rings)} rings>"
