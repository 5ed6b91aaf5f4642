"""Robots assembled of modules: docking gives a new assembly, and an assembly is a graph of subsystems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from ...exceptions import AssemblyError
from ...model import SubsystemGraph
from ..incidence.conversion import incidence_matrix_of, with_columns
from ..incidence.matrix import IncidenceMatrix, as_incidence_matrix
from ..incidence.transformations import DirectTransformations, IndirectTransformations
from ..modules.library import shipped_types
from ..modules.module_type import ModuleJoint, ModuleType
from ..names import shown
from . import checks
from .connections import connected_from
from .contents import Contents
from .docking import FIXED, Docking, Mount, checked_mount
from .graph import closed_graph, graph_of
from .structure import Structure, docked, module_of, released, replayed, started
from .urdf_text import urdf_of

__all__ = ["Assembly"]

MountLike = str | Mount | Sequence[ModuleJoint]


class Assembly(Contents):
    """Modules docked to each other, from a base module outwards. Constant: each change gives a new assembly.

    Modules stand in the order of their docking, each after the one that carries it. A docking between two
    modules that are both there closes a ring.

    Args:
        base: name and kind of the base module: ``("v0", "backbone")``.
        mount: "fixed"; "floating"; or virtual joints that move the base, in this order.
        types: kinds in addition to the shipped ones, by name.

    Raises:
        AssemblyError, UnknownNameError: an invalid name; an unknown kind; names the choices.
        ModelError: an invalid mount.
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
            raise AssemblyError(
                f"the base is {shown(base)}; needed is (name, kind), such as ('v0', 'backbone')"
            )
        known = {**shipped_types(), **checks.checked_types({} if types is None else types)}
        module = checks.checked_name(base[0])
        kind = checks.checked_kind(base[1], module, known)
        self._name = checks.checked_robot(name)
        self._structure = started(
            module, kind, checked_mount(mount, module, kind.bodies), {**known, kind.name: kind}
        )

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
        """Return the assembly with ``other`` docked at a module; a module already there closes a ring.

        Args:
            port, other_port: names or numbers of the ports, such as the faces 2 to 5 of a Backbone.
            kind: of a new module. turn: quarter turns about the port's normal; 0: tops on one side.

        Raises:
            UnknownNameError: no such module, kind or port; names the choices.
            AssemblyError: a port that is used or does not fit the other one; a cell that another module
                fills; a kind for a module that is there already, or none for a new one.
        """
        return self._with(docked(self._structure, module, port, other, other_port, kind, turn))

    def undock(self, module: str, port: str | int | None = None) -> Assembly:
        """Release one docking; modules that are then not connected with the base leave.

        Args:
            port: of the module, whose docking is released; None: that towards the base.

        Raises:
            UnknownNameError: no such module or port. AssemblyError: it is the base, or nothing is docked at
                the port.
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
        """Return the assembly with all modules of another one, docked by one of them, prefixed by ``prefix``.

        The other one's mount does not count.

        Raises:
            UnknownNameError, AssemblyError: as :meth:`dock`; or both have a module of one name.
        """
        if not isinstance(other, Assembly):
            raise AssemblyError(f"{shown(other)} is given where an Assembly is needed")
        if not isinstance(prefix, str):
            raise AssemblyError(f"the prefix is {shown(prefix)}; text is needed")
        theirs = other._structure
        kind = module_of(theirs, other_module).type
        names = [checks.checked_name(prefix + name) for name in other]
        if both := [name for name in names if name in self]:
            raise AssemblyError(f"both assemblies have a module '{both[0]}'; give the second one a prefix")
        start = docked(self._structure, module, port, prefix + other_module, other_port, kind, turn)
        return self._with(replayed(start, connected_from(theirs.dockings, other_module), theirs, prefix))

    def with_base(self, module: str, mount: MountLike = FIXED) -> Assembly:
        """Return the same modules seen from another base. Joints at entries follow: see :class:`.ModuleType`.

        Raises:
            UnknownNameError: no such module. ModelError: an invalid mount.
        """
        checked = checked_mount(mount, module, module_of(self._structure, module).type.bodies)
        return self._with(self._from(module, self._structure.dockings, checked))

    def graph(
        self,
        subsystems: str | Mapping[str, Sequence[str]] = "module",
        *,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        guess: ArrayLike | None = None,
        require_closed: bool = False,
    ) -> SubsystemGraph:
        """Return the robot: q, v and tau in the order of its ``joint_names``; rings are loop joints.

        Nothing is parsed or compiled, and what did not change since another assembly is not made again.
        With rings, the graph's ``independent`` joints are as many as the rings leave free to move (see
        :mod:`.rings`); all are actuated. Rings that were not closed, and those that leave no mobility, are in
        the graph's ``notes``. A ring of modules without a joint between them is no loop joint.

        Args:
            subsystems: "module": one for each module with joints; "chain": one for each unbranched chain; or
                names of modules by subsystem.
            gravity: in the axes of the ground [m/s^2].
            guess: coordinates of all joints (nq,) near which the rings are closed; None: zero.
            require_closed: rings are an error, not a note, where no search closes them within the limits of
                all joints: from the guess, from random points around it and all over the limits. Such a ring
                can be docked, as joints may lead it to its port later; but loops cannot be computed with it.

        Raises:
            AssemblyError: subsystems that are not connected, or do not contain each module once; a ring whose
                ports do not meet, without a joint that could move them; gravity that is no vector; with
                ``require_closed`` a ring that does not close. Names modules and ports.
            StateError: a guess of the wrong shape, or not finite.
        """
        return graph_of(self._name, self._structure, subsystems, gravity, guess, require_closed)

    def to_urdf(self, subsystems: str | Mapping[str, Sequence[str]] = "module") -> str:
        """Return URDF text with tags (docs/urdf_tags.md): masses, shapes, joints, subsystems, rings.

        ``md.load_urdf(assembly.to_urdf())`` is the same robot as ``graph(subsystems)``, with joints in the
        same order. The text says neither which joints of a ring are independent nor where gravity points to:
        ``assembly.graph().to_urdf()`` does, but has no shapes. Joints without limits have the largest float
        as a limit where URDF needs one, which ``load_urdf`` reads as none.

        Raises:
            AssemblyError: as :meth:`graph`.
        """
        return urdf_of(self._structure, closed_graph(self._name, self._structure, subsystems))

    def incidence_matrix(self) -> IncidenceMatrix:
        """Return the adapted assembly incidence matrix of Meister & Gutenkunst (Fig. 5)."""
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
            UnknownNameError: an unknown kind, or a face that a kind does not have. AssemblyError: as
                :class:`.IncidenceMatrix`; faces that do not fit; modules that would be in one cell; wrong
                docking types. Names modules, faces and column.
        """
        aim = as_incidence_matrix(matrix, kinds, names, turns, base, docking_types)
        kind = aim.kinds[aim.modules.index(aim.base)]
        start = cls((aim.base, kind), mount=mount, types=types, name=name)
        return start._with(with_columns(start._structure, aim))

    def direct_transformations(self, order: str = "dfs") -> DirectTransformations:
        """Return poses of docked modules in each other's frames (Meister & Gutenkunst, Fig. 6).

        Args:
            order: "dfs" (depth first, as in Table III) or "bfs" (breadth first).

        Raises:
            AssemblyError: another order.
        """
        return DirectTransformations(self._structure, order)

    def indirect_transformations(self, order: str = "dfs") -> IndirectTransformations:
        """Return poses along paths of modules, as products of the direct ones. Order and errors as there."""
        return IndirectTransformations(self.direct_transformations(order))

    def _with(self, structure: Structure) -> Assembly:
        changed = object.__new__(Assembly)
        changed._name, changed._structure = self._name, structure
        return changed

    def _from(self, base: str, dockings: Sequence[Docking], mount: Mount) -> Structure:
        """Return the modules that these dockings connect with a base, docked anew from it."""
        own = self._structure
        start = started(base, module_of(own, base).type, mount, own.types)
        return replayed(start, connected_from(dockings, base), own)
