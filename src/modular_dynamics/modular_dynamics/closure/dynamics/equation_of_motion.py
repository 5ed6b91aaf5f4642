"""The equation of motion in independent coordinates: M1 vdot + c1 + g1 + s1 = tau1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics import gravity_torque, mass_matrix
from ...model import SubsystemGraph
from .solver import solver_of

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
    return solver_of(graph).close(q, guess)


def constraint_projection(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """W (nv, independent): velocities of all joints from those of the independent ones, v = W v1.

    W = [1; -J_d^+ J_i] (Schappler et al., section 3.4), rows in the order of ``graph.joint_names``.
    """
    solver = solver_of(graph)
    return solver.projection(solver.close(q, guess))


def closed_loop_mass_matrix(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """M1 = W^T M W of the independent coordinates. Errors as of ``closed_loop_inverse_dynamics``."""
    solver = solver_of(graph)
    coordinates = solver.close(q, guess)
    W = solver.projection(coordinates)
    M1: Array = W.T @ mass_matrix(graph.tree, coordinates) @ W
    return M1


def closed_loop_gravity_torque(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """g1 = W^T g: torques of the independent joints against gravity alone, at rest; springs do not count."""
    solver = solver_of(graph)
    coordinates = solver.close(q, guess)
    g1: Array = solver.projection(coordinates).T @ gravity_torque(graph.tree, coordinates)
    return g1


def closed_loop_spring_torque(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """s1: torques of the independent joints against the springs alone, at rest."""
    solver = solver_of(graph)
    rest = np.zeros(len(solver.independent_v))
    static = solver.inverse_dynamics(solver.close(q, guess), rest, rest)
    return static.tau - static.projection.T @ gravity_torque(graph.tree, static.coordinates)


def closed_loop_bias(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, guess: ArrayLike | None = None
) -> Array:
    """h1: torques of the independent joints where these do not accelerate; gravity and springs count."""
    solver = solver_of(graph)
    return solver.inverse_dynamics_at(q, v, np.zeros(len(solver.independent_v)), guess).tau
