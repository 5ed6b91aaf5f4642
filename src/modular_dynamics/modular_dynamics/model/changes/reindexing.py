"""The graph without some of its joints: new indices, subsystems and their connection points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...algebra import DualQuaternion
from ..structure import Structure
from ..subsystem import Body, Connection, Joint, JointType, Subsystem

#: Of an old body: index of the body that it is part of now (None: the ground), and its pose in that.
Carried = tuple[int | None, DualQuaternion]


def attachment(
    entries: Sequence[Joint], body: str, links: Mapping[str, DualQuaternion]
) -> tuple[str, DualQuaternion, DualQuaternion]:
    """Return a subsystem's connection point: its link, and its poses in that link and in the body.

    The frame of its first joint; with several first joints that of their common link, or of the body.

    Args:
        entries: its first joints, those on that body. body: its name. links: x_body_link of its links.
    """
    if len(entries) == 1:
        (joint,) = entries
        x_link_body = links[joint.parent_link].conjugate()
        return joint.parent_link, x_link_body * joint.x_parent_joint, joint.x_parent_joint
    names = {joint.parent_link for joint in entries}
    link = names.pop() if len(names) == 1 else body
    return link, DualQuaternion.identity, links[link]


@dataclass(frozen=True)
class Remainder:
    """The joints and bodies that are left of a graph, and where removed bodies are fixed.

    Attributes:
        graph: as it was.
        joints, bodies: those that stay, by their old index, as they are now; the ground is body None.
        carried: by old index of a body, where its links are fixed now; bodies by their old indices.
        removed: names of black boxes that are removed; those without joints must be named. Other subsystems
            are removed where they lose all joints.
    """

    graph: Structure
    joints: Mapping[int, Joint]
    bodies: Mapping[int | None, Body]
    carried: Mapping[int | None, Carried]
    removed: frozenset[str] = frozenset()

    def fields(self) -> dict[str, object]:
        """Return the fields of the new graph that differ from the old one's, by name."""
        index: dict[int | None, int | None] = {None: None}
        index |= {old: new for new, old in enumerate(self.joints)}
        graph, names = self.graph, {joint.name for joint in self.joints.values()}
        floating = any(joint.type is JointType.FLOATING for joint in self.joints.values())
        return {
            "joints": tuple(self.joints.values()),
            "bodies": tuple(self.bodies[k] for k in self.joints),
            "parents": tuple(index[self.carried[graph.parents[k]][0]] for k in self.joints),
            "subsystems": self._subsystems(index),
            "joint_names": tuple(name for name in graph.joint_names if name in names),
            "passive_joints": tuple(name for name in graph.passive_joints if name in names),
            "independent": graph.independent and tuple(n for n in graph.independent if n in names),
            "ground": self.bodies[None],
            "floating_base": graph.floating_base and floating,
        }

    def _subsystems(self, index: Mapping[int | None, int | None]) -> tuple[Subsystem, ...]:
        """Return the subsystems that keep a joint, and the remaining black boxes without joints."""
        kept: list[Subsystem] = []
        new_index: dict[str, int] = {}
        first = 0
        for subsystem in self.graph.subsystems:
            rows = [k for k in subsystem.indices if k in self.joints]
            gone = subsystem.name in self.removed if not subsystem.joints else not rows
            if gone:
                continue
            old, root_link = self._connection(subsystem, rows)
            new_index[subsystem.name] = len(kept)
            kept.append(
                Subsystem(
                    name=subsystem.name,
                    first=first,
                    joints=tuple(self.joints[k] for k in rows),
                    bodies=tuple(self.bodies[k] for k in rows),
                    connection=replace(old, body=index[old.body]),
                    predecessor=self._predecessor(subsystem, old, new_index),
                    black_box=subsystem.black_box,
                    root_link=root_link,
                    fixed_links=self._fixed_links(subsystem),
                )
            )
            first += len(rows)
        return tuple(kept)

    def _connection(self, subsystem: Subsystem, rows: list[int]) -> tuple[Connection, str]:
        """Return a subsystem's connection, with the old index of the body, and its root link."""
        old = subsystem.connection
        body, x = self.carried[old.body]
        moved = replace(old, body=body, x_body_connection=x * old.x_body_connection)
        before = self.graph.first_joints(subsystem)
        entries = [k for k in rows if self.carried[self.graph.parents[k]][0] not in rows]
        begins_fixed = subsystem.root_link in subsystem.fixed_links
        on_links = {self.graph.joints[k].parent_link for k in entries}
        if begins_fixed or (before == entries and (body == old.body or len(on_links) == 1)):
            return moved, subsystem.root_link
        carrier = self.bodies[body]
        links = dict(carrier.links)
        for box in self.graph.subsystems:
            if self.carried.get(box.connection.body, (-1,))[0] == body:
                links |= self._fixed_links(box)
        link, x_link, x_body = attachment([self.joints[k] for k in entries], carrier.name, links)
        root_link = self.joints[entries[0]].child_link if len(entries) == 1 else link
        return Connection(link, body, x_link, x_body), root_link

    def _predecessor(self, subsystem: Subsystem, old: Connection, new_index: Mapping[str, int]) -> int | None:
        """Return the new index of the predecessor: a black box without joints, or the body's subsystem."""
        before = self.graph.predecessor(subsystem)
        if before is not None and old.link in before.fixed_links:
            return new_index[before.name]
        if old.body is None:
            return None
        return next(new_index[s.name] for s in self.graph.subsystems if old.body in s.indices)

    def _fixed_links(self, subsystem: Subsystem) -> dict[str, DualQuaternion]:
        """Return the subsystem's fixed links with their poses in the body that carries them now."""
        _, x = self.carried[subsystem.connection.body]
        return {link: x * x_body_link for link, x_body_link in subsystem.fixed_links.items()}
