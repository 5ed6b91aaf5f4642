"""Moments of a robot with closed loops as sharing.py needs it: demands, points, known forces."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import translation
from ...dynamics import InverseDynamicsResult, frame_poses
from ...exceptions import StateError, UnsupportedModelError
from ...model import Subsystem, SubsystemGraph
from ..cross_products import cross, cross_rows
from ..dynamics.closed_loop_dynamics import ClosedLoopDynamics
from .free_bodies import Situation
from .joint_reactions import Reaction, tree_dynamics
from .sharing_rules import JointRule, Rules

__all__ = ["Situations", "situation_of", "wrenches_of"]

Array = NDArray[np.float64]
Places = NDArray[np.int64]
ConnectionWrenches = Mapping[str, tuple[str, ArrayLike]]


def situation_of(
    graph: SubsystemGraph,
    dynamics: ClosedLoopDynamics,
    rules: Rules,
    connection_wrenches: ConnectionWrenches | None = None,
) -> Situation:
    """The situation of one moment: see `Situations`, which is the faster for many."""
    return Situations(graph, rules)(dynamics, connection_wrenches)


class Situations:
    """Situations of bodies that are links of a graph, and of joints whose points are elements of it.

    Attributes:
        hanging: names of the subsystems that hang on the bodies, and on no other one that does.

    Raises:
        StateError: a body or a name that the graph does not have.
        UnsupportedModelError: rods between the bodies that have mass, which rules do not know.
    """

    def __init__(self, graph: SubsystemGraph, rules: Rules) -> None:
        self.graph, self.rules = graph, rules
        self._carried = _owners(graph, rules)
        self._rods = _rods(graph, rules, self._carried)
        self._place = {link: k for k, link in enumerate(graph.links)}
        elements, carried, sinks = _elements(graph), self._carried, {b: k for k, b in enumerate(rules.bodies)}
        ends = [
            (
                _end(elements, joint, joint.start or joint.at, carried)[0],
                _end(elements, joint, joint.at, carried)[1],
            )
            for joint in rules.joints.values()
        ]
        self._ends = np.array([[self._place[link] for link, _ in pair] for pair in ends])
        self._positions = np.array([[position for _, position in pair] for pair in ends])
        self._sinks = np.array([self._place[body] for body in rules.bodies])
        flows = []  # body of the rules, of the graph, and sign: the wrench at its joint is demanded, or given
        for k, body in enumerate(graph.bodies):
            parent = graph.parents[k]
            above = None if parent is None else carried[graph.bodies[parent].name]
            if body.name in sinks:
                flows += [(sinks[body.name], k, 1.0)] + ([(sinks[above], k, -1.0)] if above else [])
        self._flow_sinks, self._flow_bodies = (np.array([f[i] for f in flows], int) for i in (0, 1))
        self._signs = np.array([sign for _, _, sign in flows])[:, None]
        self._flow_links = np.array([self._place[graph.bodies[k].name] for _, k, _ in flows])
        self.hanging = tuple(subsystem.name for subsystem in graph.subsystems if self._hangs(subsystem))

    def __call__(
        self, dynamics: ClosedLoopDynamics, connection_wrenches: ConnectionWrenches | None = None
    ) -> Situation:
        """The situation of one moment.

        A body's demand is the wrench at its joint in the open tree, less those of the next bodies of the
        rules: its own inertia and weight, and the connection wrenches of the subsystems that hang on it.

        Args:
            dynamics: of the moment; poses, motions and tensions count, not how it shares.
            connection_wrenches: of subsystems that hang on the bodies, as measured or computed elsewhere,
                instead of those that follow from their motion: {subsystem: (link, [force, moment])}, of the
                predecessor on the subsystem, at and in the link's frame
                (``InverseDynamicsResult.connection_wrench_in_link``).

        Raises:
            StateError: a subsystem or link that the graph does not have, or a wrench that is none.
        """
        graph = self.graph
        matrices = frame_poses(graph.tree, dynamics.coordinates, graph.links)
        R, o = matrices[:, :3, :3], matrices[:, :3, 3]
        tree = tree_dynamics(graph, dynamics, {})
        wrenches = self._signs * tree.joint_wrenches[self._flow_bodies]
        links, sinks = self._flow_links, self._flow_sinks
        if connection_wrenches:
            more = self._exchanged(connection_wrenches, tree)
            links = np.append(links, [link for link, _, _ in more])
            sinks = np.append(sinks, [sink for _, sink, _ in more])
            wrenches = np.append(wrenches, [wrench for _, _, wrench in more], axis=0)
        demands = self._summed(R, o, links, sinks, wrenches)
        points = o[self._ends] + (R[self._ends] @ self._positions[..., None])[..., 0]
        return Situation(
            dict(zip(graph.links, R, strict=True)),
            dict(zip(graph.links, o, strict=True)),
            dict(zip(self.rules.bodies, demands, strict=True)),
            dict(dynamics.tensions),
            dict(zip(self.rules.joints, points, strict=True)),
        )

    def _summed(self, R: Array, o: Array, links: Places, sinks: Places, wrenches: Array) -> Array:
        """Wrenches (n, 6) at and in links, summed up at and in the bodies: (bodies, 6)."""
        at = self._sinks[sinks]
        force, moment = ((R[links] @ part[..., None])[..., 0] for part in (wrenches[:, :3], wrenches[:, 3:]))
        moment = moment + cross_rows(o[links] - o[at], force)
        onto = np.transpose(R[at], (0, 2, 1))
        turned = np.concatenate([(onto @ part[..., None])[..., 0] for part in (force, moment)], axis=1)
        summed: Array = (sinks == np.arange(len(self._sinks))[:, None]) @ turned
        return summed

    def _exchanged(
        self, given: ConnectionWrenches, tree: InverseDynamicsResult
    ) -> list[tuple[int, int, Array]]:
        """(link, body, wrench): those given, and less those that follow from the motion."""
        graph, found = self.graph, []
        for name, (link, wrench) in given.items():
            names = [subsystem.name for subsystem in graph.subsystems]
            if link not in self._place or name not in names:
                raise StateError(
                    f"connection wrench of '{name}' at link '{link}': '{graph.name}' lacks one of them"
                )
            index = names.index(name)
            subsystem = graph.subsystems[index]
            if any(part.name in {*self.rules.bodies, *self._rods} for part in subsystem.bodies):
                raise StateError(
                    f"connection wrench of '{name}': it is no load, but part of '{self.rules.name}'"
                )
            bearer = self._carried[subsystem.connection.link]
            if bearer is None:
                continue
            sink = self.rules.bodies.index(bearer)
            own, computed = tree.connection_wrench_in_link(index)
            found += [
                (self._place[link], sink, _six(name, wrench)),
                (self._place[own], sink, -np.asarray(computed)),
            ]
        return found

    def _hangs(self, subsystem: Subsystem) -> bool:
        """Whether it is carried by a body of the rules directly, not by way of another subsystem; rods do not
        hang on one: they pass on what the rules share.
        """
        own = [body.name in {*self.rules.bodies, *self._rods} for body in subsystem.bodies]
        if any(own) or self._carried[subsystem.connection.link] is None:
            return False
        above = self.graph.subsystems[subsystem.predecessor] if subsystem.predecessor is not None else None
        return above is None or any(body.name in self.rules.bodies for body in above.bodies)


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
        about = reaction.moment + cross(reaction.point - at, reaction.force)
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
    return {**dict.fromkeys(graph.ground.links), **owners}


def _rods(graph: SubsystemGraph, rules: Rules, carried: Mapping[str, str | None]) -> set[str]:
    """What leads from a body of the rules to an element that ties it to another one; it must have no mass."""
    rods = set()
    pairs = [(loop.predecessor, loop.successor) for loop in graph.loop_joints]
    for pair in pairs + [spring.anchors for spring in graph.springs]:
        if len({carried[anchor.link] for anchor in pair}) > 1:
            for anchor in pair:
                k = graph.link_body(anchor.link)
                while k is not None and carried[graph.bodies[k].name] not in (None, graph.bodies[k].name):
                    rods.add(graph.bodies[k].name)
                    k = graph.parents[k]
    if heavy := [body.name for body in graph.bodies if body.name in rods and body.mass > 0.0]:
        raise UnsupportedModelError(
            f"'{rules.name}': link '{heavy[0]}' between its bodies has mass; make it one of the bodies of "
            "the rules"
        )
    return rods


#: A place: a link, and a position in its frame.
Position = tuple[str, Array]
Ends = tuple[tuple[str, Position], tuple[str, Position]]


def _elements(graph: SubsystemGraph) -> dict[str, Ends]:
    """By joint, loop joint and spring: its links with its points on them."""
    found: dict[str, Ends] = {}
    for joint in graph.joints:
        at = joint.child_link, np.zeros(3)
        found[joint.name] = (joint.parent_link, at), (joint.child_link, at)
    for loop in graph.loop_joints:
        at = loop.successor.link, translation(loop.successor.x_link_anchor)
        found[loop.name] = (loop.predecessor.link, at), (loop.successor.link, at)
    for spring in graph.springs:
        first, second = ((a.link, (a.link, translation(a.x_link_anchor))) for a in spring.anchors)
        found[spring.name] = first, second
    return found


def _end(
    found: Mapping[str, Ends], joint: JointRule, place: object, carried: Mapping[str, str | None]
) -> tuple[Position, Position]:
    """Points of an element on the side of ``by`` and of ``on``."""
    if not isinstance(place, str):
        anywhere = next(iter(carried)), np.zeros(3)
        return anywhere, anywhere  # coordinates: sharing places them
    if place not in found:
        raise StateError(f"joint '{joint.name}': no joint, loop joint or spring '{place}' in the robot")
    first, second = found[place]
    if carried[second[0]] != joint.on:
        first, second = second, first
    if place == joint.at and carried[second[0]] == joint.on != carried[first[0]]:
        bearer = carried[first[0]]
        if bearer != (joint.by if joint.by in carried.values() else None):
            raise StateError(
                f"joint '{joint.name}': by is '{joint.by}', but '{place}' ties '{joint.on}' to "
                f"{repr(bearer) if bearer else 'none of the bodies of the rules'}"
            )
    return first[1], second[1]
