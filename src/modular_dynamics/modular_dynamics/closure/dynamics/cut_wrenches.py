"""A solution of the closed loops, seen by the open tree: wrenches on its links, torques of its joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion, adjoint, to_rotation_translation
from ...dynamics import frame_poses
from ...model import Anchor, SubsystemGraph
from ..cross_products import cross_rows
from ..workspaces import workspace_of
from .closed_loop_dynamics import ClosedLoopDynamics

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
    return workspace_of(graph, _Between)(found)


class _Between:
    """What loop joints and springs of one graph pass on between its links.

    The first end of each is its predecessor's anchor, or the spring's first one; the second end is where the
    wrench of a cut joint is given.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self._graph, self._cuts = graph, [loop.name for loop in graph.loop_joints]
        self._springs = [spring.name for spring in graph.springs]
        pairs = [(loop.predecessor, loop.successor) for loop in graph.loop_joints]
        pairs += [spring.anchors for spring in graph.springs]
        self.links = tuple(dict.fromkeys(anchor.link for pair in pairs for anchor in pair))
        self._ends = np.array([[self.links.index(a.link) for a in pair] for pair in pairs], int).reshape(
            -1, 2
        )
        anchors = [[to_rotation_translation(a.x_link_anchor) for a in pair] for pair in pairs]
        self._axes = np.array([pair[1][0] for pair in anchors]).reshape(-1, 3, 3)
        self._positions = np.array([[position for _, position in pair] for pair in anchors]).reshape(-1, 2, 3)
        self._signs = [-1.0, 1.0] * (self._ends == np.arange(len(self.links))[:, None, None])  # (links, n, 2)

    def __call__(self, found: ClosedLoopDynamics) -> dict[str, Array]:
        """By link [force, moment] at and in its frame."""
        if not self.links:
            return {}
        matrices = frame_poses(self._graph, found.coordinates, self.links)
        R, o = matrices[:, :3, :3], matrices[:, :3, 3]
        points = o[self._ends] + (R[self._ends] @ self._positions[..., None])[..., 0]
        force, moment = np.zeros((2, len(points), 3))  # on the second end, in the root link's axes
        cuts = slice(0, len(self._cuts))
        if self._cuts:
            turned = R[self._ends[cuts, 1]] @ self._axes[cuts]
            wrenches = np.array([found.wrenches[name] for name in self._cuts])
            force[cuts] = (turned @ wrenches[:, :3, None])[..., 0]
            moment[cuts] = (turned @ wrenches[:, 3:, None])[..., 0]
            points[cuts, 0] = points[cuts, 1]  # both ends feel it at the same point
        springs = slice(len(self._cuts), None)
        if self._springs:
            lines = points[springs, 0] - points[springs, 1]
            lengths = np.sqrt((lines * lines).sum(axis=1))
            tensions = np.array([found.tensions[name] for name in self._springs])
            pulls = np.divide(tensions, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
            force[springs] = pulls[:, None] * lines
        arms = points - o[self._ends]
        swung = moment[:, None] + cross_rows(arms.reshape(-1, 3), np.repeat(force, 2, axis=0)).reshape(
            arms.shape
        )
        onto = np.transpose(R, (0, 2, 1))
        felt = (
            (onto @ np.einsum("kne,nei->ki", self._signs, part)[..., None])[..., 0]
            for part in (np.broadcast_to(force[:, None], arms.shape), swung)
        )
        return dict(zip(self.links, np.concatenate(list(felt), axis=1), strict=True))


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
