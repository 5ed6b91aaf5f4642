"""From one joint state to the torques of one robot, without ROS: what the nodes do for each message."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.acceleration_source import AccelerationSource
from modular_dynamics_ros.computation.closed_loop import ClosedLoop, ClosedLoopSolution
from modular_dynamics_ros.computation.feedforward import limit_efforts, select_terms
from modular_dynamics_ros.computation.open_chain import OpenChain, OpenChainDynamics
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import (
    AppliedWrenches,
    Array,
    ComputationSettings,
    Configuration,
    State,
)
from modular_dynamics_ros.computation.wrenches import RobotWrenches
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["Answer", "Computation"]


@dataclass(frozen=True, eq=False)
class Answer:
    """What is published for one state.

    Attributes:
        state: what is answered. configuration: its joints. wrenches: those that were applied.
        effort: (n,) [N m or N], NaN inside black boxes. exceeded: (n,) whether its limit was exceeded.
        dynamics: the inverse dynamics behind the effort.
    """

    state: State
    configuration: Configuration
    wrenches: AppliedWrenches
    effort: Array
    exceeded: NDArray[np.bool_]
    dynamics: OpenChainDynamics | ClosedLoopSolution


class Computation:
    """Torques of one robot. It keeps no answer: the caller passes previous ones.

    Attributes:
        accelerations: where they come from; keeps reference and filter from message to message.
        wrenches: from topics, valid for a while.

    Raises:
        RobotError: there is no configuration in which the robot's loops close, or the settings name black
            boxes that it does not have.
    """

    def __init__(self, robot: Robot, settings: ComputationSettings) -> None:
        self.robot, self.settings = robot, settings
        self.accelerations = AccelerationSource(len(robot.state_names), settings)
        self.wrenches = RobotWrenches(robot, settings.reversed_black_boxes)
        self._solver: OpenChain | ClosedLoop
        if robot.closed:
            self._solver = ClosedLoop(robot, settings.closure_tolerance)
        else:
            self._solver = OpenChain(robot)

    def apply_settings(self, settings: ComputationSettings) -> None:
        """Take new settings; the filter restarts only where its cutoff changes."""
        self.settings = settings
        self.accelerations.apply_settings(settings)
        if isinstance(self._solver, ClosedLoop):
            self._solver.mode.tolerance = settings.closure_tolerance

    def forget(self) -> None:
        """Forget all inputs: what came before a pause of unknown length says nothing about now."""
        self.wrenches.clear()
        self.accelerations.forget()

    @property
    def needs_velocity(self) -> bool:
        """Whether the published torques depend on velocities at all."""
        return self.settings.output != "gravity" or self.settings.friction != "none"

    def observe(
        self,
        stamp: int,
        q: Array,
        v: Array,
        without_velocity: tuple[str, ...] = (),
        measured: Array | None = None,
    ) -> State:
        """A joint state with its stamp [ns], and the accelerations that belong to it.

        Args:
            measured: positions of the passive joints of closed loops, NaN where they are not measured.

        Raises:
            BadMessage: the acceleration source does not know them.
        """
        a, coverage = self.accelerations.at(stamp, v, without_velocity)
        if measured is None:
            measured = np.full(len(self.robot.passive_names), np.nan)
        return State(stamp, q, v, a, measured, coverage)

    def compute(self, state: State, now: int, *previous: Answer | None) -> Answer:
        """Torques and wrenches of a state, with the wrenches that are valid now [ns].

        Args:
            previous: loops are closed from the first of these that the state follows closely.

        Raises:
            BadMessage: a wrench is missing or has stopped, the loops do not close or stand at a dead point,
            or the torques overflow.
        """
        external, boxes = self.wrenches.current(now, self.settings)
        configuration = self._solver.configuration_at(
            state, *(answer.configuration for answer in previous if answer)
        )
        black_box = self.wrenches.at_connections(boxes, configuration.coordinates)
        return self._answer(state, configuration, AppliedWrenches(external, black_box))

    def hold(self, previous: Answer) -> Answer:
        """Torques that hold the position of an answer against gravity, with its wrenches of black boxes.

        Raises:
            BadMessage: the torques overflow.
        """
        last, rest = previous.state, np.zeros_like(previous.state.q)
        state = State(last.stamp, last.q, rest, rest, last.measured)
        return self._answer(state, previous.configuration, AppliedWrenches(None, previous.wrenches.black_box))

    def _answer(self, state: State, configuration: Configuration, wrenches: AppliedWrenches) -> Answer:
        robot, settings = self.robot, self.settings
        try:
            gravity = None if settings.output == "full" else self._solver.gravity(configuration)
            dynamics = self._solver.solve(configuration, state.v, state.a, wrenches)
            effort = select_terms(dynamics.tau, gravity, settings.output)
            if settings.friction == "urdf":
                effort += dynamics.friction
            exceeded = limit_efforts(effort, robot.effort_limits, settings.effort_limits)
            if not np.isfinite(effort[robot.published]).all():
                raise BadMessage("not finite", "the state is finite, but so large that the torques are not")
        except BadMessage as error:
            if error.cause == "not finite":
                self.accelerations.restart_filter()  # such a velocity would remain in it for long
            raise
        return Answer(state, configuration, wrenches, effort, exceeded, dynamics)
