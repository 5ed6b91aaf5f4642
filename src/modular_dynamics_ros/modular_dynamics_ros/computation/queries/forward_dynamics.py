"""The accelerations that efforts cause at a state."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.queries.equation_of_motion import (
    full_torques,
    mass_matrix,
    require_no_driving_boxes,
    without_accelerations,
)
from modular_dynamics_ros.computation.queries.errors import QueryError
from modular_dynamics_ros.computation.queries.query_model import QueryModel
from modular_dynamics_ros.computation.queries.requested_state import require_actuators, require_usable
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import AppliedWrenches, Array, Configuration, State

__all__ = ["Accelerations", "efforts_of", "forward_dynamics"]

WORST_CONDITION = 1e12  # of M scaled to a unit diagonal; beyond it inertia is only rounding
LEAST_PART = 1e-3  # least component of a joint in that direction


@dataclass(frozen=True, eq=False)
class Accelerations:
    """Accelerations of `joint_names` (m,) [rad/s^2 or m/s^2], and of a floating base (6,)."""

    joints: Array
    base: Array | None


def efforts_of(robot: Robot, efforts: Mapping[str, float]) -> Array:
    """Return efforts by joint as a vector of `state_names` (n,) [N m or N]; 0 for joints not named.

    Raises:
        QueryError: of a joint that has no actuator of its own, or whose torque is not known.
    """
    require_actuators(robot, list(efforts))
    require_usable("efforts", np.array([*efforts.values()], dtype=float), list(efforts))
    return np.array([efforts.get(name, 0.0) for name in robot.state_names], dtype=float)


def forward_dynamics(
    model: QueryModel,
    configuration: Configuration,
    state: State,
    efforts: Array,
    wrenches: AppliedWrenches,
    *,
    friction: bool,
) -> Accelerations:
    """Return accelerations from efforts (n,); wrenches of black boxes are as given, at any acceleration.

    Trees by articulated bodies; robots with loops, black boxes or a root that only turns by their equation of
    motion M a = tau - h.

    Raises:
        BadMessage: a dead point, or numbers that overflow. QueryError: a singular M, or joints in a black box
        move others. ModularDynamicsError: of the library.
    """
    require_no_driving_boxes(model)
    robot = model.robot
    moving = model.solver.solve(configuration, without_accelerations(state), wrenches)
    tau = model.rates(efforts - moving.friction if friction else efforts, None)
    if robot.closed or robot.black_boxes or (robot.base is not None and robot.base.source == "imu"):
        (indices, names), M = model.coordinates, mass_matrix(model, configuration)
        every = np.zeros_like(tau)
        every[indices] = _solved(M, (tau - full_torques(model, moving))[indices], names)
    else:
        v = model.velocities(configuration, state)
        every = md.forward_dynamics(
            robot.graph, configuration.coordinates, v, tau, external_wrenches=wrenches.external
        )
    if not np.isfinite(every).all():
        raise QueryError("BAD_STATE", "the state is finite, but so large that the accelerations are not")
    base = None if robot.base is None else every[robot.base.velocities]
    return Accelerations(every[model.joints][robot.published], base)


def _solved(M: Array, torques: Array, names: list[str]) -> Array:
    """Return M^-1 torques. Raises QueryError: M is singular."""
    scale = np.sqrt(np.diag(M))
    if not scale.all():
        name = names[int(np.argmin(scale))]
        raise QueryError("REFUSED", f"'{name}' moves no inertia: torques would accelerate it infinitely")
    scaled = M / np.outer(scale, scale)
    sizes, motions = np.linalg.eigh(scaled)
    if sizes[0] * WORST_CONDITION < sizes[-1]:
        moving = [name for name, part in zip(names, motions[:, 0], strict=True) if abs(part) > LEAST_PART]
        listed = ", ".join(f"'{name}'" for name in dict.fromkeys(moving))
        raise QueryError("REFUSED", f"{listed} together move no inertia here: the mass matrix is singular")
    return np.asarray(np.linalg.solve(scaled, torques / scale) / scale)
