"""M(q) a + h = tau of one state, along the coordinates of the solver, and two parts of h."""

from dataclasses import dataclass, replace

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.closed_loop import ClosedLoop, Dynamics
from modular_dynamics_ros.computation.queries.errors import QueryError
from modular_dynamics_ros.computation.queries.query_model import QueryModel
from modular_dynamics_ros.computation.values import AppliedWrenches, Array, Configuration, State
from modular_dynamics_ros.exceptions import listed

__all__ = ["EquationTerms", "equation_of_motion", "full_torques", "mass_matrix", "require_no_driving_boxes"]


@dataclass(frozen=True, eq=False)
class EquationTerms:
    """Terms along p coordinates, friction and external wrenches left out; black boxes weigh nothing.

    Attributes:
        coordinates: names. mass_matrix: (p, p). nonlinear_effects: C(q, v) v + gravity + springs (p,),
        torques without acceleration. gravity: holds the weight (p,). springs: with their dampers (p,).
    """

    coordinates: list[str]
    mass_matrix: Array
    nonlinear_effects: Array
    gravity: Array
    springs: Array


def equation_of_motion(model: QueryModel, configuration: Configuration, state: State) -> EquationTerms:
    """Return the terms at a state; its accelerations are not used.

    Raises:
        BadMessage: a dead point, or numbers that overflow. QueryError: joints in a black box move others.
        ModularDynamicsError: of the library.
    """
    require_no_driving_boxes(model)
    indices, names = model.coordinates
    unloaded = AppliedWrenches(None, {name: np.zeros(6) for name in model.robot.black_boxes} or None)
    at_rest = model.solver.solve(configuration, state.at_rest(), unloaded)
    moving = model.solver.solve(configuration, without_accelerations(state), unloaded)
    base = None if model.robot.base is None else np.zeros(6)  # springs act between links
    springs, dampers = (model.rates(one, base) for one in model.terms.springs(configuration, state))
    h, gravity = full_torques(model, moving), full_torques(model, at_rest) - springs
    M = mass_matrix(model, configuration)
    return EquationTerms(names, M, h[indices], gravity[indices], (springs + dampers)[indices])


def full_torques(model: QueryModel, dynamics: Dynamics) -> Array:
    """Return torques and the base's wrench as a vector of the solver."""
    return model.rates(dynamics.tau, None if model.robot.base is None else dynamics.base_wrench)


def without_accelerations(state: State) -> State:
    """Return the state with the same positions and velocities and zero accelerations."""
    base = None if state.base is None else replace(state.base, acceleration=np.zeros(6))
    return state._replace(a=np.zeros_like(state.a), base=base)


def mass_matrix(model: QueryModel, configuration: Configuration) -> Array:
    """Return M (p, p) of the model's coordinates; of closed loops W^T M W (Schappler et al., section 3.4).

    Raises:
        ModularDynamicsError: a dead point.
    """
    robot, (indices, _) = model.robot, model.coordinates
    if isinstance(model.solver, ClosedLoop):
        W = model.solver.solver.dynamic_projection(configuration.coordinates)[:, indices]
        return np.asarray(W.T @ md.mass_matrix(robot.graph.tree, configuration.coordinates) @ W)
    if not robot.black_boxes:
        return np.asarray(md.mass_matrix(robot.graph, configuration.coordinates)[np.ix_(indices, indices)])
    return _by_columns(model, configuration)


def _by_columns(model: QueryModel, configuration: Configuration) -> Array:
    """Return M without black boxes, by columns: torques at unit accelerations less those at rest."""
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
    """Raise QueryError where joints inside a black box move joints outside: no equation holds for them."""
    robot = model.robot
    if driving := [name for name in robot.state_names if name not in robot.joint_names]:
        text = f"{listed(driving)} inside a black box of '{robot.graph.name}' moves joints outside"
        raise QueryError("REFUSED", f"{text}: without its mass there is no equation of motion")
