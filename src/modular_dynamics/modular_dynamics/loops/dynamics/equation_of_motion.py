"""The equation of motion of independent coordinates, M1 a + h1 = tau1: its terms, and its solution a."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import inverse_dynamics
from ...dynamics import mass_matrix as mass_matrix_of_tree
from ...dynamics.arguments import Array
from ...dynamics.inverse_dynamics import Wrenches
from ...dynamics.quantity import counts_friction
from ...model import SubsystemGraph
from ...model.number_arrays import real_numbers
from ..core_loops import GOOD, core_loops
from .constrained_dynamics import independent_motion
from .rows import are_many, closed_rows, computed_rows, into
from .solver import are_any, solver_of


def close_loops(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """Return coordinates (nq,) of all joints of ``graph.joint_names``, loops closed, at independent q.

    In the assembly mode nearest to ``guess``, followed in closed form or in strides, so that it never jumps.
    Of many states (n, nq). Arguments and errors as of ``inverse_dynamics``.
    """
    return closed_rows(graph, q, guess) if are_many(q) else solver_of(graph).close(q, guess)


def explicit_constraint_jacobian(
    graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None
) -> Array:
    """Return W (nv, independent): velocities of all joints from those of the independent ones, v = W v1.

    W = [1; -J_d^+ J_i] (Schappler et al., section 3.4), rows in the order of ``graph.joint_names``. Arguments
    and errors as of ``inverse_dynamics``.
    """
    solver = solver_of(graph)
    return solver.projection(solver.close(q, guess))


def mass_matrix(
    graph: SubsystemGraph,
    q: ArrayLike,
    *,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return M1 = W^T M W (p, p) of the p independent velocities.

    Free coordinates (docs/reference/closed_loops.md) accelerate with the independent ones, without torques: W
    includes that here and in the functions below.
    """
    solver = solver_of(graph)

    def one(q: ArrayLike, near: ArrayLike | None) -> tuple[Array, Array]:
        closed = solver.close(q, near)
        W = solver.dynamic_projection(closed)
        return W.T @ mass_matrix_of_tree(graph.tree, closed) @ W, closed

    if are_many(q, threads):
        rows = computed_rows(graph, "mass_matrix", {"q": q}, one, guess=guess, threads=threads)
        return into(out, rows.values)
    width = len(solver.independent_v)
    matrix = np.empty((width, width)) if out is None else out
    core: Callable[..., int] = graph.once(core_loops).mass_matrix
    if guess is None:
        found = solver.from_reference(partial(core, q), (width, width), out)
        return into(out, one(q, None)[0]) if found is None else found
    try:
        if core(q, guess, matrix) == GOOD:
            return matrix
    except (TypeError, ValueError):
        pass  # what is to be converted or refused
    return into(out, one(q, guess)[0])


def nonlinear_effects(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    *,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return h1 = c1 + g1 + s1 (p,): torques of independent joints at zero acceleration, with springs."""
    at_rest: Any = np.zeros(real_numbers("v", v).shape)
    return inverse_dynamics(graph, q, v, at_rest, friction=friction, guess=guess, threads=threads, out=out)


def gravity_torque(
    graph: SubsystemGraph,
    q: ArrayLike,
    *,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return g1 = W^T g (p,): torques against gravity at rest, without springs, also those at joints."""
    count = real_numbers("q", q).shape[:-1]
    at_rest = np.zeros((*count, len(solver_of(graph).independent_v)))
    without = graph.once(without_springs)
    return inverse_dynamics(without, q, at_rest, at_rest, guess=guess, threads=threads, out=out)


def forward_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    external_wrenches: Wrenches = None,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return accelerations a (p,) of the independent joints under their torques tau (p,): M1^-1 (tau - h1).

    Free joints have velocity zero. `constrained_dynamics` takes closed coordinates and velocities of all
    joints, gives accelerations of all, and answers at singular configurations of the independent joints, too.

    Raises:
        StateError: a motion that moves no inertia, on which torques act. Without torque such a motion has no
            acceleration. Else as of `inverse_dynamics`.
    """
    solver, counts = solver_of(graph), counts_friction(friction)

    def one(q: ArrayLike, v: ArrayLike, tau: ArrayLike, near: ArrayLike | None) -> tuple[Array, Array]:
        closed = solver.close(q, near)
        options: Any = {"external_wrenches": external_wrenches, "friction": friction}
        return independent_motion(graph, closed, v, tau, **options).a, closed

    if are_many(q, threads):
        rows = computed_rows(
            graph,
            "forward_dynamics",
            {"q": q, "v": v, "tau": tau},
            one,
            guess=guess,
            threads=threads,
            friction=friction,
            external_wrenches=external_wrenches,
        )
        return into(out, rows.values)
    a = np.empty(len(solver.independent_v)) if out is None else out
    core: Callable[..., int] = graph.once(core_loops).forward_dynamics
    if guess is None and not are_any(external_wrenches):

        def of_state(near: Array, a: Array, closed: Array) -> int:
            return core(q, v, tau, near, a, closed, None, counts)

        if (found := solver.from_reference(of_state, (len(solver.independent_v),), out)) is not None:
            return found
    try:
        is_for_core = guess is not None and not are_any(external_wrenches)
        if is_for_core and core(q, v, tau, guess, a, None, None, counts) == GOOD:
            return a
    except (TypeError, ValueError):
        pass  # what is to be converted or refused
    return into(out, one(q, v, tau, guess)[0])


def without_springs(graph: SubsystemGraph) -> SubsystemGraph:
    """Return the graph without springs, also those at joints."""
    stiff = [joint.name for joint in graph.joints if joint.stiffness != 0.0]
    slack = graph.with_parameters({f"joint {name} stiffness": 0.0 for name in stiff})
    return replace(slack, springs=())
