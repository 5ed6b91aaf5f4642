"""Robots assembled of modules: docking gives a new assembly, and an assembly is a graph of subsystems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from numpy.typing import ArrayLike

from ...exceptions import AssemblyError, UnknownNameError
from ...model import SubsystemGraph
from ...urdf.writing import element, number, numbers, origin, robot_element, text_of
from ..incidence.matrix import IncidenceMatrix, column_ends, docking_type, incidence_matrix_of
from ..incidence.transformations import Transformations, direct_transformations, indirect_transformations
from ..modules.files import shipped_types
from ..modules.module_type import ModuleJoint, ModuleType, why_not_mating
from ..names import LONGEST_NAME, MOST_MODULES, is_label, listed, shown
from .graph import GRAVITY, closed_graph, graph_of
from .structure import (
    FIXED,
    Docking,
    Mount,
    PlacedModule,
    Structure,
    checked_kind,
    checked_mount,
    checked_name,
    checked_port,
    connected_from,
    filled_cells,
    integer,
    place,
    with_carried,
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


def _tree_of(structure: Structure) -> str:
    """Return one line for each module (ports, name, kind), then one for each ring."""
    children: dict[str, list[Docking]] = {}
    for docking in structure.dockings:
        children.setdefault(docking.parent, []).append(docking)
    joints = sum(len(placed.joints) for placed in structure.placed.values())
    lines = [
        f"{structure.name}: {len(structure.placed)} modules, {joints} joints",
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


class Assembly(Structure):
    """Modules docked to each other, from a base module outwards. Constant: each change gives a new assembly.

    Modules stand in the order of their docking, each after the one that carries it. A docking between two
    modules that are both there closes a ring.

    Args:
        base: name and kind of the base module: ``("v0", "backbone")``.
        mount: "fixed"; "floating"; or virtual joints that move the base, in this order.
        types: kinds in addition to the shipped ones, by name.

    Attributes:
        name: of the robot. base: the base module. mount: joints between the world and the base.
        dockings: of each module but the base towards the base, in order.
        rings: dockings that close rings.

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
        if not is_label(name):
            needed = f"text of at most {LONGEST_NAME} characters is needed"
            raise AssemblyError(f"the robot's name is {shown(name)}; {needed}")
        own = checked_mount(mount, module, kind.bodies)
        placed = place(module, kind, None, None, own)
        cells = filled_cells(module, kind, placed.x_base_module, {})
        known = {**known, kind.name: kind}
        super().__init__(name, module, own, known, {module: placed}, {}, dict.fromkeys(cells, module), ())

    @property
    def types(self) -> Mapping[str, ModuleType]:
        """Module types by name."""
        return MappingProxyType(self.known)

    @property
    def kinds(self) -> Mapping[str, ModuleType]:
        """Module type of each module, in order."""
        return MappingProxyType({name: placed.type for name, placed in self.placed.items()})

    def __len__(self) -> int:
        return len(self.placed)

    def __iter__(self) -> Iterator[str]:
        return iter(self.placed)

    def __contains__(self, module: object) -> bool:
        return isinstance(module, str) and module in self.placed

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Assembly):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.base, self.dockings, self.rings))

    def _identity(self) -> tuple[object, ...]:
        """Return what equal assemblies have in common."""
        return tuple(self.kinds.items()), self.dockings, self.rings, self.mount

    def docked_at(self, module: str, port: str | int) -> tuple[str, str] | None:
        """Return module and port docked at a port; None if it is free. Raises UnknownNameError."""
        own = checked_port(module, self._module(module).type, port)
        return self.used.get((module, own.name))

    def __str__(self) -> str:
        return _tree_of(self)

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
        carrier = self._module(module)
        own = checked_port(module, carrier.type, port)
        self._require_free(module, own.name)
        if isinstance(other, str) and other == module:
            where = f"port {own.name} at its port {shown(other_port)}"
            raise AssemblyError(f"module '{module}' cannot dock at itself, {where}")
        is_ring = other in self
        if is_ring and kind is not None:
            ring = "without a kind the docking closes a ring"
            raise AssemblyError(f"module '{other}' is in the assembly already; {ring}")
        if not is_ring and kind is None:
            needed = f"a new one needs its kind: {listed(self.known)}"
            raise AssemblyError(f"no module {shown(other)} in the assembly; {needed}")
        if not is_ring and len(self) >= MOST_MODULES:
            raise AssemblyError(f"the assembly has {len(self)} modules; at most {MOST_MODULES} are supported")
        new = self.placed[other].type if is_ring else checked_kind(kind, checked_name(other), self.known)
        theirs = checked_port(other, new, other_port)
        self._require_free(other, theirs.name)
        if why := why_not_mating(own, theirs):
            raise AssemblyError(
                f"port {own.name} of module '{module}' and port {theirs.name} of module '{other}' do not "
                f"fit: {why}"
            )
        ends = f"port {theirs.name} of module '{other}'", f"at port {own.name} of module '{module}'"
        quarters = integer(turn)
        if quarters is None or not 0 <= quarters <= 3:
            given = f"{shown(turn)}; needed are 0, 1, 2 or 3 quarter turns"
            raise AssemblyError(f"the turn of {ends[0]} {ends[1]} is {given}")
        a, b = (module, own.name), (other, theirs.name)
        docking, used = Docking(*a, *b, quarters), {**self.used, a: b, b: a}
        if is_ring:
            return self.changed(used=used, rings=(*self.rings, docking))
        placed = place(other, new, docking, carrier, self.mount)
        cells = filled_cells(f"{ends[0]} cannot dock {ends[1]}", new, placed.x_base_module, self.filled)
        return self.changed(
            known=self.known if new.name in self.known else {**self.known, new.name: new},
            placed={**self.placed, other: placed},
            used=used,
            filled={**self.filled, **dict.fromkeys(cells, other)},
        )

    def undock(self, module: str, port: str | int | None = None) -> Assembly:
        """Return the assembly without one docking, and without modules then not connected with the base.

        Args:
            port: of the module, whose docking is released; None: that towards the base.

        Raises:
            UnknownNameError: no such module or port. AssemblyError: it is the base, or nothing is docked at
                the port.
        """
        docking = self._docking_at(module, port)
        if docking in self.rings:
            ends = (docking[:2], docking[2:4])
            used = {key: at for key, at in self.used.items() if key not in ends}
            return self.changed(used=used, rings=tuple(ring for ring in self.rings if ring != docking))
        carried = with_carried(self.dockings, docking.module)
        if any((ring.parent in carried) != (ring.module in carried) for ring in self.rings):
            others = [each for each in (*self.dockings, *self.rings) if each != docking]
            try:  # the rest of the ring carries its modules
                return self._based_at(self.base, others, self.mount)
            except AssemblyError as error:
                raise AssemblyError(
                    f"without port {docking.port} of module '{docking.module}' at port {docking.parent_port} "
                    f"of module '{docking.parent}' a ring carries it, and with all joints at zero {error}"
                ) from None
        return self.changed(
            placed={name: placed for name, placed in self.placed.items() if name not in carried},
            used={key: at for key, at in self.used.items() if key[0] not in carried and at[0] not in carried},
            filled={cell: name for cell, name in self.filled.items() if name not in carried},
            rings=tuple(ring for ring in self.rings if ring.parent not in carried),
        )

    def _docking_at(self, module: str, port: object) -> Docking:
        """Return the docking at a module's port; for None, the one towards the base."""
        placed = self._module(module)
        if port is None:
            if placed.docking is None:
                raise AssemblyError(
                    f"module '{module}' is the base, which is docked at nothing; "
                    "the port whose docking is released is needed"
                )
            return placed.docking
        key = (module, checked_port(module, placed.type, port).name)
        for docking in (*self.dockings, *self.rings):
            if key in (docking[:2], docking[2:4]):
                return docking
        raise AssemblyError(f"nothing is docked at port {key[1]} of module '{module}'")

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
        kind = other._module(other_module).type
        names = [checked_name(prefix + name) for name in other]
        if both := [name for name in names if name in self]:
            raise AssemblyError(f"both assemblies have a module '{both[0]}'; give the second one a prefix")
        start = self.dock(module, port, prefix + other_module, other_port, kind=kind, turn=turn)
        dockings = connected_from((*other.dockings, *other.rings), other_module)
        return start._replayed(dockings, other.placed, prefix)

    def with_base(self, module: str, mount: MountLike = FIXED) -> Assembly:
        """Return the same modules seen from another base. Joints at entries follow: see :class:`.ModuleType`.

        Raises:
            UnknownNameError: no such module. ModelError: an invalid mount.
        """
        checked = checked_mount(mount, module, self._module(module).type.bodies)
        return self._based_at(module, (*self.dockings, *self.rings), checked)

    def _based_at(self, base: str, dockings: Iterable[Docking], mount: Mount) -> Assembly:
        """Return the modules that these dockings connect with a base, docked anew from it."""
        start = Assembly((base, self.placed[base].type), mount=mount, types=self.known, name=self.name)
        return start._replayed(connected_from(dockings, base), self.placed)

    def _replayed(
        self, dockings: Iterable[Docking], placed: Mapping[str, PlacedModule], prefix: str = ""
    ) -> Assembly:
        """Return the assembly with other dockings of placed modules, in order, renamed by a prefix."""
        start = self
        for module, port, other, other_port, turn in dockings:
            name = prefix + other
            kind = None if name in start else placed[other].type
            start = start.dock(prefix + module, port, name, other_port, kind=kind, turn=turn)
        return start

    def _module(self, module: object) -> PlacedModule:
        """Return the module of that name. Raises UnknownNameError: names the choices."""
        if not isinstance(module, str) or module not in self.placed:
            modules = listed(self.placed)
            raise UnknownNameError(f"no module {shown(module)}; the assembly's modules: {modules}")
        return self.placed[module]

    def _require_free(self, module: str, port: str) -> None:
        """Raise AssemblyError if something is docked at the port; names both."""
        if (other := self.used.get((module, port))) is not None:
            there = f"port {other[1]} of module '{other[0]}' is docked there"
            raise AssemblyError(f"port {port} of module '{module}' is used: {there}")

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
        return graph_of(self, gravity, guess, require_closed)

    def to_urdf(self) -> str:
        """Return URDF with tags (docs/reference/urdf_tags.md): bodies, shapes, joints, subsystems, rings.

        ``md.load_urdf(assembly.to_urdf())`` is the same robot as ``graph()``, with joints in the
        same order. The text says neither which joints of a ring are independent nor where gravity points to:
        ``assembly.graph().to_urdf()`` does, but has no shapes. Joints without limits have the largest float
        as a limit where URDF needs one, which ``load_urdf`` reads as none.

        Raises:
            AssemblyError: as :meth:`graph`.
        """
        return _urdf_of(self, closed_graph(self))

    def incidence_matrix(self) -> IncidenceMatrix:
        """Return the adapted assembly incidence matrix of Meister & Gutenkunst (Fig. 5)."""
        return incidence_matrix_of(self)

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
        given: Any = matrix
        if isinstance(given, IncidenceMatrix) != (kinds is None):
            raise AssemblyError(
                "kinds are for a matrix of numbers, which needs one for all modules or for each"
            )
        aim = given if isinstance(given, IncidenceMatrix) else IncidenceMatrix(given, kinds)  # type: ignore[arg-type]
        kind_of = dict(zip(aim.modules, aim.kinds, strict=True))
        start = cls((aim.base, kind_of[aim.base]), mount=mount, types=types, name=name)
        own = {module: checked_kind(kind, module, start.known) for module, kind in kind_of.items()}
        ends = [
            [(aim.modules[row], int(aim.matrix[row, column])) for row in rows]
            for column, rows in enumerate(column_ends(aim.matrix))
        ]
        type_of, rest = cache(docking_type), dict.fromkeys(range(len(ends)))  # few distinct dockings
        while rest:  # dockings connect all modules; the first column at one that is there is next
            column = next(k for k in rest if any(module in start for module, _ in ends[k]))
            del rest[column]
            (a, face), (b, other) = ends[column] if ends[column][0][0] in start else ends[column][::-1]
            kind, turn = None if b in start else own[b], aim.turns[column]
            try:
                start = start.dock(a, face, b, other, kind=kind, turn=turn)
                stated = None if aim.docking_types is None else aim.docking_types[column]
                ports = checked_port(a, own[a], face), checked_port(b, own[b], other)
                right = type_of(own[a], ports[0], own[b], ports[1], turn) if stated else None
                if stated != right:
                    raise AssemblyError(f"the docking type is '{stated}'; '{right}' is right for them")
            except (AssemblyError, UnknownNameError) as error:
                where = f"face {face} of module '{a}' and face {other} of module '{b}'"
                raise type(error)(f"column '{aim.docks[column]}', {where}: {error}") from None
        return start

    def direct_transformations(self) -> Transformations:
        """Return poses of docked modules in each other's frames, as a list of rows: the DTL of Table III."""
        return direct_transformations(self)

    def indirect_transformations(self) -> Transformations:
        """Return poses along paths of modules, as products of the direct ones: the IDTL of Table III."""
        return indirect_transformations(self)


# An assembly as URDF text (docs/reference/urdf_tags.md): that of its graph, with the modules' shapes.

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
