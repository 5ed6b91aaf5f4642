"""The torques of a state, term by term, the wrenches between subsystems, and that on the root."""

from dataclasses import dataclass

import numpy as np

import modular_dynamics as md
from modular_dynamics.loops import internal_wrenches
from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution, Dynamics
from modular_dynamics_ros.computation.queries.query_model import QueryModel
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
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["InverseDynamicsTerms", "inverse_dynamics", "root_wrench"]


@dataclass(frozen=True, eq=False)
class InverseDynamicsTerms:
    """The answer to one request.

    Attributes:
        terms: of the torques. dynamics: their solution. root: what the world exerts on the root link.
    """

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
        BadMessage: a dead point, or numbers that overflow.
    """
    dynamics = model.solver.solve(configuration, state, wrenches)
    terms = model.terms.split(configuration, state, dynamics, friction=friction)
    if not all(np.isfinite(one).all() for one in vars(terms).values()):
        raise BadMessage("not finite", "the state is finite, but so large that the torques are not")
    return InverseDynamicsTerms(terms, dynamics, root_wrench(model.robot, configuration, dynamics))


def root_wrench(robot: Robot, configuration: Configuration, dynamics: Dynamics) -> StampedWrench:
    """Return the world's wrench on the root link [force, moment], in its frame, without given wrenches.

    Of a base, its wrench. A link that is fixed in the world is at rest: its weight and what the subsystems,
    loop joints, springs and external wrenches exert on it leave the rest to the world.
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
