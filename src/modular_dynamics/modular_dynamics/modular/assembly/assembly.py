"""Robots assembled of modules: docking gives a new assembly, and an assembly is a graph of subsystems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from numpy.typing import ArrayLike

from ...exceptions import AssemblyError
from ...model import SubsystemGraph
from ..incidence.conversion import incidence_matrix_of, with_columns
from ..incidence.matrix import IncidenceMatrix, as_incidence_matrix
from ..incidence.transformations import DirectTransformations, IndirectTransformations
from ..modules.library import shipped_types
from ..modules.module_type import ModuleJoint, ModuleType
from . import checks
from .connections import connected_from
from .docking import FIXED, Docking, Mount, checked_mount
from .graph import graph_of
from .printing import tree_of
from .structure import Structure, docked, module_of, released, replayed, started

__all__ = ["Assembly"]

MountLike = str | Mount | Sequence[ModuleJoint]


class Assembly:
    """Modules docked to each other, from a base module outwards. Constant: each change gives a new assembly.

    Modules stand in the order of their docking, each after the one that carries it. A docking between two
    modules that are both there closes a ring.

    Args:
        base: name and kind of the base module: ``("v0", "backbone")``.
        mount: "fixed"; "floating"; or virtual joints that move the base, in this order.
        types: kinds in addition to the shipped ones, by name.

    Raises:
        AssemblyError, UnknownNameError: a name that is none; an unknown kind; names the choices.
    """

    def __init__(
        self,
        base: tuple[str, str | ModuleType],
        *,
        mount: MountLike = FIXED,
        types: Mapping[str, ModuleType] | None = None,
        name: str = "assembly",
    ) -> None:
        if not isinstance(base, tuple) or len(base) != 2:
            raise AssemblyError(f"the base is {base!r}; needed is (name, kind), such as ('v0', 'backbone')")
        known = {**shipped_types(), **(types or {})}
        module = checks.checked_name(base[0])
        kind = checks.checked_kind(base[1], module, known)
        self._name = name
        self._structure = started(module, kind, checked_mount(mount), {**known, kind.name: kind})

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
        """How the base stands in the world."""
        return self._structure.mount

    @property
    def types(self) -> Mapping[str, ModuleType]:
        """The kinds that it knows, by name."""
        return MappingProxyType(dict(self._structure.types))

    @property
    def kinds(self) -> Mapping[str, ModuleType]:
        """The kind of each module, in order."""
        return MappingProxyType({name: placed.type for name, placed in self._structure.placed.items()})

    @property
    def dockings(self) -> tuple[Docking, ...]:
        """How each module but the base is docked towards the base, in order."""
        return self._structure.dockings[: len(self) - 1]

    @property
    def rings(self) -> tuple[Docking, ...]:
        """The dockings that close rings."""
        return self._structure.rings

    def __len__(self) -> int:
        return len(self._structure.placed)

    def __iter__(self) -> Iterator[str]:
        return iter(self._structure.placed)

    def __contains__(self, module: object) -> bool:
        return module in self._structure.placed

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Assembly):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.base, self._structure.dockings))

    def _identity(self) -> tuple[object, ...]:
        return tuple(self.kinds.items()), self._structure.dockings, self.mount

    def docked_at(self, module: str, port: str | int) -> tuple[str, str] | None:
        """Module and port docked at a port; None if it is free. Raises AssemblyError, UnknownNameError."""
        own = checks.checked_port(module, module_of(self._structure, module).type, port)
        return self._structure.used.get((module, own.name))

    def dock(
        self,
        module: str,
        port: str | int,
        other: str,
        other_port: str | int,
        *,
        kind: str | ModuleType | None = None,
        turn: int = 0,
    ) -> Assembly:
        """Dock ``other`` at a module of the assembly; a module that is there already closes a ring.

        Args:
            port, other_port: names or numbers of the ports, such as the faces 2 to 5 of a Backbone.
            kind: of a new module. turn: quarter turns about the port's normal; 0: tops on one side.

        Raises:
            UnknownNameError: no such module or kind; names the choices.
            AssemblyError: a port that is used, cannot dock or does not fit the other one; a cell that another
                module fills; a kind for a module that is there already, or none for a new one.
        """
        return self._with(docked(self._structure, module, port, other, other_port, kind, turn))

    def undock(self, module: str, port: str | int | None = None) -> Assembly:
        """Release one docking; modules that are then not connected with the base leave.

        Args:
            port: of the module, whose docking is released; None: that towards the base.

        Raises:
            UnknownNameError: no such module. AssemblyError: it is the base, or nothing is docked at the port.
        """
        return self._with(released(self._structure, module, port).rest)

    def split(self, module: str, port: str | int | None = None) -> tuple[Assembly, Assembly]:
        """Release one docking: the assembly with the base, and that of the modules that leave.

        The second one's base is the module that was docked; it is fixed.

        Raises:
            UnknownNameError, AssemblyError: as :meth:`undock`; or a ring still connects both parts.
        """
        rest, docking, leaving = released(self._structure, module, port)
        if not leaving:
            raise AssemblyError(
                f"a ring still connects modules '{docking.parent}' and '{docking.module}'; undock() opens it"
            )
        others = [each for each in self._structure.dockings if each != docking]
        return self._with(rest), self._with(self._from(docking.module, others, FIXED))

    def merge(
        self,
        other: Assembly,
        module: str,
        port: str | int,
        other_module: str,
        other_port: str | int,
        *,
        turn: int = 0,
        prefix: str = "",
    ) -> Assembly:
        """Dock another assembly by one of its modules; all come along, with ``prefix`` before their names.

        Raises:
            UnknownNameError, AssemblyError: as :meth:`dock`; or both have a module of one name.
        """
        theirs = other._structure
        kind = module_of(theirs, other_module).type
        names = [checks.checked_name(prefix + name) for name in other]
        if both := [name for name in names if name in self]:
            raise AssemblyError(f"both assemblies have a module '{both[0]}'; give the second one a prefix")
        start = docked(self._structure, module, port, prefix + other_module, other_port, kind, turn)
        return self._with(replayed(start, connected_from(theirs.dockings, other_module), theirs, prefix))

    def with_base(self, module: str, mount: MountLike = FIXED) -> Assembly:
        """The same modules seen from another base. Joints at entries follow: see :class:`.ModuleType`.

        Raises:
            UnknownNameError: no such module.
        """
        return self._with(self._from(module, self._structure.dockings, checked_mount(mount)))

    def graph(
        self,
        subsystems: str | Mapping[str, Sequence[str]] = "module",
        *,
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
    ) -> SubsystemGraph:
        """The robot: q, v and tau in the order of its ``joint_names``; rings are loop joints.

        Nothing is parsed or compiled, and what did not change since another assembly is not made again.

        Args:
            subsystems: "module": one for each module with joints; "chain": one for each unbranched chain; or
                names of modules by subsystem.
            gravity: in the axes of the ground [m/s^2].

        Raises:
            AssemblyError: subsystems that are not connected, or do not contain each module once.
        """
        return graph_of(self._name, self._structure, subsystems, gravity)

    def incidence_matrix(self) -> IncidenceMatrix:
        """The adapted assembly incidence matrix of Meister & Gutenkunst (Fig. 5)."""
        return incidence_matrix_of(self._structure)

    @classmethod
    def from_incidence_matrix(
        cls,
        matrix: ArrayLike | IncidenceMatrix,
        kinds: str | Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        turns: Sequence[int] | None = None,
        base: str | None = None,
        types: Mapping[str, ModuleType] | None = None,
        *,
        docking_types: Sequence[str] | None = None,
        mount: MountLike = FIXED,
        name: str = "assembly",
    ) -> Assembly:
        """The assembly that has this incidence matrix; columns that close rings may be among the others.

        Rows and columns may be in any order; in that of docking, :meth:`incidence_matrix` gives them back.

        Args:
            matrix: an :class:`.IncidenceMatrix`; or face numbers, shape (modules, docks), 0 for none.
            kinds: of all modules or of each.
            names, turns, base, docking_types: see :class:`.IncidenceMatrix`.
            types, mount, name: as those of an assembly.

        Raises:
            UnknownNameError: an unknown kind. AssemblyError: as :class:`.IncidenceMatrix`; faces that cannot
                dock; modules that would be in one cell; wrong docking types. Names modules, faces and column.
        """
        aim = as_incidence_matrix(matrix, kinds, names, turns, base, docking_types)
        kind = aim.kinds[aim.modules.index(aim.base)]
        start = cls((aim.base, kind), mount=mount, types=types, name=name)
        return start._with(with_columns(start._structure, aim))

    def direct_transformations(self, order: str = "dfs") -> DirectTransformations:
        """Poses of docked modules in each other's frames, by the traversal of Meister & Gutenkunst (Fig. 6).

        Args:
            order: "dfs" (depth first, as in Table III) or "bfs" (breadth first).

        Raises:
            AssemblyError: another order.
        """
        return DirectTransformations(self._structure, order)

    def indirect_transformations(self, order: str = "dfs") -> IndirectTransformations:
        """Poses of modules that one path leads through, as products. Order and errors: as the direct ones."""
        return IndirectTransformations(self.direct_transformations(order))

    def __str__(self) -> str:
        return tree_of(self._name, self._structure)

    def __repr__(self) -> str:
        return f"<Assembly '{self.name}': {len(self)} modules, {len(self.rings)} rings>"

    def _with(self, structure: Structure) -> Assembly:
        changed = object.__new__(Assembly)
        changed._name, changed._structure = self._name, structure
        return changed

    def _from(self, base: str, dockings: Sequence[Docking], mount: Mount) -> Structure:
        """The modules that these dockings connect with a base, docked anew from there."""
        own = self._structure
        start = started(base, module_of(own, base).type, mount, own.types)
        return replayed(start, connected_from(dockings, base), own)
