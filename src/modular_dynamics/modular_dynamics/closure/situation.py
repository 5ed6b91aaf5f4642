"""A moment of a robot with closed loops as sharing.py needs it: demands, points, known forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError, UnsupportedModelError
from ..model import SubsystemGraph
from .free_bodies import Situation, crossed
from .inverse_dynamics import ClosedLoopDynamics
from .reactions import Reaction, passed, placed, poses
from .sharing_rules import JointRule, Rules

__all__ = ["situation_of", "wrenches_of"]

Array = NDArray[np.float64]


def situation_of(
    graph: SubsystemGraph,
    dynamics: ClosedLoopDynamics,
    rules: Rules,
    connection_wrenches: Mapping[str, tuple[str, ArrayLike]] | None = None,
) -> Situation:
    """The situation of bodies that are links of a graph, and of joints whose points are elements of it.

    A body's demand is the wrench at its joint in the open tree, less those of the next bodies of the rules:
    its own inertia and weight, and the connection wrenches of the subsystems that hang on it.

    Args:
        dynamics: of the moment; poses, motions and tensions count, not how it shares.
        connection_wrenches: of subsystems that hang on the bodies, as measured or computed elsewhere, instead
            of those that follow from their motion: {subsystem: (link, [force, moment])}, of the predecessor
            on the subsystem, at and in the link's frame (``InverseDynamics.stamped_wrench``).

    Raises:
        StateError: a body or a name that the graph does not have.
        UnsupportedModelError: rods between the bodies that have mass, which rules do not know.
    """
    R, o = poses(graph, dynamics.coordinates)
    carried = _owners(graph, rules)
    wrenches = passed(graph, dynamics, {})
    demands = {body: np.zeros(6) for body in rules.bodies}

    def add(body: str | None, sign: float, link: str, wrench: Array) -> None:
        """A wrench at and in a link's frame."""
        if body is None:
            return
        force, moment = R[link] @ wrench[:3], R[link] @ wrench[3:]
        about = moment + crossed(o[link] - o[body], force)
        demands[body] += sign * np.concatenate([R[body].T @ force, R[body].T @ about])

    for k, body in enumerate(graph.bodies):
        if body.name in demands:
            parent = graph.parents[k]
            add(body.name, 1.0, body.name, wrenches[k])
            add(None if parent is None else carried[graph.bodies[parent].name], -1.0, body.name, wrenches[k])
    for name, (link, wrench) in (connection_wrenches or {}).items():
        if link not in R or name not in [subsystem.name for subsystem in graph.subsystems]:
            raise StateError(
                f"connection wrench of '{name}' at link '{link}': '{graph.name}' lacks one of them"
            )
        subsystem = graph.subsystem(name)
        bearer = carried[subsystem.connection.link]
        if any(part.name in demands for part in subsystem.bodies):
            raise StateError(f"connection wrench of '{name}': it is no load, but part of '{rules.name}'")
        add(bearer, 1.0, link, _six(name, wrench))
        own, computed = graph.workspaces.reactions.stamped_wrench(graph.subsystems.index(subsystem))
        add(bearer, -1.0, own, computed)
    found = _elements(graph, R, o)
    points = {}
    for joint in rules.joints.values():
        ends = [_end(found, joint, place, carried) for place in (joint.start or joint.at, joint.at)]
        points[joint.name] = np.array([ends[0][0], ends[1][1]])
    return Situation(R, o, demands, dict(dynamics.tensions), points)


def _six(name: str, wrench: ArrayLike) -> Array:
    numbers = np.asarray(wrench, np.float64)
    if numbers.shape != (6,) or not np.isfinite(numbers).all():
        raise StateError(f"connection wrench of '{name}' is {wrench!r}; six finite numbers are needed")
    return numbers


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
    pairs = [(loop.predecessor, loop.successor) for loop in graph.loop_joints]
    for pair in pairs + [spring.anchors for spring in graph.springs]:
        ends = [graph.link_body(anchor.link) for anchor in pair]
        if len({None if k is None else carried[k] for k in ends}) > 1:
            _refuse_rods(graph, rules, [k for k in ends if k is not None], carried)
    return {**dict.fromkeys(graph.ground.links), **owners}


def _refuse_rods(graph: SubsystemGraph, rules: Rules, ends: list[int], carried: Sequence[str | None]) -> None:
    """What leads from a body of the rules to an element that ties it to another one must have no mass."""
    for end in ends:
        k: int | None = end
        while k is not None and carried[k] not in (None, graph.bodies[k].name):
            if graph.bodies[k].mass > 0.0:
                raise UnsupportedModelError(
                    f"'{rules.name}': link '{graph.bodies[k].name}' between its bodies has mass; make it "
                    "one of the bodies of the rules"
                )
            k = graph.parents[k]


Ends = tuple[tuple[str, Array], tuple[str, Array]]


def _elements(graph: SubsystemGraph, R: Mapping[str, Array], o: Mapping[str, Array]) -> dict[str, Ends]:
    """By joint, loop joint and spring: its links with its points on them."""
    found: dict[str, Ends] = {}
    for joint in graph.joints:
        point = o[joint.child_link]
        found[joint.name] = (joint.parent_link, point), (joint.child_link, point)
    for loop in graph.loop_joints:
        point = placed(R, o, loop.successor)[1]
        found[loop.name] = (loop.predecessor.link, point), (loop.successor.link, point)
    for spring in graph.springs:
        first, second = ((a.link, placed(R, o, a)[1]) for a in spring.anchors)
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
