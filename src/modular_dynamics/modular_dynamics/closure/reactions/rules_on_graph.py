"""Where the bodies and joints of some rules are on a graph: links of the bodies, points of the joints."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...algebra import translation
from ...exceptions import StateError, UnsupportedModelError
from ...kernels.reactions.sharing import Components
from ...model import LoopJoint, Spring, SubsystemGraph
from .sharing_rules import JointRule, Location, Rules

__all__ = ["carrying_bodies", "rods_between", "rule_components", "rule_points"]

#: A link, and a position in its frame.
LinkPoint = tuple[str, NDArray[np.float64]]
#: The two links of a joint, loop joint or spring, each with its point.
Ends = tuple[tuple[str, LinkPoint], tuple[str, LinkPoint]]


def carrying_bodies(graph: SubsystemGraph, rules: Rules) -> dict[str, str | None]:
    """By link the body of the rules that it is part of, or that carries it; None where there is none.

    Raises StateError: a body of the rules is no moving link of the graph.
    """
    names = [body.name for body in graph.bodies]
    if unknown := [body for body in rules.bodies if body not in names]:
        raise StateError(f"'{rules.name}': body '{unknown[0]}' is no moving link of '{graph.name}'")
    by_link: dict[str, str | None] = dict.fromkeys(graph.ground.links)
    for body, parent in zip(graph.bodies, graph.parents, strict=True):
        carrier = None if parent is None else by_link[names[parent]]
        by_link.update(dict.fromkeys(body.links, body.name if body.name in rules.bodies else carrier))
    return by_link


def rods_between(graph: SubsystemGraph, rules: Rules, carriers: Mapping[str, str | None]) -> set[str]:
    """Names of the links between a body of the rules and a loop joint or spring to another body.

    Raises UnsupportedModelError: one of them has mass, which rules do not take into account.
    """
    rods: set[str] = set()
    elements: list[LoopJoint | Spring] = [*graph.loop_joints, *graph.springs]
    for element in elements:
        if len({carriers[anchor.link] for anchor in element.anchors}) > 1:
            for anchor in element.anchors:
                k = graph.link_body(anchor.link)
                while k is not None and carriers[graph.bodies[k].name] not in (None, graph.bodies[k].name):
                    rods.add(graph.bodies[k].name)
                    k = graph.parents[k]
    if heavy := [body.name for body in graph.bodies if body.name in rods and body.mass > 0.0]:
        raise UnsupportedModelError(
            f"'{rules.name}': link '{heavy[0]}' between its bodies has mass; make it one of the bodies of "
            "the rules"
        )
    return rods


def rule_points(
    graph: SubsystemGraph, rules: Rules, carriers: Mapping[str, str | None]
) -> list[tuple[LinkPoint, LinkPoint]]:
    """Of each joint of the rules, the points ``from`` on the side of ``by`` and ``at`` on that of ``on``.

    Raises StateError: a name that the graph does not have, or that connects other bodies.
    """
    elements, points = _elements(graph), []
    for joint in rules.joints.values():
        start, _ = _points(elements, joint, joint.start or joint.at, carriers)
        points.append((start, _points(elements, joint, joint.at, carriers)[1]))
    return points


def rule_components(graph: SubsystemGraph, rules: Rules, signs: NDArray[np.float64]) -> Components:
    """The joints of the rules and their components as arrays of the kernel; signs: of `FreeBodyCuts`.

    Raises StateError: as `rule_points`; or a joint's point or axes belong to no link of the graph.
    """
    links, joints = {link: k for k, link in enumerate(graph.links)}, list(rules.joints.values())
    points = []
    for joint, (start, at) in zip(
        joints, rule_points(graph, rules, carrying_bodies(graph, rules)), strict=True
    ):
        for link in (joint.axes, *([] if joint.start is None else [joint.by])):
            if link not in links:
                raise StateError(f"'{rules.name}': joint '{joint.name}': '{graph.name}' has no link '{link}'")
        own_at = at if isinstance(joint.at, str) else (joint.on, np.array(joint.at))
        own_start = own_at if joint.start is None else (joint.by, np.array(joint.start))
        points.append((start if isinstance(joint.start, str) else own_start, own_at))
    unknowns = [(k, component) for k, joint in enumerate(joints) for component in joint.transmits]
    return Components(
        body_links=np.array([links[body] for body in rules.bodies]),
        axis_links=np.array([links[joint.axes] for joint in joints]),
        point_links=np.array([[links[link] for link, _ in pair] for pair in points]),
        positions=np.array([[position for _, position in pair] for pair in points]),
        joints=np.array([k for k, _ in unknowns]),
        axes=np.array(["xyz".find(component[-1]) for _, component in unknowns]),
        moments=np.array([int(component[0] == "M") for _, component in unknowns]),
        along=np.array([-1.0 if component == "pull" else 1.0 for _, component in unknowns]),
        signs=signs,
    )


def _elements(graph: SubsystemGraph) -> dict[str, Ends]:
    """The ends of all joints, loop joints and springs."""
    ends: dict[str, Ends] = {}
    for joint in graph.joints:
        at = joint.child_link, np.zeros(3)
        ends[joint.name] = (joint.parent_link, at), (joint.child_link, at)
    for loop in graph.loop_joints:
        at = loop.successor.link, translation(loop.successor.x_link_anchor)
        ends[loop.name] = (loop.predecessor.link, at), (loop.successor.link, at)
    for spring in graph.springs:
        first, second = ((a.link, (a.link, translation(a.x_link_anchor))) for a in spring.anchors)
        ends[spring.name] = first, second
    return ends


def _points(
    elements: Mapping[str, Ends], joint: JointRule, location: Location, carriers: Mapping[str, str | None]
) -> tuple[LinkPoint, LinkPoint]:
    """Points of an element on the side of ``by`` and of ``on``."""
    if not isinstance(location, str):
        unused = next(iter(carriers)), np.zeros(3)
        return unused, unused  # coordinates: FreeBodyCuts places them
    if location not in elements:
        raise StateError(f"joint '{joint.name}': no joint, loop joint or spring '{location}' in the robot")
    first, second = elements[location]
    if carriers[second[0]] != joint.on:
        first, second = second, first
    if location == joint.at and carriers[second[0]] == joint.on != carriers[first[0]]:
        other = carriers[first[0]]
        if other != (joint.by if joint.by in carriers.values() else None):
            raise StateError(
                f"joint '{joint.name}': by is '{joint.by}', but '{location}' connects '{joint.on}' to "
                f"{repr(other) if other else 'none of the bodies of the rules'}"
            )
    return first[1], second[1]
