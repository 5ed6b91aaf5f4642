"""Results of inverse dynamics with closed loops, of one state and of many; reactions."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion, adjoint
from ...algebra.rigid_motions import cross
from ...dynamics import inverse_dynamics
from ...dynamics.arguments import Array
from ...dynamics.core_robot import Frames, core_robot
from ...dynamics.inverse_dynamics import Wrenches
from ...dynamics.transmitted_wrenches import TransmittedWrenches
from ...exceptions import ClosureError, ModelError, ModularDynamicsError, SingularityError
from ...model import SubsystemGraph
from ..constraints.constraint_system import ConstraintSystem, Projection
from ..constraints.coordinates import indices_in_v
from ..core_loops import loop_arrays


class ClosingWrenches(NamedTuple):
    """The wrenches of the loop joints, then of the springs at one configuration, in the root link's axes.

    Attributes:
        poses (bodies, 4, 4): of all bodies.
        points (n, 2, 3): of both ends [m]; of a cut joint both are the second one.
        forces, moments (n, 3): on the second end [N], [N m].
        on_bodies (bodies + 1, 6): the sum [force, moment] on each body, then on the ground, at and in its
            frame.
        on_joints (bodies, 6): the sum on each body and on all that its joint carries, at and in its frame.
    """

    poses: Array
    points: Array
    forces: Array
    moments: Array
    on_bodies: Array
    on_joints: Array


def _closing_frames(graph: SubsystemGraph) -> tuple[Frames, NDArray[np.int64]]:
    """Return frames of both ends of loop joints and springs, then of bodies; and the ends' bodies (n, 2)."""
    arrays, count = loop_arrays(graph), len(graph.bodies)
    ends = np.concatenate([arrays["loop_bodies"], arrays["spring_bodies"]])
    poses = np.concatenate([arrays["loop_poses"], arrays["spring_poses"]]).reshape(-1, 12)
    R = np.concatenate([poses[:, :9].reshape(-1, 3, 3), np.tile(np.eye(3), (count, 1, 1))])
    p = np.concatenate([poses[:, 9:], np.zeros((count, 3))])
    body = np.concatenate([ends.ravel(), np.arange(count)])
    return Frames(graph.once(core_robot), body=body, R=R, p=p), ends


def _closing_wrenches(
    graph: SubsystemGraph, q: Array, cut_wrenches: Mapping[str, Array], tensions: Mapping[str, float]
) -> ClosingWrenches:
    """Return the wrenches at coordinates q (nq,) from the wrenches and tensions of `ClosedLoopResult`."""
    (frames, ends), cuts, count = graph.once(_closing_frames), len(graph.loop_joints), len(graph.bodies)
    all_poses = np.empty((ends.size + count, 4, 4))
    graph.once(core_robot).frame_poses(frames, q, all_poses)
    poses, of_bodies = all_poses[: ends.size].reshape(-1, 2, 4, 4), all_poses[ends.size :]
    points, wrenches = poses[..., :3, 3].copy(), np.zeros((len(ends), 2, 3))
    points[:cuts, 0] = points[:cuts, 1]
    in_anchors = np.array([*cut_wrenches.values()]).reshape(-1, 2, 3)
    wrenches[:cuts] = in_anchors @ poses[:cuts, 1, :3, :3].swapaxes(1, 2)
    lines = points[cuts:, 0] - points[cuts:, 1]
    lengths = np.sqrt((lines * lines).sum(axis=1, keepdims=True))
    pulls = np.array([*tensions.values()]).reshape(-1, 1)
    wrenches[cuts:, 0] = pulls * lines / np.where(lengths > 0.0, lengths, 1.0)
    about_root = wrenches.copy()
    # both ends of a spring are on the line of its force, so either can be the point of application
    about_root[:, 1] += cross(points[:, 1], wrenches[:, 0])
    on_bodies = np.zeros((count + 1, 2, 3))  # the ground has index -1
    np.add.at(on_bodies, ends[:, 1], about_root)
    np.subtract.at(on_bodies, ends[:, 0], about_root)
    on_joints = on_bodies[:-1].copy()
    for k in range(count - 1, -1, -1):
        if (parent := graph.parents[k]) is not None:
            on_joints[parent] += on_joints[k]
    ground = np.eye(4)[None]
    forces, moments = wrenches[:, 0], wrenches[:, 1]
    sums = _in_frames(on_bodies, np.concatenate([of_bodies, ground])), _in_frames(on_joints, of_bodies)
    return ClosingWrenches(of_bodies, points, forces, moments, *sums)


def _in_frames(about_root: Array, poses: Array) -> Array:
    """Return wrenches (k, 2, 3), given about the root's origin and in its axes, at and in frames, (k, 6)."""
    moved = about_root.copy()
    moved[:, 1] -= cross(poses[:, :3, 3], moved[:, 0])
    local: Array = (moved @ poses[:, :3, :3]).reshape(-1, 6)
    return local


@dataclass(frozen=True, eq=False)
class ClosedLoopResult:
    """What ``InverseDynamics.solve`` computes for a robot with closed loops.

    Multipliers, rank, redundant, condition, residual and projection are computed when they are read first.

    Attributes:
        tau: torques of the independent joints, in the order of ``graph.independent_joint_names`` [N m or N].
        coordinates, velocities, accelerations: of all joints, in the order of ``graph.joint_names``;
            ``coordinates`` is the next call's guess.
        wrenches: by loop joint, [force N, moment N m] of the predecessor on the successor, at and in the
            successor's anchor frame.
        tensions: by spring [N].
        free: names of the passive joints that neither independent joints nor loops determine. They are
            unactuated, at the guess's position as long as loops close there, with velocity zero; their
            accelerations follow from the dynamics.
        open_tree: what the tree's joints would transmit at this motion without loop joints and springs.
    """

    tau: Array
    coordinates: Array
    velocities: Array
    accelerations: Array
    wrenches: Mapping[str, Array]
    tensions: Mapping[str, float]
    free: tuple[str, ...]
    open_tree: TransmittedWrenches = field(repr=False)
    _system: ConstraintSystem = field(repr=False)
    _external_wrenches: Wrenches = field(repr=False)
    _friction: str = field(repr=False)

    @cached_property
    def multipliers(self) -> Array:
        """Multipliers of the constraint rows [N or N m]; the least-norm ones where rows are redundant."""
        system, motion = self._system, (self.coordinates, self.velocities, self.accelerations)
        tree, wrenches = self.open_tree.graph.tree, self._external_wrenches
        springs = system.spring_forces(self.coordinates, self.velocities)
        torques = inverse_dynamics(tree, *motion, external_wrenches=wrenches, friction=self._friction)
        torques += springs.J.T @ springs.tensions
        result: Array = self._projection.inverse.T @ torques[system.dependent_v]
        return result

    @property
    def rank(self) -> int:
        """Rank of the constraint rows, in the dependent coordinates."""
        return self._projection.rank

    @property
    def redundant(self) -> int:
        """Number of constraint rows beyond the rank."""
        return len(self._system.names) - self.rank

    @property
    def condition(self) -> float:
        """Condition number of J_d, gears in the units of their driving joints: infinite where singular."""
        return self._projection.condition

    @cached_property
    def residual(self) -> Mapping[str, float]:
        """Largest violation [m or 1] of the rows of each loop joint and gear, by name."""
        return self._system.residual(self.coordinates)

    @property
    def projection(self) -> Array:
        """W (nv, independent), v = W v_independent: see `explicit_constraint_jacobian`."""
        return self._projection.W[:, : len(self.tau)]

    @cached_property
    def closing_wrenches(self) -> ClosingWrenches:
        """The wrenches of loop joints and springs on their links."""
        return _closing_wrenches(self.open_tree.graph, self.coordinates, self.wrenches, self.tensions)

    @cached_property
    def tree(self) -> TransmittedWrenches:
        """What the tree's joints and connection points transmit, without loop joints and springs."""
        wrenches = self.open_tree.joint_wrenches - self.closing_wrenches.on_joints
        return replace(self.open_tree, joint_wrenches=wrenches)

    @cached_property
    def _projection(self) -> Projection:
        return self._system.projection(self.coordinates)


class StateStatus(IntEnum):
    """Outcome of one of many states of a robot with closed loops."""

    COMPUTED = 0  #: torques are computed
    CANNOT_CLOSE = 1  #: the loops do not close here
    #: a singular configuration, here or on the way from the guess; the loops close here, perhaps otherwise
    SINGULAR = 2
    NO_STATE = 3  #: not finite, or too large
    NO_MODEL = 4  #: parameters that no robot can have


def status_of(error: ModularDynamicsError) -> StateStatus:
    """Return the status of a state with this error."""
    if isinstance(error, ModelError):
        return StateStatus.NO_MODEL
    if isinstance(error, SingularityError):
        return StateStatus.SINGULAR
    return StateStatus.CANNOT_CLOSE if isinstance(error, ClosureError) else StateStatus.NO_STATE


@dataclass(frozen=True, eq=False)
class ClosedLoopResults:
    """What ``InverseDynamics.solve_many`` computes, a row for each state.

    Of n designs with s states each, the shapes begin with (n, s).

    Attributes:
        tau: torques of the independent joints (n, independent) [N m or N]; NaN where there is none.
        coordinates: of all joints (n, nq); NaN where there are none.
        statuses: a `StateStatus` of each state (n,).
        reasons: by row, what was wrong with a state without torques; rows of designs are counted as in
            ``statuses.ravel()``.
        tensions: of the springs (n, springs) [N]; NaN where there is no torque.
        sines: smallest sine (n,) of the angle between the motions of a planar loop's two unknown joints: 0 at
            a singular configuration; NaN where the general method was used (near one, or far from the guess).
    """

    tau: Array
    coordinates: Array
    statuses: NDArray[np.uint8]
    reasons: Mapping[int, str]
    tensions: Array
    sines: Array


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
    """Return the reactions of tree joints, loop joints and springs by name.

    A tree joint's point is the origin of its child link. Where loops are redundant, these are the reactions
    that ``dynamics`` has: those of the least-norm multipliers.
    """
    closing = dynamics.closing_wrenches
    elements = {loop.name: (loop.predecessor, loop.successor) for loop in graph.loop_joints}
    elements |= {spring.name: spring.anchors for spring in graph.springs}
    vectors = map(np.copy, (closing.points, closing.forces, closing.moments))
    reactions = {
        name: Reaction(first.link, second.link, point, start, force, moment)
        for (name, (first, second)), (start, point), force, moment in zip(
            elements.items(), *vectors, strict=True
        )
    }
    for joint, pose, wrench in zip(graph.joints, closing.poses, dynamics.tree.joint_wrenches, strict=True):
        force, moment, point = pose[:3, :3] @ wrench[:3], pose[:3, :3] @ wrench[3:], pose[:3, 3].copy()
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
    """Return the wrench [N, N m] of loop joints and springs on each body that they hold, and on the ground.

    By the name of its link, at and in that link's frame. With them as external wrenches the tree moves as the
    closed mechanism does, with `tree_torques`.
    """
    _, ends = graph.once(_closing_frames)
    links = [*(body.name for body in graph.bodies), graph.ground.name]
    on_bodies = dynamics.closing_wrenches.on_bodies
    return {links[k]: on_bodies[k].copy() for k in np.unique(ends).tolist()}


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
