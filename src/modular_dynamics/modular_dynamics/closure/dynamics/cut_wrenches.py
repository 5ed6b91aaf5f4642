"""The solution of the closed loops as loads on the open tree: wrenches on links, torques of joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion, adjoint, to_rotation_translation
from ...dynamics import frame_poses
from ...dynamics.execution.workspaces import workspace_of
from ...model import SubsystemGraph
from ..constraints.coordinates import indices_in_v
from ..cross_products import cross
from .solver import ClosedLoopDynamics

__all__ = ["internal_wrenches", "stamped_cut_wrenches", "tree_torques"]

Array = NDArray[np.float64]


def stamped_cut_wrenches(graph: SubsystemGraph, dynamics: ClosedLoopDynamics) -> dict[str, tuple[str, Array]]:
    """By loop joint (link, [force N, moment N m]): the wrench of the predecessor on the successor.

    At and in the frame of the successor's link, which tf publishes: Ad(x_link_anchor) of the wrench in the
    anchor (Silva & Adorno, eq. 8).
    """
    wrenches = {}
    for loop in graph.loop_joints:
        force, moment = np.split(dynamics.wrenches[loop.name], 2)
        on_link = adjoint(loop.successor.x_link_anchor, DualQuaternion.pure(force, moment))
        wrenches[loop.name] = loop.successor.link, on_link.vec6()
    return wrenches


def internal_wrenches(graph: SubsystemGraph, dynamics: ClosedLoopDynamics) -> dict[str, Array]:
    """By link the wrench [force N, moment N m] of loop joints and springs on the tree, at and in its frame.

    With them as external wrenches the tree moves as the closed mechanism does, with `tree_torques`.
    """
    return workspace_of(graph, _LinkLoads)(dynamics)


class _LinkLoads:
    """The wrenches of loop joints and springs of one graph on its links.

    The first end of each is its predecessor's anchor, or the spring's first one; the wrench of a cut joint is
    given at the second end.
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

    def __call__(self, dynamics: ClosedLoopDynamics) -> dict[str, Array]:
        """By link [force, moment] at and in its frame."""
        if not self.links:
            return {}
        matrices = frame_poses(self._graph, dynamics.coordinates, self.links)
        R, o = matrices[:, :3, :3], matrices[:, :3, 3]
        points = o[self._ends] + (R[self._ends] @ self._positions[..., None])[..., 0]
        force, moment = np.zeros((2, len(points), 3))  # on the second end, in the root link's axes
        cuts = slice(0, len(self._cuts))
        if self._cuts:
            axes = R[self._ends[cuts, 1]] @ self._axes[cuts]
            wrenches = np.array([dynamics.wrenches[name] for name in self._cuts])
            force[cuts] = (axes @ wrenches[:, :3, None])[..., 0]
            moment[cuts] = (axes @ wrenches[:, 3:, None])[..., 0]
            points[cuts, 0] = points[cuts, 1]  # on both ends at the same point
        springs = slice(len(self._cuts), None)
        if self._springs:
            lines = points[springs, 0] - points[springs, 1]
            lengths = np.sqrt((lines * lines).sum(axis=1))
            tensions = np.array([dynamics.tensions[name] for name in self._springs])
            pulls = np.divide(tensions, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
            force[springs] = pulls[:, None] * lines
        arms = points - o[self._ends]
        arm_moments = cross(arms, force[:, None])
        onto = np.transpose(R, (0, 2, 1))
        loads = (
            (onto @ np.einsum("kne,nei->ki", self._signs, part)[..., None])[..., 0]
            for part in (np.broadcast_to(force[:, None], arms.shape), moment[:, None] + arm_moments)
        )
        return dict(zip(self.links, np.concatenate(list(loads), axis=1), strict=True))


def tree_torques(graph: SubsystemGraph, dynamics: ClosedLoopDynamics) -> Array:
    """Torques of all joints of the tree (nv,) [N m or N]: of the independent joints, and of the gears.

    S tau + J_g^T lambda_g: a gear turns its joint with lambda and its drivers with -ratio lambda. Passive
    joints are unactuated.
    """
    tau = np.zeros(graph.nv)
    tau[indices_in_v(graph, graph.independent_joint_names)] = dynamics.tau
    # the rows of gears are the last ones
    gears = dynamics.multipliers[len(dynamics.multipliers) - len(graph.gears) :]
    for gear, multiplier in zip(graph.gears, gears, strict=True):
        tau[graph.v_slice(gear.joint)] += multiplier
        for name, ratio in gear.drivers:
            tau[graph.v_slice(name)] -= ratio * multiplier
    return tau
