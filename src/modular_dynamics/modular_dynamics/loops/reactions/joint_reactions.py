"""Reactions of every joint, cut joint and spring; the latter two also as loads on the open tree."""

from dataclasses import dataclass

import numpy as np

from ...algebra import DualQuaternion, adjoint
from ...dynamics.arguments import Array
from ...model import SubsystemGraph
from ..constraints.coordinates import indices_in_v
from ..dynamics.closing_wrenches import ClosingElements
from ..dynamics.results import ClosedLoopResult

__all__ = ["Reaction", "internal_wrenches", "joint_reactions", "stamped_cut_wrenches", "tree_torques"]


@dataclass(frozen=True, eq=False)
class Reaction:
    """Force and moment of the predecessor's link on the successor's at a point, in the root link's axes.

    ``point``, ``start`` (3,) [m] in the root link's frame; ``force`` (3,) [N], ``moment`` (3,) [N m] about
    ``point``. Of a spring ``point`` is its anchor on the successor and ``start`` the one on the predecessor;
    of all others both are the same point.
    """

    predecessor: str
    successor: str
    point: Array
    start: Array
    force: Array
    moment: Array


def joint_reactions(graph: SubsystemGraph, dynamics: ClosedLoopResult) -> dict[str, Reaction]:
    """Return reactions of tree joints, loop joints and springs by name; redundant ones of ``dynamics``.

    A tree joint's point is the origin of its child link.
    """
    closing = dynamics.closing_wrenches
    vectors = closing.points, closing.forces, closing.moments
    elements = graph.once(ClosingElements)
    reactions = {
        name: Reaction(first.link, second.link, point, start, force, moment)
        for name, (first, second), (start, point), force, moment in zip(
            elements.names, elements.anchors, *map(np.copy, vectors), strict=True
        )
    }
    poses = zip(closing.rotations, closing.origins.copy(), strict=True)
    wrenches = dynamics.tree.joint_wrenches
    for joint, (R, point), wrench in zip(graph.joints, poses, wrenches, strict=True):
        force, moment = R @ wrench[:3], R @ wrench[3:]
        reactions[joint.name] = Reaction(joint.parent_link, joint.child_link, point, point, force, moment)
    return reactions


def stamped_cut_wrenches(graph: SubsystemGraph, dynamics: ClosedLoopResult) -> dict[str, tuple[str, Array]]:
    """Return for each loop joint (link, [force N, moment N m]): the predecessor's wrench on the successor.

    At and in the frame of the successor's link, which tf publishes: Ad(x_link_anchor) of the wrench in the
    anchor (Silva & Adorno, eq. 8).
    """
    wrenches = {}
    for loop in graph.loop_joints:
        force, moment = np.split(dynamics.wrenches[loop.name], 2)
        on_link = adjoint(loop.successor.x_link_anchor, DualQuaternion.pure(force, moment))
        wrenches[loop.name] = loop.successor.link, on_link.vec6()
    return wrenches


def internal_wrenches(graph: SubsystemGraph, dynamics: ClosedLoopResult) -> dict[str, Array]:
    """Return for each link the wrench [N, N m] of loop joints and springs on the tree, at and in its frame.

    With them as external wrenches the tree moves as the closed mechanism does, with `tree_torques`.
    """
    return {link: wrench.copy() for link, wrench in dynamics.closing_wrenches.on_links.items()}


def tree_torques(graph: SubsystemGraph, dynamics: ClosedLoopResult) -> Array:
    """Return the torques of all tree joints (nv,) [N m or N]: of the independent joints, and of the gears.

    S tau + J_g^T lambda_g: a gear turns its joint with lambda and its drivers with -ratio lambda. Passive
    joints are unactuated.
    """
    tau = np.zeros(graph.nv)
    tau[indices_in_v(graph, graph.independent_joint_names)] = dynamics.tau
    # rows of gears come last
    gears = dynamics.multipliers[len(dynamics.multipliers) - len(graph.gears) :]
    for gear, multiplier in zip(graph.gears, gears, strict=True):
        tau[graph.v_slice(gear.joint)] += multiplier
        for name, ratio in gear.drivers:
            tau[graph.v_slice(name)] -= ratio * multiplier
    return tau
