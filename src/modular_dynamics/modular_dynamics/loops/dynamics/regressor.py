"""Inverse dynamics with closed loops as a linear map of the inertial parameters; base parameters of loops."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import BaseParameters, inertial_parameters, regressor
from ...dynamics.arguments import Array, checked_seed
from ...dynamics.base_parameters import reduced_parameters
from ...exceptions import ClosureError
from ...model import SubsystemGraph, joint_limits
from .solver import ClosedLoopDynamics, ClosedLoopSolver, raise_if_free, solver_of
from .state_rows import errors_name_row, rows_of_motions

__all__ = [
    "ClosedLoopRegressor",
    "closed_loop_base_parameters",
    "closed_loop_regressor",
    "closed_loop_regressor_batch",
]

#: Least number of random states for base parameters, and attempts per state to find a closed pose.
STATES, ATTEMPTS = 40, 20
#: Largest distances [rad or m] of independent joints from the start, used in turn.
REACH = (0.02, 0.1, 0.5, 1.0)


class ClosedLoopRegressor(NamedTuple):
    """tau = Y theta + offset, for the p independent joints; of many states with rows.

    Attributes:
        Y (p, 10 n): theta is that of ``inertial_parameters``; (p, 15 n) with joint_terms.
        offset (p,): torques that do not depend on theta [N m or N]: those that hold springs between links
            and, without joint_terms, what armatures and springs of joints add.
    """

    Y: Array
    offset: Array


def closed_loop_regressor(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    *,
    joint_terms: bool = False,
) -> ClosedLoopRegressor:
    """The torques of ``closed_loop_inverse_dynamics`` as a linear function of the inertial parameters.

    Y = W^T Y_tree, with the tree's regressor at the motion that the loops make, and v = W v1: by virtual
    power, since the loops' wrenches have none. Arguments and errors as of ``closed_loop_inverse_dynamics``;
    UnsupportedModelError where passive joints are free, whose motion depends on theta.

    Args:
        joint_terms: with the parameters of all joints, passive ones too, as of ``regressor``: the torques are
            those with friction="urdf".
    """
    friction = "urdf" if joint_terms else "none"
    result = solver_of(graph).inverse_dynamics_at(q, v, vdot, guess, friction=friction)
    Y = _projected(graph, result, joint_terms)
    return ClosedLoopRegressor(Y, result.tau - Y @ inertial_parameters(graph, joint_terms=joint_terms))


def closed_loop_regressor_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    *,
    joint_terms: bool = False,
) -> ClosedLoopRegressor:
    """Regressors of many states, Y (count, p, 10 n) and offset (count, p), one after the other.

    Args:
        q, v, vdot: a row for each state, each as of ``closed_loop_regressor``, and so joint_terms.
        guess: coordinates (nq,) for all states, or (count, nq).

    Raises:
        As ``closed_loop_regressor``; StateError and ClosureError name the row.
    """
    p, states = len(solver_of(graph).independent_v), rows_of_motions(graph, q, v, vdot, guess)
    Y = np.empty((len(states), p, (15 if joint_terms else 10) * len(graph.bodies)))
    offset = np.empty((len(states), p))
    for k, state in enumerate(states):
        with errors_name_row(k):
            Y[k], offset[k] = closed_loop_regressor(graph, *state, joint_terms=joint_terms)
    return ClosedLoopRegressor(Y, offset)


def _projected(graph: SubsystemGraph, result: ClosedLoopDynamics, joint_terms: bool) -> Array:
    raise_if_free(graph, result, "the regressor")
    motion = result.coordinates, result.velocities, result.accelerations
    Y = regressor(graph.tree, *motion, joint_terms=joint_terms)
    projected: Array = result.projection.T @ Y
    return projected


def closed_loop_base_parameters(
    graph: SubsystemGraph, guess: ArrayLike | None = None, seed: int = 0, *, joint_terms: bool = False
) -> BaseParameters:
    """The base inertial parameters of a robot with closed loops: see :func:`.base_parameters`.

    From ``closed_loop_regressor`` at random motions in random poses around one in which the loops are closed.
    Loops couple joints, so that there are fewer of them than of the open tree.

    Args:
        guess: closed coordinates of all joints round which poses are drawn; by default those from which loops
            are closed without a guess.
        seed: of the random states. joint_terms: as of ``closed_loop_regressor``.

    Raises:
        ClosureError: too few random poses in which the loops close.
        StateError: a rank that is not clear; a seed that is no whole number from 0 on.
        UnsupportedModelError: a black box in the graph.
    """
    solver, rng = solver_of(graph), np.random.default_rng(checked_seed(seed))
    start = solver.reference() if guess is None else graph.checked(q=guess)[0]
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
) -> ClosedLoopDynamics | None:
    """A random motion at a pose with these independent coordinates; None where loops do not close."""
    for name in graph.independent_joint_names:
        joint, where = graph.joint(name), graph.q_slice(name)
        if joint.type.nq == 1:
            target[where] = np.clip(target[where], *joint_limits(joint))
    v, vdot = rng.uniform(-3.0, 3.0, (2, len(solver.independent_v)))
    try:
        return solver.inverse_dynamics_at(target[solver.independent_q], v, vdot, start)
    except ClosureError:
        return None
