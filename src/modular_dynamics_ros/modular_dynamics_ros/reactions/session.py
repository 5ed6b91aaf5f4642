"""One robot in an active torso_reaction_node: every joint state gets the reactions that belong to it."""

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from rclpy.lifecycle import LifecycleState

from modular_dynamics_ros.computation.closed_loop import ClosedComputation
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.diagnostics.latency import LatencyWindow
from modular_dynamics_ros.diagnostics.status import Status
from modular_dynamics_ros.diagnostics.statuses import acceleration_state
from modular_dynamics_ros.messages.bad_message import BadMessage, listed
from modular_dynamics_ros.messages.conversions import stamp_nanoseconds, wrench_from_message
from modular_dynamics_ros.messages.topic_names import topic_name
from modular_dynamics_ros.node.input_timeout import Reaction
from modular_dynamics_ros.node.pending_messages import waiting
from modular_dynamics_ros.node.session import NO_EVENTS, Session
from modular_dynamics_ros.parameters.nodes import ReactionParameters
from modular_dynamics_ros.reactions.computation import MechanismReactions, ReactionComputation
from modular_dynamics_ros.reactions.outputs import ReactionOutputs
from modular_dynamics_ros.reactions.status import answers_status, loads_status, reactions_status
from modular_dynamics_ros.reactions.wrench_matching import WrenchMatcher

if TYPE_CHECKING:
    from modular_dynamics_ros.reactions.node import TorsoReactionNode

__all__ = ["ReactionSession"]

DEPTH = 500  # as for joint states: a second at 500 Hz
WRENCHES = "connection wrenches"


class ReactionSession(Session):
    """As `Session`; with loads from topics a state waits for the wrenches that were computed from it.

    Raises:
        RobotError: the rules or the node's parameters do not fit the robot.
    """

    def __init__(self, node: "TorsoReactionNode", robot: Robot) -> None:
        parameters: ReactionParameters = node.parameters
        self.reactions = ReactionComputation(robot, parameters.rules_file, parameters.equilibrium_tolerance)
        self._from_topics = parameters.loads == "topics"
        self._wrenches: dict[str, Any] = {}
        computation = ClosedComputation(robot, parameters)
        outputs = ReactionOutputs(node, self.reactions, parameters)
        super().__init__(node, robot, computation, outputs, takes_loads=False)

    def _reset(self, parameters: ReactionParameters) -> None:
        super()._reset(parameters)
        self._matcher = WrenchMatcher(self.reactions.hanging, parameters.stale_after)
        self._computing = LatencyWindow()
        self.found: MechanismReactions | None = None

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer."""
        if self._from_topics:  # before joint_states: who waits for a subscriber of those finds these, too
            self._wrenches = {
                name: self._node.create_subscription(
                    WrenchStamped,
                    f"dynamics_node/connections/{topic_name(name)}/wrench",
                    partial(self._on_wrench, name),
                    DEPTH,
                    event_callbacks=NO_EVENTS,
                )
                for name in self.reactions.hanging
            }
        super().activate(state)

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        for subscription in self._wrenches.values():
            self._node.destroy_subscription(subscription)
        self._wrenches = {}
        super().deactivate()

    def set_parameters(self, parameters: ReactionParameters) -> None:
        """Take parameters that changed at run time."""
        super().set_parameters(parameters)
        self.reactions.tolerance = parameters.equilibrium_tolerance
        self.outputs.parameters, self._matcher.patience = parameters, parameters.stale_after

    def _observed(self, stamp: Time, arrival: int, now: int) -> None:
        began = time.perf_counter_ns()
        self.computation.compute(now)
        self._remark_on_passive_joints()
        what = stamp, arrival, self.computation.completed, time.perf_counter_ns() - began
        if self._from_topics:
            key = stamp_nanoseconds(stamp)
            self._matcher.wait(key, what, now)
            self._answer_matched(key, now)
        else:
            self._answer(*what, None, now)

    def _on_wrench(self, name: str, message: WrenchStamped) -> None:
        self._take_wrench(name, message)
        for next_message, _ in waiting(self._wrenches[name]):
            self._take_wrench(name, next_message)

    def _take_wrench(self, name: str, message: WrenchStamped) -> None:
        now, stamp = self._node.now(), stamp_nanoseconds(message.header.stamp)
        link = message.header.frame_id
        try:
            if link not in self.robot.graph.links:
                raise BadMessage(
                    "unknown link", f"its frame '{link}' is no link of '{self.robot.graph.name}'"
                )
            self._matcher.add(name, stamp, (link, wrench_from_message(message)), now)
        except BadMessage as error:
            self._log.problem(WRENCHES, error.cause, f"wrench of '{name}' refused: {error}")
            return
        try:
            self._answer_matched(stamp, now)
        except BadMessage as error:
            self._reject(error)

    def _answer_matched(self, stamp: int, now: int) -> None:
        matched = self._matcher.take(stamp)
        if matched is not None:
            what, wrenches = matched
            self._answer(*what, wrenches, now)

    def _answer(
        self, stamp: Time, arrival: int, dynamics: Any, spent: int, wrenches: dict | None, now: int
    ) -> None:
        """Share and publish; `spent` [ns] went into the dynamics before."""
        began = time.perf_counter_ns()
        found = self.reactions(dynamics, wrenches)
        self.outputs.publish(stamp, found, from_topics=self._from_topics)
        self.found = found
        self._computing.add(arrival, spent + time.perf_counter_ns() - began)
        self._answered(arrival, now)

    def _react(self, reaction: Reaction, factor: float) -> None:
        """States that waited in vain are given up; what a stale input asks for, nothing, is done."""
        patience = self._matcher.patience
        for lacking in self._matcher.overdue(self._node.now()):
            words = f"no connection wrench of {listed(lacking)} with its stamp came within {patience:g} s"
            self._reject(BadMessage("no connection wrench", words))

    def statuses(self) -> list[Status]:
        """How it goes, for /diagnostics."""
        source = acceleration_state(self.computation)
        statuses = [self._input_status(WRENCHES), answers_status(self.tally, self._computing, source)]
        if self._from_topics:
            ages, problems = self._matcher.ages(self._node.now()), self._log.texts(WRENCHES)
            statuses.append(loads_status(ages, self._matcher.patience, problems))
        return [*statuses, self._closure_status(), reactions_status(self.reactions, self.found)]
