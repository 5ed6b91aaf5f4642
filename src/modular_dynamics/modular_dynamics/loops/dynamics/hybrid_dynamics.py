"""Hybrid dynamics with closed loops: some independent joints' torques are known, others' accelerations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics import inverse_dynamics, mass_matrix
from ...dynamics.arguments import Array
from ...dynamics.forward_dynamics import completed_by_zeros, prescribed_in
from ...exceptions import ClosureError
from ...model import SubsystemGraph, require_graph
from ..constraints.constraint_system import ConstraintSystem
from .forward_dynamics import (
    REDUNDANT,
    constraint_rank,
    raise_if_not_finite,
    raise_if_open,
)
from .reduced_inertia import reduced_accelerations, separate_motions
from .solver import solver_of, without_rounding
from .state_rows import errors_name_row, rows_of_states

__all__ = ["ClosedLoopHybridDynamics", "closed_loop_hybrid_dynamics", "closed_loop_hybrid_dynamics_batch"]


@dataclass(frozen=True, eq=False)
class ClosedLoopHybridDynamics:
    """What `closed_loop_hybrid_dynamics` computes. Of a batch every array has a row for each state.

    Attributes:
        vdot: accelerations of all joints (nv,), in the order of ``graph.joint_names`` [rad/s^2 or m/s^2].
        tau: torques of the independent joints, in the order of ``graph.independent_joint_names`` [N m or N].
        multipliers: of the constraint rows [N or N m]; of the least norm where rows are redundant.
        tensions: of the springs [N].
    """

    vdot: Array
    tau: Array
    multipliers: Array
    tensions: Array


def closed_loop_hybrid_dynamics(
    graph: SubsystemGraph,
    coordinates: ArrayLike,
    velocities: ArrayLike,
    vdot: ArrayLike,
    tau: ArrayLike,
    prescribed: Iterable[str],
    external_wrenches: Mapping[str, ArrayLike] | None = None,
    *,
    friction: str = "none",
) -> ClosedLoopHybridDynamics:
    """Accelerations of all joints, and torques of those independent joints whose accelerations are known.

    [M -J^T -E^T; J 0 0; E 0 0] [vdot; lambda; tau_p] = [tau_f - h - J_L^T F; -gamma; vdot_p]; E selects the
    prescribed joints p (Featherstone, Rigid Body Dynamics Algorithms, section 9.2, with the loops' rows of
    chapter 8). It is split by the singular vectors of [J; E]. Passive joints are unactuated, free ones
    included; their accelerations are computed. With none prescribed it is forward dynamics.

    Args:
        coordinates, velocities: of all joints, loops closed (``close_loops``, ``constraint_projection``).
            Velocities of free joints are part of the state: they may be anything that keeps loops closed.
        vdot, tau: accelerations and torques of the independent joints, in the order of
            ``graph.independent_joint_names``: vdot is read for the prescribed ones, tau for the others.
            Entries that are not read may be anything, NaN as well.
        prescribed: names of independent joints.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.
        friction: as of ``inverse_dynamics``; of passive joints it counts, too.

    Raises:
        ClosureError: the loops are open at these coordinates, or the velocities open them; or loops couple
            the prescribed joints, so that their accelerations cannot all be chosen.
        SingularityError: branches of the motion cross here.
        StateError: a wrong shape, a number that is read and not finite or so large that a result is not, an
            unknown joint or link, a joint that is not independent, or a torque on what moves no
            inertia, with the names of the joints that move.
        UnsupportedModelError: a black box in the graph.
    """
    require_graph(graph)
    is_known = prescribed_in(graph, prescribed, graph.independent_joint_names)
    return _solution(graph, (coordinates, velocities, vdot, tau), is_known, external_wrenches, friction)


def closed_loop_hybrid_dynamics_batch(
    graph: SubsystemGraph,
    coordinates: ArrayLike,
    velocities: ArrayLike,
    vdot: ArrayLike,
    tau: ArrayLike,
    prescribed: Iterable[str],
    external_wrenches: Mapping[str, ArrayLike] | None = None,
    *,
    friction: str = "none",
) -> ClosedLoopHybridDynamics:
    """Hybrid dynamics of many states, one after the other, on one thread.

    Args:
        coordinates (count, nq), velocities (count, nv), vdot and tau (count, independent): each row as of
            ``closed_loop_hybrid_dynamics``, and so the other arguments.

    Raises:
        As ``closed_loop_hybrid_dynamics``, with the row.
    """
    require_graph(graph)
    system = solver_of(graph).system
    is_known = prescribed_in(graph, prescribed, graph.independent_joint_names)
    independent = len(system.independent_v)
    states = rows_of_states(
        coordinates=(coordinates, graph.nq),
        velocities=(velocities, graph.nv),
        vdot=(vdot, independent),
        tau=(tau, independent),
    )
    widths = graph.nv, independent, len(system.names), len(graph.springs)
    result = ClosedLoopHybridDynamics(*(np.empty((len(states[0]), width)) for width in widths))
    for k, state in enumerate(zip(*states, strict=True)):
        with errors_name_row(k):
            solution = _solution(graph, state, is_known, external_wrenches, friction)
        result.vdot[k], result.tau[k] = solution.vdot, solution.tau
        result.multipliers[k], result.tensions[k] = solution.multipliers, solution.tensions
    return result


def _solution(
    graph: SubsystemGraph,
    state: tuple[ArrayLike, ...],
    is_known: NDArray[np.bool_],
    external_wrenches: Mapping[str, ArrayLike] | None,
    friction: str,
) -> ClosedLoopHybridDynamics:
    """At one state: coordinates, velocities, vdot, tau; ``is_known`` (nv,): whose vdot is prescribed."""
    coordinates, velocities, vdot, tau = state
    system = solver_of(graph).system
    checked, own = system.independent.checked, system.independent_v
    q, v = graph.checked(q=coordinates, v=velocities)
    is_known = is_known[own]
    accelerations = checked("vdot", completed_by_zeros(vdot, is_known))[is_known]
    torques = checked("tau", completed_by_zeros(tau, ~is_known)).copy()
    raise_if_open(system, q, v)
    v = v if friction == "none" else without_rounding(system, v)
    units, scale = system.units, system.row_scale
    springs = system.spring_forces(q, v)
    right = -inverse_dynamics(
        graph.tree, q, v, np.zeros(graph.nv), external_wrenches=external_wrenches, friction=friction
    )
    right[own] += torques
    M = units[:, None] * mass_matrix(graph.tree, q) * units
    right = units * (right - springs.J.T @ springs.tensions)
    values = system.evaluate(q, v)
    rows = np.vstack([scale[:, None] * values.J * units, np.eye(graph.nv)[own[is_known]]])
    rates = np.concatenate([-scale * values.gamma, accelerations / units[own[is_known]]])
    count = constraint_rank(system, q) + int(is_known.sum())
    left, sizes, directions = np.linalg.svd(rows)
    if int((sizes > REDUNDANT * sizes.max(initial=0.0)).sum()) < count:
        _raise_coupled(system, q, own[is_known])
    constrained, free = directions[:count], separate_motions(directions[count:])
    left, sizes = left[:, :count], sizes[:count]
    m = len(values.J)
    with np.errstate(over="ignore", invalid="ignore"):  # checked at the end
        along = constrained.T @ (left.T @ rates / sizes)
        motion = along + free.T @ reduced_accelerations(graph, free.T, M, free @ (right - M @ along))
        forces = left @ (constrained @ (M @ motion - right) / sizes)
        torques[is_known] = forces[m:] / units[own[is_known]]
        result = ClosedLoopHybridDynamics(units * motion, torques, scale * forces[:m], springs.tensions)
    raise_if_not_finite(result.vdot, result.tau, result.multipliers)
    return result


def _raise_coupled(system: ConstraintSystem, q: Array, prescribed: NDArray[np.int64]) -> None:
    """Raise ClosureError: loops couple these velocities (indices in v), which cannot all be prescribed."""
    graph = system.graph
    names = [name for name in graph.independent_joint_names if graph.v_slice(name).start in prescribed]
    freedoms = graph.nv - system.rank(system.evaluate(q).J)
    raise ClosureError(
        f"the accelerations of {', '.join(names)} of '{graph.name}' cannot all be prescribed: its loops "
        f"couple them. The mechanism has {freedoms} degrees of freedom here; prescribe fewer, or others",
        None,
        q.copy(),
    )
