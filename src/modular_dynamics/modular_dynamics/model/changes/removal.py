"""Removing links, with everything that they carry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...algebra import DualQuaternion
from ...exceptions import ModelError, UnsupportedModelError
from ..structure import Graph, SourceText, Structure
from ..subsystem import Body
from .bodies import body_at, changed
from .reindexing import Remainder


def without(graph: Graph, link: str) -> Graph:
    """Return a new graph without a link and everything beyond it: links, joints, payloads, black boxes.

    The joint above the link goes with it, fixed or not. Loop joints, springs, gears and mimic joints
    within the removed part are removed with it, and so are gears whose joint is removed. A subsystem that
    loses all its joints is removed.

    Args:
        link: any but the root link; of a black box, the link at which it begins.

    Raises:
        UnknownNameError: no such link; names the choices.
        ModelError: the root link; a loop joint, spring, gear or mimic joint that connects what is removed
            with what stays.
        UnsupportedModelError: a link inside a black box.
    """
    links, boxes = _links_beyond(graph, link)
    joints = {k: joint for k, joint in enumerate(graph.joints) if joint.child_link not in links}
    removed = {joint.name for joint in graph.joints} - {joint.name for joint in joints.values()}
    connections = list(_connections(graph, links, removed))
    if connections:
        raise ModelError(
            f"link '{link}' cannot be removed alone: {'; '.join(connections)}; each of these connects "
            "what would go with what would stay. Remove a link nearer to the root, or load the robot without "
            "the connection"
        )
    carried = {k: (k, DualQuaternion.identity) for k in (None, *joints)}
    bodies = {k: _without_links(body_at(graph, k), links) for k in carried}
    fields: dict[str, Any] = {
        **Remainder(graph, joints, bodies, carried, boxes).fields(),
        "loop_joints": tuple(loop for loop in graph.loop_joints if loop.predecessor.link not in links),
        "springs": tuple(spring for spring in graph.springs if spring.anchors[0].link not in links),
        "gears": tuple(gear for gear in graph.gears if gear.joint not in removed),
        "sources": _sources(graph, links),
    }
    return changed(graph, **fields)


def _links_beyond(graph: Structure, link: str) -> tuple[set[str], frozenset[str]]:
    """Return the link and all that it carries, and names of the black boxes among them that begin fixed.

    Raises:
        UnknownNameError, ModelError, UnsupportedModelError: as of `without`.
    """
    graph.link_pose(link)  # raises if there is no such link
    if link == graph.ground.name:
        raise ModelError(f"'{link}' is the root link of '{graph.name}': nothing would be left")
    fixed: dict[str, list[str]] = {}
    for body in (graph.ground, *graph.bodies):
        for part in body.parts:
            if part.parent is not None:
                fixed.setdefault(part.parent, []).append(part.name)
    for joint in graph.joints:
        fixed.setdefault(joint.parent_link, []).append(joint.child_link)
    boxes: dict[str, str] = {}  # black boxes that are fixed to their carrier, by their root link
    for box in graph.subsystems:
        if box.black_box:
            inside = {*box.fixed_links, *(name for body in box.bodies for name in body.links)}
            if link in inside - {box.root_link}:
                raise UnsupportedModelError(
                    f"link '{link}' belongs to the black box '{box.name}', whose parts are unknown; "
                    f"'{box.root_link}' removes all of it"
                )
            if (begins := box.root_link) in box.fixed_links:  # also boxes with joints beyond this link
                boxes[begins] = box.name
                fixed.setdefault(box.connection.link, []).append(begins)
                fixed.setdefault(begins, []).extend(name for name in box.fixed_links if name != begins)
    links, waiting = {link}, [link]
    while waiting:
        for below in fixed.get(waiting.pop(), ()):
            if below not in links:
                links.add(below)
                waiting.append(below)
    return links, frozenset(name for begins, name in boxes.items() if begins in links)


def _sources(graph: Structure, links: set[str]) -> tuple[SourceText, ...]:
    """Return the graph's texts without these links; texts that have no other links are left out."""
    left = {*graph.links} - links
    names = [frozenset(n for n in source.links if source.prefix + n in left) for source in graph.sources]
    return tuple(replace(source, links=n) for source, n in zip(graph.sources, names, strict=True) if n)


def _without_links(body: Body, links: set[str]) -> Body:
    """Return the body without these links; the body itself if it has none of them."""
    if not links & {*body.links}:
        return body
    parts = tuple(part for part in body.parts if part.name not in links)
    poses = {name: x for name, x in body.links.items() if name not in links}
    return Body(body.name, poses, parts, {n: load for n, load in body.payloads.items() if n not in links})


def _connections(graph: Structure, links: set[str], removed: set[str]) -> Iterator[str]:
    """Yield, for the error message, what connects removed links and joints with remaining ones."""
    for loop in graph.loop_joints:
        ends = loop.predecessor.link, loop.successor.link
        if (ends[0] in links) != (ends[1] in links):
            yield f"loop joint '{loop.name}' connects '{ends[0]}' and '{ends[1]}'"
    for spring in graph.springs:
        first, second = (anchor.link for anchor in spring.anchors)
        if (first in links) != (second in links):
            yield f"spring '{spring.name}' connects '{first}' and '{second}'"
    for gear in graph.gears:
        drivers = [name for name, _ in gear.drivers if name in removed]
        if drivers and gear.joint not in removed:
            yield f"joint '{gear.joint}' is geared to '{', '.join(drivers)}'"
    for joint in graph.joints:
        if joint.mimic is not None and joint.mimic.joint in removed and joint.name not in removed:
            yield f"joint '{joint.name}' mimics '{joint.mimic.joint}'"
