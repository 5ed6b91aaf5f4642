"""The data of an assembly, and how docking and releasing change them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...algebra import DualQuaternion, to_rotation_translation
from ...exceptions import AssemblyError, UnknownNameError
from ...model import Body, Link
from ...model.changes.bodies import body_of, parts_of
from ..modules.module_type import ModuleType
from ..names import listed, shown
from . import checks
from .connections import beyond, connected_from
from .docking import Docking, Mount
from .placement import WORLD, PlacedModule, Site, place

__all__ = ["Structure", "docked", "module_of", "released", "replayed", "started"]

# Which cells of the grid modules fill, and where two would fill one.

#: Edge [m] and integer coordinates, from the base module's centre in its axes.
Cell = tuple[float, int, int, int]
#: Distance from the grid [cells] up to which a module is on it.
_OFF_GRID = 0.01


def checked_cells(
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
        if (other := filled.get(cell)) is not None:
            shown = ", ".join(map(str, cell[1:]))
            raise AssemblyError(f"{docking}: it would be in the cell ({shown}), which module '{other}' fills")
    return cells


# The bodies of an assembly: those of its modules, with the modules that are rigidly docked to them.

#: Bodies of each module; under None only the ground.
Bodies = Mapping[str | None, tuple[Body, ...]]


def with_fixed(bodies: Bodies, module: str, placed: PlacedModule) -> Bodies:
    """Return the bodies with those of a new module; fixed parts merge into the body that carries it."""
    result = {**bodies, module: placed.bodies}
    if placed.fixed is not None and placed.site.module is None and None not in bodies:
        own = placed.fixed.inertial
        links = {placed.fixed.name: DualQuaternion.identity}
        result[None] = (Body(placed.fixed.name, own.mass, own.com, own.inertia, links, (placed.fixed,)),)
    elif placed.fixed is not None:
        _fix(result, placed.site, placed.fixed)
    elif None not in bodies:
        result[None] = (Body(WORLD, 0.0, np.zeros(3), np.zeros((3, 3)), {WORLD: DualQuaternion.identity}),)
    return result


def without_fixed(bodies: Bodies, leaving: Mapping[str, PlacedModule]) -> Bodies:
    """Return the bodies without those of removed modules and without the parts merged from these."""
    result = {module: of_module for module, of_module in bodies.items() if module not in leaving}
    for gone in leaving.values():
        if gone.fixed is not None and gone.site.module not in leaving:
            _unfix(result, gone.site, gone.fixed)
    return result


def _fix(bodies: dict[str | None, tuple[Body, ...]], site: Site, link: Link) -> None:
    old = bodies[site.module][site.body]
    new = body_of(old.name, (*parts_of(old), link), {**old.links, link.name: site.x}, {})
    _replace(bodies, site, new)


def _unfix(bodies: dict[str | None, tuple[Body, ...]], site: Site, link: Link) -> None:
    old = bodies[site.module][site.body]
    parts = tuple(part for part in old.parts if part.name != link.name)
    links = {name: x for name, x in old.links.items() if name != link.name}
    _replace(bodies, site, body_of(old.name, parts, links, {}))


def _replace(bodies: dict[str | None, tuple[Body, ...]], site: Site, new: Body) -> None:
    own = bodies[site.module]
    bodies[site.module] = (*own[: site.body], new, *own[site.body + 1 :])


PortKey = tuple[str, str]


class Structure(NamedTuple):
    """All that an assembly knows. Each docking adds to copies; nothing in it is ever changed.

    Attributes:
        types: known kinds. placed: the modules in the order of their docking.
        used: by module and port, what is docked there. filled: modules by the cells that they fill.
    """

    base: str
    mount: Mount
    types: Mapping[str, ModuleType]
    placed: Mapping[str, PlacedModule]
    used: Mapping[PortKey, PortKey]
    filled: Mapping[Cell, str]
    bodies: Bodies
    rings: tuple[Docking, ...]

    @property
    def tree(self) -> tuple[Docking, ...]:
        """Docking of each module but the base towards the base, in order."""
        return tuple([placed.docking for placed in self.placed.values() if placed.docking is not None])

    @property
    def dockings(self) -> tuple[Docking, ...]:
        """All dockings: the tree, then those that close rings."""
        return self.tree + self.rings


class Release(NamedTuple):
    """The structure after a docking is released, the docking, and the modules that leave."""

    rest: Structure
    docking: Docking
    leaving: tuple[str, ...]


def started(base: str, kind: ModuleType, mount: Mount, types: Mapping[str, ModuleType]) -> Structure:
    """Return a structure with the base module alone."""
    placed = place(base, kind, None, None, mount)
    cells = checked_cells(base, kind, placed.x_base_module, {})
    bodies = with_fixed({}, base, placed)
    return Structure(base, mount, types, {base: placed}, {}, dict.fromkeys(cells, base), bodies, ())


def module_of(structure: Structure, module: object) -> PlacedModule:
    """Return the module of that name. Raises UnknownNameError: names the choices."""
    if not isinstance(module, str) or module not in structure.placed:
        raise UnknownNameError(
            f"no module {shown(module)}; the assembly's modules: {listed(structure.placed)}"
        )
    return structure.placed[module]


def docked(
    old: Structure, module: str, port: object, other: str, other_port: object, kind: object, turn: object
) -> Structure:
    """Return the structure with one more docking: see :meth:`.Assembly.dock`."""
    carrier = module_of(old, module)
    own = checks.checked_port(module, carrier.type, port)
    checks.require_free(module, own, old.used)
    if isinstance(other, str) and other == module:
        raise AssemblyError(
            f"module '{module}' cannot dock at itself, port {own.name} at its port {shown(other_port)}"
        )
    is_ring = isinstance(other, str) and other in old.placed
    if is_ring and kind is not None:
        raise AssemblyError(
            f"module '{other}' is in the assembly already; without a kind the docking closes a ring"
        )
    if not is_ring and kind is None:
        raise AssemblyError(
            f"no module {shown(other)} in the assembly; a new one needs its kind: {listed(old.types)}"
        )
    if not is_ring:
        checks.require_room(old.placed)
    new = (
        old.placed[other].type
        if is_ring
        else checks.checked_kind(kind, checks.checked_name(other), old.types)
    )
    theirs = checks.checked_port(other, new, other_port)
    checks.require_free(other, theirs, old.used)
    a, b = (module, own.name), (other, theirs.name)
    where = f"of port {theirs.name} of module '{other}' at port {own.name} of module '{module}'"
    checks.require_mating(module, own, other, theirs)
    docking = Docking(*a, *b, checks.checked_turn(turn, where))
    used = {**old.used, a: b, b: a}
    if is_ring:
        return old._replace(used=used, rings=(*old.rings, docking))
    placed = place(other, new, docking, carrier, old.mount)
    cells = checked_cells(
        f"port {theirs.name} of module '{other}' cannot dock at port {own.name} of module '{module}'",
        new,
        placed.x_base_module,
        old.filled,
    )
    return old._replace(
        types=old.types if new.name in old.types else {**old.types, new.name: new},
        placed={**old.placed, other: placed},
        used=used,
        filled={**old.filled, **dict.fromkeys(cells, other)},
        bodies=with_fixed(old.bodies, other, placed),
    )


def released(old: Structure, module: str, port: object) -> Release:
    """Return the structure without one docking and what it connected: see :meth:`.Assembly.undock`."""
    docking = _docking_at(old, module, port)
    if docking in old.rings:
        ends = (docking[:2], docking[2:4])
        used = {key: at for key, at in old.used.items() if key not in ends}
        rings = tuple(ring for ring in old.rings if ring != docking)
        return Release(old._replace(used=used, rings=rings), docking, ())
    carried = beyond(old.tree, docking.module)
    if any((ring.parent in carried) != (ring.module in carried) for ring in old.rings):
        return Release(_carried_through_ring(old, docking), docking, ())
    rest = old._replace(
        placed={name: placed for name, placed in old.placed.items() if name not in carried},
        used={key: at for key, at in old.used.items() if key[0] not in carried and at[0] not in carried},
        filled={cell: name for cell, name in old.filled.items() if name not in carried},
        bodies=without_fixed(old.bodies, {name: old.placed[name] for name in carried}),
        rings=tuple(ring for ring in old.rings if ring.parent not in carried),
    )
    return Release(rest, docking, tuple(carried))


def _carried_through_ring(old: Structure, docking: Docking) -> Structure:
    """Return the structure without a docking inside a ring; the rest of the ring carries its modules.

    Raises:
        AssemblyError: two modules would be in one cell with all joints at zero.
    """
    others = [each for each in old.dockings if each != docking]
    start = started(old.base, old.placed[old.base].type, old.mount, old.types)
    try:
        return replayed(start, connected_from(others, old.base), old)
    except AssemblyError as error:
        raise AssemblyError(
            f"without port {docking.port} of module '{docking.module}' at port {docking.parent_port} of "
            f"module '{docking.parent}' a ring carries it, and with all joints at zero {error}"
        ) from None


def replayed(start: Structure, dockings: Sequence[Docking], source: Structure, prefix: str = "") -> Structure:
    """Return the structure with another assembly's dockings, in order, its modules renamed by a prefix."""
    for module, port, other, other_port, turn in dockings:
        name = prefix + other
        kind = None if name in start.placed else source.placed[other].type
        start = docked(start, prefix + module, port, name, other_port, kind, turn)
    return start


def _docking_at(structure: Structure, module: str, port: object) -> Docking:
    """Return the docking at a module's port; for None, the one towards the base."""
    placed = module_of(structure, module)
    if port is None:
        if placed.docking is None:
            raise AssemblyError(
                f"module '{module}' is the base, which is docked at nothing; "
                "the port whose docking is released is needed"
            )
        return placed.docking
    own = checks.checked_port(module, placed.type, port)
    key = (module, own.name)
    for docking in structure.dockings:
        if key in (docking[:2], docking[2:4]):
            return docking
    raise AssemblyError(f"nothing is docked at port {own.name} of module '{module}'")
