"""Inverse dynamics of a robot with closed loops, from the state of its independent joints."""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import modular_dynamics as md
from modular_dynamics.dynamics.transmitted_wrenches import TransmittedWrenches
from modular_dynamics_ros.computation.assembly_mode import AssemblyMode, refused_closure
from modular_dynamics_ros.computation.robot import Robot, friction_torques
from modular_dynamics_ros.computation.values import (
    AppliedWrenches,
    Array,
    Configuration,
    StampedWrench,
    State,
)
from modular_dynamics_ros.exceptions import BadMessage, RobotError


@dataclass(frozen=True, eq=False)
class ClosedLoopSolution:
    """The inverse dynamics of one state of a robot with closed loops.

    Attributes:
        robot: whose. result: of the library. wrenches: that were applied.
    """

    robot: Robot
    result: "md.ClosedLoopResult"
    wrenches: AppliedWrenches

    @property
    def tau(self) -> Array:
        """Torques (n,) of the independent joints [N m or N]."""
        return self._of_joints(self.result.tau)

    @property
    def base_wrench(self) -> Array:
        """Wrench (6,) [force, moment] of the world on the floating base, at and in its link's frame."""
        assert self.robot.base is not None  # the caller looks
        return self.result.tau[self.robot.base.velocities]

    @property
    def friction(self) -> Array:
        """Torques (n,) of the independent joints that overcome the friction of all joints, by W^T.

        Where passive joints are free, friction accelerates them.
        """
        robot = self.robot
        return self.along(friction_torques(self.result.velocities, robot.damping, robot.dry_friction))

    def along(self, torques: Array) -> Array:
        """Return torques of all joints (nv,) projected onto the independent joints (n,), by W^T."""
        result, W = self.result, self.result.projection
        if result.free:
            W = md.loops.solver_of(self.robot.graph).dynamic_projection(result.coordinates)
        return self._of_joints(np.asarray(W.T @ torques))

    @property
    def tree(self) -> TransmittedWrenches:
        """What the joints of the spanning tree transmit: wrenches of joints and subsystems."""
        return self.result.tree

    @cached_property
    def cut_wrenches(self) -> dict[str, StampedWrench]:
        """Return wrenches by loop joint, at and in the frame of the successor's link."""
        return md.loops.stamped_cut_wrenches(self.robot.graph, self.result)

    def compare(self, check: "md.crosscheck.CrossCheck") -> "md.crosscheck.Residual":
        """Compare the open tree's torques, with all wrenches on it and on loop joints, with Pinocchio's."""
        graph, result = self.robot.graph, self.result
        check.set_gravity(graph.gravity)
        loads = md.loops.internal_wrenches(graph, result)
        for link, wrench in (self.wrenches.external or {}).items():
            loads[link] = loads.get(link, 0.0) + wrench
        motion = result.coordinates, result.velocities, result.accelerations
        return check(*motion, md.loops.tree_torques(graph, result), loads, common_size=True)

    def _of_joints(self, independent: Array) -> Array:
        base = self.robot.base
        return independent if base is None else np.asarray(independent[base.rate_indices])


class ClosedLoop:
    """Solves one robot.

    Attributes:
        mode: closes the loops. solver: the library's.

    Raises:
        RobotError: the robot has no configuration with closed loops, or a joint that the library rejects.
    """

    def __init__(self, robot: Robot, tolerance: float) -> None:
        self._robot = robot
        self._no_wrenches = AppliedWrenches()
        try:
            self.solver = md.loops.ClosedLoopSolver(robot.graph)
            self._raise_if_unsolvable()
        except md.ModularDynamicsError as error:
            raise RobotError(str(error)) from error
        self.mode = AssemblyMode(robot, self.solver, tolerance)

    def _raise_if_unsolvable(self) -> None:
        """Raise the library's error where loops do not close, or torques cannot be computed."""
        rest = np.zeros(len(self.solver.independent_v))
        with suppress(md.SingularityError):  # only the first configuration is a singular configuration
            self.solver.inverse_dynamics(self.solver.reference(), rest, rest)

    def configuration_at(self, state: State, *previous: Configuration) -> Configuration:
        """Return the configuration with loops closed at a state. Raises BadMessage: they do not close."""
        return self.mode.close(state, *previous)

    def solve(
        self, configuration: Configuration, state: State, wrenches: AppliedWrenches
    ) -> ClosedLoopSolution:
        """Return the dynamics at velocities and accelerations of a state.

        Raises:
            BadMessage: a singular configuration, or the torques overflow.
        """
        base, moving, v, a = self._robot.base, state.base, state.v, state.a
        if base is not None and moving is not None:
            v, a = base.rates(v, moving.twist), base.rates(a, moving.acceleration)
        try:
            result = self.solver.inverse_dynamics(configuration.coordinates, v, a, wrenches.external)
        except md.ClosureError as error:
            raise refused_closure(error) from error
        except md.StateError as error:
            raise BadMessage("not finite", str(error)) from error
        return ClosedLoopSolution(self._robot, result, wrenches)

    def gravity(self, configuration: Configuration) -> Array:
        """Return torques of the independent joints at rest, for gravity and springs, without wrenches."""
        return self.solve(configuration, configuration.state.at_rest(), self._no_wrenches).tau
