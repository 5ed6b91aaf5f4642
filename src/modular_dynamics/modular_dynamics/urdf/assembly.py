"""Description and groups of joints -> the graph: joints, bodies and subsystems in topological order."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, rotation_matrix, translation
from ..exceptions import PartitionError
from ..model import Body, Connection, Joint, JointType, Subsystem, SubsystemGraph
from .description import JointDescription, LinkDescription, RobotDescription, carriers
from .partition import Group

__all__ = ["assemble"]


def assemble(robot: RobotDescription, groups: list[Group], gravity: NDArray[np.float64]) -> SubsystemGraph:
    """Sort subsystems and joints topologically, merge fixed links, place connection points.

    Raises:
        PartitionError: a subsystem that is not connected.
    """
    builder = _Builder(robot, groups)
    joints: list[Joint] = []
    bodies: list[Body] = []
    parents: list[int | None] = []
    subsystems: list[Subsystem] = []
    joint_names: list[str] = []
    index: dict[str | None, int | None] = {None: None}
    subsystem_index: dict[str | None, int | None] = {None: None}
    for name in _in_order(builder.groups, builder.predecessor):
        group, first = builder.groups[name], len(joints)
        carrying = {joint: builder.carriers[robot.joints[joint].parent].joint for joint in group.joints}
        for joint in _in_order(group.joints, carrying):
            index[joint] = len(joints)
            parents.append(index[carrying[joint]])
            joints.append(builder.joint(robot.joints[joint]))
            bodies.append(builder.body(robot.joints[joint].child, joint))
        subsystem_index[name] = len(subsystems)
        subsystems.append(
            Subsystem(
                name=name,
                first=first,
                joints=tuple(joints[first:]),
                bodies=tuple(bodies[first:]),
                connection=builder.connection(group, index),
                predecessor=subsystem_index[builder.predecessor[name]],
                black_box=group.black_box,
                root_link=builder.root_link(group),
                fixed_links={link: c.x_body_link for link, c in builder.carriers.items() if c.box == name},
            )
        )
        joint_names += [joint for joint in group.joints if robot.joints[joint].mimic is None]
    return SubsystemGraph(
        name=robot.name,
        joints=tuple(joints),
        bodies=tuple(bodies),
        parents=tuple(parents),
        subsystems=tuple(subsystems),
        joint_names=tuple(joint_names),
        gravity=gravity,
        ground=builder.body(robot.root, None),
    )


def _in_order(names: Iterable[str], before: Mapping[str, str | None]) -> list[str]:
    """The names, each after the one that must come ``before`` it, otherwise in the given order."""
    remaining, ordered = list(names), list[str]()
    while remaining:
        following = next(name for name in remaining if before[name] not in remaining)
        remaining.remove(following)
        ordered.append(following)
    return ordered


class _Builder:
    """Look-up tables of the assembly, each made once."""

    def __init__(self, robot: RobotDescription, groups: list[Group]) -> None:
        self.robot = robot
        self.groups = {group.name: group for group in groups}
        self.carriers = carriers(robot, {g.fixed_root: g.name for g in groups if g.fixed_root})
        self.group_of = {joint: group.name for group in groups for joint in group.joints}
        self.entries = {group.name: self._entries(group) for group in groups}
        self.predecessor = {group.name: self._predecessor(group) for group in groups}

    def _entries(self, group: Group) -> list[JointDescription]:
        """Joints of the group whose parent body is outside it; a connected group has them all on one body."""
        described = [self.robot.joints[name] for name in group.joints]
        entries = [j for j in described if self.carriers[j.parent].joint not in group.joints]
        bodies = {self.carriers[joint.parent].joint for joint in entries}
        if group.fixed_root is not None:
            bodies.add(self.carriers[group.fixed_root].joint)
        if len(bodies) > 1:
            names = ", ".join(f"'{joint.name}' (on link '{joint.parent}')" for joint in entries)
            raise PartitionError(
                f"subsystem '{group.name}' is not connected: its joints {names} start on different bodies; "
                "split it, or add the joints between",
                group.line,
            )
        return entries

    def attachment(self, group: Group) -> tuple[str, DualQuaternion]:
        """Link outside the group that carries its connection point, and the point's pose in it."""
        entries = self.entries[group.name]
        if group.fixed_root is not None:
            joint = self.robot.above[group.fixed_root]
            return joint.parent, joint.x_parent_joint
        if len(entries) == 1:
            return entries[0].parent, entries[0].x_parent_joint
        links = {joint.parent for joint in entries}
        if len(links) == 1:
            return links.pop(), DualQuaternion.identity
        moved_by = self.carriers[entries[0].parent].joint
        link = self.robot.root if moved_by is None else self.robot.joints[moved_by].child
        return link, DualQuaternion.identity

    def _predecessor(self, group: Group) -> str | None:
        carrier = self.carriers[self.attachment(group)[0]]
        if carrier.box is not None:
            return carrier.box
        return None if carrier.joint is None else self.group_of[carrier.joint]

    def joint(self, described: JointDescription) -> Joint:
        carrier = self.carriers[described.parent]
        return Joint(
            name=described.name,
            type=JointType(described.type),
            parent_link=described.parent,
            child_link=described.child,
            x_parent_joint=carrier.x_body_link * described.x_parent_joint,
            axis=described.axis,
            limits=described.limits,
            damping=described.damping,
            friction=described.friction,
            mimic=described.mimic,
            armature=described.armature,
            stiffness=described.stiffness,
            rest_position=described.rest_position,
        )

    def body(self, name: str, joint: str | None) -> Body:
        """The body that a joint moves, or the ground."""
        own = [(k, c) for k, c in self.carriers.items() if c.joint == joint and c.box is None]
        return _merged_body(name, [(self.robot.links[link], carrier.x_body_link) for link, carrier in own])

    def connection(self, group: Group, index: Mapping[str | None, int | None]) -> Connection:
        """Its connection point, given the indices of the joints so far."""
        link, x_link_connection = self.attachment(group)
        carrier = self.carriers[link]
        x_body_connection = carrier.x_body_link * x_link_connection
        return Connection(link, index[carrier.joint], x_link_connection, x_body_connection)

    def root_link(self, group: Group) -> str:
        entries = self.entries[group.name]
        if group.fixed_root is not None:
            return group.fixed_root
        return entries[0].child if len(entries) == 1 else self.attachment(group)[0]


def _merged_body(name: str, parts: list[tuple[LinkDescription, DualQuaternion]]) -> Body:
    """One body of links at poses x_body_link: masses add, centres of mass average, inertias by Steiner."""
    mass = sum(link.mass for link, _ in parts)
    rotations = [rotation_matrix(x.primary) for _, x in parts]
    coms = [R @ link.com + translation(x) for R, (link, x) in zip(rotations, parts, strict=True)]
    if mass > 0.0:
        com = np.sum([link.mass * c for (link, _), c in zip(parts, coms, strict=True)], axis=0) / mass
    else:
        com = coms[0]
    inertia = np.zeros((3, 3))
    for R, c, (link, _) in zip(rotations, coms, parts, strict=True):
        d = c - com
        inertia += R @ link.inertia @ R.T + link.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Body(name, float(mass), com, inertia, {link.name: x for link, x in parts})
