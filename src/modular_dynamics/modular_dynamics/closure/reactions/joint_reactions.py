"""Reactions of every joint, cut joint and spring of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import to_rotation_translation
from ...dynamics import InverseDynamics, InverseDynamicsResult, frame_poses
from ...dynamics.execution.workspaces import workspace_of
from ...model import Anchor, SubsystemGraph
from ..dynamics.cut_wrenches import internal_wrenches
from ..dynamics.solver import ClosedLoopDynamics

__all__ = ["Reaction", "joint_reactions", "tree_dynamics"]

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
    poses = dict(zip(graph.links, frame_poses(graph.tree, dynamics.coordinates, graph.links), strict=True))
    reactions: dict[str, Reaction] = {}
    for loop in graph.loop_joints:
        axes, point = _anchor_pose(poses, loop.successor)
        force, moment = (axes @ part for part in np.split(dynamics.wrenches[loop.name], 2))
        links = loop.predecessor.link, loop.successor.link
        reactions[loop.name] = Reaction(*links, point, point, force, moment)
    for spring in graph.springs:
        (_, start), (_, point) = (_anchor_pose(poses, anchor) for anchor in spring.anchors)
        line = start - point
        force = dynamics.tensions[spring.name] * line / np.linalg.norm(line)
        first, second = (anchor.link for anchor in spring.anchors)
        reactions[spring.name] = Reaction(first, second, point, start, force, np.zeros(3))
    wrenches = tree_dynamics(graph, dynamics, internal_wrenches(graph, dynamics)).joint_wrenches
    for joint, body, wrench in zip(graph.joints, graph.bodies, wrenches, strict=True):
        R, point = poses[body.name][:3, :3], poses[body.name][:3, 3]
        force, moment = R @ wrench[:3], R @ wrench[3:]
        reactions[joint.name] = Reaction(joint.parent_link, joint.child_link, point, point, force, moment)
    return reactions


def tree_dynamics(
    graph: SubsystemGraph, dynamics: ClosedLoopDynamics, loads: Mapping[str, ArrayLike]
) -> InverseDynamicsResult:
    """Inverse dynamics of the open tree at the motion of ``dynamics``, with loads on its links."""
    solver = workspace_of(graph.tree, InverseDynamics)
    return solver.solve(dynamics.coordinates, dynamics.velocities, dynamics.accelerations, loads)


def _anchor_pose(poses: Mapping[str, Array], anchor: Anchor) -> tuple[Array, Array]:
    """Axes and origin of an anchor."""
    rotation, position = to_rotation_translation(anchor.x_link_anchor)
    R, o = poses[anchor.link][:3, :3], poses[anchor.link][:3, 3]
    return R @ rotation, o + R @ position
