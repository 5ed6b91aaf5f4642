"""A solution of the closed loops, seen by the open tree: wrenches on its links, torques of its joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, adjoint, from_rotation_translation, translation
from ..dynamics import frame_poses
from ..model import Anchor, SubsystemGraph
from .inverse_dynamics import ClosedLoopDynamics

__all__ = ["internal_wrenches", "stamped_cut_wrenches", "tree_torques"]

Array = NDArray[np.float64]


def stamped_cut_wrenches(graph: SubsystemGraph, found: ClosedLoopDynamics) -> dict[str, tuple[str, Array]]:
    """By loop joint (link, [force N, moment N m]): what the predecessor exerts on the successor.

    At and in the frame of the successor's link, as tf knows it: Ad(x_link_anchor) of the wrench in the anchor
    (Silva & Adorno, eq. 8).
    """
    return {
        loop.name: (loop.successor.link, _on_link(loop.successor, found.wrenches[loop.name]).vec6())
        for loop in graph.loop_joints
    }


def internal_wrenches(graph: SubsystemGraph, found: ClosedLoopDynamics) -> dict[str, Array]:
    """By link [force N, moment N m] at and in its frame: what loop joints and springs exert on the tree.

    With them as external wrenches the tree moves as the closed mechanism does, with `tree_torques`.
    """
    ends = [(loop.predecessor, loop.successor) for loop in graph.loop_joints]
    ends += [spring.anchors for spring in graph.springs]
    links = tuple(dict.fromkeys(anchor.link for pair in ends for anchor in pair))
    if not links:
        return {}
    poses = {
        link: from_rotation_translation(matrix[:3, :3], matrix[:3, 3])
        for link, matrix in zip(links, frame_poses(graph, found.coordinates, links), strict=True)
    }
    felt = dict.fromkeys(links, DualQuaternion.zero)  # all in the root link's frame
    for loop in graph.loop_joints:
        after = loop.successor
        zeta = adjoint(poses[after.link], _on_link(after, found.wrenches[loop.name]))
        felt[after.link] = felt[after.link] + zeta
        felt[loop.predecessor.link] = felt[loop.predecessor.link] - zeta
    for spring in graph.springs:
        first, second = spring.anchors
        start, end = (translation(poses[anchor.link] * anchor.x_link_anchor) for anchor in spring.anchors)
        length = float(np.linalg.norm(end - start))
        force = found.tensions[spring.name] * (end - start) / length if length > 0.0 else np.zeros(3)
        zeta = DualQuaternion.pure(force, np.cross(start, force))  # towards the other end
        felt[first.link] = felt[first.link] + zeta
        felt[second.link] = felt[second.link] - zeta
    return {link: adjoint(poses[link].conjugate(), zeta).vec6() for link, zeta in felt.items()}


def tree_torques(graph: SubsystemGraph, found: ClosedLoopDynamics) -> Array:
    """Torques of all joints of the tree (nv,) [N m or N]: of the independent joints, and of the gears.

    S tau + J_g^T lambda_g: a gear turns its joint with lambda and its drivers with -ratio lambda. Passive
    joints bear none.
    """
    tau = np.zeros(graph.nv)
    places = [k for name in graph.independent_joint_names for k in range(graph.nv)[graph.v_slice(name)]]
    tau[places] = found.tau
    gears = found.multipliers[len(found.multipliers) - len(graph.gears) :]  # their rows are the last ones
    for gear, multiplier in zip(graph.gears, gears, strict=True):
        tau[graph.v_slice(gear.joint)] += multiplier
        for name, ratio in gear.drivers:
            tau[graph.v_slice(name)] -= ratio * multiplier
    return tau


def _on_link(anchor: Anchor, wrench: Array) -> DualQuaternion:
    """A wrench at and in an anchor, at and in its link's frame."""
    return adjoint(anchor.x_link_anchor, DualQuaternion.pure(wrench[:3], wrench[3:]))
