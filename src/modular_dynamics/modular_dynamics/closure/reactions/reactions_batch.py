"""Reactions of many states, shared by rules, in one call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arrays.arguments import Array
from ...dynamics.kinematics import frame_motions
from ...model import SubsystemGraph
from ..dynamics.batch import (
    ClosedLoopBatch,
    RowStatus,
    closed_loop_inverse_dynamics_batch,
    joint_motions_batch,
)
from .load_case import LoadCases
from .robot_reactions import known_springs
from .sharing import ReactionSharing
from .sharing_rules import Rules

__all__ = ["ReactionsBatch", "reactions_batch"]

#: States whose equations are in memory at a time.
CHUNK = 256


@dataclass(frozen=True, eq=False)
class ReactionsBatch:
    """Reactions of n states; NaN where there are none.

    Attributes:
        components: (joint, component) -> values (n,) [N or N m].
        wrenches: by joint (n, 6), [force, moment] of ``by`` on ``on``, at the joint's point along its axes.
        points: by joint, its point in the root link's frame (n, 3) [m].
        residual: by body (n, 6), at its origin in its axes [N, N m]: zero where it is in equilibrium.
        shared: whether the rules give the reactions of a state (n,): not beside their own dead points.
        dynamics: torques, coordinates, tensions and statuses of the states.
    """

    components: Mapping[tuple[str, str], Array]
    wrenches: Mapping[str, Array]
    points: Mapping[str, Array]
    residual: Mapping[str, Array]
    shared: NDArray[np.bool_]
    dynamics: ClosedLoopBatch


def reactions_batch(
    graph: SubsystemGraph,
    rules: Rules,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
) -> ReactionsBatch:
    """The reactions of many states by the rules: rows as of :class:`.ReactionSharing`.

    What a body requires is the sum over all links that it carries of m (a - g), and of I alpha + omega x I
    omega about their centres of mass (Goncalves et al., eqs. 1 and 2).

    Args:
        q, v, vdot, guess, threads, errors: as of :func:`.closed_loop_inverse_dynamics_batch`.

    Raises:
        StateError: bad arguments, or a step of the rules needs the force of a joint that is no spring.
        UnsupportedModelError, StateError: as :class:`.LoadCases`.
    """
    cases, sharing = LoadCases(graph, rules), ReactionSharing(rules)
    dynamics = closed_loop_inverse_dynamics_batch(graph, q, v, vdot, guess, threads, errors=errors)
    answered = np.flatnonzero(dynamics.statuses == RowStatus.ANSWERED)
    count, joints = len(dynamics.tau), len(rules.joints)
    x, wrenches = np.full((count, len(sharing.columns)), np.nan), np.full((count, joints, 6), np.nan)
    points, residual = np.full((count, joints, 3), np.nan), np.full((count, len(rules.bodies), 6), np.nan)
    shared = np.zeros(count, bool)
    known = known_springs(graph, sharing)
    for first in range(0, len(answered), CHUNK):
        rows = answered[first : first + CHUNK]
        given_motion = np.asarray(v)[rows], np.asarray(vdot)[rows]
        full = joint_motions_batch(graph, dynamics.coordinates[rows], *given_motion)
        motions = frame_motions(graph.tree, dynamics.coordinates[rows], *full, threads=threads)
        free = cases.free_bodies(sharing.cuts, motions)
        given = np.zeros((len(rows), x.shape[1]))
        for column, spring in known:
            given[:, column] = dynamics.tensions[rows, spring]
        C, levers, x[rows] = sharing.shared(free, given)
        wrenches[rows], residual[rows] = sharing.wrenches_and_residual(free, x[rows])
        points[rows], shared[rows] = free.at, ~sharing.wrong_balances(C, levers).any(axis=-1)
    for array in (x, wrenches, points, residual):
        array[~shared] = np.nan
    return ReactionsBatch(
        dict(zip(sharing.columns, x.T, strict=True)),
        _by_name(tuple(rules.joints), wrenches),
        _by_name(tuple(rules.joints), points),
        _by_name(rules.bodies, residual),
        shared,
        dynamics,
    )


def _by_name(names: Sequence[str], values: Array) -> dict[str, Array]:
    return {name: values[:, k] for k, name in enumerate(names)}
