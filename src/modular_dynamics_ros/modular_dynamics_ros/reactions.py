"""torso_reaction_node: the reactions of a mechanism with redundant joints, for every joint state.

Made for the care robot's torso (Goncalves et al., section 4), and for any mechanism that a URDF with closed
loops and a file of rules describe. From joint_states alone, or with dynamics_node's connection wrenches as
the loads of the subsystems that the mechanism carries, it publishes

  ~/reactions            TorsoReactions: actuators, springs, joints, equilibrium residual, singularity
  ~/effort_commands      Float64MultiArray: forces of the actuators, for an effort controller
  ~/springs              JointState: lengths and tensions
  ~/joints/NAME/wrench   WrenchStamped: what a joint exerts on the body that it holds, in a link's frame
  ~/markers              MarkerArray: the same as arrows, at the true points of application
  /diagnostics           once a second

A state or a wrench that cannot be used is reported and not processed. It is a lifecycle node: without
robot_description_file it waits, configured, for a robot on the topic robot_description.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.msg import ConnectionWrenches as ConnectionWrenchesMessage
from modular_dynamics_interfaces.msg import TorsoReactions
from rclpy.lifecycle import LifecycleState
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.reactions import MechanismReactions, ReactionComputation
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.subsystem.rendezvous import Rendezvous
from modular_dynamics_ros.computation.values import StampedWrench, State
from modular_dynamics_ros.computation.wrenches.timed_wrenches import longest_silence
from modular_dynamics_ros.diagnostics.statuses import answer_values
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.markers import MarkerWriter, ReactionsWriter
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.status import OK, Status, status_of
from modular_dynamics_ros.messages.subsystems import connection_wrenches_from_message
from modular_dynamics_ros.node.inputs import ReferenceInput, Subscriptions
from modular_dynamics_ros.node.outputs import MARKER_RATE, JointStateWriter, Outputs, Pace, WrenchTopics
from modular_dynamics_ros.node.robot_node import RobotNode, RobotSession
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.settings import read_robot, settings_of
from modular_dynamics_ros.node.spinning import run_lifecycle_node
from modular_dynamics_ros.node.topic_names import topic_names
from modular_dynamics_ros.parameters.nodes import ReactionParameters

NEAR_SINGULARITY = 1e-3  # singularity_distance below which the actuators' forces begin to grow without bounds
LOG_NAME = "connection wrenches"
TOPIC = "dynamics_node/connection_wrenches"
DEPTH = 500  # messages that may wait: a second at 500 Hz
Wrenches = dict[str, StampedWrench]
"""By subsystem."""


class ReactionOutputs(Outputs):
    """Publishes reactions, and the forces of the rules' actuators as efforts."""

    def __init__(
        self, node: SessionNode, computation: ReactionComputation, parameters: ReactionParameters
    ) -> None:
        rules = computation.rules
        joints = topic_names("joint", rules.joints)  # first: what is refused leaves no publisher behind
        actuators = {name: index for index, name in enumerate(computation.actuators)}
        owner = f"the actuators of '{rules.name}' are"
        super().__init__(node, parameters.controller_joints, actuators, owner)
        self.parameters = parameters
        self._axes = {name: joint.axes for name, joint in rules.joints.items()}
        springs = computation.springs
        # lengths [m] as positions and tensions [N] as efforts are easily plotted
        self._springs = JointStateWriter(springs, range(len(springs)), ("position", "effort"))
        self._reactions = ReactionsWriter(computation)
        self._markers, self._marker_pace = MarkerWriter(computation), Pace()
        self._reactions_publisher = self._publisher(TorsoReactions, "~/reactions")
        self._spring_publisher = self._publisher(JointState, "~/springs")
        self._marker_publisher = self._publisher(MarkerArray, "~/markers", 1)
        self._wrenches = WrenchTopics(
            self._publisher, "joints", joints, computation.robot.frame_prefix, self.subscribed
        )

    def publish(self, reactions: MechanismReactions, stamp_ns: int, *, from_topics: bool) -> None:
        """Publish the reactions of a state: commands first, all else only while subscribed.

        Args:
            stamp_ns: of the state [ns]. from_topics: whether the loads came from topics.
        """
        stamp = stamp_message(stamp_ns)
        self._publish_commands(reactions.actuator_forces, stamp_ns)
        if self._reactions_publisher in self.subscribed.publishers:
            message = self._reactions.write(stamp, reactions, from_topics=from_topics)
            self._reactions_publisher.publish(message)
        if self._spring_publisher in self.subscribed.publishers:
            self._spring_publisher.publish(
                self._springs.write(stamp_ns, reactions.lengths, reactions.tensions)
            )
        self._wrenches.publish(stamp, lambda name: reactions.wrench_on_link(name, self._axes[name]))
        self._publish_markers(stamp, reactions)

    def _publish_markers(self, stamp: Time, reactions: MechanismReactions) -> None:
        """Publish the reactions as arrows, the largest message, at most at MARKER_RATE."""
        if self._marker_publisher in self.subscribed.publishers and self._marker_pace.due(MARKER_RATE):
            scales = self.parameters.force_scale, self.parameters.moment_scale
            self._marker_publisher.publish(self._markers.write(stamp, reactions, *scales))


@dataclass(frozen=True, eq=False)
class _Waiting:
    """A state with its dynamics, and its arrival [ns of the system]; it waits for loads from topics."""

    answer: Answer
    arrival: int


class ConnectionWrenches(Subscriptions):
    """The subscription to connection wrenches, from activation to deactivation.

    The wrenches of two joint states with the same stamp cannot be distinguished: while they are awaited,
    neither is processed.

    Args:
        names: of the subsystems whose wrenches are needed. timeout: how long [s] an item waits for them.
        complete: called with an item that waited for its wrenches, and these. description: digest of the
        robot's, which that of wrenches must be, where both are known.

    Attributes:
        rendezvous: of items and wrenches. refused: number of messages by cause.
    """

    def __init__(
        self,
        node: SessionNode,
        robot: Robot,
        names: Sequence[str],
        timeout: float,
        complete: Callable[[_Waiting, Wrenches], None],
        description: str = "",
    ) -> None:
        super().__init__(node)
        self._names, self._robot, self._complete = tuple(names), robot, complete
        self._description, self.refused = description, Counter[str]()
        self.rendezvous: Rendezvous[_Waiting] = Rendezvous((TOPIC,), timeout)
        self._arrived: int | None = None  # when the last wrenches came [ns of the monotonic clock]
        self._subscribe(ConnectionWrenchesMessage, TOPIC, self._receive, DEPTH)

    def match(self, stamp: int, item: _Waiting) -> Wrenches | None:
        """Return the wrenches with this stamp [ns]; None until they arrive: the item waits for them.

        Raises:
            BadMessage: another item had this stamp; if it still waits, it is dropped.
        """
        meeting = self.rendezvous.add_item(stamp, item, self._node.steady())
        if meeting is None:
            for waiting in self.rendezvous.waiting():
                waiting.done |= waiting.stamp == stamp
            text = "another joint state had its stamp: their connection wrenches cannot be distinguished"
            raise BadMessage("repeated stamp", text)
        wrenches: Wrenches | None = meeting.parts.get(TOPIC)
        meeting.done = wrenches is not None
        return wrenches

    def age(self) -> float | None:
        """Return the time [s] since the last wrenches arrived; None if none have."""
        return None if self._arrived is None else (self._node.steady() - self._arrived) * 1e-9

    def _receive(self, message: ConnectionWrenchesMessage, info: dict[str, Any]) -> None:
        """Take wrenches, and complete the item that waits for them."""
        stamp = stamp_nanoseconds(message.header.stamp)
        try:
            links, prefix = self._robot.graph.links, self._robot.frame_prefix
            own = self._description
            wrenches = connection_wrenches_from_message(message, self._names, links, prefix, own)
        except BadMessage as error:
            self.refused[error.cause] += 1
            self._node.log.problem(LOG_NAME, error.cause, f"connection wrenches refused: {error}")
            return
        self._arrived = self._node.steady()
        meeting = self.rendezvous.add_part(stamp, TOPIC, wrenches, self._arrived)
        if meeting is not None and meeting.item is not None:
            meeting.done = True
            self._complete(meeting.item, wrenches)


class PreparedReactions(NamedTuple):
    """The parts of a robot that are slow to make."""

    computation: Computation
    reactions: ReactionComputation


class ReactionSession(RobotSession[ReactionParameters]):
    """One robot: its subscriptions while the node is active, and its publishers.

    With loads from topics a state waits for the wrenches that were computed from it.

    Args:
        prepared: see `load`.

    Raises:
        RobotError: robot, rules or parameters cannot be used.
    """

    _outputs: ReactionOutputs

    @staticmethod
    def load(description: str, parameters: ReactionParameters) -> PreparedReactions:
        """Return a robot's computation and its rules; raises RobotError if they cannot be used."""
        computation = Computation(read_robot(description, parameters), settings_of(parameters))
        rules, tolerance = parameters.rules_file, parameters.equilibrium_tolerance
        return PreparedReactions(computation, ReactionComputation(computation.robot, rules, tolerance))

    def __init__(
        self, node: SessionNode, prepared: PreparedReactions, parameters: ReactionParameters
    ) -> None:
        computation, self.reactions = prepared
        super().__init__(node, computation, parameters)
        self._outputs = ReactionOutputs(node, self.reactions, parameters)
        self._loads: ConnectionWrenches | None = None  # while active, with loads from topics
        self._last: MechanismReactions | None = None
        self._closed: Answer | None = None  # the last one whose loops were closed, published or not

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer."""
        self._last = self._closed = None
        self._outputs.activate(state)
        others = list[Subscriptions]()
        if self.parameters.loads == "topics" and self.reactions.load_names:
            names, timeout = self.reactions.load_names, self.parameters.stale_after
            self._loads = ConnectionWrenches(
                self._node, self.robot, names, timeout, self._on_loads, self.description
            )
            others.append(self._loads)
        others.append(ReferenceInput(self._node, self.computation, self.parameters.reference_type))
        self._subscribe(others)

    def finish(self) -> None:
        """Reject the states that wait for wrenches, which belong to the next robot from now on."""
        if self._loads is not None:
            error = BadMessage("robot replaced", "the robot was replaced before its connection wrenches came")
            for _ in self._loads.rendezvous.waiting():
                self.record.rejected(error)

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        super().deactivate()
        self._loads = None

    def set_parameters(self, parameters: ReactionParameters) -> None:
        """Take parameters that changed at run time."""
        super().set_parameters(parameters)
        self._outputs.parameters = parameters
        self.reactions.tolerance = parameters.equilibrium_tolerance
        if self._loads is not None:
            self._loads.rendezvous.timeout = parameters.stale_after

    def statuses(self) -> list[Status]:
        """Return the statuses for /diagnostics, while active."""
        values = answer_values(self.record.counts, self.acceleration_source)
        output = Status(OK, "output", "every good joint state is processed", values=values)
        statuses = [self.record.status(LOG_NAME), output]
        if self._loads is not None:
            problems = self._node.log.texts(LOG_NAME)
            limit = longest_silence(self.parameters.stale_after, simulated=self._node.simulated)
            statuses.append(loads_status(self._loads.age(), limit, self._loads.refused, problems))
        closure = self.record.closure_status(self._closed)
        return [*statuses, closure, reactions_status(self.reactions, self._last)]

    def on_state(self, state: State, arrival: int) -> None:
        """Close the loops, and answer the state once the loads are there: see `RobotSession`."""
        answer = self.computation.compute(state, self._node.now(), self._closed, self.record.last)
        self._closed = answer
        waiting = _Waiting(answer, arrival)
        if self._loads is None:
            self._publish(waiting, None)
        elif (wrenches := self._loads.match(state.stamp, waiting)) is not None:
            self._publish(waiting, wrenches)

    def _on_loads(self, waiting: _Waiting, wrenches: Wrenches) -> None:
        """Answer a state whose awaited wrenches have arrived."""
        try:
            self._publish(waiting, wrenches)
        except BadMessage as error:
            self.record.rejected(error)

    def _publish(self, waiting: _Waiting, wrenches: Wrenches | None) -> None:
        """Publish the reactions of a state, with its loads if these come from topics."""
        answer = waiting.answer
        self.record.require_order(answer.state.stamp, self._node.now())  # wrenches come in any order
        assert isinstance(answer.dynamics, ClosedLoopSolution)  # ReactionComputation rejects open chains
        self._last = self.reactions(answer.dynamics.result, wrenches)
        now = self._node.now()  # time may have passed in other threads
        delay = "this node was busy" if wrenches is None else "it waited for wrenches"
        self.record.require_fresh(answer.state.stamp, now, waiting.arrival, delay)
        self._outputs.publish(self._last, answer.state.stamp, from_topics=wrenches is not None)
        self.record.processed(answer, waiting.arrival, now, self.computation.settings.closure_tolerance)

    def on_watch(self) -> None:
        """Report stale input, and reject states whose wrenches will not arrive."""
        if self.record.overdue() is not None:
            self.record.stale("nothing")
        if self._loads is None:
            return
        for _ in self._loads.rendezvous.overdue(self._node.steady()):
            text = f"no connection wrenches with its stamp came within {self.parameters.stale_after:g} s"
            self.record.rejected(BadMessage("no connection wrenches", text))


def loads_status(age: float | None, stale_after: float, refused: Counter[str], problems: list[str]) -> Status:
    """Return the status of dynamics_node's connection wrenches.

    Args:
        age: of the last ones [s]. refused: number of messages by cause.
    """
    text = "never arrived" if age is None else f"arrived {age:.2f} s ago"
    is_stale = age is None or age > stale_after
    errors = (
        [f"connection wrenches are stale, nothing is published: the last ones {text}"] if is_stale else []
    )
    good = "connection wrenches arrive with the joint states"
    values = {"last connection wrenches": text}
    values |= {f"refused: {cause}": str(count) for cause, count in sorted(refused.items())}
    return status_of("connection wrenches", good, values, errors, problems)


def reactions_status(computation: ReactionComputation, reactions: MechanismReactions | None) -> Status:
    """Return the status of the last answer: worst actuator, slack springs, equilibrium, singularity."""
    if reactions is None:
        return Status(OK, "reactions", "no joint state was processed yet")
    use = np.abs(reactions.actuator_forces) / computation.limits
    problems = [reactions.contradiction] if reactions.contradiction else []
    if over := [name for name, part in zip(computation.actuators, use, strict=True) if part > 1.0]:
        problems.append(f"the limit of {listed(over)} is exceeded")
    slack = [name for name, pull in zip(computation.springs, reactions.tensions, strict=True) if pull <= 0.0]
    if slack:
        problems.append(f"spring {listed(slack)} is slack: its force is wrong if it can only pull")
    if reactions.singularity_distance < NEAR_SINGULARITY:
        problems.append(f"a singular configuration is near: {reactions.singularity_distance:.1e}")
    values = {"actuator forces less those of virtual power [N]": f"{reactions.disagreement:.3e}"}
    if len(use):
        closest = int(np.argmax(use))
        values["closest to its limit"] = f"{computation.actuators[closest]}: {100.0 * use[closest]:.1f} %"
    good = "in equilibrium, within the limits, springs pull"
    return status_of("reactions", good, values, warnings=problems)


class TorsoReactionNode(RobotNode[ReactionParameters]):
    """The reactions of one robot: see `ReactionSession`."""

    NAME = "torso_reaction_node"
    PARAMETERS = ReactionParameters
    SESSION = ReactionSession


def main() -> int:
    """Run the node as a process."""
    return run_lifecycle_node(TorsoReactionNode, str(__doc__))
