"""Reactions of a robot's mechanism by rules, whose bodies are its links and whose points its joints."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...algebra import translation
from ...algebra.rigid_motions import cross
from ...dynamics import frame_poses
from ...dynamics.arguments import Array
from ...exceptions import StateError, UnsupportedModelError
from ...model import LoopJoint, Spring, SubsystemGraph, body_of_link
from ...model.number_arrays import number_array
from ..dynamics.results import ClosedLoopResult
from .rules import JointRule, Location, Rules
from .sharing import FramePoint, ReactionArrays, SharingInFrames

ConnectionWrenches = Mapping[str, tuple[str, ArrayLike]]
#: By link the body of the rules that it is part of, or that carries it; None where there is none.
Carriers = Mapping[str, str | None]
#: The two links of a joint, loop joint or spring, each with a point as (link, position in its frame).
Ends = tuple[tuple[str, tuple[str, Array]], tuple[str, tuple[str, Array]]]


@dataclass(frozen=True)
class _Load:
    """A subsystem whose wrench loads the mechanism.

    Attributes:
        index: among the subsystems. shared: whether it is part of the mechanism itself.
        carrier: index of the body of the rules that carries it, or None.
    """

    index: int
    shared: bool
    carrier: int | None


class RobotReactions:
    """The reactions of one graph's mechanism by rules.

    A body's required wrench is that at its joint in the open tree, less those of the next bodies of the
    rules: its own inertia, weight and external wrenches, and the wrenches of the subsystems that it carries
    (Goncalves et al., eqs. 1 and 2).

    Attributes:
        graph, rules: of which robot, and by which rules.
        carried_subsystems: names of the subsystems that a body of the rules carries directly.

    Raises:
        StateError: a body, joint or link that the graph does not have, or a step of the rules needs the force
            of a joint that is no spring.
        UnsupportedModelError: rods between the bodies that have mass, which rules do not take into account.
    """

    def __init__(self, graph: SubsystemGraph, rules: Rules) -> None:
        self.graph, self.rules, self._tree = graph, rules, graph.tree
        carriers, bodies = carrying_bodies(graph, rules), rules.bodies
        self._links = {link: k for k, link in enumerate(graph.links)}
        # after the joints' wrenches, the differences that connection wrenches make to each body, at the root
        frames = [self._links[body.name] for body in graph.bodies] + [0] * len(bodies)
        signs = np.hstack([_signs_of_joints(graph, rules, carriers), np.eye(len(bodies))])
        rods = rods_between(graph, rules, carriers)
        points = joint_points(graph, rules, carriers, self._links)
        self._sharing = SharingInFrames(rules, self._links, points, frames, signs)
        springs = {spring.name: k for k, spring in enumerate(graph.springs)}
        for _, _, joint in self._sharing.known:
            if joint not in springs:
                raise StateError(
                    f"the rules '{rules.name}' need the known force of '{joint}', which is no spring of "
                    f"'{graph.name}'; springs are {', '.join(springs) or 'none'}"
                )
        self._known = [place for _, place, _ in self._sharing.known]
        self._springs = [springs[joint] for _, _, joint in self._sharing.known]
        self._loads = {}
        for k, subsystem in enumerate(graph.subsystems):
            carrier, names = carriers[subsystem.connection.link], {body.name for body in subsystem.bodies}
            shared = not names.isdisjoint({*bodies, *rods})
            self._loads[subsystem.name] = _Load(k, shared, None if carrier is None else bodies.index(carrier))
        carried = list[str]()  # directly, not through another subsystem
        for name, load in self._loads.items():
            above = graph.predecessor(graph.subsystems[load.index])
            is_first = above is None or any(body.name in bodies for body in above.bodies)
            carried += [name] if not load.shared and load.carrier is not None and is_first else []
        self.carried_subsystems = tuple(carried)

    def __call__(
        self, dynamics: ClosedLoopResult, connection_wrenches: ConnectionWrenches | None = None
    ) -> ReactionArrays:
        """Return the reactions of one state.

        Args:
            dynamics: the state; poses, motions and tensions are used, multipliers are not.
            connection_wrenches: of subsystems that the bodies carry, as measured or computed elsewhere,
                instead of those that follow from their motion: {subsystem: (link, [force, moment])}, of the
                predecessor on the subsystem, at and in the link's frame
                (``InverseDynamicsResult.connection_wrench_in_link``).

        Raises:
            StateError: a subsystem or link that the graph does not have, a bad wrench, or a balance without
                a lever arm.
        """
        poses, required, x = self._arguments(dynamics, connection_wrenches)
        reactions = self._sharing(poses, required, x)
        if not reactions.shared:
            self._sharing.raise_fault(poses)
        return reactions

    def least_norm(
        self, dynamics: ClosedLoopResult, connection_wrenches: ConnectionWrenches | None = None
    ) -> ReactionArrays:
        """Return of all reactions in equilibrium those with the least sum of squares, N and N m alike.

        Springs keep their tensions. Arguments and errors as of a call.
        """
        return self._sharing.least_norm(*self._arguments(dynamics, connection_wrenches))

    def self_stress(self, dynamics: ClosedLoopResult) -> Array:
        """Return orthonormal columns (n, k): reactions ``rules.unknowns`` that need no load nor tensions."""
        return self._sharing.self_stress(frame_poses(self._tree, dynamics.coordinates))

    def _arguments(
        self, dynamics: ClosedLoopResult, given: ConnectionWrenches | None
    ) -> tuple[Array, Array, Array]:
        """Return poses of all links, wrenches (w, 6) whose signed sums bodies require, and known forces."""
        poses, tree = frame_poses(self._tree, dynamics.coordinates), dynamics.open_tree
        n, bodies = len(tree.joint_wrenches), len(self.rules.bodies)
        required = np.zeros((n + bodies, 6))
        required[:n] = tree.joint_wrenches
        loads = [load for load in self._checked(given or {}) if load[0].carrier is not None]
        if loads:
            own = [tree.connection_wrench_in_link(load.index) for load, _, _ in loads]
            links = [link for _, link, _ in loads] + [self._links[link] for link, _ in own]
            wrenches = np.array([wrench for _, _, wrench in loads] + [wrench for _, wrench in own])
            wrenches[len(loads) :] *= -1.0
            forces, moments = (poses[links, :3, :3] @ wrenches.reshape(-1, 2, 3).swapaxes(1, 2)).transpose(
                2, 0, 1
            )
            at_root = np.hstack([forces, moments + cross(poses[links, :3, 3], forces)])
            carriers = [n + load.carrier for load, _, _ in loads if load.carrier is not None]
            np.add.at(required, carriers * 2, at_root)
        x, tensions = np.zeros(len(self.rules.unknowns)), [*dynamics.tensions.values()]
        x[self._known] = [tensions[k] for k in self._springs]
        return poses, required, x

    def _checked(self, given: ConnectionWrenches) -> Iterator[tuple[_Load, int, Array]]:
        """Yield load, link and wrench of each connection wrench."""
        for name, (link, wrench) in given.items():
            load, where = self._loads.get(name), f"connection wrench of '{name}'"
            if load is None:
                raise StateError(
                    f"{where}: '{self.graph.name}' has no subsystem '{name}'; it has {', '.join(self._loads)}"
                )
            if link not in self._links:
                raise StateError(f"{where}: '{self.graph.name}' has no link '{link}'")
            if load.shared:
                raise StateError(
                    f"{where}: it belongs to the mechanism '{self.rules.name}' itself; only subsystems "
                    "attached to it are loads"
                )
            numbers = number_array(where, wrench)
            if numbers.shape != (6,) or not np.isfinite(numbers).all():
                raise StateError(f"{where} is {wrench!r}; six finite numbers are needed")
            yield load, self._links[link], numbers


def carrying_bodies(graph: SubsystemGraph, rules: Rules) -> dict[str, str | None]:
    """Return by link the body of the rules that it is part of, or that carries it; None where there is none.

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


def rods_between(graph: SubsystemGraph, rules: Rules, carriers: Carriers) -> set[str]:
    """Return the links between a body of the rules and a loop joint or spring to another body.

    Raises UnsupportedModelError: one of them has mass.
    """
    rods: set[str] = set()
    elements: list[LoopJoint | Spring] = [*graph.loop_joints, *graph.springs]
    for element in elements:
        if len({carriers[anchor.link] for anchor in element.anchors}) > 1:
            for anchor in element.anchors:
                k = body_of_link(graph, anchor.link)
                while k is not None and carriers[graph.bodies[k].name] not in (None, graph.bodies[k].name):
                    rods.add(graph.bodies[k].name)
                    k = graph.parents[k]
    if heavy := [body.name for body in graph.bodies if body.name in rods and body.mass > 0.0]:
        raise UnsupportedModelError(
            f"'{rules.name}': link '{heavy[0]}' between its bodies has mass; make it one of the bodies of "
            "the rules"
        )
    return rods


def joint_points(
    graph: SubsystemGraph, rules: Rules, carriers: Carriers, links: Mapping[str, int]
) -> list[tuple[FramePoint, FramePoint]]:
    """Return of each joint of the rules ``from``, on the side of ``by``, and ``at``, on that of ``on``.

    Raises StateError: a name that the graph does not have, or that connects other bodies.
    """
    elements = _elements(graph)

    def point(joint: JointRule, location: Location, body: str, end: int) -> FramePoint:
        if not isinstance(location, str):
            return number(joint, body), location
        link, at = _ends(elements, joint, location, carriers)[end][1]
        return number(joint, link), at

    def number(joint: JointRule, link: str) -> int:
        if link not in links:
            raise StateError(f"'{rules.name}': joint '{joint.name}': '{graph.name}' has no link '{link}'")
        return links[link]

    points = []
    for joint in rules.joints.values():
        number(joint, joint.axes)
        at = point(joint, joint.at, joint.on, 1)
        points.append((at if joint.start is None else point(joint, joint.start, joint.by, 0), at))
    return points


def _elements(graph: SubsystemGraph) -> dict[str, Ends]:
    """Return the ends of all joints, loop joints and springs by name."""
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


def _ends(elements: Mapping[str, Ends], joint: JointRule, name: str, carriers: Carriers) -> Ends:
    """Return the two ends of the joint, loop joint or spring ``name``: on the side of ``by``, then of ``on``.

    Raises StateError: the robot does not have it, or it connects other bodies than the rule says.
    """
    if name not in elements:
        raise StateError(f"joint '{joint.name}': no joint, loop joint or spring '{name}' in the robot")
    first, second = elements[name]
    if carriers[second[0]] != joint.on:
        first, second = second, first
    if name == joint.at and carriers[second[0]] == joint.on != carriers[first[0]]:
        other = carriers[first[0]]
        if other != (joint.by if joint.by in carriers.values() else None):
            raise StateError(
                f"joint '{joint.name}': by is '{joint.by}', but '{name}' connects '{joint.on}' to "
                f"{repr(other) if other else 'none of the bodies of the rules'}"
            )
    return first, second


def _signs_of_joints(graph: SubsystemGraph, rules: Rules, carriers: Carriers) -> Array:
    """Return (bodies, joints): signs with which tree joints' wrenches are summed for each body."""
    signs = np.zeros((len(rules.bodies), len(graph.bodies)))
    for k, (body, parent) in enumerate(zip(graph.bodies, graph.parents, strict=True)):
        if body.name in rules.bodies:
            signs[rules.bodies.index(body.name), k] = 1.0
            if parent is not None and (carrier := carriers[graph.bodies[parent].name]):
                signs[rules.bodies.index(carrier), k] = -1.0
    return signs
