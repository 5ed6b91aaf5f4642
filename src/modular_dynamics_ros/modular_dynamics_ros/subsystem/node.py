"""subsystem_node: the joint torques of one subsystem of a robot, as one of several processes.

From joint_states, the motion of its connection point, which its predecessor publishes, and the wrenches that
its successors publish, all of the same stamp, it computes

  ~/joint_torques        JointState: of the subsystem's joints
  ~/wrench_out           WrenchStamped: what the predecessor exerts on the subsystem
  ~/motion_out/NAME      ConnectionMotion: of the connection point of each successor NAME
  ~/subsystem_graph      SubsystemGraph: by it neighbours see whether their descriptions fit
  ~/effort_commands      Float64MultiArray: the torques, for an effort controller
  /diagnostics           once a second

Together the nodes of all subsystems publish the torques that one dynamics_node publishes. The node must have
the name of its subsystem: its neighbours look for its topics there. It is a lifecycle node: without
robot_description_file it waits, configured, for a robot on the topic robot_description.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import ConnectionMotion as ConnectionMotionMessage
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.lifecycle import LifecycleState
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.subsystem.computation import MovingState, SubsystemComputation
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.computation.subsystem.part import SubsystemPart, subsystem_part
from modular_dynamics_ros.computation.subsystem.rendezvous import MOST, Meeting, Rendezvous
from modular_dynamics_ros.computation.values import Array, State
from modular_dynamics_ros.diagnostics.statuses import answer_values
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.lifecycle.entities import LATCHED
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.status import OK, Status
from modular_dynamics_ros.messages.subsystems import ConnectionMotionWriter, subsystem_graph_message
from modular_dynamics_ros.node.outputs import JointStateWriter, Outputs
from modular_dynamics_ros.node.robot_node import RobotNode, RobotSession
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.settings import read_robot, settings_of
from modular_dynamics_ros.node.spinning import run_lifecycle_node
from modular_dynamics_ros.node.topic_names import topic_name, topic_names
from modular_dynamics_ros.parameters.nodes import SubsystemParameters
from modular_dynamics_ros.subsystem.inputs import (
    DEPTH,
    LOG_NAME,
    MissingNeighbours,
    NeighbourDescriptions,
    NeighbourInputs,
    PartReferenceInput,
)


class SubsystemOutputs(Outputs):
    """Publishes the torques of the subsystem's joints, and what its neighbours need.

    Attributes:
        graph: of the whole robot, as it is published.
    """

    def __init__(self, node: SessionNode, part: SubsystemPart, controller_joints: Sequence[str]) -> None:
        robot = part.robot
        super().__init__(node, controller_joints, robot.commanded, f"'{part.name}' has torques of")
        self.graph = subsystem_graph_message(part.whole, node.stamp(), robot.frame_prefix)
        # before the motions and wrenches that belong to it: in this order DDS makes publishers known
        self._graph_publisher = self._publisher(SubsystemGraph, "~/subsystem_graph", LATCHED, always=True)
        fields = ("position", "velocity", "effort")
        self._torques = JointStateWriter(robot.state_names, robot.published.tolist(), fields)
        self._link, self._wrench = part.connection.link, WrenchWriter(robot.frame_prefix)
        root = robot.frame(part.root)
        self._motions = {
            one.subsystem: (
                self._publisher(ConnectionMotionMessage, f"~/motion_out/{topic_name(one.subsystem)}", DEPTH),
                ConnectionMotionWriter(root, one.subsystem),
            )
            for one in part.successors
        }
        self._wrench_publisher = self._publisher(WrenchStamped, "~/wrench_out", DEPTH)
        self._torque_publisher = self._publisher(JointState, "~/joint_torques")

    def publish_graph(self, stamp: Time) -> None:
        """Publish the graph; neighbours compare their descriptions with it."""
        self.graph.header.stamp = stamp
        self._graph_publisher.publish(self.graph)

    def publish_motions(self, stamp: Time, motions: Mapping[str, ConnectionMotion]) -> None:
        """Publish the motions of the connection points that the subsystem carries."""
        for name, motion in motions.items():
            publisher, writer = self._motions[name]
            publisher.publish(writer.write(stamp, motion))

    def publish_wrench(self, stamp: Time, answer: Answer) -> None:
        """Publish the wrench of the predecessor on the subsystem, at and in the link that carries it."""
        wrench = self._wrench.write(stamp, self._link, answer.dynamics.base_wrench)
        self._wrench_publisher.publish(wrench)

    def publish_torques(self, stamp: int, answer: Answer) -> None:
        """Publish torques and commands with a stamp [ns]."""
        state, effort = answer.state, answer.effort
        self._torque_publisher.publish(self._torques.write(stamp, state.q, state.v, effort))
        self._publish_commands(effort, stamp)


@dataclass(eq=False)
class _Waiting:
    """A state, its arrival [ns of the system], the motion computed from it, and successors that know it."""

    state: State
    arrival: int
    moving: MovingState | None = None
    asked: set[str] = field(default_factory=set)


class SubsystemSession(RobotSession[SubsystemParameters]):
    """One subsystem: its subscriptions while the node is active, and its publishers.

    Args:
        prepared: see `load`.

    Raises:
        RobotError: robot or parameters cannot be used.
    """

    computation: SubsystemComputation
    _outputs: SubsystemOutputs

    @staticmethod
    def load(description: str, parameters: SubsystemParameters) -> SubsystemComputation:
        """Return the computation of the subsystem that the parameter names, from the whole robot."""
        robot = read_robot(description, parameters)
        topic_names("subsystem", [one.name for one in robot.graph.subsystems])
        return SubsystemComputation(subsystem_part(robot, parameters.subsystem), settings_of(parameters))

    def __init__(
        self, node: SessionNode, prepared: SubsystemComputation, parameters: SubsystemParameters
    ) -> None:
        self.part = prepared.part
        parameters = own_parameters(parameters, self.part)
        super().__init__(node, prepared, parameters)
        self._outputs = SubsystemOutputs(node, self.part, parameters.controller_joints)
        self._own_motion: ConnectionMotion | None = None  # with its description, from activation on
        self._successors = {one.subsystem for one in self.part.successors}
        self.rendezvous: Rendezvous[_Waiting] = Rendezvous(self.part.neighbours, parameters.stale_after)
        self._descriptions: NeighbourDescriptions | None = None  # while active
        self._neighbours: NeighbourInputs | None = None  # while active
        self._missing: MissingNeighbours | None = None  # while active
        self._moved: MovingState | None = None  # last state that was moved

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer."""
        self.computation.description = self.description
        self._own_motion = self.computation.own_motion
        self._outputs.activate(state)
        self._outputs.publish_graph(self._node.stamp())
        self._descriptions = NeighbourDescriptions(
            self._node, self.part, self._outputs.graph, self._advance_waiting
        )
        self._neighbours = NeighbourInputs(self._node, self.computation, self._on_part)
        self._missing = MissingNeighbours(self._node, self.part)
        others = [
            self._descriptions,
            PartReferenceInput(self._node, self.computation, self.parameters.reference_type),
            self._neighbours,
        ]
        self._subscribe(others, self.part.other_joints)

    def receive(self, message: JointState, info: dict[str, Any]) -> None:
        """See `RobotSession`; a state without a stamp is rejected."""
        if not stamp_nanoseconds(message.header.stamp):
            text = "it has no stamp: nothing says which motion and which wrenches belong to it"
            self.record.unanswerable(BadMessage("no stamp", text))
            return
        super().receive(message, info)

    def finish(self) -> None:
        """Reject the states that wait for neighbours, which have the next robot from now on."""
        error = BadMessage("robot replaced", "the robot was replaced before its neighbours had sent")
        for _ in self.rendezvous.waiting():
            self.record.rejected(error)

    def continue_from(self, other: "SubsystemSession") -> None:
        """Take over the descriptions of other nodes, and which stamps have been processed."""
        self.rendezvous.close_stamps_of(other.rendezvous)
        if self._descriptions is not None and other._descriptions is not None:
            self._descriptions.continue_from(other._descriptions)

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        super().deactivate()
        self.rendezvous.clear()
        self._descriptions = self._neighbours = self._missing = self._moved = None

    def set_parameters(self, parameters: SubsystemParameters) -> None:
        """Take parameters that changed at run time."""
        super().set_parameters(parameters)
        self.rendezvous.timeout = parameters.stale_after

    def statuses(self) -> list[Status]:
        """Return the statuses for /diagnostics, while active."""
        record = self.record
        values = answer_values(record.counts, self.acceleration_source)
        statuses = [record.status(LOG_NAME), Status(OK, "output", self.robot.about, values=values)]
        if self._neighbours is not None and self._missing is not None:
            statuses.append(self._missing.status(self._neighbours.received, self._neighbours.refused))
        return [*statuses, record.closure_status(record.last)] if self.robot.closed else statuses

    def on_state(self, state: State, arrival: int) -> None:
        """Let a state wait for the messages of its stamp: see `RobotSession`."""
        waiting = _Waiting(state, arrival)
        meeting = self.rendezvous.add_item(state.stamp, waiting, self._node.steady())
        if meeting is None:
            text = "another joint state had its stamp and counts: give all joints of a stamp in one message"
            raise BadMessage("repeated stamp", text)
        self._advance(meeting)

    def _on_part(self, stamp: int, neighbour: str, part: Any) -> None:
        """Take a neighbour's motion or wrench; the first one of a stamp is used."""
        first = self.rendezvous.part(stamp, neighbour)
        if first is not None and not _same(first, part):
            text = (
                f"different messages with one stamp came from '{neighbour}': a second node of this subsystem "
                "runs, or another program publishes on its topics; end it, torques may be wrong"
            )
            self._node.log.problem(LOG_NAME, f"{neighbour}: contradiction", text, severe=True)
        meeting = self.rendezvous.add_part(stamp, neighbour, part, self._node.steady())
        if meeting is not None and meeting.item is not None:
            self._try_to_advance(meeting)

    def _advance_waiting(self) -> None:
        """Process waiting states after a neighbour's description has become compatible."""
        for meeting in self.rendezvous.waiting():
            self._try_to_advance(meeting)

    def _try_to_advance(self, meeting: Meeting[_Waiting]) -> None:
        """Advance a state; reject it if it cannot be processed."""
        try:
            self._advance(meeting)
        except BadMessage as error:
            self.record.rejected(error)

    def _advance(self, meeting: Meeting[_Waiting]) -> None:
        """Compute and publish results whose inputs are there: motions of successors, then wrench and torques.

        Raises:
            BadMessage: the state cannot be processed.
        """
        waiting, before = meeting.item, self.part.predecessor
        assert waiting is not None  # the callers have checked
        motion = self._own_motion if before is None else meeting.parts.get(before)
        unusable = {} if self._descriptions is None else self._descriptions.unusable()
        # the motion does not depend on an unusable successor: other successors may continue
        if motion is None or not unusable.keys() <= self._successors:
            return
        meeting.done = True  # unless wrenches are awaited
        self._require_in_time(meeting.stamp)
        if waiting.moving is None:
            self._moved = waiting.moving = self.computation.move(waiting.state, motion, self._moved)
        # an unusable successor may not know yet that its description contradicts this one
        outgoing = waiting.moving.outgoing.items()
        motions = {name: one for name, one in outgoing if name not in unusable and name not in waiting.asked}
        waiting.asked |= motions.keys()
        self._outputs.publish_motions(stamp_message(meeting.stamp), motions)
        if self._neighbours is not None:
            self._neighbours.expect_wrenches(motions)
        if unusable or self.rendezvous.missing(meeting):
            meeting.done = False
        else:
            self._finish(waiting.moving, waiting.arrival, meeting.parts)

    def _require_in_time(self, stamp: int) -> None:
        """Raise BadMessage if a state with this stamp [ns] is older than stale_after."""
        if (self._node.now() - stamp) * 1e-9 > self.parameters.stale_after:
            text = "its motion and its wrenches were complete only when it was older than stale_after"
            raise BadMessage("too late", text)

    def _finish(self, moving: MovingState, arrival: int, wrenches: dict[str, Any]) -> None:
        """Compute and publish wrench and torques of a state."""
        answer = self.computation.answer(moving, wrenches)
        stamp = stamp_message(moving.state.stamp)
        self._require_in_time(moving.state.stamp)  # time may have passed in other threads
        self._outputs.publish_wrench(stamp, answer)  # published first: the predecessor waits for it
        now = self._node.now()
        self.record.require_order(moving.state.stamp, now)
        self._outputs.publish_torques(moving.state.stamp, answer)
        self.record.processed(answer, arrival, now, self.computation.settings.closure_tolerance)
        if self._missing is not None:
            self._missing.none_missing()

    def on_watch(self) -> None:
        """Reject states that have timed out, naming the missing neighbours; report stale input."""
        missing, neighbours, timeout = self._missing, self._neighbours, self.rendezvous.timeout
        descriptions = self._descriptions
        now = self._node.steady()
        assert missing is not None  # the timer lives while the node is active
        assert neighbours is not None
        assert descriptions is not None
        descriptions.forget_ended()
        contradictions = neighbours.other_descriptions | descriptions.contradictions
        unusable = contradictions | descriptions.unusable()
        for meeting in self.rendezvous.overdue(now):
            awaited = self.rendezvous.missing(meeting)
            silent = [name for name in awaited if neighbours.silence(name) > timeout]
            cause = "contradicts" if contradictions else "missing" if silent or unusable else "late"
            self.record.counts.rejected[f"neighbour {cause}"] += 1
            if silent or unusable:
                missing.note(silent, unusable, timeout, now * 1e-9)
            elif awaited:
                waited = now - meeting.since > timeout * 1e9
                early = f"before the clock was set back, or {MOST} further stamps came"
                until = f"within {timeout:g} s" if waited else early
                text = f"{listed(awaited)} sent nothing with the stamp of some joint states {until}"
                self._node.log.problem(LOG_NAME, "late", text)
        missing.report(now * 1e-9)
        if self.record.overdue() is None:
            return
        if missing.names:
            self.record.still_stale()
        else:
            self.record.stale("nothing")


def own_parameters(parameters: SubsystemParameters, part: SubsystemPart) -> SubsystemParameters:
    """Return the parameters without joints of other subsystems: one file may be used for all nodes."""
    given, others = parameters.absent_joints, part.other_joints
    absent = tuple(position for position in given if position.partition(":=")[0] not in others)
    order = tuple(name for name in parameters.controller_joints if name not in others)
    return replace(parameters, absent_joints=absent, controller_joints=order)


def _same(part: ConnectionMotion | Array, other: Any) -> bool:
    """Return whether two messages of a neighbour are equal."""
    return part.equals(other) if isinstance(part, ConnectionMotion) else np.array_equal(part, other)


class SubsystemNode(RobotNode[SubsystemParameters]):
    """Computes the torques of one subsystem: see `SubsystemSession`."""

    NAME = "subsystem_node"
    PARAMETERS = SubsystemParameters
    SESSION = SubsystemSession

    def configure(self) -> bool:
        """See `RobotNode`."""
        subsystem, own = self.parameters.subsystem, self.get_name()
        if subsystem and topic_name(subsystem) != own:
            self.get_logger().warning(
                f"the node is called '{own}': its neighbours look for the topics of '{subsystem}' below "
                f"'{topic_name(subsystem)}'; start it with -r __node:={topic_name(subsystem)}, or remap them"
            )
        return super().configure()

    def _load(self, description: str) -> Any:
        """See `RobotNode`; the subsystem is by default the one with the node's name."""
        named = replace(self.parameters, subsystem=self.parameters.subsystem or self.get_name())
        return self.SESSION.load(description, named)


def main() -> int:
    """Run the node as a process, without Fast DDS's shared memory unless its environment variable is set.

    There, whoever writes to a process that is killed may wait for ever (Fast DDS issue 6485), or write to the
    memory of the killed one for ever (5469): its neighbours never hear each other again.
    """
    os.environ.setdefault("FASTDDS_BUILTIN_TRANSPORTS", "UDPv4")
    return run_lifecycle_node(SubsystemNode, str(__doc__))
