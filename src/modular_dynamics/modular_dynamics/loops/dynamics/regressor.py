"""Inverse dynamics with closed loops as a linear map of the inertial parameters; base parameters of loops."""

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import BaseParameters
from ...dynamics import regressor as regressor_of_tree
from ...dynamics.arguments import Array, checked_seed
from ...dynamics.base_parameters import reduced_parameters
from ...exceptions import ClosureError
from ...model import SubsystemGraph, checked_vectors, joint_limits
from .results import ClosedLoopResult
from .rows import closed_and_computed
from .solver import ClosedLoopSolver, raise_if_free, solver_of

#: Least number of random states for base parameters, and attempts per state to find a closed pose.
STATES, ATTEMPTS = 40, 20
#: Largest random distances [rad or m] of independent joints from the start, used in turn.
REACH = (0.02, 0.1, 0.5, 1.0)


def regressor(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    joint_terms: bool = False,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return Y (p, 10 n) of the p independent joints' torques: see `modular_dynamics.regressor`.

    Y = W^T Y_tree, with the tree's regressor at the motion that the loops make, and v = W v1: by virtual
    power, since the loops' wrenches have none.

    Raises:
        UnsupportedModelError: passive joints are free: their motion depends on theta. Else as of
            ``inverse_dynamics``.
    """
    solver = solver_of(graph)
    shape = len(solver.independent_v), (15 if joint_terms else 10) * len(graph.bodies)

    def answer(*state: ArrayLike | None) -> Array:
        return _projected(graph, solver.inverse_dynamics_at(*state), joint_terms)  # type: ignore[arg-type]

    states = {"q": q, "v": v, "a": a}
    return closed_and_computed(graph, states, answer, shape, guess=guess, threads=threads, out=out)


def _projected(graph: SubsystemGraph, result: ClosedLoopResult, joint_terms: bool) -> Array:
    """Return W^T Y_tree at a closed state."""
    raise_if_free(graph, result, "the regressor")
    motion = result.coordinates, result.velocities, result.accelerations
    Y = regressor_of_tree(graph.tree, *motion, joint_terms=joint_terms)
    projected: Array = result.projection.T @ Y
    return projected


def base_parameters(
    graph: SubsystemGraph, seed: int, joint_terms: bool, guess: ArrayLike | None
) -> BaseParameters:
    """Return base parameters of a robot with closed loops: see `modular_dynamics.base_parameters`.

    From its regressor at random motions in random poses around one in which the loops are closed.

    Raises:
        ClosureError: too few random poses in which the loops close.
    """
    solver, rng = solver_of(graph), np.random.default_rng(checked_seed(seed))
    start = solver.reference() if guess is None else checked_vectors(graph, q=guess)[0]
    size, rows = (15 if joint_terms else 10) * len(graph.bodies), list[Array]()
    count = max(STATES, 4 * size // max(len(solver.independent_v), 1))
    for attempt in range(ATTEMPTS * count):
        if len(rows) == count:
            break
        step = np.zeros(graph.nv)
        step[solver.independent_v] = REACH[attempt % len(REACH)] * rng.uniform(
            -1, 1, len(solver.independent_v)
        )
        result = _random_motion(graph, solver, rng, start, graph.integrate(start, step))
        if result is not None:
            rows.append(_projected(graph, result, joint_terms))
    if len(rows) < count:
        raise ClosureError(
            f"base parameters of '{graph.name}': its loops closed in {len(rows)} of {ATTEMPTS * count} "
            f"random poses around the start; {count} are needed. Give a guess from which its joints can "
            "move to all sides"
        )
    return reduced_parameters(graph, np.concatenate(rows), joint_terms)


def _random_motion(
    graph: SubsystemGraph, solver: ClosedLoopSolver, rng: np.random.Generator, start: Array, target: Array
) -> ClosedLoopResult | None:
    """Return a random motion at a pose with these independent coordinates; None if loops do not close."""
    for name in graph.independent_joint_names:
        joint, where = graph.joint(name), graph.q_slice(name)
        if joint.type.nq == 1:
            target[where] = np.clip(target[where], *joint_limits(joint))
    v, a = rng.uniform(-3.0, 3.0, (2, len(solver.independent_v)))
    try:
        return solver.inverse_dynamics_at(target[solver.independent_q], v, a, start)
    except ClosureError:
        return None
