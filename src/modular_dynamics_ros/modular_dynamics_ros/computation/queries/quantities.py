"""Quantities that services of dynamics_node compute at one state."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

import modular_dynamics as md
from modular_dynamics.algebra.matrix_forms import inverse, skew
from modular_dynamics.loops import internal_wrenches
from modular_dynamics_ros.computation.closed_loop import ClosedLoop, ClosedLoopSolution
from modular_dynamics_ros.computation.computation import Dynamics
from modular_dynamics_ros.computation.queries.query_model import (
    QueryError,
    QueryModel,
    require_usable,
)
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.torque_terms import TorqueTerms
from modular_dynamics_ros.computation.values import (
    AppliedWrenches,
    Array,
    Configuration,
    StampedWrench,
    State,
)
from modular_dynamics_ros.computation.wrenches.frames import wrench_matrix
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
    moving = model.solver.solve(configuration, without_accelerations(state), unloaded)
    base = None if model.robot.base is None else np.zeros(6)  # springs act between links
    springs, dampers = (model.rates(one, base) for one in model.terms.springs(configuration, state))
    h, gravity = full_torques(model, moving), full_torques(model, at_rest) - springs
    M = mass_matrix(model, configuration)
    return EquationTerms(names, M, h[indices], gravity[indices], (springs + dampers)[indices])


def full_torques(model: QueryModel, dynamics: Dynamics) -> Array:
    """Return torques and the base's wrench as one vector, in the order of the solver's velocities."""
    return model.rates(dynamics.tau, None if model.robot.base is None else dynamics.base_wrench)


def without_accelerations(state: State) -> State:
    """Return the state with the same positions and velocities and zero accelerations."""
    base = None if state.base is None else replace(state.base, acceleration=np.zeros(6))
    return state._replace(a=np.zeros_like(state.a), base=base)


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


class InverseDynamicsTerms(NamedTuple):
    """Terms of the torques, their solution, and the world's wrench on the root link."""

    terms: TorqueTerms
    dynamics: Dynamics
    root: StampedWrench


def inverse_dynamics(
    model: QueryModel,
    configuration: Configuration,
    state: State,
    wrenches: AppliedWrenches,
    *,
    friction: bool,
) -> InverseDynamicsTerms:
    """Return torques and wrenches at a state.

    Raises:
        BadMessage: a singular configuration, or numbers that overflow.
    """
    dynamics = model.solver.solve(configuration, state, wrenches)
    terms = model.terms.split(configuration, state, dynamics, friction=friction)
    if not all(np.isfinite(one).all() for one in vars(terms).values()):
        raise BadMessage("not finite", "the state is finite, but so large that the torques are not")
    return InverseDynamicsTerms(terms, dynamics, root_wrench(model.robot, configuration, dynamics))


def root_wrench(robot: Robot, configuration: Configuration, dynamics: Dynamics) -> StampedWrench:
    """Return the root link or base, and the world's wrench [force, moment] on it, besides external wrenches.

    A link that is fixed in the world is at rest: the world balances its weight and what subsystems, loop
    joints, springs and external wrenches exert on it.
    """
    if robot.base is not None:
        return robot.base.link, dynamics.base_wrench
    graph, ground = robot.graph, robot.graph.ground
    weight = ground.mass * graph.gravity
    total = -np.concatenate((weight, np.cross(ground.com, weight)))
    for index, subsystem in enumerate(graph.subsystems):
        if subsystem.connection.body is None:
            total += _at_root(graph, configuration, *dynamics.connection_wrench(index))
    loads = dict(dynamics.wrenches.external or {})
    if isinstance(dynamics, ClosedLoopSolution):
        for link, wrench in internal_wrenches(graph, dynamics.result).items():
            loads[link] = loads.get(link, np.zeros(6)) + wrench
    for link, wrench in loads.items():
        if link in ground.links:
            total -= _at_root(graph, configuration, link, wrench)
    return ground.name, total


def _at_root(graph: md.SubsystemGraph, configuration: Configuration, link: str, wrench: Array) -> Array:
    """Return a wrench, given at and in a link's frame, at and in that of the root link."""
    (H_root_link,) = md.frame_poses(graph, configuration.coordinates, [link])
    return np.asarray(wrench_matrix(H_root_link) @ wrench)


class PointJacobian(NamedTuple):
    """The Jacobian of a point on a link, along the axes of the root link.

    Attributes:
        frame: the root link: of a floating base its link. coordinates: names of the columns.
        jacobian: (6, p) [linear; angular]; the twist of the point against the world is jacobian times
        velocities. pose: H_frame_point (4, 4), along the link's axes. twist: (6,) at the state's velocities.
    """

    frame: str
    coordinates: list[str]
    jacobian: Array
    pose: Array
    twist: Array


def point_jacobian(
    model: QueryModel, configuration: Configuration, state: State, link: str, point: Array
) -> PointJacobian:
    """Return J of a point [m] on a link, in its frame; of closed loops J W, along the independent joints.

    The velocity of the point p from that of the link's origin o is pdot = odot + omega x R p.

    Raises:
        QueryError: an unknown link, or a point that is not finite or huge. ModularDynamicsError: a dead
            point.
    """
    robot, graph, q = model.robot, model.robot.graph, configuration.coordinates
    name = robot.link(link)
    if name not in graph.links:
        text = f"no link '{link[:80]}' in '{graph.name}'; its links: {listed(graph.links, 8)}"
        raise QueryError("UNKNOWN_NAME", text)
    require_usable("point", point, "xyz")
    frame = graph.ground.name if robot.base is None else robot.base.link
    pose, H_root_frame = md.frame_poses(graph, q, [name, frame])
    J = md.jacobian(graph, q, name)
    lever = pose[:3, :3] @ point
    pose[:3, 3] += lever
    J[:3] -= skew(lever) @ J[3:]
    if (W := model.projection(configuration)) is not None:
        J = J @ W
    J = np.kron(np.eye(2), H_root_frame[:3, :3].T) @ J
    v = model.rates(state.v, None if state.base is None else state.base.twist)
    indices, names = model.coordinates
    return PointJacobian(robot.frame(frame), names, J[:, indices], inverse(H_root_frame) @ pose, J @ v)
