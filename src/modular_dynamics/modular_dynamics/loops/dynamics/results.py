"""Results of inverse dynamics with closed loops, of one state and of many; reactions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion, adjoint, to_rotation_translation
from ...algebra.rigid_motions import cross
from ...dynamics import frame_poses
from ...dynamics.arguments import Array
from ...dynamics.transmitted_wrenches import TransmittedWrenches
from ...exceptions import ClosureError, ModelError, ModularDynamicsError, SingularityError
from ...model import SubsystemGraph, body_of_link
from ..constraints.constraint_system import ConstraintSystem, Projection
from ..constraints.coordinates import indices_in_v


class ClosingWrenches(NamedTuple):
    """The wrenches of the loop joints, then of the springs at one configuration, in the root link's axes.

    Attributes:
        rotations (bodies, 3, 3), origins (bodies, 3) [m]: of all bodies.
        points (n, 2, 3): of both ends [m]; of a cut joint both are the second one.
        forces, moments (n, 3): on the second end [N], [N m].
        on_links: by link with anchors the sum [force, moment] at and in its frame.
        on_joints (bodies, 6): the sum on each body and on all that its joint carries, at and in its frame.
    """

    rotations: Array
    origins: Array
    points: Array
    forces: Array
    moments: Array
    on_links: Mapping[str, Array]
    on_joints: Array


class ClosingElements:
    """The loop joints, then the springs of one graph: ``names``, and ``anchors`` of both ends.

    The first end of each is its predecessor's anchor, or the spring's first one; the wrench of a cut joint is
    given at the second end.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self._tree = graph.tree
        loops, springs, links = graph.loop_joints, graph.springs, self._tree.links
        self.names = [loop.name for loop in loops] + [spring.name for spring in springs]
        self.anchors = [(loop.predecessor, loop.successor) for loop in loops]
        self.anchors += [spring.anchors for spring in springs]
        self._loop_names, self._spring_names = self.names[: len(loops)], self.names[len(loops) :]
        anchored = dict.fromkeys(anchor.link for pair in self.anchors for anchor in pair)
        index = {link: k for k, link in enumerate(links)}
        self._anchored = [(link, index[link]) for link in anchored]
        poses = [[to_rotation_translation(a.x_link_anchor) for a in pair] for pair in self.anchors]
        bodies = [body_of_link(graph, link) for link in links]
        self._ends = np.array([[index[a.link] for a in pair] for pair in self.anchors], int).reshape(-1, 2)
        self._positions = np.array([[position for _, position in pair] for pair in poses]).reshape(-1, 2, 3)
        self._axes = np.array([pair[1][0] for pair in poses[: len(loops)]]).reshape(-1, 3, 3)
        self._body_links = np.array([index[body.name] for body in graph.bodies], int)
        # (links, n), (bodies, n): 1 for elements that act with their second end, -1 with their first one;
        # a body's row has those of all bodies that it carries
        self._on_links, self._on_joints = (np.zeros((k, len(self._ends))) for k in (len(links), len(bodies)))
        for k, pair in enumerate(self._ends.tolist()):
            for sign, link in zip((-1.0, 1.0), pair, strict=True):
                self._on_links[link, k] += sign
                carrier = bodies[link]
                while carrier is not None:
                    self._on_joints[carrier, k] += sign
                    carrier = graph.parents[carrier]
        self._on_joints = self._on_joints[: len(graph.bodies)]

    def __call__(
        self, q: Array, cut_wrenches: Mapping[str, Array], tensions: Mapping[str, float]
    ) -> ClosingWrenches:
        """Return the wrenches at coordinates q (nq,) from the wrenches and tensions of `ClosedLoopResult`."""
        poses, cuts, ends = frame_poses(self._tree, q), len(self._loop_names), self._ends
        R, p = poses[:, :3, :3], poses[:, :3, 3]
        points = (R[ends] @ self._positions[..., None])[..., 0] + p[ends]
        points[:cuts, 0] = points[:cuts, 1]
        wrenches = np.array([cut_wrenches[name] for name in self._loop_names]).reshape(-1, 2, 3)
        axes = R[ends[:cuts, 1]] @ self._axes
        on_second = np.zeros((len(ends), 2, 3))
        on_second[:cuts] = wrenches @ axes.swapaxes(1, 2)
        lines = points[cuts:, 0] - points[cuts:, 1]
        lengths = np.sqrt((lines * lines).sum(axis=1, keepdims=True))
        pulls = np.array([tensions[name] for name in self._spring_names]).reshape(-1, 1)
        on_second[cuts:, 0] = pulls * lines / np.where(lengths > 0.0, lengths, 1.0)
        about_root = on_second.copy()
        # both ends of a spring are on the line of its force, so either can be the point of application
        about_root[:, 1] += cross(points[:, 1], on_second[:, 0])
        rows = about_root.reshape(-1, 6)
        on_links, on_joints = self._on_links @ rows, self._on_joints @ rows
        bodies_R, bodies_p = R[self._body_links], p[self._body_links]
        local = _into_frames(on_links, R, p)
        return ClosingWrenches(
            bodies_R,
            bodies_p,
            points,
            on_second[:, 0],
            on_second[:, 1],
            {link: local[k] for link, k in self._anchored},
            _into_frames(on_joints, bodies_R, bodies_p),
        )


def _into_frames(about_root: Array, R: Array, p: Array) -> Array:
    """Return wrenches (k, 6), given about the root's origin and in its axes, at and in the frames R, p."""
    moved = about_root.reshape(-1, 2, 3).copy()
    moved[:, 1] -= cross(p, moved[:, 0])
    local: Array = (moved @ R).reshape(-1, 6)
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
    _find_multipliers: Callable[[], Array] = field(repr=False)

    @cached_property
    def multipliers(self) -> Array:
        """Multipliers of the constraint rows [N or N m]; the least-norm ones where rows are redundant."""
        return self._find_multipliers()

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
        """Condition number of J_d, gears in the units of their driving joints: large near a dead point."""
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
        elements = self.open_tree.graph.once(ClosingElements)
        return elements(self.coordinates, self.wrenches, self.tensions)

    @cached_property
    def tree(self) -> TransmittedWrenches:
        """What the tree's joints and connection points transmit, without loop joints and springs."""
        wrenches = self.open_tree.joint_wrenches - self.closing_wrenches.on_joints
        return replace(self.open_tree, joint_wrenches=wrenches)

    @cached_property
    def _projection(self) -> Projection:
        return self._system.projection(self.coordinates)


class StateStatus(IntEnum):
    """Outcome of one of many states.

    Where the branch ends on the way to a state: DEAD_POINT if planar loops close at the state on any branch,
    or others by Newton's method from that end, else CANNOT_CLOSE.
    """

    ANSWERED = 0
    CANNOT_CLOSE = 1
    DEAD_POINT = 2
    NO_STATE = 3  #: not finite, or too large
    NO_MODEL = 4  #: parameters that no robot can have


def status_of(error: ModularDynamicsError) -> StateStatus:
    """Return the status of a state with this error."""
    if isinstance(error, ModelError):
        return StateStatus.NO_MODEL
    if isinstance(error, SingularityError):
        return StateStatus.DEAD_POINT
    return StateStatus.CANNOT_CLOSE if isinstance(error, ClosureError) else StateStatus.NO_STATE


@dataclass(frozen=True, eq=False)
class ClosedLoopResults:
    """What ``InverseDynamics.solve_many`` computes, a row for each state.

    Of n designs with s states each, the shapes begin with (n, s).

    Attributes:
        tau: torques of the independent joints (n, independent) [N m or N]; NaN where there is none.
        coordinates: of all joints (n, nq); NaN where there are none.
        statuses: a `StateStatus` of each state (n,).
        reasons: by row, what was wrong with a state that was not answered; rows of designs are counted as in
            ``statuses.ravel()``.
    """

    tau: Array
    coordinates: Array
    statuses: NDArray[np.uint8]
    reasons: Mapping[int, str]
    _find_details: Callable[[], tuple[Array, Array]] = field(repr=False)

    @property
    def tensions(self) -> Array:
        """Tensions [N] of the springs (n, springs); NaN where there is no torque."""
        return self._details[0]

    @property
    def sines(self) -> Array:
        """Smallest sine (n,) of the angle between the motions of a planar loop's two unknown joints.

        0 at a dead point; NaN where the general method was used (near one, or far from the guess).
        """
        return self._details[1]

    @cached_property
    def _details(self) -> tuple[Array, Array]:
        return self._find_details()


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
