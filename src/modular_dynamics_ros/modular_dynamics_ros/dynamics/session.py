"""One robot in dynamics_node: every joint state gets its torques, and some are compared with Pinocchio."""

from dataclasses import replace
from typing import Any

import numpy as np
from rclpy.lifecycle import LifecycleState

from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import State
from modular_dynamics_ros.diagnostics.statuses import MessageCounts, answer_values
from modular_dynamics_ros.dynamics.crosscheck import CrossChecks
from modular_dynamics_ros.dynamics.outputs import DynamicsOutputs
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.status import Status, judged
from modular_dynamics_ros.node.inputs import Inputs, ReferenceInput, WrenchInputs
from modular_dynamics_ros.node.robot_node import RobotNode
from modular_dynamics_ros.node.session import RobotSession
from modular_dynamics_ros.node.state_input import Output
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

__all__ = ["DynamicsSession", "output_status"]


class DynamicsSession(RobotSession):
    """See `RobotSession`.

    Attributes:
        last_published: the last answer, or the one that holds the robot while the input is stale.
    """

    def __init__(self, node: RobotNode, description: str, parameters: DynamicsParameters) -> None:
        super().__init__(node, description, parameters)
        rate, threshold = parameters.crosscheck_rate, parameters.crosscheck_threshold
        self.crosschecks = CrossChecks(self.robot, node.log, rate, threshold)
        self.outputs: DynamicsOutputs = DynamicsOutputs(node, self.robot, parameters.controller_joints)
        self.last_published: Answer | None = None
        self._rate_timer: Any = None
        # with a rate: the state that its timer is to answer, and its arrival
        self._newest: tuple[State, int] | None = None

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer; publish the graph."""
        self.crosschecks.restart()
        super().activate(state)
        self.outputs.publish_graph(self._node.stamp())
        self._set_rate(self._parameters.rate)

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        self._set_rate(0.0)
        super().deactivate()
        self._newest = self.last_published = None

    def set_parameters(self, parameters: DynamicsParameters) -> None:
        """Take parameters that changed at run time."""
        super().set_parameters(parameters)
        monitor = self.crosschecks.monitor
        monitor.rate, monitor.threshold = parameters.crosscheck_rate, parameters.crosscheck_threshold
        if self.input is not None:
            self._set_rate(parameters.rate)

    def statuses(self) -> list[Status]:
        """The parts of /diagnostics, while active."""
        joint_states, answer = self.active_input, self.last_published
        statuses = [
            joint_states.status("cross-check"),
            output_status(joint_states.counts, self.computation, answer),
            self.crosschecks.status(),
        ]
        return [*statuses, joint_states.closure_status(answer)] if self.robot.closed else statuses

    def _timeout_parameters(self) -> tuple[Any, ...]:
        return self._parameters.stale_after, self._parameters.on_stale, self._parameters.ramp_time

    def _subscribe_others(self) -> list[Inputs]:
        return [ReferenceInput(self._node, self.computation), WrenchInputs(self._node, self.computation)]

    def _set_rate(self, rate: float) -> None:
        if self._rate_timer is not None:
            self._node.destroy_timer(self._rate_timer)
        self._rate_timer = self._node.create_timer(1.0 / rate, self._on_rate) if rate > 0.0 else None

    def _on_state(self, state: State, arrival: int) -> None:
        if self._rate_timer is None:
            self._answer(state, arrival)
            return
        self.active_input.counts.superseded += self._newest is not None
        self._newest = state, arrival

    def _on_rate(self) -> None:
        if self._newest is None:
            return
        (state, arrival), self._newest = self._newest, None
        try:
            self._answer(state, arrival)
        except BadMessage as error:
            self.active_input.reject(error)

    def _answer(self, state: State, arrival: int) -> None:
        self.last_published = answer = self.computation.compute(state, self._node.now())
        self.outputs.publish(answer)
        self.active_input.count_answer(answer, arrival)
        self.active_input.counts.limited.update(limited_joints(self.robot, answer))
        self.crosschecks.compare_if_due(answer)

    def _on_watch(self, output: Output, factor: float) -> None:
        if output is Output.HOLD_GRAVITY:
            try:
                self.last_published = self.computation.hold()
            except BadMessage as error:
                self._node.log.problem("joint_states", error.cause, f"position not held: {error}")
            else:
                self.outputs.publish(self.last_published, self._node.stamp())
        elif output is Output.RAMP and self.last_published is not None:
            last = self.last_published
            self.outputs.publish_torques(replace(last, effort=factor * last.effort), self._node.stamp())


def limited_joints(robot: Robot, answer: Answer) -> list[str]:
    """Whose effort limits the answer exceeded."""
    return [robot.state_names[index] for index in np.flatnonzero(answer.exceeded)]


def output_status(counts: MessageCounts, computation: Computation, answer: Answer | None) -> Status:
    """Rate, latency, effort limits, and the source of the accelerations; `answer` is the last one."""
    robot, settings = computation.robot, computation.settings
    values = {
        **answer_values(counts, computation.accelerations.description),
        "superseded by a newer joint state": str(counts.superseded),
        "output": settings.output,
    }
    values |= {
        f"effort limit of {name} reached in": f"{count} answers" for name, count in counts.limited.items()
    }
    limited = [] if answer is None else limited_joints(robot, answer)
    warnings = [f"effort limit reached ({settings.effort_limits}): {', '.join(limited)}"] if limited else []
    good = f"{robot.graph.name}: torques of {len(robot.joint_names)} joints"
    return judged("output", good, values, warnings=warnings)
