"""Reactions of every joint, cut joint and spring of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...dynamics import InverseDynamics, InverseDynamicsResult, frame_poses
from ...model import Anchor, SubsystemGraph
from ..cross_products import cross
from ..dynamics.closed_loop_dynamics import ClosedLoopDynamics
from ..workspaces import workspace_of

__all__ = ["Reaction", "joint_reactions", "placed", "poses", "tree_dynamics"]

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


def joint_reactions(graph: SubsystemGraph, dynamics: ClosedLoopDynamics) -> dict[str, Reaction]:
    """Of all joints of the tree, loop joints and springs, by name; redundant ones as ``dynamics`` chose them.

    The cut joints' wrenches and the springs' tensions act on the tree from outside; Newton-Euler gives what
    its joints pass on. A tree joint's point is the origin of its child link.
    """
    R, o = poses(graph, dynamics.coordinates)
    found: dict[str, Reaction] = {}
    for loop in graph.loop_joints:
        turned, point = placed(R, o, loop.successor)
        force, moment = (turned @ part for part in np.split(dynamics.wrenches[loop.name], 2))
        found[loop.name] = Reaction(loop.predecessor.link, loop.successor.link, point, point, force, moment)
    for spring in graph.springs:
        (_, start), (_, point) = (placed(R, o, anchor) for anchor in spring.anchors)
        line = start - point
        pull = dynamics.tensions[spring.name] * line / np.linalg.norm(line)
        links = [anchor.link for anchor in spring.anchors]
        found[spring.name] = Reaction(links[0], links[1], point, start, pull, np.zeros(3))
    wrenches = tree_dynamics(graph, dynamics, _loads(R, o, found)).joint_wrenches
    for joint, body, wrench in zip(graph.joints, graph.bodies, wrenches, strict=True):
        force, moment = R[body.name] @ wrench[:3], R[body.name] @ wrench[3:]
        point = o[body.name]
        found[joint.name] = Reaction(joint.parent_link, joint.child_link, point, point, force, moment)
    return found


def poses(graph: SubsystemGraph, q: Array) -> tuple[dict[str, Array], dict[str, Array]]:
    """Rotation and origin of every link in the root link's frame."""
    matrices = frame_poses(graph.tree, q, graph.links)
    rotations = {link: matrix[:3, :3] for link, matrix in zip(graph.links, matrices, strict=True)}
    return rotations, {link: matrix[:3, 3] for link, matrix in zip(graph.links, matrices, strict=True)}


def placed(R: Mapping[str, Array], o: Mapping[str, Array], anchor: Anchor) -> tuple[Array, Array]:
    """Axes and origin of an anchor."""
    rotation, position = to_rotation_translation(anchor.x_link_anchor)
    turned: Array = R[anchor.link] @ rotation
    point: Array = o[anchor.link] + R[anchor.link] @ position
    return turned, point


def _loads(R: Mapping[str, Array], o: Mapping[str, Array], found: Mapping[str, Reaction]) -> dict[str, Array]:
    """What reactions do to links, [force, moment] at and in their frames."""
    loads: dict[str, Array] = {}
    for reaction in found.values():
        ends = (reaction.successor, reaction.point, 1.0), (reaction.predecessor, reaction.start, -1.0)
        for link, point, sign in ends:
            about = reaction.moment + cross(point - o[link], reaction.force)
            wrench = sign * np.concatenate([R[link].T @ reaction.force, R[link].T @ about])
            loads[link] = loads.get(link, np.zeros(6)) + wrench
    return loads


def tree_dynamics(
    graph: SubsystemGraph, dynamics: ClosedLoopDynamics, loads: Mapping[str, Array]
) -> InverseDynamicsResult:
    """Inverse dynamics of the open tree at the motion of ``dynamics``, with ``loads`` on its links."""
    solver = workspace_of(graph.tree, InverseDynamics)
    return solver.solve(dynamics.coordinates, dynamics.velocities, dynamics.accelerations, loads)
