"""Reactions of every joint, cut joint and spring of a mechanism; and what sharing.py needs of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..algebra import to_rotation_translation
from ..dynamics import InverseDynamics, frame_poses
from ..exceptions import StateError, UnsupportedModelError
from ..model import Anchor, SubsystemGraph
from .free_bodies import Situation, crossed
from .inverse_dynamics import ClosedLoopDynamics
from .sharing_rules import JointRule, Rules

__all__ = ["Reaction", "reactions", "situation_of", "wrenches_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reaction:
    """What the predecessor's link exerts on the successor's at a point, in the root link's axes.

    Of a spring the point is its anchor on the successor; ``start`` is the one on the predecessor, elsewhere
    the same point.
    """

    predecessor: str
    successor: str
    point: Array
    start: Array
    force: Array
    moment: Array


def reactions(graph: SubsystemGraph, dynamics: ClosedLoopDynamics) -> dict[str, Reaction]:
    """Of all joints of the tree, loop joints and springs, by name; redundant ones as ``dynamics`` chose them.

    The cut joints' wrenches and the springs' tensions act on the tree from outside; Newton-Euler gives what
    its joints pass on. A tree joint's point is the origin of its child link.
    """
    R, o = _poses(graph, dynamics.coordinates)
    found: dict[str, Reaction] = {}
    for loop in graph.loop_joints:
        turned, point = _placed(graph, R, o, loop.successor)
        force, moment = (turned @ part for part in np.split(dynamics.wrenches[loop.name], 2))
        found[loop.name] = Reaction(loop.predecessor.link, loop.successor.link, point, point, force, moment)
    for spring in graph.springs:
        (_, start), (_, point) = (_placed(graph, R, o, anchor) for anchor in spring.anchors)
        line = start - point
        pull = dynamics.tensions[spring.name] * line / np.linalg.norm(line)
        links = [anchor.link for anchor in spring.anchors]
        found[spring.name] = Reaction(links[0], links[1], point, start, pull, np.zeros(3))
    loads = _loads(graph, R, o, found)
    for joint, body, wrench in zip(graph.joints, graph.bodies, _passed(graph, dynamics, loads), strict=True):
        force, moment = R[body.name] @ wrench[:3], R[body.name] @ wrench[3:]
        point = o[body.name]
        found[joint.name] = Reaction(joint.parent_link, joint.child_link, point, point, force, moment)
    return found


def situation_of(graph: SubsystemGraph, dynamics: ClosedLoopDynamics, rules: Rules) -> Situation:
    """The situation of bodies that are links of a graph, and of joints whose points are elements of it.

    A body's demand is the wrench at its joint in the open tree, less those of the next bodies of the rules:
    its own inertia and weight, and the connection wrenches of the subsystems that hang on it.

    Raises:
        StateError: a body or a name that the graph does not have.
        UnsupportedModelError: rods between the bodies that have mass, which rules do not know.
    """
    R, o = _poses(graph, dynamics.coordinates)
    carried = _owners(graph, rules)
    wrenches = _passed(graph, dynamics, {})
    demands = {body: np.zeros(6) for body in rules.bodies}
    for k, body in enumerate(graph.bodies):
        if body.name not in demands:
            continue
        demands[body.name] += wrenches[k]
        parent = graph.parents[k]
        below = None if parent is None else carried[graph.bodies[parent].name]
        if below is not None:
            force, moment = R[body.name] @ wrenches[k, :3], R[body.name] @ wrenches[k, 3:]
            about = moment + crossed(o[body.name] - o[below], force)
            demands[below] -= np.concatenate([R[below].T @ force, R[below].T @ about])
    found = _elements(graph, R, o)
    points = {}
    for joint in rules.joints.values():
        ends = [_end(found, joint, place, carried) for place in (joint.start or joint.at, joint.at)]
        points[joint.name] = np.array([ends[0][0], ends[1][1]])
    return Situation(R, o, demands, dict(dynamics.tensions), points)


def wrenches_of(
    graph: SubsystemGraph, found: Mapping[str, Reaction], rules: Rules, situation: Situation
) -> dict[str, Array]:
    """Reactions of a graph as those of the rules' joints: [force, moment] of ``by`` on ``on`` in ``axes``."""
    carried = _owners(graph, rules)
    wrenches = {}
    for joint in rules.joints.values():
        reaction = found[str(joint.at)]
        sign = 1.0 if carried[reaction.successor] == joint.on else -1.0
        at = np.asarray(situation.points[joint.name])[1]
        about = reaction.moment + crossed(reaction.point - at, reaction.force)
        turned = np.asarray(situation.rotations[joint.axes]).T
        wrenches[joint.name] = sign * np.concatenate([turned @ reaction.force, turned @ about])
    return wrenches


def _poses(graph: SubsystemGraph, q: Array) -> tuple[dict[str, Array], dict[str, Array]]:
    """Rotation and origin of every link in the root link's frame."""
    matrices = frame_poses(graph.tree, q, graph.links)
    rotations = {link: matrix[:3, :3] for link, matrix in zip(graph.links, matrices, strict=True)}
    return rotations, {link: matrix[:3, 3] for link, matrix in zip(graph.links, matrices, strict=True)}


def _placed(
    graph: SubsystemGraph, R: Mapping[str, Array], o: Mapping[str, Array], anchor: Anchor
) -> tuple[Array, Array]:
    rotation, position = to_rotation_translation(anchor.x_link_anchor)
    turned: Array = R[anchor.link] @ rotation
    point: Array = o[anchor.link] + R[anchor.link] @ position
    return turned, point


def _loads(
    graph: SubsystemGraph, R: Mapping[str, Array], o: Mapping[str, Array], found: Mapping[str, Reaction]
) -> dict[str, Array]:
    """What reactions do to links, [force, moment] at and in their frames."""
    loads: dict[str, Array] = {}
    for reaction in found.values():
        ends = (reaction.successor, reaction.point, 1.0), (reaction.predecessor, reaction.start, -1.0)
        for link, point, sign in ends:
            about = reaction.moment + crossed(point - o[link], reaction.force)
            wrench = sign * np.concatenate([R[link].T @ reaction.force, R[link].T @ about])
            loads[link] = loads.get(link, np.zeros(6)) + wrench
    return loads


def _passed(graph: SubsystemGraph, dynamics: ClosedLoopDynamics, loads: Mapping[str, Array]) -> Array:
    """(n, 6): wrenches at the joints of the tree, in their child links' frames."""
    solver: InverseDynamics | None = getattr(graph.workspaces, "reactions", None)
    if solver is None:
        solver = graph.workspaces.reactions = InverseDynamics(graph.tree)
    solver(dynamics.coordinates, dynamics.velocities, dynamics.accelerations, loads)
    return solver.joint_wrenches


def _owners(graph: SubsystemGraph, rules: Rules) -> dict[str, str | None]:
    """By link, the body of the rules that it is part of, or hangs on."""
    names = [body.name for body in graph.bodies]
    strange = [body for body in rules.bodies if body not in names]
    if strange:
        raise StateError(f"'{rules.name}': body '{strange[0]}' is no moving link of '{graph.name}'")
    carried: list[str | None] = []
    owners: dict[str, str | None] = {}
    for k, body in enumerate(graph.bodies):
        parent = graph.parents[k]
        above = None if parent is None else carried[parent]
        carried.append(body.name if body.name in rules.bodies else above)
        owners.update(dict.fromkeys(body.links, carried[k]))
    ends = [anchor for loop in graph.loop_joints for anchor in (loop.predecessor, loop.successor)]
    for anchor in ends + [anchor for spring in graph.springs for anchor in spring.anchors]:
        k_or_none = graph.link_body(anchor.link)
        while k_or_none is not None and names[k_or_none] != carried[k_or_none]:
            if carried[k_or_none] is not None and graph.bodies[k_or_none].mass > 0.0:
                raise UnsupportedModelError(
                    f"'{rules.name}': link '{names[k_or_none]}' between its bodies has mass; make it "
                    "one of the bodies of the rules"
                )
            k_or_none = graph.parents[k_or_none]
    return {**dict.fromkeys(graph.ground.links), **owners}


Ends = tuple[tuple[str, Array], tuple[str, Array]]


def _elements(graph: SubsystemGraph, R: Mapping[str, Array], o: Mapping[str, Array]) -> dict[str, Ends]:
    """By joint, loop joint and spring: its links with its points on them."""
    found: dict[str, Ends] = {}
    for joint in graph.joints:
        point = o[joint.child_link]
        found[joint.name] = (joint.parent_link, point), (joint.child_link, point)
    for loop in graph.loop_joints:
        point = _placed(graph, R, o, loop.successor)[1]
        found[loop.name] = (loop.predecessor.link, point), (loop.successor.link, point)
    for spring in graph.springs:
        first, second = ((a.link, _placed(graph, R, o, a)[1]) for a in spring.anchors)
        found[spring.name] = first, second
    return found


def _end(
    found: Mapping[str, Ends], joint: JointRule, place: object, carried: Mapping[str, str | None]
) -> tuple[Array, Array]:
    """Points of an element on the side of ``by`` and of ``on``."""
    if not isinstance(place, str):
        return np.zeros(3), np.zeros(3)  # coordinates: sharing places them
    if place not in found:
        raise StateError(f"joint '{joint.name}': no joint, loop joint or spring '{place}' in the robot")
    first, second = found[place]
    if carried[second[0]] == joint.on:
        return first[1], second[1]
    return second[1], first[1]
