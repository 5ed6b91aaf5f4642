"""Inverse dynamics of a robot without closed loops."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.robot import Robot, friction_torques
from modular_dynamics_ros.computation.values import (
    AppliedWrenches,
    Array,
    Configuration,
    StampedWrench,
    State,
)
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["OpenChain", "OpenChainDynamics", "coordinates_of", "motion_of"]

Motion = tuple[Array, Array, Array]  # positions (nq,), velocities and accelerations (nv,) of all joints


@dataclass(frozen=True, eq=False)
class OpenChainDynamics:
    """The inverse dynamics of one state of an open chain.

    Attributes:
        robot: whose. motion: of all joints. wrenches: that act on the robot. tau_of_all: (nv,) torques of all
        joints [N m or N].
    """

    robot: Robot
    motion: Motion
    wrenches: AppliedWrenches
    tau_of_all: Array
    _solver: md.InverseDynamics

    @property
    def tau(self) -> Array:
        """Torques (n,) of the robot's `state_names` [N m or N]."""
        return self.tau_of_all if self.robot.all_known else self.tau_of_all[self.robot.indices]

    @cached_property
    def result(self) -> md.InverseDynamicsResult:
        """The same with the wrenches of joints and subsystems, computed where they are asked for.

        Raises:
            BadMessage: they overflow, where the torques do not.
        """
        external, black_box = self.wrenches.external, self.wrenches.black_box
        try:
            return self._solver.solve(*self.motion, external_wrenches=external, black_box_wrenches=black_box)
        except md.StateError as error:
            raise BadMessage("not finite", str(error)) from error

    @property
    def friction(self) -> Array:
        """Torques (n,) that overcome the friction of each joint."""
        robot = self.robot
        return friction_torques(self.motion[1][robot.indices], robot.damping, robot.dry_friction)

    @property
    def base_wrench(self) -> Array:
        """Wrench (6,) [force, moment] of the world on the floating base, at and in its link's frame."""
        assert self.robot.base is not None  # the caller looks
        return self.tau_of_all[self.robot.base.velocities]

    def connection_wrench(self, index: int) -> StampedWrench:
        """Return the wrench that holds the subsystem with this index."""
        return self.result.connection_wrench_in_link(index)

    @property
    def joint_wrenches(self) -> Array:
        """Return (k, 6) what each joint exerts on the link that it moves, at and in its frame."""
        return self.result.joint_wrenches

    @property
    def connection_wrenches(self) -> Array:
        """Return (s, 6) the wrenches that hold the subsystems, at and in their connection frames."""
        return self.result.connection_wrenches

    def compare(self, check: "md.crosscheck.CrossCheck") -> "md.crosscheck.Residual":
        """Compare the torques with Pinocchio's, at this robot's gravity."""
        check.set_gravity(self.robot.graph.gravity)
        return check(*self.motion, self.tau_of_all, self.wrenches.external, self.wrenches.black_box)


class OpenChain:
    """Solves one robot.

    Attributes:
        robot: it does not change.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot, self._solver = robot, md.InverseDynamics(robot.graph)
        self._rest = np.zeros(robot.graph.nv)
        self._weightless = {name: np.zeros(6) for name in robot.black_boxes} or None

    def configuration_at(self, state: State, *previous: Configuration) -> Configuration:
        """Return positions of all joints; zero for those in black boxes that move no other joint."""
        return Configuration(state, coordinates_of(self.robot, state))

    def solve(
        self, configuration: Configuration, state: State, wrenches: AppliedWrenches
    ) -> OpenChainDynamics:
        """Return the dynamics at velocities and accelerations of a state.

        Raises:
            BadMessage: the torques overflow.
        """
        motion = motion_of(self.robot, state, configuration)
        try:
            tau = self._solver(
                *motion, external_wrenches=wrenches.external, black_box_wrenches=wrenches.black_box
            )
        except md.StateError as error:
            raise BadMessage("not finite", str(error)) from error
        return OpenChainDynamics(self.robot, motion, wrenches, tau, self._solver)

    def gravity(self, configuration: Configuration) -> Array:
        """Return torques (n,) at rest for gravity and springs; wrenches and black boxes are excluded.

        Raises:
            BadMessage: the torques overflow.
        """
        try:
            return self._gravity(configuration.coordinates)
        except md.StateError as error:
            raise BadMessage("not finite", str(error)) from error

    def _gravity(self, q: Array) -> Array:
        tau: Array = self._solver(q, self._rest, self._rest, black_box_wrenches=self._weightless)
        return tau[self.robot.indices]


def coordinates_of(robot: Robot, state: State) -> Array:
    """Return positions (nq,) of all joints; zero for those in black boxes that move no other joint."""
    if robot.all_known:
        return state.q
    if robot.base is None or state.base is None:
        return _of_all(robot, state.q)
    return robot.base.positions(state.q, state.base.orientation)


def motion_of(robot: Robot, state: State, configuration: Configuration) -> Motion:
    """Return positions (nq,), velocities and accelerations (nv,) of all joints."""
    if robot.all_known:
        return state.q, state.v, state.a
    base, moving = robot.base, state.base
    if base is None or moving is None:
        return configuration.coordinates, _of_all(robot, state.v), _of_all(robot, state.a)
    v, a = base.rates(state.v, moving.twist), base.rates(state.a, moving.acceleration)
    return configuration.coordinates, v, a


def _of_all(robot: Robot, values: Array) -> Array:
    """Return the values of the state's joints in a vector of all joints, zero elsewhere."""
    if len(values) == robot.graph.nv:
        return values
    every = np.zeros(robot.graph.nv)
    every[robot.indices] = values
    return every
