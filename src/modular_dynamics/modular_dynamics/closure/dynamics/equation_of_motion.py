"""The equation of motion in independent coordinates: M1 vdot + c1 + g1 + s1 = tau1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics import gravity_torque, mass_matrix
from ...model import SubsystemGraph
from ..assembly.mechanism import mechanism
from .inverse_dynamics import projection_at, solve

__all__ = [
    "close_loops",
    "closed_loop_bias",
    "closed_loop_gravity_torque",
    "closed_loop_mass_matrix",
    "closed_loop_spring_torque",
    "constraint_projection",
]

Array = NDArray[np.float64]


def close_loops(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """Coordinates of all joints (nq,) in the order of ``graph.joint_names``, loops closed, at independent q.

    In the assembly mode nearest to ``guess``, followed in closed form or in strides, so that it never jumps.
    Arguments and errors as of ``closed_loop_inverse_dynamics``.
    """
    return mechanism(graph).positions(q, guess)


def constraint_projection(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """W (nv, independent): velocities of all joints from those of the independent ones, v = W v1.

    W = [1; -J_d^+ J_i] (Schappler et al., section 3.4), rows in the order of ``graph.joint_names``.
    """
    solver = mechanism(graph)
    return projection_at(solver, solver.positions(q, guess))


def closed_loop_mass_matrix(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """M1 = W^T M W of the independent coordinates. Errors as of ``closed_loop_inverse_dynamics``."""
    solver = mechanism(graph)
    coordinates = solver.positions(q, guess)
    W = projection_at(solver, coordinates)
    M1: Array = W.T @ mass_matrix(solver.tree, coordinates) @ W
    return M1


def closed_loop_gravity_torque(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """g1 = W^T g: what gravity alone asks of the independent joints at rest; springs do not count."""
    solver = mechanism(graph)
    coordinates = solver.positions(q, guess)
    g1: Array = projection_at(solver, coordinates).T @ gravity_torque(solver.tree, coordinates)
    return g1


def closed_loop_spring_torque(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """s1: what the springs ask of the independent joints at rest."""
    solver = mechanism(graph)
    rest = np.zeros(len(solver.independent_v))
    held = solve(solver, solver.positions(q, guess), rest, rest)
    g1: Array = projection_at(solver, held.coordinates).T @ gravity_torque(solver.tree, held.coordinates)
    return held.tau - g1


def closed_loop_bias(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, guess: ArrayLike | None = None
) -> Array:
    """h1: torques of the independent joints where these do not accelerate; gravity and springs count."""
    solver = mechanism(graph)
    mine, rates = solver.checked(q, v)
    return solve(solver, solver.positions(mine, guess), rates, np.zeros_like(rates)).tau
