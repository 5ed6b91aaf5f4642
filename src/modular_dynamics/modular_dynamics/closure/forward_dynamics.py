"""Forward dynamics with closed loops: accelerations and multipliers from one symmetric indefinite system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..dynamics import bias, mass_matrix
from ..exceptions import ClosureError, StateError
from ..kernels import closed_loop
from ..model import SubsystemGraph
from .mechanism import Mechanism, mechanism

__all__ = ["ClosedLoopMotion", "closed_loop_forward_dynamics", "energy", "kkt_solution"]

Array = NDArray[np.float64]
#: Singular directions of the constraints below this part of the largest are dropped: at a dead point.
DEAD = 1e-5
#: Residual [m or 1] of the coordinates from which on they are refused.
OPEN = 1e-6


@dataclass(frozen=True, eq=False)
class ClosedLoopMotion:
    """What `closed_loop_forward_dynamics` finds.

    Attributes:
        accelerations: of all joints, in the order of ``graph.joint_names`` [rad/s^2 or m/s^2].
        multipliers: of the constraint rows [N or N m]; of the least norm where rows are redundant.
        rank: of the constraint rows. tensions: of the springs [N].
    """

    accelerations: Array
    multipliers: Array
    rank: int
    tensions: Array


def closed_loop_forward_dynamics(
    graph: SubsystemGraph, coordinates: ArrayLike, velocities: ArrayLike, tau: ArrayLike
) -> ClosedLoopMotion:
    """Accelerations of all joints under the torques of the independent ones.

    [M J^T; J 0] [vdot; -lambda] = [tau - h - J_L^T F; -gamma] (Kumar et al., eq. 22): symmetric, but
    indefinite, a saddle point, and not positive definite as the paper says; singular where rows are redundant
    and at dead points. Split by the singular directions of J: those with size give a part of vdot, M on the
    others, which is positive definite, the rest. What the loops leave open at a dead point is free.

    Args:
        coordinates, velocities: of all joints, loops closed (``close_loops``, ``constraint_projection``).
        tau: of the independent joints, in the order of ``graph.independent_joint_names``.

    Raises:
        ClosureError: the loops are open at these coordinates, or the velocities tear them open.
        StateError: a wrong shape, or a number that is not finite.
    """
    solver = mechanism(graph)
    q, v = graph.checked(q=coordinates, v=velocities)
    (torques,) = solver.checked_rates(tau=tau)
    residual = solver.residual(q)
    drift = solver.room[3] @ v
    for what, values in (
        ("open", list(residual.items())),
        ("torn", list(zip(solver.rows.names, abs(drift), strict=True))),
    ):
        worst = max(values, key=lambda item: item[1], default=("", 0.0))
        if worst[1] > OPEN * max(1.0, float(np.abs(v).max(initial=0.0)) if what == "torn" else 1.0):
            raise ClosureError(
                f"'{worst[0]}' of '{graph.name}' is {what} by {worst[1]:.3g} at these coordinates and "
                "velocities; close_loops and constraint_projection make closed ones",
                residual,
                q,
            )
    return kkt_solution(solver, q, v, torques)


def kkt_solution(solver: Mechanism, q: Array, v: Array, tau: Array) -> ClosedLoopMotion:
    """The same without checks of the state."""
    graph, tree = solver.graph, solver.tree
    right = -bias(tree, q, v)
    right[solver.independent_v] += tau
    tensions = np.zeros(len(graph.springs))
    if graph.springs:
        pull, tensions = solver.spring_forces(q, v)
        right -= pull.T @ tensions
    closed_loop.rows_of(solver.arrays[0], solver.arrays[1], q, v, solver.room)
    J, gamma = solver.room[3], solver.room[4]
    M, m = mass_matrix(tree, q), len(J)
    if m == 0:
        return ClosedLoopMotion(np.asarray(np.linalg.solve(M, right)), np.zeros(0), 0, tensions)
    from scipy import linalg  # noqa: PLC0415  # inverse dynamics must not wait for it at import

    turned, size, directions = np.linalg.svd(J)
    rank = int((size > DEAD * size[0]).sum())
    held, free = directions[:rank], directions[rank:]  # rows: held by the loops, and left open by them
    along = held.T @ (turned[:, :rank].T @ -gamma / size[:rank])
    try:
        factor = linalg.cho_factor(free @ M @ free.T)
    except np.linalg.LinAlgError:
        raise StateError(f"'{graph.name}' has a direction that moves no inertia: its M is singular") from None
    vdot = along + free.T @ linalg.cho_solve(factor, free @ (right - M @ along))
    multipliers = turned[:, :rank] @ (held @ (M @ vdot - right) / size[:rank])
    return ClosedLoopMotion(vdot, multipliers, rank, tensions)


def energy(graph: SubsystemGraph, coordinates: ArrayLike, velocities: ArrayLike) -> float:
    """Kinetic, gravitational and elastic energy [J]; zero with all bodies' masses at the root's origin, at
    rest, and springs at their free lengths.
    """
    solver = mechanism(graph)
    q, v = graph.checked(q=coordinates, v=velocities)
    return solver.potential(q) + 0.5 * float(v @ mass_matrix(solver.tree, q) @ v)
