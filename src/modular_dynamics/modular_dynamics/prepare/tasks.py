"""The kernels to compile: by name, a call of each with small arrays."""

from collections.abc import Callable
from functools import cache

import numpy as np

from .. import closure, urdf
from ..closure.assembly.mechanism import Mechanism
from ..closure.dynamics.batch.newton_rows import answer_by_newton
from ..closure.dynamics.batch.results import new_states
from ..closure.threads import run_on_threads
from .robots import FOUR_BAR

__all__ = ["tasks"]


@cache
def tasks() -> dict[str, Callable[[], object]]:
    """The tasks by name, in the order in which they are started.

    Long ones come first, and those that also call other tasks' kernels last.
    """
    last: dict[str, Callable[[], object]] = {
        "threads": _threads,
        "closed loops": _closed_loops,
        "closing wrenches": _closing_wrenches,
        "planar loops": _planar_loops,
        "closed loops, batch": _closed_loops_batch,
    }
    return {"closing loops": _closing_loops, **last}


def _threads() -> None:
    run_on_threads(lambda queue: None, 1, 2)


def _closing_loops() -> None:
    Mechanism(urdf.load_urdf(FOUR_BAR)).warm_up()


def _closed_loops() -> None:
    state = np.array([[0.5], [0.1], [0.0]])
    closure.closed_loop_inverse_dynamics(urdf.load_urdf(FOUR_BAR), *state)


def _closing_wrenches() -> None:
    graph, state = urdf.load_urdf(FOUR_BAR), np.array([[0.5], [0.1], [0.0]])
    closure.internal_wrenches(graph, closure.closed_loop_inverse_dynamics(graph, *state))


def _planar_loops() -> None:
    graph, rest = urdf.load_urdf(FOUR_BAR), np.zeros(1)
    solver, guess = closure.ClosedLoopInverseDynamics(graph), closure.solver_of(graph).reference()
    q = guess[closure.solver_of(graph).independent_q]
    solver(q, rest, rest, guess)
    closure.closed_loop_mass_matrix(graph, q, guess)
    parameters = {"gravity z": -9.81}  # so that designs are compiled, too
    closure.closed_loop_inverse_dynamics_batch(graph, q[None], rest[None], rest[None], parameters=parameters)
    closure.closed_loop_inverse_dynamics_batch(graph, q[None], rest[None], rest[None])
    closure.joint_motions_batch(graph, guess[None], rest[None], rest[None])


def _closed_loops_batch() -> None:
    solver, rest = closure.solver_of(urdf.load_urdf(FOUR_BAR)), np.zeros((1, 1))
    start = solver.reference()
    given = [start[None, solver.independent_q], rest, rest]
    answer_by_newton(solver, "none", new_states(solver.graph, given, start[None]), 1)
