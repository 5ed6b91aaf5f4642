"""Inverse dynamics with closed loops: torques, multipliers, wrenches at the cuts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arrays.model_arrays import body_to_aligned
from ...exceptions import SingularityError, StateError
from ...kernels import layout
from ...kernels.loops import closed_loop
from ...kernels.loops.constraint_rows import cut_wrenches
from ...model import SubsystemGraph, body_loads
from ..assembly.diagnosis import TIED, refuse_tied
from ..assembly.mechanism import Mechanism, mechanism

__all__ = ["ClosedLoopDynamics", "closed_loop_inverse_dynamics"]

Array = NDArray[np.float64]
#: Condition number of the dependent Jacobian from which on a configuration counts as a dead point.
WORST_CONDITION = 1e6


@dataclass(frozen=True, eq=False)
class ClosedLoopDynamics:
    """What `closed_loop_inverse_dynamics` finds.

    Attributes:
        tau: torques of the independent joints, in the order of ``graph.independent_joint_names`` [N m or N].
        multipliers: of the constraint rows [N or N m]; of the least norm where rows are redundant.
        coordinates, velocities, accelerations: of all joints, in the order of ``graph.joint_names``;
            ``coordinates`` is the next call's guess.
        wrenches: by loop joint, [force N, moment N m] of the predecessor on the successor, at and in the
            successor's anchor frame.
        tensions: by spring [N].
        rank: of the constraint rows; ``redundant`` of them say nothing new.
        condition: of the dependent part of the constraint Jacobian, gears in the units of what drives them:
            large near a dead point.
        residual: by loop joint and gear, what is left open [m or 1].
    """

    tau: Array
    multipliers: Array
    coordinates: Array
    velocities: Array
    accelerations: Array
    wrenches: Mapping[str, Array]
    tensions: Mapping[str, float]
    rank: int
    redundant: int
    condition: float
    residual: Mapping[str, float]


def closed_loop_inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    external_wrenches: Mapping[str, ArrayLike] | None = None,
) -> ClosedLoopDynamics:
    """Torques of the independent joints of a robot with closed loops, springs and gears.

    The loops are cut at the loop joints, and the tree's torques tau computed with all joints moving as the
    loops make them. Passive joints bear none: J_d^T lambda = tau_d gives the wrenches lambda that cross the
    cuts, and tau_1 = tau_i - J_i^T lambda = W^T tau, W = [1; -J_d^+ J_i] (Schappler et al., section 3.4).
    Springs pull with F = F0 + k (L - L0) + d dL/dt.

    Args:
        q, v, vdot: of the independent joints, in the order of ``graph.independent_joint_names``.
        guess: coordinates of all joints. The assembly mode is the one nearest to them (sum of squares of the
            joints that loops determine, angles the short way round) at their own independent coordinates,
            followed to q without a jump; where loops do not close there, the one nearest at q. Of loops that
            are not planar, the nearest that Newton's method finds. Limits do not count.
            Without it, the mode reached from the zero pose, or, where zero is beyond a joint's limits, from
            their middle; of several one in which passive joints are within their limits.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.

    Raises:
        ClosureError: the loops do not close there; it has the residual and the closest configuration. Or the
            independent joints are too many, and loops would be torn. Or there is no guess, and passive joints
            would be beyond their limits by more than 2e-3 rad or m.
        SingularityError: a dead point, or too few independent joints; it has the condition number.
        StateError: a wrong shape, a number that is not finite, or a link that the graph does not have.
        UnsupportedModelError: a black box in the graph.
    """
    solver = mechanism(graph)
    mine, mine_v, mine_a = solver.checked(q, v, vdot=vdot)
    coordinates = solver.positions(mine, guess)
    if not external_wrenches:
        return solve(solver, coordinates, mine_v, mine_a)
    felt = solver.arrays[0][1][:-1, layout.EXTERNAL :]
    try:
        for body, zeta in body_loads(graph, external_wrenches).items():
            felt[body] += body_to_aligned(solver.alignments[body], zeta.vec6())
        return solve(solver, coordinates, mine_v, mine_a)
    finally:
        felt[:] = 0.0  # the constants are every computation's on this mechanism


def solve(solver: Mechanism, coordinates: Array, v: Array, vdot: Array) -> ClosedLoopDynamics:
    """The same where the loops are closed already, at coordinates of all joints."""
    graph, rows = solver.graph, solver.rows
    velocities, accelerations, tau = np.zeros(graph.nv), np.zeros(graph.nv), np.empty(graph.nv)
    velocities[solver.independent_v], accelerations[solver.independent_v] = v, vdot
    multipliers = np.zeros(len(rows.rows))
    tree, loops, split = solver.arrays
    motion = coordinates, velocities, accelerations
    room = solver.room, solver.stretch, solver.buffer
    status, condition, rank, torn = closed_loop.closed_dynamics(
        tree, loops, solver.springs.arrays, solver.laws, split, *motion, *room, tau, multipliers
    )
    refuse_singular(solver, coordinates, condition)
    if torn > TIED:
        projection_at(solver, coordinates)
    if status != 0:
        raise StateError("q, v and vdot are finite, but so large that the torques are not")
    cut = np.zeros((len(rows.ends), 6))
    cut_wrenches(tree[0], solver.room[1], *loops, multipliers, cut)
    found = solver.residual(coordinates)
    return ClosedLoopDynamics(
        tau[solver.independent_v],
        multipliers,
        coordinates,
        velocities,
        accelerations,
        {loop.name: wrench for loop, wrench in zip(graph.loop_joints, cut, strict=True)},
        {s.name: float(pull) for s, pull in zip(graph.springs, solver.stretch[8], strict=False)},
        rank,
        len(rows.rows) - rank,
        condition,
        found,
    )


def projection_at(solver: Mechanism, coordinates: Array) -> Array:
    """W (nv, independent) at closed coordinates. Raises SingularityError, ClosureError: there is none."""
    W = np.zeros((solver.graph.nv, len(solver.independent_v)))
    condition = closed_loop.projection(*solver.arrays, coordinates, solver.room, W)
    refuse_singular(solver, coordinates, condition)
    refuse_tied(solver, coordinates, W)
    return W


def refuse_singular(solver: Mechanism, coordinates: Array, condition: float) -> None:
    """Raises SingularityError where dependent coordinates are free: dead points, too few independent ones."""
    if condition < WORST_CONDITION:
        return
    graph = solver.graph
    closed_loop.rows_of(solver.arrays[0], solver.arrays[1], coordinates, np.zeros(graph.nv), solver.room)
    J, (rows, columns) = solver.room[3], solver.split[9:]
    _, size, directions = np.linalg.svd(rows[:, None] * J[:, solver.split[3]] * columns)
    held = min(int((size > size.max(initial=0.0) / WORST_CONDITION).sum()), len(directions) - 1)
    free = np.abs(directions[held:]).max(axis=0)
    names = [name for name, part in zip(solver.dependent, free, strict=True) if part > 1e-3 * free.max()]
    left, chosen = graph.nv - solver.rank(J), len(solver.independent_v)
    why = "it is a dead point of these joints; others move it"
    if left > chosen:
        why = (
            f"the mechanism has {left} degree(s) of freedom here and {chosen} coordinate(s) are chosen: more "
            "joints must be independent, or loops are in line"
        )
    raise SingularityError(
        f"the independent joints ({', '.join(graph.independent_joint_names)}) of '{graph.name}' do not "
        f"determine {', '.join(names)} here, condition number {condition:.2g}: {why}",
        condition,
        coordinates.copy(),
    )
