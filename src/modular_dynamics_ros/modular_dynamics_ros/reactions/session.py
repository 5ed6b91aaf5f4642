"""One robot in torso_reaction_node: every joint state gets the reactions that belong to it."""

import time
from dataclasses import dataclass
from typing import Any

from rclpy.lifecycle import LifecycleState

from modular_dynamics_ros.computation.answer import Answer, State
from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import Robot, load_robot
from modular_dynamics_ros.computation.settings import ComputationSettings
from modular_dynamics_ros.diagnostics.latency import LatencyWindow
from modular_dynamics_ros.messages.bad_message import BadMessage, listed
from modular_dynamics_ros.messages.status import Status
from modular_dynamics_ros.node.input_timeout import InputTimeout
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.reference_input import ReferenceInput
from modular_dynamics_ros.node.state_input import WATCH_PERIOD, StateInput
from modular_dynamics_ros.parameters.nodes import ReactionParameters
from modular_dynamics_ros.reactions.computation import MechanismReactions, ReactionComputation
from modular_dynamics_ros.reactions.connection_wrenches import LOG_NAME, ConnectionWrenches
from modular_dynamics_ros.reactions.outputs import ReactionOutputs
from modular_dynamics_ros.reactions.status import answers_status, loads_status, reactions_status

__all__ = ["ReactionSession", "make_session"]


@dataclass(frozen=True, eq=False)
class _Waiting:
    """A state whose dynamics are computed, until the loads from topics are there.

    Attributes:
        arrival: of the state [ns of the system]. spent: on its dynamics [ns].
    """

    answer: Answer
    arrival: int
    spent: int


class ReactionSession:
    """See `RobotSession`. With loads from topics a state waits for the wrenches that were computed from it.

    Raises:
        RobotError: the rules or the parameters do not fit the robot.
    """

    def __init__(self, node: SessionNode, robot: Robot, parameters: ReactionParameters) -> None:
        self.robot, self._node, self._parameters = robot, node, parameters
        self.reactions = ReactionComputation(robot, parameters.rules_file, parameters.equilibrium_tolerance)
        self.computation = Computation(robot, settings_of(parameters))
        self._outputs = ReactionOutputs(node, self.reactions, parameters)
        self.input: StateInput | None = None  # while active, as all that follow
        self._loads: ConnectionWrenches[_Waiting] | None = None  # only with loads from topics
        self._reference: ReferenceInput | None = None
        self._watch: Any = None
        self._last: MechanismReactions | None = None
        self._computing = LatencyWindow()

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
        """Subscribe and begin to answer."""
        node, parameters = self._node, self._parameters
        self._outputs.activate(state)
        self._computing.clear()
        self._last = None
        # joint_states last: a player that waits for its subscriber then finds the others, too, and of a
        # reference and a joint state that both wait, the reference is taken first
        if parameters.loads == "topics":
            self._loads = ConnectionWrenches(
                node, self.robot.graph, self.reactions.load_names, parameters.stale_after, self._on_loads
            )
        self._reference = ReferenceInput(node, self.computation)
        timeout = InputTimeout(parameters.stale_after)
        self.input = StateInput(node, self.computation, self._on_state, timeout)
        self._watch = node.create_timer(WATCH_PERIOD, self._on_watch)

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        if self.input is None:
            return
        self._node.destroy_timer(self._watch)
        for one in (self.input, self._reference, self._loads):
            if one is not None:
                one.destroy()
        self.input = self._reference = self._loads = None
        self.computation.forget()

    def destroy(self) -> None:
        """Deactivate, and remove the publishers."""
        self.deactivate()
        self._outputs.destroy()

    def set_parameters(self, parameters: ReactionParameters) -> None:
        """Take parameters that changed at run time."""
        self._parameters = self._outputs.parameters = parameters
        self.computation.configure(settings_of(parameters))
        self.reactions.tolerance = parameters.equilibrium_tolerance
        if self.input is not None:
            self.input.set_timeout(parameters.stale_after)
        if self._loads is not None:
            self._loads.patience = parameters.stale_after

    def statuses(self) -> list[Status]:
        """The parts of /diagnostics."""
        assert self.input is not None  # asked for while active
        source = self.computation.accelerations.description
        statuses = [
            self.input.status(LOG_NAME),
            answers_status(self.input.counts, self._computing, source),
        ]
        if self._loads is not None:
            problems = self._node.log.texts(LOG_NAME)
            statuses.append(loads_status(self._loads.ages(), self._loads.patience, problems))
        closure = self.input.closure_status(self.computation.last_answer)
        return [*statuses, closure, reactions_status(self.reactions, self._last)]

    def _on_state(self, state: State, arrival: int) -> None:
        began = time.perf_counter_ns()
        answer = self.computation.compute(state, self._node.now())
        waiting = _Waiting(answer, arrival, time.perf_counter_ns() - began)
        if self._loads is None:
            self._publish(waiting, None)
        elif (wrenches := self._loads.match(state.stamp, waiting)) is not None:
            self._publish(waiting, wrenches)

    def _on_loads(self, waiting: _Waiting, wrenches: dict[str, Any]) -> None:
        """The last wrench that a state waited for has arrived."""
        assert self.input is not None  # only while active
        try:
            self._publish(waiting, wrenches)
        except BadMessage as error:
            self.input.reject(error)

    def _publish(self, waiting: _Waiting, wrenches: dict[str, Any] | None) -> None:
        assert self.input is not None  # only while active
        began, answer = time.perf_counter_ns(), waiting.answer
        assert isinstance(answer.dynamics, ClosedLoopSolution)  # ReactionComputation rejects open chains
        self._last = self.reactions(answer.dynamics.result, wrenches)
        self._outputs.publish(self._last, answer.state.stamp, from_topics=wrenches is not None)
        self._computing.add(waiting.arrival, waiting.spent + time.perf_counter_ns() - began)
        self.input.count_answer(answer, waiting.arrival)

    def _on_watch(self) -> None:
        """Report a stale input, and give up states whose wrenches will not arrive."""
        if self.input is None:
            return
        self.input.output()
        if self._loads is None:
            return
        for missing in self._loads.give_up():
            text = (
                f"no connection wrench of {listed(missing)} with its stamp came within "
                f"{self._loads.patience:g} s"
            )
            self.input.reject(BadMessage("no connection wrench", text))


def settings_of(parameters: ReactionParameters) -> ComputationSettings:
    """The parameters that the computation needs; reactions are computed from the full torques."""
    return ComputationSettings(
        acceleration_source=parameters.acceleration_source,
        filter_cutoff=parameters.filter_cutoff,
        stale_after=parameters.stale_after,
        closure_tolerance=parameters.closure_tolerance,
    )


def make_session(node: SessionNode, description: str, parameters: ReactionParameters) -> ReactionSession:
    """The session of a robot, from its URDF's path or text.

    Raises:
        RobotError: robot, rules or parameters cannot be used.
    """
    robot = load_robot(description, parameters.partition_file, parameters.gravity)
    return ReactionSession(node, robot, parameters)
