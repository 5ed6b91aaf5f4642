"""Reactions of every joint, cut joint and spring; the latter two also as loads on the open tree."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...algebra import DualQuaternion, adjoint, to_rotation_translation
from ...dynamics import InverseDynamics, InverseDynamicsResult, frame_poses
from ...dynamics.arrays.arguments import Array
from ...dynamics.execution.workspaces import workspace_of
from ...model import SubsystemGraph
from ..constraints.coordinates import indices_in_v
from ..cross_products import cross
from ..dynamics.solver import ClosedLoopDynamics

__all__ = [
    "Reaction",
    "internal_wrenches",
    "joint_reactions",
    "stamped_cut_wrenches",
    "tree_dynamics",
    "tree_torques",
]


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


def joint_reactions(graph: SubsystemGraph, dynamics: ClosedLoopDynamics) -> dict[str, Reaction]:
    """Of all joints of the tree, loop joints and springs, by name; redundant ones as ``dynamics`` chose them.

    The cut joints' wrenches and the springs' tensions are external wrenches on the tree; Newton-Euler gives
    the wrenches that its joints transmit. A tree joint's point is the origin of its child link.
    """
    closing = workspace_of(graph, _ClosingElements)
    reactions = {
        name: Reaction(first.link, second.link, point, start, force, moment)
        for name, (first, second), (start, point), force, moment in zip(
            closing.names, closing.anchors, *closing.wrenches(dynamics)[2:], strict=True
        )
    }
    wrenches = tree_dynamics(graph, dynamics, closing.link_loads(dynamics)).joint_wrenches
    poses = frame_poses(graph.tree, dynamics.coordinates, [body.name for body in graph.bodies])
    for joint, pose, wrench in zip(graph.joints, poses, wrenches, strict=True):
        R, point = pose[:3, :3], pose[:3, 3]
        force, moment = R @ wrench[:3], R @ wrench[3:]
        reactions[joint.name] = Reaction(joint.parent_link, joint.child_link, point, point, force, moment)
    return reactions


def tree_dynamics(
    graph: SubsystemGraph, dynamics: ClosedLoopDynamics, loads: Mapping[str, ArrayLike]
) -> InverseDynamicsResult:
    """Inverse dynamics of the open tree at the motion of ``dynamics``, with loads on its links."""
    solver = workspace_of(graph.tree, InverseDynamics)
    return solver.solve(dynamics.coordinates, dynamics.velocities, dynamics.accelerations, loads)


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
    return workspace_of(graph, _ClosingElements).link_loads(dynamics)


class _ClosingElements:
    """The loop joints, then the springs of one graph: ``names``, and ``anchors`` of both ends.

    The first end of each is its predecessor's anchor, or the spring's first one; the wrench of a cut joint is
    given at the second end.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self._graph, self._loops = graph, len(graph.loop_joints)
        self.names = [loop.name for loop in graph.loop_joints] + [spring.name for spring in graph.springs]
        self.anchors = [(loop.predecessor, loop.successor) for loop in graph.loop_joints]
        self.anchors += [spring.anchors for spring in graph.springs]
        self._links = tuple(dict.fromkeys(anchor.link for pair in self.anchors for anchor in pair))
        indices = [[self._links.index(anchor.link) for anchor in pair] for pair in self.anchors]
        self._ends = np.array(indices, int).reshape(-1, 2)
        poses = [[to_rotation_translation(a.x_link_anchor) for a in pair] for pair in self.anchors]
        self._axes = np.array([pair[1][0] for pair in poses]).reshape(-1, 3, 3)
        self._positions = np.array([[position for _, position in pair] for pair in poses]).reshape(-1, 2, 3)
        # (links, n, 2)
        self._signs = [-1.0, 1.0] * (self._ends == np.arange(len(self._links))[:, None, None])

    def wrenches(self, dynamics: ClosedLoopDynamics) -> tuple[Array, ...]:
        """R (links, 3, 3), o (links, 3), ends (n, 2, 3), forces and moments (n, 3) on the second end.

        All in the root link's axes; of a cut joint both ends are the second one.
        """
        matrices = frame_poses(self._graph, dynamics.coordinates, self._links)
        R, o = matrices[:, :3, :3], matrices[:, :3, 3]
        points = o[self._ends] + (R[self._ends] @ self._positions[..., None])[..., 0]
        force, moment = np.zeros((2, len(points), 3))
        cuts, springs = slice(0, self._loops), slice(self._loops, None)
        if self._loops:
            axes = R[self._ends[cuts, 1]] @ self._axes[cuts]
            wrenches = np.array([dynamics.wrenches[name] for name in self.names[cuts]])
            force[cuts] = (axes @ wrenches[:, :3, None])[..., 0]
            moment[cuts] = (axes @ wrenches[:, 3:, None])[..., 0]
            points[cuts, 0] = points[cuts, 1]
        if len(self.names) > self._loops:
            lines = points[springs, 0] - points[springs, 1]
            lengths = np.sqrt((lines * lines).sum(axis=1))
            tensions = np.array([dynamics.tensions[name] for name in self.names[springs]])
            pulls = np.divide(tensions, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
            force[springs] = pulls[:, None] * lines
        return R, o, points, force, moment

    def link_loads(self, dynamics: ClosedLoopDynamics) -> dict[str, Array]:
        """By link [force, moment] at and in its frame."""
        if not self._links:
            return {}
        R, o, points, force, moment = self.wrenches(dynamics)
        arms = points - o[self._ends]
        arm_moments = cross(arms, force[:, None])
        onto = np.transpose(R, (0, 2, 1))
        loads = (
            (onto @ np.einsum("kne,nei->ki", self._signs, part)[..., None])[..., 0]
            for part in (np.broadcast_to(force[:, None], arms.shape), moment[:, None] + arm_moments)
        )
        return dict(zip(self._links, np.concatenate(list(loads), axis=1), strict=True))


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
