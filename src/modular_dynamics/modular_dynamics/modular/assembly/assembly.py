"""Robots assembled of modules: docking gives a new assembly, and an assembly is a graph of subsystems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from numpy.typing import ArrayLike

from ...exceptions import AssemblyError
from ...model import SubsystemGraph
from ...urdf.writing import element, number, numbers, origin, robot_element, text_of
from ..incidence.conversion import incidence_matrix_of, with_columns
from ..incidence.matrix import IncidenceMatrix, as_incidence_matrix
from ..incidence.transformations import DirectTransformations, IndirectTransformations
from ..modules.files import shipped_types
from ..modules.module_type import ModuleJoint, ModuleType
from ..names import LONGEST_NAME, is_label, shown
from .graph import GRAVITY, closed_graph, graph_of
from .structure import (
    FIXED,
    Docking,
    Mount,
    Structure,
    checked_kind,
    checked_mount,
    checked_name,
    checked_port,
    connected_from,
    docked,
    module_of,
    released,
    started,
)

MountLike = str | Mount | Sequence[ModuleJoint]


def _checked_types(types: object) -> dict[str, ModuleType]:
    """Return kinds by name, as a mapping. Raises AssemblyError."""
    if not isinstance(types, Mapping):
        raise AssemblyError(f"types is {shown(types)}; a mapping of names to ModuleTypes is needed")
    for name, kind in types.items():
        if not isinstance(kind, ModuleType) or kind.name != name:
            needed = "a ModuleType of that name is needed"
            raise AssemblyError(f"types has {shown(kind)} as {shown(name)}; {needed}")
    return dict(types)


def _tree_of(name: str, structure: Structure) -> str:
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
    """Return a docking as text: ports, module and turn."""
    turned = f" turned {90 * docking.turn} deg" if docking.turn else ""
    return f"{docking.parent_port}-{docking.port} {docking.module}{turned}"


class Assembly:
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
        known = {**shipped_types(), **_checked_types({} if types is None else types)}
        module = checked_name(base[0])
        kind = checked_kind(base[1], module, known)
        if not isinstance(name, str) or not is_label(name):
            needed = f"text of at most {LONGEST_NAME} characters is needed"
            raise AssemblyError(f"the robot's name is {shown(name)}; {needed}")
        own = checked_mount(mount, module, kind.bodies)
        self._name, self._structure = name, started(module, kind, own, {**known, kind.name: kind})

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
        """Module types by name."""
        return MappingProxyType(self._structure.types)

    @property
    def kinds(self) -> Mapping[str, ModuleType]:
        """Module type of each module, in order."""
        return MappingProxyType({name: placed.type for name, placed in self._structure.placed.items()})

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
        if not isinstance(other, Assembly):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.base, self._structure.dockings))

    def _identity(self) -> tuple[object, ...]:
        """Return what equal assemblies have in common."""
        return tuple(self.kinds.items()), self._structure.dockings, self.mount

    def docked_at(self, module: str, port: str | int) -> tuple[str, str] | None:
        """Return module and port docked at a port; None if it is free. Raises UnknownNameError."""
        own = checked_port(module, module_of(self._structure, module).type, port)
        return self._structure.used.get((module, own.name))

    def __str__(self) -> str:
        return _tree_of(self._name, self._structure)

    def __repr__(self) -> str:
        return f"<Assembly '{self.name}': {len(self)} modules, {len(self.rings)} rings>"

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
        """Return the assembly without one docking, and without modules then not connected with the base.

        Args:
            port: of the module, whose docking is released; None: that towards the base.

        Raises:
            UnknownNameError: no such module or port. AssemblyError: it is the base, or nothing is docked at
                the port.
        """
        return self._with(released(self._structure, module, port).rest)

    def split(self, module: str, port: str | int | None = None) -> tuple[Assembly, Assembly]:
        """Return two assemblies after releasing one docking: with the base, and of the modules that leave.

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
        return self._with(rest), self._with(self._structure.based_at(docking.module, others, FIXED))

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
        names = [checked_name(prefix + name) for name in other]
        if both := [name for name in names if name in self]:
            raise AssemblyError(f"both assemblies have a module '{both[0]}'; give the second one a prefix")
        start = docked(self._structure, module, port, prefix + other_module, other_port, kind, turn)
        return self._with(start.replayed(connected_from(theirs.dockings, other_module), theirs, prefix))

    def with_base(self, module: str, mount: MountLike = FIXED) -> Assembly:
        """Return the same modules seen from another base. Joints at entries follow: see :class:`.ModuleType`.

        Raises:
            UnknownNameError: no such module. ModelError: an invalid mount.
        """
        checked = checked_mount(mount, module, module_of(self._structure, module).type.bodies)
        return self._with(self._structure.based_at(module, self._structure.dockings, checked))

    def graph(
        self,
        *,
        gravity: ArrayLike = GRAVITY,
        guess: ArrayLike | None = None,
        require_closed: bool = False,
    ) -> SubsystemGraph:
        """Return the robot: q, v and tau in the order of its ``joint_names``; rings are loop joints.

        Each module with joints is a subsystem.

        Nothing is parsed or compiled, and what did not change since another assembly is not made again.
        With rings, the graph's ``independent`` joints are as many as the rings leave free to move
        (:func:`.independent_joints`); all are actuated. Rings that were not closed, and those that leave no
        mobility, are in the graph's ``notes``. A ring of modules without a joint between them is no loop
        joint.

        Args:
            gravity: in the axes of the ground [m/s^2].
            guess: coordinates of all joints (nq,) near which the rings are closed; None: zero.
            require_closed: rings are an error, not a note, where no search closes them within the limits of
                all joints: from the guess, from random points around it and all over the limits. Such a ring
                can be docked, as joints may lead it to its port later; but loops cannot be computed with it.

        Raises:
            AssemblyError: a ring whose ports do not meet, without a joint that could move them; gravity that
                is no vector; with ``require_closed`` a ring that does not close. Names modules and ports.
            StateError: a guess of the wrong shape, or not finite.
        """
        return graph_of(self._name, self._structure, gravity, guess, require_closed)

    def to_urdf(self) -> str:
        """Return URDF text with tags (docs/urdf_tags.md): masses, shapes, joints, subsystems, rings.

        ``md.load_urdf(assembly.to_urdf())`` is the same robot as ``graph()``, with joints in the
        same order. The text says neither which joints of a ring are independent nor where gravity points to:
        ``assembly.graph().to_urdf()`` does, but has no shapes. Joints without limits have the largest float
        as a limit where URDF needs one, which ``load_urdf`` reads as none.

        Raises:
            AssemblyError: as :meth:`graph`.
        """
        return _urdf_of(self._structure, closed_graph(self._name, self._structure))

    def incidence_matrix(self) -> IncidenceMatrix:
        """Return the adapted assembly incidence matrix of Meister & Gutenkunst (Fig. 5)."""
        return incidence_matrix_of(self._structure)

    @classmethod
    def from_incidence_matrix(
        cls,
        matrix: ArrayLike | IncidenceMatrix,
        kinds: str | Sequence[str] | None = None,
        *,
        types: Mapping[str, ModuleType] | None = None,
        mount: MountLike = FIXED,
        name: str = "assembly",
    ) -> Assembly:
        """Return the assembly with this incidence matrix; columns that close rings may be anywhere in it.

        Rows and columns may be in any order; in that of docking, :meth:`incidence_matrix` gives them back.

        Args:
            matrix: an :class:`.IncidenceMatrix`; or face numbers, shape (modules, docks), 0 for none.
            kinds: of numbers: of all modules or of each.
            types, mount, name: as those of an assembly.

        Raises:
            UnknownNameError: an unknown kind, or a face that a kind does not have. AssemblyError: as
                :class:`.IncidenceMatrix`; faces that do not fit; modules that would be in one cell; wrong
                docking types. Names modules, faces and column.
        """
        aim = as_incidence_matrix(matrix, kinds)
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
        """Return an assembly of the same name with another structure."""
        changed = object.__new__(Assembly)
        changed._name, changed._structure = self._name, structure
        return changed


# An assembly as URDF text with tags (docs/urdf_tags.md): that of its graph, with the modules' shapes.

#: Attributes of the shapes, in the order of ``Shape.size``; those of a box are one.
_SIZES = {"box": (), "cylinder": ("radius", "length"), "sphere": ("radius",)}


def _urdf_of(structure: Structure, graph: SubsystemGraph) -> str:
    """Return an assembly's URDF text; shapes are drawn and for collisions."""
    robot, colors = robot_element(graph), dict[tuple[float, ...], None]()
    links = {str(link.get("name")): link for link in robot.findall("link")}
    for placed in structure.placed.values():
        for name, body in placed.type.bodies.items():
            site = placed.sites[name]
            x_link_module = graph.link_pose(site.link)[1].conjugate() * site.x
            for kind in ("visual", "collision"):
                for shape in body.shapes:
                    own = element(kind, links[site.link])
                    own.append(origin(x_link_module * shape.x_module_shape))
                    geometry = element(shape.kind, element("geometry", own))
                    if shape.kind == "box":
                        geometry.set("size", numbers(shape.size))
                    for attribute, size in zip(_SIZES[shape.kind], shape.size, strict=False):
                        geometry.set(attribute, number(size))
                    if kind == "visual":
                        colors[shape.color] = None
                        element("material", own, name=f"rgba {numbers(shape.color)}")
    for k, color in enumerate(colors):
        material = element("material", name=f"rgba {numbers(color)}")
        element("color", material, rgba=numbers(color))
        robot.insert(k, material)
    return text_of(robot)
