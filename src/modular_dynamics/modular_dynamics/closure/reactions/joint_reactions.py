"""Reactions of every joint, cut joint and spring of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...dynamics import frame_poses
from ...model import Anchor, SubsystemGraph
from ..cross_products import cross
from ..dynamics.closed_loop_dynamics import ClosedLoopDynamics
from .tree_dynamics import tree_dynamics

__all__ = ["Reaction", "joint_reactions"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reaction:
    """Force and moment of the predecessor's link on the successor's at a point, in the root link's axes.

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

    The cut joints' wrenches and the springs' tensions are external wrenches on the tree; Newton-Euler gives
    the wrenches that its joints transmit. A tree joint's point is the origin of its child link.
    """
    matrices = frame_poses(graph.tree, dynamics.coordinates, graph.links)
    R = {link: matrix[:3, :3] for link, matrix in zip(graph.links, matrices, strict=True)}
    o = {link: matrix[:3, 3] for link, matrix in zip(graph.links, matrices, strict=True)}
    reactions: dict[str, Reaction] = {}
    for loop in graph.loop_joints:
        axes, point = _anchor_pose(R, o, loop.successor)
        force, moment = (axes @ part for part in np.split(dynamics.wrenches[loop.name], 2))
        links = loop.predecessor.link, loop.successor.link
        reactions[loop.name] = Reaction(*links, point, point, force, moment)
    for spring in graph.springs:
        (_, start), (_, point) = (_anchor_pose(R, o, anchor) for anchor in spring.anchors)
        line = start - point
        force = dynamics.tensions[spring.name] * line / np.linalg.norm(line)
        first, second = (anchor.link for anchor in spring.anchors)
        reactions[spring.name] = Reaction(first, second, point, start, force, np.zeros(3))
    wrenches = tree_dynamics(graph, dynamics, _loads(R, o, reactions)).joint_wrenches
    for joint, body, wrench in zip(graph.joints, graph.bodies, wrenches, strict=True):
        force, moment = R[body.name] @ wrench[:3], R[body.name] @ wrench[3:]
        point = o[body.name]
        reactions[joint.name] = Reaction(joint.parent_link, joint.child_link, point, point, force, moment)
    return reactions


def _anchor_pose(R: Mapping[str, Array], o: Mapping[str, Array], anchor: Anchor) -> tuple[Array, Array]:
    """Axes and origin of an anchor."""
    rotation, position = to_rotation_translation(anchor.x_link_anchor)
    axes: Array = R[anchor.link] @ rotation
    point: Array = o[anchor.link] + R[anchor.link] @ position
    return axes, point


def _loads(
    R: Mapping[str, Array], o: Mapping[str, Array], reactions: Mapping[str, Reaction]
) -> dict[str, Array]:
    """The wrenches of reactions on links, [force, moment] at and in their frames."""
    loads: dict[str, Array] = {}
    for reaction in reactions.values():
        ends = (reaction.successor, reaction.point, 1.0), (reaction.predecessor, reaction.start, -1.0)
        for link, point, sign in ends:
            about = reaction.moment + cross(point - o[link], reaction.force)
            wrench = sign * np.concatenate([R[link].T @ reaction.force, R[link].T @ about])
            loads[link] = loads.get(link, np.zeros(6)) + wrench
    return loads
