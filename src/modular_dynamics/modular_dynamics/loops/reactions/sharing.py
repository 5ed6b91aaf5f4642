"""Reactions of an over-constrained mechanism: shared by rules, or of the least norm; and self-stresses.

Body b needs the wrench D_b, [force, moment] about its origin o_b in its axes: its own inertia
and weight, and the load that it carries (Goncalves et al., right-hand sides of eqs. 1, 2). With x_k the
k-th component of the joints, f_k and m_k its force and moment per unit on ``on`` at p_k, and s_bk = 1 where b
is ``on``, -1 where b is ``by``, equilibrium of all bodies is

    D_b = sum_k s_bk [f_k, m_k + (p_k - o_b) x f_k] x_k   for each b,   that is   D = E x.

E has more columns than independent rows where the mechanism is over-constrained. Rules select one x (each
step uses one of the equations for the components that it gives); x = E^+ D, of the least norm, is another.
Two such x differ by a self-stress, E x = 0: forces of the joints on each other that need no load.

The compiled core shares (include/modular_dynamics/loops/reactions.hpp); `_core.pyi` describes its arrays.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._core import Reactions
from ...algebra.rigid_motions import cross
from ...dynamics.arguments import Array
from ...dynamics.core_robot import integers
from ...exceptions import StateError
from .rules import Rules, Step

#: The number of a frame, and a position in it [m].
FramePoint = tuple[int, ArrayLike]
#: Singular value of E, relative to the largest, below which it counts as zero.
RANK = 1e-12
#: Coefficient [1 or m] below which a component has no part in a balance, as in the core: rounding.
NO_PART = 1e-9
AXES = "xyz"


@dataclass(frozen=True, eq=False)
class SharedReactions:
    """Reactions of all joints of the rules by name; of many states each array has one axis more in front.

    Attributes:
        components: (joint, component) -> value [N or N m].
        wrenches: by joint (6,), [force, moment] of ``by`` on ``on``, at the joint's point along its axes.
        points: by joint (3,), its point in the common frame [m].
        residual: by body (6,), D_b - E_b x, at its origin in its axes [N, N m]: zero in equilibrium.
    """

    components: Mapping[tuple[str, str], Array]
    wrenches: Mapping[str, Array]
    points: Mapping[str, Array]
    residual: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class ReactionArrays:
    """Reactions of n components, j joints and b bodies, in the order of the rules.

    Of many states each array has one axis more in front.

    Attributes:
        components (n,): of ``rules.unknowns`` [N or N m].
        wrenches (j, 6): [force, moment] of ``by`` on ``on``, at the joint's point along its axes.
        points (j, 2, 3): ``from`` and ``at`` of each joint, in the common frame [m].
        residual (b, 6): D_b - E_b x, at the body's origin in its axes [N, N m]: zero in equilibrium.
        poses (frames, 4, 4): of all frames; of a robot's links, see :func:`.frame_poses`.
        shared (): whether every balance gives its components; where not, numbers have no meaning.
    """

    components: Array
    wrenches: Array
    points: Array
    residual: Array
    poses: Array
    shared: NDArray[np.bool_]

    def by_name(self, rules: Rules) -> SharedReactions:
        """Return the reactions by the names that the rules have."""
        return SharedReactions(
            {name: self.components.T[k] for k, name in enumerate(rules.unknowns)},
            {name: self.wrenches[..., k, :] for k, name in enumerate(rules.joints)},
            {name: self.points[..., k, 1, :] for k, name in enumerate(rules.joints)},
            {name: self.residual[..., k, :] for k, name in enumerate(rules.bodies)},
        )


class _Balance(NamedTuple):
    """Indices that describe one balance, as `_core.Reactions` takes them."""

    body: int
    frame: int
    axis: int
    about: int
    is_moment: int


class SharingInFrames:
    """Rules whose bodies and joints are in numbered frames, for one state or many.

    Args:
        frames: number of each body, and of all else whose axes components have.
        points: of each joint ``from`` and ``at``.
        required_frames (w,), required_signs (b, w): in which frames w wrenches are given, and with which
            signs they are summed to D_b.

    Attributes:
        known: of each step 'known' its number, the place in x, and the joint.
    """

    def __init__(
        self,
        rules: Rules,
        frames: Mapping[str, int],
        points: Sequence[tuple[FramePoint, FramePoint]],
        required_frames: Sequence[int],
        required_signs: ArrayLike,
    ) -> None:
        self.rules, unknowns, joints = rules, rules.unknowns, rules.joints
        numbered_steps, places = [*enumerate(rules.steps, 1)], {taker: k for k, taker in enumerate(unknowns)}
        known = [(number, step) for number, step in numbered_steps if step.kind == "known"]
        self.known = [(number, places[taker], taker[0]) for number, step in known for taker in step.shares]
        self._is_open = np.ones(len(unknowns), bool)
        self._is_open[[place for _, place, _ in self.known]] = False
        self._required, self._steps = len(required_frames), [*_balances(numbered_steps)]
        self._body_frames = [frames[body] for body in rules.bodies]
        self._axes_frames = [frames[joint.axes] for joint in joints.values()]
        numbers = {name: k for k, name in enumerate(joints)}
        balances = []
        for _, step in self._steps:
            taker, _ = next(iter(step.shares))
            about = numbers[step.about or taker]
            is_moment, axis = step.component[0] == "M", AXES.index(step.component[1])
            balances.append(_Balance(rules.bodies.index(step.body), numbers[taker], axis, about, is_moment))
        self._balances, shape = balances, (len(balances), len(unknowns))
        weights = [[step.shares.get(taker, 0.0) for taker in unknowns] for _, step in self._steps]
        given_by = {taker: number for number, step in numbered_steps for taker in step.shares}
        later = [
            [given_by[taker] >= number and taker not in step.shares for taker in unknowns]
            for number, step in self._steps
        ]
        self._weights, self._later = (np.array(x, np.float64).reshape(shape) for x in (weights, later))
        signs = [
            [(joints[j].on == body) - (joints[j].by == body) for j, _ in unknowns] for body in rules.bodies
        ]

        def compiled(count: int) -> Callable[..., None]:
            """Return the core's function for the first ``count`` balances."""
            columns = np.array(balances[:count], np.int64).reshape(-1, 5).T.copy()
            return Reactions(
                links=integers([1 + max(*frames.values(), *(frame for ends in points for frame, _ in ends))]),
                body_links=integers(self._body_frames),
                required_links=integers(required_frames),
                axes_links=integers(self._axes_frames),
                point_links=integers([[frame for frame, _ in ends] for ends in points]),
                points=np.array([[position for _, position in ends] for ends in points], np.float64),
                component_joint=integers([numbers[joint] for joint, _ in unknowns]),
                component_axis=integers([AXES.find(component[-1]) for _, component in unknowns]),
                component_moment=integers([component[0] == "M" for _, component in unknowns]),
                component_along=np.array([-1.0 if component == "pull" else 1.0 for _, component in unknowns]),
                balance_body=columns[0],
                balance_frame=columns[1],
                balance_axis=columns[2],
                balance_about=columns[3],
                balance_moment=columns[4],
                signs=np.array(signs, np.float64),
                weights=self._weights[:count],
                later=self._later[:count],
                required_signs=np.array(required_signs, np.float64),
            ).share

        self._share, self._add_up = compiled(len(balances)), compiled(0)

    def __call__(self, poses: Array, required: Array, x: Array) -> ReactionArrays:
        """Return the reactions by the rules.

        Args:
            poses (frames, 4, 4): homogeneous matrices. required (w, 6): [force, moment] at and in frames.
            x (n,): known forces, 0 elsewhere. Of many states each array has one axis more in front.
        """
        return self._reactions(self._share, poses, required, x)

    def of_components(self, poses: Array, required: Array, x: Array) -> ReactionArrays:
        """Return the reactions whose components are x (n,); other arguments as of a call."""
        return self._reactions(self._add_up, poses, required, x)

    def equilibrium_matrix(self, poses: Array) -> Array:
        """Return E (6 b, n) of one state. Raises StateError: a line has no length."""
        n = len(self.rules.unknowns)
        units = self.of_components(np.tile(poses, (n, 1, 1, 1)), np.zeros((n, self._required, 6)), np.eye(n))
        if not units.shared[0]:
            lines = np.diff(units.points[0], axis=1)[:, 0]
            joint = next(
                joint.name
                for joint, line in zip(self.rules.joints.values(), lines, strict=True)
                if {"push", "pull"} & set(joint.transmits) and not line @ line > 0.0
            )
            raise StateError(f"joint '{joint}': 'from' and 'at' coincide; there is no line to push along")
        return -units.residual.reshape(n, -1).T

    def least_norm(self, poses: Array, required: Array, x: Array) -> ReactionArrays:
        """Return x = E^+ D of one state: of all reactions in equilibrium those with the least sum of squares.

        N and N m count alike. Known forces keep their values. Arguments as of a call.
        """
        E, D = self.equilibrium_matrix(poses), self.of_components(poses, required, np.zeros(len(x))).residual
        x, is_open = x.copy(), self._is_open
        x[is_open] = np.linalg.lstsq(E[:, is_open], D.ravel() - E @ x, rcond=RANK)[0]
        return self.of_components(poses, required, x)

    def self_stress(self, poses: Array) -> Array:
        """Return orthonormal columns (n, k): reactions without load, E x = 0, with all known forces zero."""
        E = self.equilibrium_matrix(poses)[:, self._is_open]
        _, s, vt = np.linalg.svd(E)
        rank = int((s > RANK * s[0]).sum())
        columns = np.zeros((len(self._is_open), E.shape[1] - rank))
        columns[self._is_open] = vt[rank:].T
        return columns

    def raise_fault(self, poses: Array) -> NoReturn:
        """Raise StateError for a state that the rules do not share, naming the line or balance that fails."""
        E = self.equilibrium_matrix(poses)
        points = self.of_components(poses, np.zeros((self._required, 6)), np.zeros(E.shape[1])).points
        for (number, step), balance, weights, later in zip(
            self._steps, self._balances, self._weights, self._later, strict=True
        ):
            pose = poses[self._body_frames[balance.body]]
            forces, moments = (pose[:3, :3] @ E.reshape(-1, 2, 3, E.shape[1])[balance.body]).swapaxes(-1, -2)
            if balance.is_moment:
                forces = moments + cross(pose[:3, 3] - points[balance.about, 1], forces)
            C = forces @ poses[self._axes_frames[balance.frame], :3, balance.axis]
            where = f"step {number} of '{self.rules.name}' ({step})"
            early = np.flatnonzero((np.abs(C) > NO_PART) & (later != 0.0))
            if len(early):
                names = ", ".join(".".join(self.rules.unknowns[k]) for k in early)
                raise StateError(f"{where}: it contains {names}, which no step before it gives")
            if not abs(lever := C @ weights) > NO_PART:
                raise StateError(
                    f"{where}: its joints have no lever arm in this balance ({lever:.2g}): a singular "
                    "configuration, or the wrong balance"
                )
        raise StateError(f"the rules '{self.rules.name}' do not give the reactions of this state")

    def _reactions(
        self, share: Callable[..., None], poses: Array, required: Array, x: Array
    ) -> ReactionArrays:
        """Return the reactions of one state or many by a function of the core."""
        lead, bodies, joints = x.shape[:-1], len(self._body_frames), len(self._axes_frames)
        count = math.prod(lead)
        x, shared = np.array(x), np.empty(lead, bool)
        wrenches, points = np.empty((*lead, joints, 6)), np.empty((*lead, joints, 2, 3))
        residual = np.empty((*lead, bodies, 6))
        if count:
            rows = (array.reshape(count, -1) for array in (poses, required, x, wrenches, points, residual))
            share(*rows, shared.reshape(count))
        return ReactionArrays(x, wrenches, points, residual, poses, shared)


def _balances(steps: Sequence[tuple[int, Step]]) -> Iterator[tuple[int, Step]]:
    """Yield balances with their steps' numbers; 'rest' yields one per component, about its joint."""
    for number, step in steps:
        if step.kind == "balance":
            yield number, step
        elif step.kind == "rest":
            for joint, component in step.shares:
                shares = {(joint, component): 1.0}
                yield number, replace(step, kind="balance", shares=shares, component=component, about=joint)
