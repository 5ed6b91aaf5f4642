"""Forward dynamics with closed loops: accelerations and multipliers from one symmetric indefinite system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics import bias, mass_matrix
from ...exceptions import ClosureError, SingularityError, StateError
from ...kernels.loops import closed_loop
from ...model import SubsystemGraph
from ..assembly.branch import Branch, Lost, Place
from ..assembly.mechanism import Mechanism
from .solver import solver_of

__all__ = ["ClosedLoopMotion", "closed_loop_forward_dynamics", "energy", "kkt_solution"]

Array = NDArray[np.float64]
#: Singular values of the constraints as a part of the largest: below the first rows are redundant, from there
#: to the second branches cross close by.
REDUNDANT, CROSSING = 1e-9, 1e-6
#: Part of the largest singular value with which redundant rows curve for unit velocities, at a crossing.
CURVED = 1e-6
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
    indefinite, a saddle point, and not positive definite as the paper says; singular where rows are
    redundant. Split by the singular directions of J: those with size give a part of vdot, M on the others,
    which is positive definite, the rest. Dead points of the independent joints do not matter. Places where
    branches of the motion cross (rods in line) are refused, for the accelerations depend on which of them is
    followed; ``simulate`` knows that from the motion before, and passes them.

    Args:
        coordinates, velocities: of all joints, loops closed (``close_loops``, ``constraint_projection``).
        tau: of the independent joints, in the order of ``graph.independent_joint_names``.

    Raises:
        ClosureError: the loops are open at these coordinates, or the velocities tear them open.
        SingularityError: branches cross here, or within about 1e-6 rad; it has the condition number of J.
        StateError: a wrong shape, or a number that is not finite.
    """
    solver = solver_of(graph).mechanism
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
    branch = Branch(solver, certain_rank(solver, q), q)
    try:
        places = branch.places(q, v)
    except Lost as lost:
        raise _crossing(solver, q, lost.condition) from None
    if len(places) == 1:
        return kkt_solution(solver, places[0], torques)
    return kkt_solution(solver, branch.place(q, v), torques, mean_accelerations(solver, places, torques))


def certain_rank(solver: Mechanism, q: Array) -> int:
    """Rank of the constraints at closed coordinates. Raises SingularityError where it is higher close by.

    There J has a singular value that is small, but not zero; or none, but with u^T J = 0 and J n = 0
    u^T (d^2 phi / dn^2) is not zero for all n, as it is where rows are redundant all along the motion.
    """
    tree, loops, _ = solver.arrays
    rest, scale, units = np.zeros(solver.graph.nv), solver.row_scale, solver.units
    closed_loop.rows_of(tree, loops, q, rest, solver.room)
    turned, size, directions = np.linalg.svd(scale[:, None] * solver.room[3] * units)
    if not size.any():
        return 0
    rank = int((size > REDUNDANT * size[0]).sum())
    least = size[rank - 1] / size[0]
    if least > CROSSING and rank < min(len(turned), len(directions)):
        free = directions[rank:].T
        # a quadratic form that is not zero is not zero either in a direction at random
        along = units * (free @ np.cos(np.arange(free.shape[1]) ** 2))
        closed_loop.rows_of(tree, loops, q, along, solver.room)
        curved = turned[:, rank:].T @ (scale * solver.room[4])
        if np.abs(curved).max() > CURVED * size[0]:
            least = size[rank] / size[0]
    if least > CROSSING or rank == 0:
        return rank
    raise _crossing(solver, q, 1.0 / least if least > 0.0 else np.inf)


def _crossing(solver: Mechanism, q: Array, condition: float) -> SingularityError:
    return SingularityError(
        f"branches of the motion of '{solver.graph.name}' cross at these coordinates, condition number "
        f"{condition:.2g} of its constraints: the accelerations depend on which is followed",
        condition,
        q.copy(),
    )


def mean_accelerations(solver: Mechanism, places: list[Place], tau: Array) -> Array:
    """Those that places of a branch stand for: see :mod:`.branch`."""
    found = np.zeros(solver.graph.nv)
    for place in places:
        found += place.weight * kkt_solution(solver, place, tau).accelerations
    return found


def kkt_solution(solver: Mechanism, place: Place, tau: Array, vdot: Array | None = None) -> ClosedLoopMotion:
    """The same at a place of a branch; the multipliers only where vdot is known."""
    from scipy import linalg  # noqa: PLC0415  # inverse dynamics must not wait for it at import

    graph, tree, q, v, units = solver.graph, solver.tree, place.q, place.v, solver.units
    right = -bias(tree, q, v)
    right[solver.independent_v] += tau
    tensions = np.zeros(len(graph.springs))
    if graph.springs:
        pull, tensions = solver.spring_forces(q, v)
        right -= pull.T @ tensions
    M, right = units[:, None] * mass_matrix(tree, q) * units, units * right
    held, free = place.held, place.free
    if vdot is None:
        closed_loop.rows_of(solver.arrays[0], solver.arrays[1], q, v, solver.room)
        along = -place.shortest(solver.row_scale * solver.room[4])
        try:
            factor = linalg.cho_factor(free @ M @ free.T)
        except np.linalg.LinAlgError:
            raise StateError(
                f"'{graph.name}' has a direction that moves no inertia: its M is singular"
            ) from None
        vdot = units * (along + free.T @ linalg.cho_solve(factor, free @ (right - M @ along)))
    pushed = held @ (M @ (vdot / units) - right) / place.size[: place.rank]
    multipliers = solver.row_scale * (place.turned[:, : place.rank] @ pushed)
    return ClosedLoopMotion(vdot, multipliers, place.rank, tensions)


def energy(graph: SubsystemGraph, coordinates: ArrayLike, velocities: ArrayLike) -> float:
    """Kinetic, gravitational and elastic energy [J]; zero with all bodies' masses at the root's origin, at
    rest, and springs at their free lengths.
    """
    solver = solver_of(graph).mechanism
    q, v = graph.checked(q=coordinates, v=velocities)
    return solver.potential(q) + 0.5 * float(v @ mass_matrix(solver.tree, q) @ v)
