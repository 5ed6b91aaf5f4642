"""The points of the rules' joints on the links of a graph."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...algebra import translation
from ...exceptions import StateError
from ...model import SubsystemGraph
from .sharing_rules import JointRule, Location, Rules

__all__ = ["LinkPoint", "rule_points"]

Array = NDArray[np.float64]
#: A link, and a position in its frame.
LinkPoint = tuple[str, Array]
#: The two links of a joint, loop joint or spring, each with its point.
Ends = tuple[tuple[str, LinkPoint], tuple[str, LinkPoint]]


def rule_points(
    graph: SubsystemGraph, rules: Rules, carriers: Mapping[str, str | None]
) -> list[tuple[LinkPoint, LinkPoint]]:
    """Of each joint of the rules, the points ``from`` on the side of ``by`` and ``at`` on that of ``on``.

    Raises:
        StateError: a name that the graph does not have, or that connects other bodies.
    """
    elements = _elements(graph)
    return [
        (
            _points(elements, joint, joint.start or joint.at, carriers)[0],
            _points(elements, joint, joint.at, carriers)[1],
        )
        for joint in rules.joints.values()
    ]


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
