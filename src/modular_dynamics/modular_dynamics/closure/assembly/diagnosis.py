"""Why loops do not close: out of reach, contradicting each other, tied independent joints, dead points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...exceptions import ClosureError, SingularityError
from ...kernels.loops import closed_loop
from ...model import JointType
from ..constraints.independence import raise_if_dependent
from ..constraints.loop_arrays import LoopArrays

__all__ = ["open_loops", "refuse_branch_end", "unclosed"]

Array = NDArray[np.float64]
#: Spreads of starts [rad or m] where all joints are free: none on a singular pose, where ranks mislead.
FREE_STARTS = (0.1, 0.1, 0.5, 0.5, 1.0, 1.0)
#: Residual [m or 1] with which loops count as closed at a dead point, where Newton's method is slow.
AT_DEAD_POINT = 1e-8


def open_loops(arrays: LoopArrays, coordinates: Array, where: str, why: str) -> ClosureError:
    """Which loops are open, by how much, and why."""
    found = arrays.residual(coordinates)
    most = max(found.values(), default=0.0)
    closed = min(0.5 * most, max(1e-9, 1e-6 * most))
    worst = ", ".join(f"{name} by {value:.3g}" for name, value in found.items() if not value <= closed)
    return ClosureError(
        f"the loops of '{arrays.graph.name}' do not close {where}: open are {worst} [m or 1]; {why}",
        found,
        coordinates.copy(),
    )


def unclosed(arrays: LoopArrays, coordinates: Array, where: str, closable: bool = False) -> ClosureError:
    """Why do loops not close? Where all joints are free they tell: there is no way at all, or a tie."""
    graph = arrays.graph
    floating = (name for name in graph.joint_names if graph.joint(name).type is JointType.FLOATING)
    free = LoopArrays(graph.with_independent_joints(*floating))
    W = np.zeros((graph.nv, len(arrays.independent_v)))
    rng = np.random.default_rng(0)
    for spread in FREE_STARTS if len(free.dependent) > len(arrays.dependent) else ():
        attempt = coordinates.copy()
        attempt[free.split[2]] += spread * rng.standard_normal(len(free.split[2]))
        if free.settle(attempt) < closed_loop.CLOSED:
            closed_loop.projection(*arrays.arrays, attempt, arrays.room, W)
            try:
                raise_if_dependent(arrays, attempt, W)
            except ClosureError as tied:
                return tied
            closable = True
            break
    why = "the independent coordinates are out of reach"
    if not closable:
        moving = "all joints but floating bases" if arrays.floats_in_loops else "all joints"
        why = f"nor do they where {moving} are free, as far as was found: loops contradict each other"
    return open_loops(arrays, coordinates, where, why)


def refuse_branch_end(arrays: LoopArrays, mine: Array, reached: Array, gone: float) -> None:
    """Why was the way to the independent coordinates not gone to its end?

    Raises:
        SingularityError: a dead point. ClosureError: out of reach, or independent joints that are tied.
    """
    W = np.zeros((arrays.graph.nv, len(arrays.independent_v)))
    condition = closed_loop.projection(*arrays.arrays, reached, arrays.room, W)
    raise_if_dependent(arrays, reached, W)
    best = reached.copy()
    best[arrays.independent_q] = mine
    _approach(arrays, best)
    if max(arrays.residual(best).values(), default=0.0) < AT_DEAD_POINT:
        there = closed_loop.projection(*arrays.arrays, best, arrays.room, W)
        names = ", ".join(arrays.graph.independent_joint_names)
        where = f"dead point of its independent joints {names}: condition number {max(there, condition):.2g}"
        barred = (
            f"closes there, but the branch ends after {100.0 * gone:.1f} % of the way from the start (a "
            "guess beyond tells another), at a"
        )
        raise SingularityError(
            f"'{arrays.graph.name}' {'closes there, at a' if there > condition else barred} {where}",
            max(there, condition),
            best,
        )
    error = unclosed(arrays, best, "at these independent coordinates", closable=True)
    if error.residual is None:  # not the loops are at fault, but the choice of independent joints
        raise error
    raise ClosureError(
        f"{error}. The branch ends after {100.0 * gone:.1f} % of the way from the start, at a dead point "
        f"(condition number {condition:.2g})",
        error.residual,
        best,
    )


def _approach(arrays: LoopArrays, coordinates: Array) -> None:
    """Least squares of what is open, in place, by damped steps (Levenberg).

    Where Newton's method is stuck at a dead point, loops that are not at fault close all the same.
    """
    (tree, loops, split), rest = arrays.arrays, np.zeros(arrays.graph.nv)
    places, damping, least, T = split[2], 1e-3, np.inf, arrays.gearing.T
    arrays.meet_gears(coordinates)
    one = np.eye(T.shape[1])
    tried, gradient, curvature = coordinates.copy(), np.zeros(len(one)), one
    for _ in range(200):
        closed_loop.rows_of(tree, loops, tried, rest, arrays.room)
        phi, J = arrays.room[2], arrays.room[3][:, split[3]] @ T
        if (now := float(phi @ phi)) < least:
            coordinates[:], least, damping = tried, now, max(0.3 * damping, 1e-12)
            gradient, curvature = J.T @ phi, J.T @ J
        else:
            damping *= 4.0
        step = T @ np.linalg.solve(curvature + damping * one, -gradient)
        if np.abs(step).max(initial=0.0) < closed_loop.LAST_STEP:
            return
        tried[:] = coordinates
        tried[places] += step
