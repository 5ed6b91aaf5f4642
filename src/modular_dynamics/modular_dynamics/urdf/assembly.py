"""Description and groups of joints -> the graph: joints, bodies and subsystems in topological order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion
from ..exceptions import PartitionError
from ..model import Body, Connection, Inertial, Joint, JointType, Link, Subsystem, SubsystemGraph
from .description import JointDescription, RobotDescription, SubsystemSpec, carriers

# The partition: rules that put every moving joint into exactly one subsystem.


def partition(
    robot: RobotDescription, specs: Sequence[SubsystemSpec]
) -> tuple[list[SubsystemSpec], list[str]]:
    """Return a group for each specified subsystem, then groups of the remaining joints; and notes on those.

    Remaining joints: every unbranched chain between branching bodies is one group, named after its first
    joint.

    Raises:
        PartitionError: an unknown or fixed joint, an unknown link, a joint in two subsystems, an empty
            subsystem.
    """
    claims = _claims_by_name(robot, specs)
    by_root = [spec for spec in specs if spec.root_link is not None]
    for spec in by_root:
        for link in (spec.root_link, *spec.end_links):
            if link not in robot.links:
                raise PartitionError(f"subsystem '{spec.name}' names the unknown link '{link}'", spec.line)
    _claim_below(robot, by_root, claims)
    claimed: dict[str, list[str]] = {}
    for name in robot.joints:
        if name in claims:
            claimed.setdefault(claims[name].name, []).append(name)
    groups = [_group(robot, spec, claimed.get(spec.name, [])) for spec in specs]
    rest = [name for name, joint in robot.joints.items() if joint.moves and name not in claims]
    chains = _chains(robot, rest, groups)
    notes = []
    if specs and rest:
        made = ", ".join(f"'{group.name}' ({', '.join(group.joints)})" for group in chains)
        notes.append(f"joints outside every subsystem tag are partitioned by unbranched chains: {made}")
    return groups + chains, notes


def _claims_by_name(robot: RobotDescription, specs: Sequence[SubsystemSpec]) -> dict[str, SubsystemSpec]:
    """Return, by joint, the subsystem whose tag lists it; raise PartitionError for joints it cannot have."""
    claims: dict[str, SubsystemSpec] = {}
    for spec, name in [(one, name) for one in specs for name in one.joints]:
        joint, subsystem = robot.joints.get(name), f"subsystem '{spec.name}'"
        if joint is None:
            raise PartitionError(f"{subsystem} names the unknown joint '{name}'", spec.line)
        if not joint.moves:
            fixed = f"names joint '{name}', which is fixed; a fixed link belongs to its body"
            raise PartitionError(f"{subsystem} {fixed}", spec.line)
        if name in claims:
            both = f"'{claims[name].name}' and '{spec.name}'"
            raise PartitionError(f"joint '{name}' is in two subsystems, {both}", spec.line)
        claims[name] = spec
    return claims


def _claim_below(
    robot: RobotDescription, by_root: Sequence[SubsystemSpec], claims: dict[str, SubsystemSpec]
) -> None:
    """Add to ``claims`` the joints of subsystems that are given by root and end links.

    A joint belongs to the subsystem of the nearest root link above it that has not ended.
    """
    starting: dict[str, list[SubsystemSpec]] = {}
    ending: dict[str, set[str]] = {}
    for spec in by_root:
        starting.setdefault(str(spec.root_link), []).append(spec)
        for link in spec.end_links:
            ending.setdefault(link, set()).add(spec.name)
    enclosing: dict[str, tuple[SubsystemSpec, ...]] = {}  # by link, innermost last
    for link in robot.in_order:
        above = () if link == robot.root else enclosing[robot.above[link].parent]
        around = (*above, *reversed(starting.get(link, ())))
        enclosing[link] = tuple(spec for spec in around if spec.name not in ending.get(link, ()))
        for joint in robot.below[link]:
            first = starting.get(joint.child) or enclosing[link][-1:]
            if joint.moves and first:
                claims.setdefault(joint.name, first[0])


def _group(robot: RobotDescription, spec: SubsystemSpec, names: Sequence[str]) -> SubsystemSpec:
    """Return a specified subsystem with all its joints. Raises PartitionError: it has none."""
    entry = None if spec.root_link is None else robot.above.get(spec.root_link)
    fixed_root = spec.root_link if spec.black_box and entry is not None and not entry.moves else None
    if not names and fixed_root is None:
        hint = "a black box without joints needs a root_link that is fixed to its predecessor"
        raise PartitionError(f"subsystem '{spec.name}' has no moving joint; {hint}", spec.line)
    return replace(spec, joints=tuple(names), fixed_root=fixed_root)


def _chains(robot: RobotDescription, rest: list[str], groups: list[SubsystemSpec]) -> list[SubsystemSpec]:
    """Return the unbranched chains of the joints in ``rest``, with names that no group in ``groups`` has."""
    taken = {group.name for group in groups}
    following = {
        name: [
            child.name for link in robot.body_links(joint.child) for child in robot.below[link] if child.moves
        ]
        for name, joint in robot.joints.items()
        if joint.moves
    }
    order, remaining = {name: k for k, name in enumerate(robot.joints)}, set(rest)
    continues = {after[0] for name, after in following.items() if name in remaining and len(after) == 1}
    chains = []
    for first in (name for name in rest if name not in continues):
        chain = [first]
        while len(after := following[chain[-1]]) == 1 and after[0] in remaining:
            chain.append(after[0])
        name = first
        while name in taken:
            name += "_chain"
        taken.add(name)
        joints = tuple(sorted(chain, key=order.__getitem__))
        chains.append(SubsystemSpec(name, joints, line=robot.joints[first].line))
    return chains


def assemble(
    robot: RobotDescription, groups: list[SubsystemSpec], gravity: NDArray[np.float64]
) -> SubsystemGraph:
    """Return the graph: subsystems and joints in topological order, fixed links merged into their bodies.

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
                root_link=builder.attachments[name][0],
                fixed_links=dict(builder.fixed_links.get(name, ())),
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
    """Return the names, each after its predecessor ``before[name]``, otherwise in the given order."""
    given = list(names)
    position = {name: k for k, name in enumerate(given)}
    following: dict[str | None, list[int]] = {}
    ready, ordered = list[int](), list[str]()
    for k, name in enumerate(given):
        if before[name] in position:
            following.setdefault(before[name], []).append(k)
        else:
            ready.append(k)  # ascending, so the list is a heap
    while ready:
        name = given[heappop(ready)]
        ordered.append(name)
        for k in following.get(name, ()):
            heappush(ready, k)
    return ordered


#: Fields that a joint of the model takes unchanged from its description.
_COPIED_FIELDS = ("axis", "limits", "damping", "friction", "mimic", "armature", "stiffness", "rest_position")


class _Builder:
    """Tables of one assembly: which body carries each link, and which group precedes each group.

    Attributes:
        carriers: by link, the body that carries it.
        links: by joint (None: the ground), the links of its body with their poses in it.
        fixed_links: by black box, the links fixed to its predecessor, with their poses in that body.
        attachments: by group, its first link, the link outside that carries its connection point, and the
            point's pose in that one. predecessor: by group, the group that carries it; None: ground.
    """

    def __init__(self, robot: RobotDescription, groups: list[SubsystemSpec]) -> None:
        self.robot = robot
        self.groups = {group.name: group for group in groups}
        self.carriers = carriers(robot, {g.fixed_root: g.name for g in groups if g.fixed_root})
        self.links: dict[str | None, list[tuple[str, DualQuaternion]]] = {}
        self.fixed_links: dict[str, list[tuple[str, DualQuaternion]]] = {}
        for link, carrier in self.carriers.items():
            if carrier.box is None:
                self.links.setdefault(carrier.joint, []).append((link, carrier.x_body_link))
            else:
                self.fixed_links.setdefault(carrier.box, []).append((link, carrier.x_body_link))
        self.group_of = {joint: group.name for group in groups for joint in group.joints}
        self.attachments = {group.name: self._attachment(group) for group in groups}
        self.predecessor = {group.name: self._predecessor(group) for group in groups}

    def _attachment(self, group: SubsystemSpec) -> tuple[str, str, DualQuaternion]:
        """Return an entry of ``attachments``. Raises PartitionError: the group starts on several bodies."""
        described, own = [self.robot.joints[name] for name in group.joints], set(group.joints)
        entries = [joint for joint in described if self.carriers[joint.parent].joint not in own]
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
        first = entries if group.fixed_root is None else [self.robot.above[group.fixed_root]]
        if len(first) == 1:
            return first[0].child, first[0].parent, first[0].x_parent_joint
        links, moved_by = {joint.parent for joint in first}, bodies.pop()
        link = self.robot.root if moved_by is None else self.robot.joints[moved_by].child
        link = links.pop() if len(links) == 1 else link
        return link, link, DualQuaternion.identity

    def _predecessor(self, group: SubsystemSpec) -> str | None:
        """Return the name of the group that carries a group; None for the ground."""
        carrier = self.carriers[self.attachments[group.name][1]]
        if carrier.box is not None:
            return carrier.box
        return None if carrier.joint is None else self.group_of[carrier.joint]

    def joint(self, described: JointDescription) -> Joint:
        """Return a described joint as a joint of the model, its pose in the parent body."""
        carrier = self.carriers[described.parent]
        copied: dict[str, Any] = {key: getattr(described, key) for key in _COPIED_FIELDS}
        x = carrier.x_body_link * described.x_parent_joint
        kind = JointType(described.type)
        return Joint(described.name, kind, described.parent, described.child, x, **copied)

    def body(self, name: str, joint: str | None) -> Body:
        """Return the body called ``name`` that a joint moves; the ground for None."""
        poses = dict(self.links[joint])
        parts = []
        for link in poses:
            described, above = self.robot.links[link], self.robot.above.get(link)
            fixed = () if link == name or above is None else (above.parent, above.name)
            inertial = Inertial(described.mass, described.com, described.inertia)
            parts.append(Link(link, inertial, *fixed))
        return Body(name, poses, tuple(parts))

    def connection(self, group: SubsystemSpec, index: Mapping[str | None, int | None]) -> Connection:
        """Return a group's connection point; ``index``: the graph's index of each joint placed so far."""
        _, link, x_link_connection = self.attachments[group.name]
        carrier = self.carriers[link]
        x_body_connection = carrier.x_body_link * x_link_connection
        return Connection(link, index[carrier.joint], x_link_connection, x_body_connection)
