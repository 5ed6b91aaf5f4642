"""Origins of joints, fixed ones included, and the graph with an origin moved."""

from dataclasses import replace

from ...algebra import DualQuaternion
from ..structure import Graph, Structure
from .bodies import body_at, body_of, changed

__all__ = ["fixed_joints", "origin_of", "with_origin"]

#: The body of a fixed joint (None: the ground), the link above it and the link below it.
FixedJoint = tuple[int | None, str, str]


def fixed_joints(graph: Structure) -> dict[str, FixedJoint]:
    """Return the fixed joints inside bodies, by name."""
    return {
        part.joint: (index, part.parent, part.name)
        for index in (None, *range(len(graph.bodies)))
        for part in body_at(graph, index).parts
        if part.joint is not None and part.parent is not None
    }


def origin_of(graph: Structure, name: str) -> DualQuaternion:
    """Return x_link_joint, the pose of a joint, moving or fixed, in its parent link."""
    fixed = fixed_joints(graph).get(name)
    if fixed is not None:
        index, above, below = fixed
        links = body_at(graph, index).links
        return links[above].conjugate() * links[below]
    joint = graph.joint(name)
    return graph.link_pose(joint.parent_link)[1].conjugate() * joint.x_parent_joint


def with_origin(graph: Graph, name: str, origin: DualQuaternion) -> Graph:
    """Return the graph with another pose of a joint, moving or fixed, in its parent link."""
    fixed = fixed_joints(graph).get(name)
    if fixed is not None:
        return _with_fixed(graph, *fixed, origin)
    k = graph.joint_index(name)
    joint = graph.joints[k]
    x = graph.link_pose(joint.parent_link)[1] * origin
    joints = [replace(joint, x_parent_joint=x) if joint.name == name else joint for joint in graph.joints]
    subsystems = []
    for subsystem in graph.subsystems:
        entries = [i for i in subsystem.indices if graph.parents[i] not in subsystem.indices]
        point = subsystem.connection
        if entries == [k]:
            point = replace(point, x_link_connection=origin, x_body_connection=x)
        subsystems.append(replace(subsystem, connection=point))
    return changed(graph, joints=tuple(joints), subsystems=tuple(subsystems))


def _with_fixed(graph: Graph, index: int | None, above: str, below: str, origin: DualQuaternion) -> Graph:
    body = body_at(graph, index)
    shift = body.links[above] * origin * body.links[below].conjugate()
    moved = {below}
    for part in body.parts:  # parts are ordered: each after the one that carries it
        if part.parent in moved:
            moved.add(part.name)
    links = {link: shift * x if link in moved else x for link, x in body.links.items()}
    bodies = [
        body_of(body.name, body.parts, links, body.payloads) if k == index else own
        for k, own in enumerate(graph.bodies)
    ]
    subsystems = []
    for subsystem in graph.subsystems:
        point, inside = subsystem.connection, subsystem.fixed_links
        if point.link in moved and point.body == index:
            moved |= {*inside}
            inside = {link: shift * x for link, x in inside.items()}
            point = replace(point, x_body_connection=shift * point.x_body_connection)
        subsystems.append(replace(subsystem, connection=point, fixed_links=inside))
    joints = [
        replace(joint, x_parent_joint=shift * joint.x_parent_joint) if joint.parent_link in moved else joint
        for joint in graph.joints
    ]
    ground = graph.ground
    if index is None:
        ground = body_of(body.name, body.parts, links, body.payloads)
    return changed(
        graph, joints=tuple(joints), bodies=tuple(bodies), ground=ground, subsystems=tuple(subsystems)
    )
