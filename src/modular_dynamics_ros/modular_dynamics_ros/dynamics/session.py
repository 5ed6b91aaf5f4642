"""One robot in dynamics_node: every joint state gets its torques, and some are compared with Pinocchio."""

from dataclasses import replace
from typing import Any

from rclpy.lifecycle import LifecycleState

from modular_dynamics_ros.computation.answer import Answer, State
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import Robot, load_robot
from modular_dynamics_ros.computation.settings import ComputationSettings
from modular_dynamics_ros.dynamics.crosscheck import CrossChecks
from modular_dynamics_ros.dynamics.outputs import Outputs
from modular_dynamics_ros.dynamics.status import output_status
from modular_dynamics_ros.messages.bad_message import BadMessage
from modular_dynamics_ros.messages.status import Status
from modular_dynamics_ros.node.input_timeout import InputTimeout, Output
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.reference_input import ReferenceInput
from modular_dynamics_ros.node.state_input import WATCH_PERIOD, StateInput
from modular_dynamics_ros.node.wrench_inputs import WrenchInputs
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

__all__ = ["DynamicsSession", "make_session"]


class DynamicsSession:
    """See `RobotSession`.

    Attributes:
        last_published: the last answer, or the one that holds the robot while the input is stale.

    Raises:
        RobotError: the parameters do not fit the robot.
    """

    def __init__(self, node: SessionNode, robot: Robot, parameters: DynamicsParameters) -> None:
        self.robot, self._node, self._parameters = robot, node, parameters
        self.computation = Computation(robot, settings_of(parameters))
        self.crosschecks = CrossChecks(
            robot, node.log, parameters.crosscheck_rate, parameters.crosscheck_threshold
        )
        self._outputs = Outputs(node, robot, parameters.controller_joints)
        self.input: StateInput | None = None  # while active, as all that follow
        self.last_published: Answer | None = None
        self._other_inputs: list[WrenchInputs | ReferenceInput] = []
        self._watch: Any = None
        self._rate_timer: Any = None
        # with a rate: the state that its timer is to answer, and its arrival
        self._newest: tuple[State, int] | None = None

    @property
    def robot_name(self) -> str:
        """The name in the robot description."""
        return self.robot.graph.name

    @property
    def summary(self) -> str:
        """One line about the robot, for the log."""
        return self.robot.summary

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about the robot description."""
        return self.robot.remarks

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer; publish the graph."""
        node, parameters = self._node, self._parameters
        self.crosschecks.restart()
        self._outputs.activate(state)
        # before joint_states: of a reference and a joint state that both wait, the reference is taken first
        self._other_inputs = [ReferenceInput(node, self.computation), WrenchInputs(node, self.computation)]
        timeout = InputTimeout(parameters.stale_after, parameters.on_stale, parameters.ramp_time)
        self.input = StateInput(node, self.computation, self._on_state, timeout)
        self._watch = node.create_timer(WATCH_PERIOD, self._on_watch)
        self._outputs.publish_graph(node.stamp())
        self._set_rate(parameters.rate)

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        if self.input is None:
            return
        self._set_rate(0.0)
        self._node.destroy_timer(self._watch)
        for one in (self.input, *self._other_inputs):
            one.destroy()
        self.input, self._other_inputs = None, []
        self._newest = self.last_published = None
        self.computation.forget()

    def destroy(self) -> None:
        """Deactivate, and remove the publishers."""
        self.deactivate()
        self._outputs.destroy()

    def set_parameters(self, parameters: DynamicsParameters) -> None:
        """Take parameters that changed at run time."""
        self._parameters = parameters
        self.computation.configure(settings_of(parameters))
        self.crosschecks.configure(parameters.crosscheck_rate, parameters.crosscheck_threshold)
        if self.input is not None:
            self.input.set_timeout(parameters.stale_after, parameters.on_stale, parameters.ramp_time)
            self._set_rate(parameters.rate)

    def statuses(self) -> list[Status]:
        """The parts of /diagnostics."""
        assert self.input is not None  # asked for while active
        answer = self.last_published
        statuses = [
            self.input.status("cross-check"),
            output_status(self.input.counts, self.computation, answer),
            self.crosschecks.status(),
        ]
        return [*statuses, self.input.closure_status(answer)] if self.robot.closed else statuses

    def _set_rate(self, rate: float) -> None:
        if self._rate_timer is not None:
            self._node.destroy_timer(self._rate_timer)
        self._rate_timer = self._node.create_timer(1.0 / rate, self._on_rate) if rate > 0.0 else None

    def _on_state(self, state: State, arrival: int) -> None:
        if self._rate_timer is None:
            self._answer(state, arrival)
            return
        assert self.input is not None  # it calls this
        self.input.counts.superseded += self._newest is not None
        self._newest = state, arrival

    def _on_rate(self) -> None:
        if self._newest is None or self.input is None:
            return
        (state, arrival), self._newest = self._newest, None
        try:
            self._answer(state, arrival)
        except BadMessage as error:
            self.input.reject(error)

    def _answer(self, state: State, arrival: int) -> None:
        assert self.input is not None  # only while active
        self.last_published = answer = self.computation.compute(state, self._node.now())
        self._outputs.publish(answer)
        self.input.count_answer(answer, arrival)
        self.input.counts.count_limits(answer.exceeded)
        self.crosschecks.compare_if_due(answer)

    def _on_watch(self) -> None:
        """Publish what a stale input asks for."""
        if self.input is None:
            return
        output, factor = self.input.output()
        if output is Output.HOLD_GRAVITY:
            try:
                self.last_published = self.computation.hold()
            except BadMessage as error:
                self._node.log.problem("joint_states", error.cause, f"position not held: {error}")
            else:
                self._outputs.publish(self.last_published, self._node.stamp())
        elif output is Output.RAMP and self.last_published is not None:
            last = self.last_published
            self._outputs.publish_torques(replace(last, effort=factor * last.effort), self._node.stamp())


def settings_of(parameters: DynamicsParameters) -> ComputationSettings:
    """The parameters that the computation needs."""
    return ComputationSettings(
        acceleration_source=parameters.acceleration_source,
        filter_cutoff=parameters.filter_cutoff,
        output=parameters.output,
        friction=parameters.friction,
        effort_limits=parameters.effort_limits,
        stale_after=parameters.stale_after,
        closure_tolerance=parameters.closure_tolerance,
    )


def make_session(node: SessionNode, description: str, parameters: DynamicsParameters) -> DynamicsSession:
    """The session of a robot, from its URDF's path or text.

    Raises:
        RobotError: robot or parameters cannot be used.
    """
    robot = load_robot(description, parameters.partition_file, parameters.gravity)
    return DynamicsSession(node, robot, parameters)
