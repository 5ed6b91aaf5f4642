"""Dynamics in the coordinates of all joints: accelerations and multipliers from one symmetric system."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import kinetic_energy, potential_energy
from ...dynamics.arguments import Array, errors_begin_with
from ...dynamics.forward_dynamics import HybridDynamics, completed_by_zeros, prescribed_in, prescribed_names
from ...dynamics.inverse_dynamics import Wrenches
from ...exceptions import StateError
from ...model import SubsystemGraph, checked_vectors, require_graph
from .rows import are_many, closed_rows, rows_of_states
from .saddle_point import (
    ConstrainedDynamics,
    branch_motion,
    constrained_motion,
    prescribed_motion,
    projected,
    raise_if_open,
    ranked,
    states_around,
)
from .solver import solver_of


def constrained_dynamics(
    graph: SubsystemGraph,
    coordinates: ArrayLike,
    velocities: ArrayLike,
    tau: ArrayLike,
    *,
    prescribed: Iterable[str] = (),
    a: ArrayLike | None = None,
    external_wrenches: Wrenches = None,
    friction: str = "none",
) -> ConstrainedDynamics:
    """Return accelerations of all joints of a robot with closed loops, at a state of all joints.

    [M J^T; J 0] [a; -lambda] = [tau - h - J_L^T F; -gamma] (Kumar et al., eq. 22): symmetric, but indefinite,
    a saddle point, and not positive definite as the paper says; singular where rows are redundant. It is
    split by the singular vectors of J: those of its row space give a part of a, and M on its null space,
    which is positive definite, the rest. Singular configurations of the independent joints do not matter.
    Passive joints are unactuated, those included that loops do not determine; velocities of these are part of
    the state. Where accelerations are prescribed, rows that select them stand beside J (Featherstone, Rigid
    Body Dynamics Algorithms, section 9.2, with the loops' rows of chapter 8), and their torques are found.
    It raises where branches of the motion cross (rods in line), because the accelerations depend on which of
    them is followed; ``simulate`` knows that from the motion before, and continues. Nearby accelerations are
    interpolated along the branch, since J at one state determines them to about 1e-16 / d^3 only, d rad away.

    Args:
        coordinates, velocities: of all joints, (nq,) and (nv,), loops closed (``close_loops``,
            ``explicit_constraint_jacobian``).
        tau: of the independent joints, in the order of ``graph.independent_joint_names``; not read for
            prescribed ones: NaN will do.
        prescribed: names of independent joints whose accelerations are known.
        a: accelerations of the independent joints, read for the prescribed ones.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.
        friction: as of ``inverse_dynamics``; of passive joints it counts, too.

    Raises:
        ClosureError: the loops are open at these coordinates, or the velocities open them; or loops couple
            the prescribed joints, so that their accelerations cannot all be chosen.
        SingularityError: branches cross here, or within about 1e-6 rad, or come close to each other without
            crossing; it has the condition number of J.
        StateError: a wrong shape, a number that is read and not finite, or so large that a result is not; an
            unknown joint or link, a joint that is not independent; or torques on a motion that moves no
            inertia, with the names of the joints that move. Without torque such a motion has no acceleration.
        UnsupportedModelError: a black box in the graph.
    """
    require_graph(graph)
    system = solver_of(graph).system
    q, v = checked_vectors(graph, q=coordinates, v=velocities)
    is_known = prescribed_in(graph, prescribed, graph.independent_joint_names)[system.independent_v]
    torques = system.independent.checked("tau", completed_by_zeros(tau, ~is_known))
    if is_known.any():
        if a is None:
            raise StateError("a is None; the accelerations of the prescribed joints are needed")
        given = system.independent.checked("a", completed_by_zeros(a, is_known))
        return prescribed_motion(system, q, v, torques, given, is_known, friction, external_wrenches)
    raise_if_open(system, q, v)
    state, options = ranked(system, q, v), (torques.copy(), friction, external_wrenches)
    states = states_around(system, state) or [projected(system, state)]
    return branch_motion(system, states, lambda at, a: constrained_motion(system, at, *options, a=a)[0])


def energy(graph: SubsystemGraph, coordinates: ArrayLike, velocities: ArrayLike) -> float:
    """Return kinetic, gravitational and elastic energy [J] of all joints' coordinates and velocities.

    Armatures and springs at joints included. It is zero at rest, with all bodies' masses at the root's origin
    and springs at their free lengths.

    Raises:
        StateError: a wrong shape, a number that is not finite, or so large that the energy is not.
        UnsupportedModelError: a black box in the graph.
    """
    system = solver_of(graph).system
    q, v = checked_vectors(graph, q=coordinates, v=velocities)
    of_tree = kinetic_energy(graph.tree, q, v) + potential_energy(graph.tree, q)
    return float(of_tree + system.spring_energy(q))


# Hybrid dynamics with closed loops: some independent joints' torques are known, others' accelerations.


def hybrid_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    prescribed: Iterable[str],
    *,
    external_wrenches: Wrenches = None,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
) -> HybridDynamics:
    """Return accelerations and torques (p,) of independent joints: see `modular_dynamics.hybrid_dynamics`.

    By `constrained_dynamics` where the loops are closed, free joints at rest; many states one by one.
    """
    options: Any = {"external_wrenches": external_wrenches, "friction": friction}
    options["prescribed"] = prescribed_names(prescribed)  # an iterator has them only once
    if not are_many(q, threads):
        return independent_motion(graph, solver_of(graph).close(q, guess), v, tau, a=a, **options)
    rows = rows_of_states(graph, q=q, v=v, a=a, tau=tau)[1:]
    result = np.empty((2, *rows[0].shape))
    for k, coordinates in enumerate(closed_rows(graph, q, guess, threads)):
        with errors_begin_with(f"row {k}"):
            at = independent_motion(graph, coordinates, rows[0][k], rows[2][k], a=rows[1][k], **options)
        result[:, k] = at.a, at.tau
    return HybridDynamics(*result)


def independent_motion(
    graph: SubsystemGraph, closed: Array, v: ArrayLike, tau: ArrayLike, **options: Any
) -> HybridDynamics:
    """Return `constrained_dynamics` of the independent joints at closed coordinates, free joints at rest."""
    solver = solver_of(graph)
    velocities = solver.projection(closed) @ solver.system.independent.checked("v", v)
    motion = constrained_dynamics(graph, closed, velocities, tau, **options)
    return HybridDynamics(motion.a[solver.independent_v], motion.tau)
