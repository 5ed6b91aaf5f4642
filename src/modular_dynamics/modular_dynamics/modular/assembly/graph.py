"""An assembly as a graph of subsystems."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...algebra import DualQuaternion
from ...model import Anchor, Body, Connection, Joint, LoopJoint, Subsystem, SubsystemGraph
from ..modules.port import mating
from .docking import Docking
from .placement import Site
from .structure import Structure
from .subsystems import groups_of

__all__ = ["graph_of"]

_NORMAL = np.array([0.0, 0.0, 1.0])


class _Rows(NamedTuple):
    """Joints and bodies in the graph's order, and where each module's begin."""

    joints: list[Joint]
    bodies: list[Body]
    parents: list[int | None]
    first: dict[str | None, int]


def graph_of(
    name: str, structure: Structure, subsystems: str | Mapping[str, Sequence[str]], gravity: Sequence[float]
) -> SubsystemGraph:
    """See :meth:`.Assembly.graph`."""
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
        np.array(gravity, float),
        ground,
        loop_joints=tuple(_loop_joint(structure, ring) for ring in structure.rings),
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
    """One subsystem for each group that has joints."""
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
        alone = [parent is None or parent < first for parent in rows.parents[first:end]].count(True) == 1
        x_body_link = body.links[joint.parent_link]
        x_body = joint.x_parent_joint if alone else x_body_link
        x_link = x_body if x_body_link is DualQuaternion.identity else x_body_link.conjugate() * x_body
        entered = next(module for module in modules if structure.placed[module].joints)
        made.append(
            Subsystem(
                name,
                first,
                tuple(rows.joints[first:end]),
                tuple(rows.bodies[first:end]),
                Connection(joint.parent_link, carrier, x_link, x_body),
                index_of[structure.placed[entered].site.module],
                False,
                joint.child_link,
            )
        )
    return made


def _loop_joint(structure: Structure, ring: Docking) -> LoopJoint:
    """The two modules of a ring, fixed to each other at their ports."""
    kinds = structure.placed[ring.parent].type, structure.placed[ring.module].type
    a, b = kinds[0].ports[ring.parent_port], kinds[1].ports[ring.port]
    return LoopJoint(
        f"{ring.parent}/{ring.parent_port}-{ring.module}/{ring.port}",
        "fixed",
        _anchor(structure, structure.placed[ring.parent].sites[a.body], a.x_module_port * mating(ring.turn)),
        _anchor(structure, structure.placed[ring.module].sites[b.body], b.x_module_port),
        _NORMAL,
    )


def _anchor(structure: Structure, site: Site, x_module: DualQuaternion) -> Anchor:
    """A pose in a module as a frame fixed in the link of its site."""
    x_body_link = structure.bodies[site.module][site.body].links[site.link]
    return Anchor(site.link, x_body_link.conjugate() * site.x * x_module)
