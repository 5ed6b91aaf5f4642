"""Quantities that services of dynamics_node compute at one state."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.closed_loop import ClosedLoop
from modular_dynamics_ros.computation.computation import Dynamics
from modular_dynamics_ros.computation.queries.query_model import QueryError, QueryModel
from modular_dynamics_ros.computation.torque_terms import TorqueTerms
from modular_dynamics_ros.computation.values import AppliedWrenches, Array, Configuration, State
from modular_dynamics_ros.exceptions import BadMessage, listed


class EquationTerms(NamedTuple):
    """Terms of the equation of motion along p coordinates, without friction, external wrenches, black boxes.

    Attributes:
        coordinates: names. mass_matrix: (p, p). nonlinear_effects: torques without acceleration,
        C(q, v) v + gravity + springs (p,). gravity: torques that hold the weight (p,). springs: those of
        springs and dampers (p,).
    """

    coordinates: list[str]
    mass_matrix: Array
    nonlinear_effects: Array
    gravity: Array
    springs: Array


def equation_of_motion(model: QueryModel, configuration: Configuration, state: State) -> EquationTerms:
    """Return the terms at positions and velocities of a state.

    Raises:
        BadMessage: a singular configuration, or numbers that overflow.
        QueryError: joints in a black box move others.
        ModularDynamicsError: of the library.
    """
    require_no_driving_boxes(model)
    indices, names = model.coordinates
    unloaded = AppliedWrenches(None, {name: np.zeros(6) for name in model.robot.black_boxes} or None)
    at_rest = model.solver.solve(configuration, state.at_rest(), unloaded)
    steady = state._replace(
        a=np.zeros_like(state.a),
        base=None if state.base is None else replace(state.base, acceleration=np.zeros(6)),
    )
    moving = model.solver.solve(configuration, steady, unloaded)
    base = None if model.robot.base is None else np.zeros(6)  # springs act between links
    springs, dampers = (model.rates(one, base) for one in model.terms.springs(configuration, state))
    h, gravity = full_torques(model, moving), full_torques(model, at_rest) - springs
    M = mass_matrix(model, configuration)
    return EquationTerms(names, M, h[indices], gravity[indices], (springs + dampers)[indices])


def full_torques(model: QueryModel, dynamics: Dynamics) -> Array:
    """Return torques and the base's wrench as one vector, in the order of the solver's velocities."""
    return model.rates(dynamics.tau, None if model.robot.base is None else dynamics.base_wrench)


def mass_matrix(model: QueryModel, configuration: Configuration) -> Array:
    """Return M (p, p) of the model's coordinates; of closed loops W^T M W (Schappler et al., section 3.4).

    Raises:
        ModularDynamicsError: a singular configuration.
    """
    robot, (indices, _) = model.robot, model.coordinates
    if isinstance(model.solver, ClosedLoop):
        W = model.solver.solver.dynamic_projection(configuration.coordinates)[:, indices]
        return np.asarray(W.T @ md.mass_matrix(robot.graph.tree, configuration.coordinates) @ W)
    if not robot.black_boxes:
        return np.asarray(md.mass_matrix(robot.graph, configuration.coordinates)[np.ix_(indices, indices)])
    return _by_columns(model, configuration)


def _by_columns(model: QueryModel, configuration: Configuration) -> Array:
    """Return M without black boxes, by columns: torques at unit accelerations minus those at rest."""
    graph, (indices, _) = model.robot.graph, model.coordinates
    a = np.zeros((len(indices) + 1, graph.nv))
    a[np.arange(len(indices)), indices] = 1.0
    q, v = np.tile(configuration.coordinates, (len(a), 1)), np.zeros_like(a)
    boxes = {name: np.zeros(6) for name in model.robot.black_boxes}
    tau = md.inverse_dynamics(
        replace(graph, gravity=np.zeros(3)), q, v, a, threads=1, black_box_wrenches=boxes
    )
    M = (tau[:-1] - tau[-1])[:, indices]
    return np.asarray(0.5 * (M + M.T))


def require_no_driving_boxes(model: QueryModel) -> None:
    """Raise QueryError if joints inside a black box move joints outside: their mass is unknown."""
    robot = model.robot
    if driving := [name for name in robot.state_names if name not in robot.joint_names]:
        text = f"{listed(driving)} inside a black box of '{robot.graph.name}' moves joints outside"
        raise QueryError("REFUSED", f"{text}: without its mass there is no equation of motion")


def inverse_dynamics(
    model: QueryModel,
    configuration: Configuration,
    state: State,
    wrenches: AppliedWrenches,
    *,
    friction: bool,
) -> tuple[TorqueTerms, Dynamics]:
    """Return the terms of the torques at a state, and their solution.

    Raises:
        BadMessage: a singular configuration, or numbers that overflow.
    """
    dynamics = model.solver.solve(configuration, state, wrenches)
    terms = model.terms.split(configuration, state, dynamics, friction=friction)
    if not all(np.isfinite(one).all() for one in vars(terms).values()):
        raise BadMessage("not finite", "the state is finite, but so large that the torques are not")
    return terms, dynamics
