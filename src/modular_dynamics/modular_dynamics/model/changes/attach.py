"""Attaching a robot to a link of another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...algebra import DualQuaternion, from_rotation_translation
from ...exceptions import ModelError
from ..structure import Graph, Structure, require_graph
from ..subsystem import Anchor, Body, Connection, Gear, Joint, Link, LoopJoint, Mimic, Spring, Subsystem
from .bodies import body_at, changed, checked_numbers, owner_of
from .reindexing import attachment

#: By class, its fields that are names or contain elements with names.
_NAMED: dict[type, tuple[str, ...]] = {
    Joint: ("name", "parent_link", "child_link", "mimic"),
    Mimic: ("joint",),
    Link: ("name", "parent", "joint"),
    Body: ("name", "links", "parts", "payloads"),
    Connection: ("link",),
    Subsystem: ("name", "connection", "root_link", "fixed_links"),
    Anchor: ("link",),
    LoopJoint: ("name", "predecessor", "successor"),
    Gear: ("joint", "driver", "further"),
    Spring: ("name", "anchors"),
}
_NAMED_IN_GRAPH = (
    *("joints", "bodies", "ground", "subsystems", "joint_names", "passive_joints", "independent"),
    *("loop_joints", "gears", "springs"),
)


def renamed(item: Any, prefix: str) -> Any:
    """Return a name, an element or a graph, or several of them, with a prefix before all names."""
    if isinstance(item, str):
        return prefix + item
    if isinstance(item, tuple):
        return tuple(renamed(one, prefix) for one in item)
    if isinstance(item, Mapping):
        return {prefix + name: renamed(one, prefix) for name, one in item.items()}
    fields = _NAMED_IN_GRAPH if isinstance(item, Structure) else _NAMED.get(type(item), ())
    new = {name: renamed(getattr(item, name), prefix) for name in fields}
    return replace(item, **new) if new else item


#: Fields of the new graph that concatenate those of both graphs.
_CONCATENATED = (
    *("joint_names", "loop_joints", "passive_joints", "gears", "springs"),
    *("warnings", "notes", "sources"),
)


def attach(
    graph: Graph,
    other: Graph,
    link: str,
    pose: DualQuaternion | ArrayLike = DualQuaternion.identity,
    *,
    prefix: str = "",
) -> Graph:
    """Return a new graph: this robot with another one fixed to a link, as if one URDF described both.

    The other robot's root link, with all that is fixed to it, becomes part of the link's body. Its joints,
    subsystems, loop joints, gears, springs, passive and independent joints and payloads come along, with the
    prefix before their names and those of its links. q is this robot's q, then the other one's. Name and
    gravity are this robot's.

    Args:
        other: the robot that is attached.
        link: of this robot; not inside a black box.
        pose: x_link_root, of the other one's root link in the link: a unit dual quaternion, or a homogeneous
            matrix (4, 4).
        prefix: put before all names of the other robot; needed where both have the same names.

    Raises:
        UnknownNameError: no such link; names the choices.
        GraphTypeError: ``other`` is no graph, but for example the path of a file.
        ModelError: a name that both robots have; a pose that is no rigid motion; a prefix that is not text;
            another robot with a floating base.
        UnsupportedModelError: the link belongs to a black box.
    """
    require_graph(other)
    if not isinstance(prefix, str):
        raise ModelError(f"the prefix is {prefix!r}; text is needed")
    x = _checked_pose(pose)
    index = owner_of(graph, link, "attaching a robot to")
    if other.floating_base:
        raise ModelError(
            f"'{other.name}' has a floating base, and its root link '{other.ground.name}' is only the world; "
            "load it without floating_base"
        )
    sources = tuple(replace(source, prefix=prefix + source.prefix) for source in other.sources)
    their: Graph = replace(renamed(other, prefix), sources=sources) if prefix else other
    _check_names(graph, their)
    x = graph.link_pose(link)[1] * x
    base = _joined(body_at(graph, index), their.ground, link, x)
    first, count = len(graph.joints), len(graph.subsystems)
    carrier = next((k for k, s in enumerate(graph.subsystems) if index in s.indices), None)
    joints = [
        joint if parent is not None else replace(joint, x_parent_joint=x * joint.x_parent_joint)
        for joint, parent in zip(their.joints, their.parents, strict=True)
    ]
    links = dict(base.links)
    for subsystem in their.subsystems:
        links |= _fixed_links(subsystem, x)
    subsystems = []
    for subsystem in their.subsystems:
        entries = [joints[k] for k in subsystem.indices if their.parents[k] is None]
        connection, root_link = _connected(subsystem, entries, (index, base.name, links), x, first)
        subsystems.append(
            replace(
                subsystem,
                first=subsystem.first + first,
                connection=connection,
                predecessor=carrier if subsystem.predecessor is None else subsystem.predecessor + count,
                root_link=root_link,
                fixed_links=_fixed_links(subsystem, x),
            )
        )
    bodies = [base if k == index else body for k, body in enumerate(graph.bodies)]
    fields: dict[str, Any] = {
        "joints": (*graph.joints, *joints),
        "bodies": (*bodies, *their.bodies),
        "parents": (*graph.parents, *(index if k is None else k + first for k in their.parents)),
        "subsystems": (*graph.subsystems, *subsystems),
        "ground": base if index is None else graph.ground,
    }
    for name in _CONCATENATED:
        fields[name] = getattr(graph, name) + getattr(their, name)
    if graph.independent is not None or their.independent is not None:
        fields["independent"] = graph.independent_joint_names + their.independent_joint_names
    return changed(graph, **fields)


def _checked_pose(pose: DualQuaternion | ArrayLike) -> DualQuaternion:
    """Return a unit dual quaternion, of one or of a matrix (4, 4). Raises ModelError: no rigid motion."""
    if isinstance(pose, DualQuaternion):
        if not pose.is_unit(1e-9):
            raise ModelError(f"the pose is {pose}; a unit dual quaternion is needed")
        return pose if pose.is_unit() else pose.normalized()
    matrix = checked_numbers("the pose", pose, (4, 4))
    try:
        if not np.array_equal(matrix[3], [0.0, 0.0, 0.0, 1.0]):
            raise ValueError(f"the last row is {matrix[3].tolist()}")
        return from_rotation_translation(matrix[:3, :3], matrix[:3, 3])
    except ValueError as error:
        raise ModelError(f"the pose is no homogeneous matrix: {error}") from None


def _check_names(graph: Structure, other: Structure) -> None:
    """Raise ModelError where both robots have links, joints or subsystems of one name."""
    kinds = "link", "joint, loop joint or spring", "subsystem"
    for kind, ours, theirs in zip(kinds, _names(graph), _names(other), strict=True):
        if both := [name for name in theirs if name in ours]:
            raise ModelError(
                f"'{graph.name}' and '{other.name}' both have a {kind} '{both[0]}'; "
                "give the attached robot a prefix of its own"
            )


def _names(graph: Structure) -> tuple[dict[str, None], ...]:
    """Return the names of links, of joints (all kinds, springs too) and of subsystems, in order."""
    parts = [part for body in (graph.ground, *graph.bodies) for part in body.parts]
    joints = [joint.name for joint in graph.joints] + [part.joint for part in parts if part.joint is not None]
    cut = [loop.name for loop in graph.loop_joints] + [spring.name for spring in graph.springs]
    subsystems = [subsystem.name for subsystem in graph.subsystems]
    return dict.fromkeys(graph.links), dict.fromkeys(joints + cut), dict.fromkeys(subsystems)


def _joined(base: Body, ground: Body, link: str, x: DualQuaternion) -> Body:
    """Return the link's body, merged with the other robot's root link and all links fixed to it."""
    first, *rest = ground.parts
    parts = *base.parts, replace(first, parent=link), *rest
    links = {**base.links, **{name: x * pose for name, pose in ground.links.items()}}
    return Body(base.name, links, parts, {**base.payloads, **ground.payloads})


def _connected(
    subsystem: Subsystem,
    entries: Sequence[Joint],
    base: tuple[int | None, str, Mapping[str, DualQuaternion]],
    x: DualQuaternion,
    first: int,
) -> tuple[Connection, str]:
    """Return connection point and root link of a subsystem of the attached robot.

    Args:
        entries: its joints on the base. base: index and name of the body that is the base now, and the poses
            x_body_link of all links fixed in it. x: pose of the former root link in it. first: index of the
            attached robot's first joint.
    """
    old, (index, name, links) = subsystem.connection, base
    if old.body is not None:
        return replace(old, body=old.body + first), subsystem.root_link
    if subsystem.root_link in subsystem.fixed_links:
        return replace(old, body=index, x_body_connection=x * old.x_body_connection), subsystem.root_link
    link, x_link, x_body = attachment(entries, name, links)
    root_link = subsystem.root_link if len(entries) == 1 else link
    return Connection(link, index, x_link, x_body), root_link


def _fixed_links(subsystem: Subsystem, x: DualQuaternion) -> dict[str, DualQuaternion]:
    """Return the subsystem's fixed links; x: pose of its robot's root link in the body that carries it."""
    moved = subsystem.connection.body is None
    return {link: x * pose if moved else pose for link, pose in subsystem.fixed_links.items()}
