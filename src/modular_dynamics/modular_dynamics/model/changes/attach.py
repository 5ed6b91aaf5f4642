"""Attaching a robot to a link of another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...algebra import DualQuaternion, from_rotation_translation
from ...exceptions import ModelError
from ..structure import Graph, Structure, require_graph
from ..subsystem import (
    Anchor,
    Body,
    Connection,
    Gear,
    Joint,
    JointType,
    Link,
    LoopJoint,
    Mimic,
    Spring,
    Subsystem,
)
from .bodies import changed, checked_numbers, owner_of
from .lock import lock

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


#: Name of the joint on which the other robot stands until it is locked; a fixed joint without a name then.
MOUNT = ""
#: Fields of the new graph that concatenate those of both graphs.
_CONCATENATED = (
    *("loop_joints", "passive_joints", "gears", "springs"),
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
    x = checked_pose("the pose", pose)
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
    mount = Joint(MOUNT, JointType.REVOLUTE, link, their.ground.name, x, np.eye(3)[2])
    first, count = len(graph.joints) + 1, len(graph.subsystems)

    def shifted(body: int | None) -> int:
        """Return the new index of a body of the other robot, whose ground is the mount's body."""
        return first - 1 if body is None else body + first

    point = Connection(link, index, graph.link_pose(link)[1].conjugate() * x, x)
    base = Subsystem(MOUNT, first - 1, (mount,), (their.ground,), point, None, False, their.ground.name)
    subsystems = [
        replace(
            subsystem,
            first=subsystem.first + first,
            connection=replace(subsystem.connection, body=shifted(subsystem.connection.body)),
            predecessor=count + 1 + (-1 if subsystem.predecessor is None else subsystem.predecessor),
        )
        for subsystem in their.subsystems
    ]
    fields: dict[str, Any] = {
        "joints": (*graph.joints, mount, *their.joints),
        "bodies": (*graph.bodies, their.ground, *their.bodies),
        "parents": (*graph.parents, index, *map(shifted, their.parents)),
        "subsystems": (*graph.subsystems, base, *subsystems),
        "joint_names": (*graph.joint_names, MOUNT, *their.joint_names),
    }
    for name in _CONCATENATED:
        fields[name] = getattr(graph, name) + getattr(their, name)
    if graph.independent is not None or their.independent is not None:
        fields["independent"] = graph.independent_joint_names + their.independent_joint_names
    return lock(changed(graph, **fields), {MOUNT: 0.0})


def checked_pose(what: str, pose: DualQuaternion | ArrayLike) -> DualQuaternion:
    """Return a unit dual quaternion, of one or of a matrix (4, 4). Raises ModelError: no rigid motion."""
    if isinstance(pose, DualQuaternion):
        if not pose.is_unit(1e-9):
            raise ModelError(f"{what} is {pose}; a unit dual quaternion is needed")
        return pose if pose.is_unit() else pose.normalized()
    matrix = checked_numbers(what, pose, (4, 4))
    try:
        if not np.array_equal(matrix[3], [0.0, 0.0, 0.0, 1.0]):
            raise ValueError(f"the last row is {matrix[3].tolist()}")
        return from_rotation_translation(matrix[:3, :3], matrix[:3, 3])
    except ValueError as error:
        raise ModelError(f"{what} is no homogeneous matrix: {error}") from None


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
