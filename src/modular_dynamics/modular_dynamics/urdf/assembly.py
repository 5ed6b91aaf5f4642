"""Description and groups of joints -> joints, bodies and subsystems in topological order."""

from __future__ import annotations

from dataclasses import dataclass

from ..algebra import DualQuaternion
from ..exceptions import PartitionError
from ..model import Body, Connection, Joint, JointType, Subsystem
from .description import JointDescription, RobotDescription
from .merge import Carrier, carriers, merged_body
from .partition import Group

__all__ = ["Assembly", "assemble"]


@dataclass(frozen=True, eq=False)
class Assembly:
    """The tree of a :class:`SubsystemGraph`, with the same attributes."""

    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]
    parents: tuple[int | None, ...]
    subsystems: tuple[Subsystem, ...]
    joint_names: tuple[str, ...]
    ground: Body


def assemble(robot: RobotDescription, groups: list[Group]) -> Assembly:
    """Sort subsystems and joints topologically, merge fixed links, place connection points.

    Raises:
        PartitionError: a subsystem that is not connected.
    """
    builder = _Builder(robot, groups)
    joints: list[Joint] = []
    bodies: list[Body] = []
    parents: list[int | None] = []
    subsystems: list[Subsystem] = []
    names: list[str] = []
    index: dict[str, int] = {}
    for group in builder.ordered():
        first = len(joints)
        for name in builder.topological(group):
            carrier = builder.carriers[robot.joints[name].parent]
            index[name] = len(joints)
            parents.append(None if carrier.joint is None else index[carrier.joint])
            joints.append(builder.joint(robot.joints[name]))
            bodies.append(builder.body(name))
        predecessor = builder.predecessor[group.name]
        subsystems.append(
            Subsystem(
                name=group.name,
                first=first,
                joints=tuple(joints[first:]),
                bodies=tuple(bodies[first:]),
                connection=builder.connection(group, index),
                predecessor=None if predecessor is None else [s.name for s in subsystems].index(predecessor),
                black_box=group.black_box,
                root_link=builder.root_link(group),
                fixed_links=builder.fixed_links(group),
            )
        )
        names += [name for name in group.joints if robot.joints[name].mimic is None]
    return Assembly(
        tuple(joints), tuple(bodies), tuple(parents), tuple(subsystems), tuple(names), builder.ground()
    )


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
            joint = self.robot.parent_joint()[group.fixed_root]
            return joint.parent, joint.x_parent_joint
        if len(entries) == 1:
            return entries[0].parent, entries[0].x_parent_joint
        links = {joint.parent for joint in entries}
        if len(links) == 1:
            return links.pop(), DualQuaternion.identity
        moved_by = self.carriers[entries[0].parent].joint
        return self.robot.root if moved_by is None else self.robot.joints[
            moved_by
        ].child, DualQuaternion.identity

    def _predecessor(self, group: Group) -> str | None:
        carrier = self.carriers[self.attachment(group)[0]]
        if carrier.box is not None:
            return carrier.box
        return None if carrier.joint is None else self.group_of[carrier.joint]

    def ordered(self) -> list[Group]:
        """Groups in topological order; where several could follow, the first in the given order does."""
        remaining, ordered = list(self.groups.values()), list[Group]()
        while remaining:
            placed = {None, *(group.name for group in ordered)}
            following = next(group for group in remaining if self.predecessor[group.name] in placed)
            remaining.remove(following)
            ordered.append(following)
        return ordered

    def topological(self, group: Group) -> list[str]:
        """Joints of a group, each after the one that carries it, otherwise in document order."""
        remaining, ordered = list(group.joints), list[str]()
        carrier = {name: self.carriers[self.robot.joints[name].parent].joint for name in remaining}
        while remaining:
            following = next(name for name in remaining if carrier[name] not in remaining)
            remaining.remove(following)
            ordered.append(following)
        return ordered

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
        )

    def _merged(self, name: str, joint: str | None) -> Body:
        own = [(k, c) for k, c in self.carriers.items() if c.joint == joint and c.box is None]
        return merged_body(name, [(self.robot.links[link], carrier.x_body_link) for link, carrier in own])

    def body(self, joint: str) -> Body:
        return self._merged(self.robot.joints[joint].child, joint)

    def ground(self) -> Body:
        return self._merged(self.robot.root, None)

    def connection(self, group: Group, index: dict[str, int]) -> Connection:
        link, x_link_connection = self.attachment(group)
        carrier: Carrier = self.carriers[link]
        return Connection(
            link=link,
            body=None if carrier.joint is None else index[carrier.joint],
            x_link_connection=x_link_connection,
            x_body_connection=carrier.x_body_link * x_link_connection,
        )

    def fixed_links(self, group: Group) -> dict[str, DualQuaternion]:
        """Links of a black box that none of its joints moves: their poses in the body that carries them."""
        return {link: c.x_body_link for link, c in self.carriers.items() if c.box == group.name}

    def root_link(self, group: Group) -> str:
        entries = self.entries[group.name]
        if group.fixed_root is not None:
            return group.fixed_root
        return entries[0].child if len(entries) == 1 else self.attachment(group)[0]
