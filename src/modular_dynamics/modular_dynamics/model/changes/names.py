"""A robot with a prefix before all its names."""

from collections.abc import Iterable
from dataclasses import replace

from ..closure import Anchor
from ..structure import Graph
from ..subsystem import Body, Joint, Subsystem
from .sources import renamed_sources

__all__ = ["renamed"]


def renamed(graph: Graph, prefix: str) -> Graph:
    """Return the same robot with a prefix before all its names but its own."""

    def each(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(prefix + name for name in names)

    def anchor(old: Anchor) -> Anchor:
        return replace(old, link=prefix + old.link)

    loops = [
        replace(
            loop,
            name=prefix + loop.name,
            predecessor=anchor(loop.predecessor),
            successor=anchor(loop.successor),
        )
        for loop in graph.loop_joints
    ]
    gears = [
        replace(
            gear,
            joint=prefix + gear.joint,
            driver=prefix + gear.driver,
            further=tuple((prefix + name, ratio) for name, ratio in gear.further),
        )
        for gear in graph.gears
    ]
    springs = [
        replace(
            spring, name=prefix + spring.name, anchors=(anchor(spring.anchors[0]), anchor(spring.anchors[1]))
        )
        for spring in graph.springs
    ]
    return replace(
        graph,
        joints=tuple(_joint(joint, prefix) for joint in graph.joints),
        bodies=tuple(_body(body, prefix) for body in graph.bodies),
        ground=_body(graph.ground, prefix),
        subsystems=tuple(_subsystem(subsystem, prefix) for subsystem in graph.subsystems),
        joint_names=each(graph.joint_names),
        passive_joints=each(graph.passive_joints),
        independent=None if graph.independent is None else each(graph.independent),
        loop_joints=tuple(loops),
        gears=tuple(gears),
        springs=tuple(springs),
        sources=renamed_sources(graph.sources, prefix),
    )


def _joint(joint: Joint, prefix: str) -> Joint:
    mimic = None if joint.mimic is None else replace(joint.mimic, joint=prefix + joint.mimic.joint)
    parent, child = prefix + joint.parent_link, prefix + joint.child_link
    return replace(joint, name=prefix + joint.name, parent_link=parent, child_link=child, mimic=mimic)


def _body(body: Body, prefix: str) -> Body:
    parts = tuple(
        replace(
            part,
            name=prefix + part.name,
            parent=None if part.parent is None else prefix + part.parent,
            joint=None if part.joint is None else prefix + part.joint,
        )
        for part in body.parts
    )
    return replace(
        body,
        name=prefix + body.name,
        links={prefix + link: x for link, x in body.links.items()},
        parts=parts,
        payloads={prefix + link: load for link, load in body.payloads.items()},
        bare=None if body.bare is None else _body(body.bare, prefix),
    )


def _subsystem(subsystem: Subsystem, prefix: str) -> Subsystem:
    return replace(
        subsystem,
        name=prefix + subsystem.name,
        connection=replace(subsystem.connection, link=prefix + subsystem.connection.link),
        root_link=prefix + subsystem.root_link,
        fixed_links={prefix + link: x for link, x in subsystem.fixed_links.items()},
    )
