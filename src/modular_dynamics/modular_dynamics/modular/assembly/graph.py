"""An assembly as a graph of subsystems."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import DualQuaternion, to_rotation_translation
from ...exceptions import AssemblyError
from ...loops.assembly.assemble import finite_guess
from ...model import Anchor, Body, Connection, Joint, LoopJoint, Subsystem, SubsystemGraph
from ..modules.port import mating
from .checks import checked_gravity
from .docking import Docking
from .placement import Site
from .rings import independent_joints
from .structure import Structure
from .subsystems import groups_of

__all__ = ["closed_graph", "graph_of"]

_NORMAL = np.array([0.0, 0.0, 1.0])
_GRAVITY = np.array([0.0, 0.0, -9.81])
#: Distance [m] and difference of directions of two ports that are docked: rounding.
_ROUNDING = 1e-9
#: Rings that an error names.
MOST_NAMED = 3


class _Rows(NamedTuple):
    """Joints and bodies in the graph's order, and the index of each module's first one."""

    joints: list[Joint]
    bodies: list[Body]
    parents: list[int | None]
    first: dict[str | None, int]


def graph_of(
    name: str,
    structure: Structure,
    subsystems: str | Mapping[str, Sequence[str]],
    gravity: ArrayLike,
    guess: ArrayLike | None,
    require_closed: bool,
) -> SubsystemGraph:
    """Return the graph of an assembly: see :meth:`.Assembly.graph`."""
    graph = closed_graph(name, structure, subsystems, checked_gravity(gravity))
    if not graph.loop_joints:
        if guess is not None:
            finite_guess(graph, guess)
        return graph
    chosen = independent_joints(graph, guess)
    if require_closed and chosen.open:
        rings = [ring for ring in structure.rings if _ring_name(ring) in chosen.open]
        ends = [
            f"port {port} of module '{module}'"
            for ring in rings[:MOST_NAMED]
            for module, port in (ring[:2], ring[2:4])
        ]
        raise AssemblyError(f"{' and '.join(ends)} cannot close a ring: {chosen.why}")
    return replace(graph, independent=chosen.names, notes=chosen.notes)


def closed_graph(
    name: str,
    structure: Structure,
    subsystems: str | Mapping[str, Sequence[str]],
    gravity: NDArray[np.float64] = _GRAVITY,
) -> SubsystemGraph:
    """Return the graph with rings as loop joints, before independent joints are chosen."""
    groups = groups_of(structure, subsystems)
    rows = _rows(structure, [module for modules in groups.values() for module in modules])
    (ground,) = structure.bodies[None]
    return SubsystemGraph(
        name,
        tuple(rows.joints),
        tuple(rows.bodies),
        tuple(rows.parents),
        tuple(_subsystems(structure, groups, rows, ground)),
        tuple([joint.name for joint in rows.joints]),
        gravity,
        ground,
        loop_joints=tuple(
            [_loop_joint(structure, ring) for ring in structure.rings if not _is_rigid(structure, ring)]
        ),
        floating_base=structure.mount.floating,
    )


def _rows(structure: Structure, modules: Sequence[str]) -> _Rows:
    rows = _Rows([], [], [], {})
    for module in modules:
        placed = structure.placed[module]
        first = rows.first[module] = len(rows.joints)
        rows.joints.extend(placed.joints)
        rows.bodies.extend(structure.bodies[module])
        site = placed.site
        carrier = None if site.module is None else rows.first[site.module] + site.body
        rows.parents.extend(carrier if parent is None else first + parent for parent in placed.parents)
    return rows


def _subsystems(
    structure: Structure, groups: Mapping[str, Sequence[str]], rows: _Rows, ground: Body
) -> list[Subsystem]:
    """Return one subsystem for each group that has joints."""
    made: list[Subsystem] = []
    index_of: dict[str | None, int | None] = {None: None}
    for name, modules in groups.items():
        first = rows.first[modules[0]]
        last = modules[-1]
        end = rows.first[last] + len(structure.placed[last].joints)
        if first == end:
            continue
        index_of.update(dict.fromkeys(modules, len(made)))
        joint, carrier = rows.joints[first], rows.parents[first]
        body = ground if carrier is None else rows.bodies[carrier]
        above = rows.parents[first:end]
        entries = [k for k, parent in enumerate(above, first) if parent is None or parent < first]
        links = {rows.joints[k].parent_link for k in entries}
        link = joint.parent_link if len(links) == 1 else body.name
        alone = len(entries) == 1
        x_body_link = body.links[link]
        x_body = joint.x_parent_joint if alone else x_body_link
        x_link = x_body if x_body_link is DualQuaternion.identity else x_body_link.conjugate() * x_body
        entered = next(module for module in modules if structure.placed[module].joints)
        made.append(
            Subsystem(
                name,
                first,
                tuple(rows.joints[first:end]),
                tuple(rows.bodies[first:end]),
                Connection(link, carrier, x_link, x_body),
                index_of[structure.placed[entered].site.module],
                False,
                joint.child_link if alone else link,
            )
        )
    return made


def _ring_name(ring: Docking) -> str:
    return f"{ring.parent}/{ring.parent_port}-{ring.module}/{ring.port}"


def _loop_joint(structure: Structure, ring: Docking) -> LoopJoint:
    """Return the loop joint that fixes the two modules of a ring to each other at their ports."""
    (x, owner), (y, other) = _ends(structure, ring)
    return LoopJoint(
        _ring_name(ring),
        "fixed",
        _anchor(structure, owner, x),
        _anchor(structure, other, y),
        _NORMAL,
    )


def _is_rigid(structure: Structure, ring: Docking) -> bool:
    """Return whether no joint lies between the ends of a ring; then it needs no loop joint.

    Raises:
        AssemblyError: no joint lies between, and the ports do not coincide.
    """
    (x, owner), (y, other) = _ends(structure, ring)
    if owner[:2] != other[:2]:
        return False
    rotation, apart = to_rotation_translation(x.conjugate() * y)
    if max(np.abs(apart).max(), np.abs(rotation - np.eye(3)).max()) > _ROUNDING:
        raise AssemblyError(
            f"port {ring.parent_port} of module '{ring.parent}' and port {ring.port} of module "
            f"'{ring.module}' do not meet: no joint lies between the modules, and the ports are "
            f"{np.linalg.norm(apart):.3g} m apart, or in other directions"
        )
    return True


def _ends(
    structure: Structure, ring: Docking
) -> tuple[tuple[DualQuaternion, Site], tuple[DualQuaternion, Site]]:
    """Return for both modules of a ring the frame of the ports, in the body, and the body's site."""
    carrier, docked = structure.placed[ring.parent], structure.placed[ring.module]
    a, b = carrier.type.ports[ring.parent_port], docked.type.ports[ring.port]
    sites = carrier.sites[a.body], docked.sites[b.body]
    return (
        (sites[0].x * a.x_module_port * mating(ring.turn), sites[0]),
        (sites[1].x * b.x_module_port, sites[1]),
    )


def _anchor(structure: Structure, site: Site, x_body_anchor: DualQuaternion) -> Anchor:
    """Return the loop joint's frame for a pose in a body, fixed in the link of a site."""
    x_body_link = structure.bodies[site.module][site.body].links[site.link]
    return Anchor(site.link, x_body_link.conjugate() * x_body_anchor)
