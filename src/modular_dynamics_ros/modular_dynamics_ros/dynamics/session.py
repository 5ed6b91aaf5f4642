"""One robot in dynamics_node: it is prepared; its outputs, the ramp while input is stale, its session.

Every joint state gets its torques; some are compared with Pinocchio.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import ConnectionMotion as ConnectionMotionMessage
from modular_dynamics_interfaces.msg import ConnectionWrenches, SubsystemGraph
from rclpy.lifecycle import LifecycleState
from sensor_msgs.msg import JointState

import modular_dynamics as md
from modular_dynamics_ros.black_boxes import BlackBoxes
from modular_dynamics_ros.computation.changes.edits import Applied
from modular_dynamics_ros.computation.changes.kinds import locked_positions
from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.robot import robot_of
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.computation.values import Array, State
from modular_dynamics_ros.diagnostics.statuses import answer_values
from modular_dynamics_ros.dynamics.crosscheck import CrossChecks, PinocchioCheck
from modular_dynamics_ros.dynamics.inputs import LOG_PLACES, BaseInput, WrenchInputs, base_source
from modular_dynamics_ros.dynamics.terms import TermOutputs
from modular_dynamics_ros.exceptions import BadMessage, RobotError
from modular_dynamics_ros.lifecycle.entities import LATCHED
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.status import Status, status_of
from modular_dynamics_ros.messages.subsystems import (
    ConnectionMotionWriter,
    ConnectionWrenchesWriter,
    subsystem_graph_message,
)
from modular_dynamics_ros.node.inputs import ReferenceInput
from modular_dynamics_ros.node.outputs import JointStateWriter, Outputs, WrenchTopics
from modular_dynamics_ros.node.robot_node import WATCH_PERIOD, RobotSession
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.settings import graph_of, settings_of
from modular_dynamics_ros.node.topic_names import topic_names
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

#: Logged before the first torques: adding gravity twice, or not at all, moves the arm.
PUBLISHING = {
    "full": "publishing torques including gravity (output: full); for a robot that compensates gravity "
    "itself, as Franka's and UR's do, set output: full_minus_gravity",
    "gravity": "publishing torques that hold the robot at rest, including gravity (output: gravity); a robot "
    "that compensates gravity itself, as Franka's and UR's do, must not get them",
    "full_minus_gravity": "publishing torques without gravity (output: full_minus_gravity); the robot must "
    "compensate gravity itself, else set output: full",
}


class PreparedRobot(NamedTuple):
    """A robot's computation, and its model in Pinocchio where answers are compared.

    Attributes:
        described: the graph of its description. changed: the active graph, and the changes that made it.
    """

    computation: Computation
    check: PinocchioCheck | None
    described: md.SubsystemGraph
    changed: Applied


def load_prepared(
    description: str,
    parameters: DynamicsParameters,
    changed: Callable[[md.SubsystemGraph], Applied] = lambda described: Applied(described, ()),
) -> PreparedRobot:
    """Prepare a robot with Pinocchio's model, which is slow: see `RobotSession`.

    Args:
        changed: see `prepared_keeping`, of the described robot.
    """
    described = graph_of(description, parameters, base_source(parameters))
    return prepared_keeping(described, changed(described), parameters)


def prepared_keeping(
    described: md.SubsystemGraph, kept: Applied, parameters: DynamicsParameters
) -> PreparedRobot:
    """Prepare a robot with the changes that it keeps; where the node cannot use it so, all are dropped.

    Raises:
        RobotError: the robot cannot be used without changes either.
    """
    try:
        return prepared_robot(described, kept, parameters)
    except RobotError as error:
        if not kept.changes:
            raise
        dropped = (*kept.dropped, *(f"{change}: {error}" for change in kept.changes))
        return prepared_robot(described, Applied(described, (), dropped, wanted=kept.wanted), parameters)


def prepared_robot(
    described: md.SubsystemGraph, changed: Applied, parameters: DynamicsParameters
) -> PreparedRobot:
    """Prepare a changed robot.

    Args:
        described: the graph of its description. changed: that of the robot.

    Raises:
        RobotError: the robot cannot be used.
    """
    graph = changed.graph
    if not np.array_equal(parameters.gravity, graph.gravity):  # it may have changed at run time
        graph = replace(graph, gravity=np.array(parameters.gravity))
    robot = robot_of(graph, base_source(parameters), parameters.frame_prefix)
    robot = replace(robot, locked=locked_positions(changed.changes))
    computation = Computation(robot, settings_of(parameters))
    check = PinocchioCheck.of(robot) if parameters.crosscheck_rate > 0.0 else None
    return PreparedRobot(computation, check, described, changed)


class DynamicsOutputs(Outputs):
    """Publishes torques of the robot's joints outside black boxes, and what is computed with them.

    With closed loops these are also the states of all joints with one coordinate, and the wrench at each cut
    joint; with a floating base also its wrench.

    Attributes:
        terms: publishes the terms of the torques. description: see `RobotSession`.

    Raises:
        RobotError: two names would share a topic, or one is too long for a topic; or as of `Outputs`.
    """

    def __init__(self, node: SessionNode, computation: Computation, parameters: DynamicsParameters) -> None:
        robot, controller_joints = computation.robot, parameters.controller_joints
        graph = robot.graph
        # before the first publisher: a robot that is refused leaves none behind
        subsystems = topic_names("subsystem", [subsystem.name for subsystem in graph.subsystems])
        loop_joints = topic_names("loop joint", [loop.name for loop in graph.loop_joints])
        super().__init__(node, controller_joints, robot.commanded, f"'{graph.name}' has torques of")
        self._robot, self.description = robot, ""
        fields = ("position", "velocity", "effort")
        self._torques = JointStateWriter(robot.state_names, robot.published.tolist(), fields)
        self._torque_publisher = self._publisher(JointState, "~/joint_torques", always=True)
        self._graph_publisher = self._publisher(SubsystemGraph, "~/subsystem_graph", LATCHED, always=True)
        self._subsystems = {subsystem.name: index for index, subsystem in enumerate(graph.subsystems)}
        self._wrenches = ConnectionWrenchesWriter(list(self._subsystems), robot.frame_prefix)
        self._wrenches_publisher = self._publisher(ConnectionWrenches, "~/connection_wrenches")
        self._connections = WrenchTopics(
            self._publisher, "connections", subsystems, robot.frame_prefix, self.subscribed
        )
        boxes = topic_names("black box", robot.black_boxes)
        self._motions = {
            name: (
                self._publisher(ConnectionMotionMessage, f"~/black_box/{part}/motion"),
                ConnectionMotionWriter(robot.frame(graph.ground.name), name),
            )
            for name, part in boxes.items()
        }
        if robot.base is not None:
            self._base_wrench = WrenchWriter(robot.frame_prefix)
            self._base_publisher = self._publisher(WrenchStamped, "~/base_wrench")
        if robot.closed:
            single = [name for name in graph.joint_names if graph.joint(name).type.nv == 1]
            self._completed = JointStateWriter(single, range(len(single)), ("position", "velocity"))
            self._completed_q = [graph.q_slice(name).start for name in single]
            self._completed_v = [graph.v_slice(name).start for name in single]
            self._completed_publisher = self._publisher(JointState, "~/completed_joint_states")
            self._cuts = WrenchTopics(
                self._publisher, "loop_joints", loop_joints, robot.frame_prefix, self.subscribed
            )
        self.terms = TermOutputs(node, self._publisher, self.subscribed, computation, parameters)

    def publish_graph(self, stamp: Time) -> None:
        """Publish the graph; later subscribers get it, too."""
        robot = self._robot
        self._graph_publisher.publish(subsystem_graph_message(robot.graph, stamp, robot.frame_prefix))

    def publish(self, answer: Answer, stamp: int | None = None) -> None:
        """Publish an answer on all topics.

        Args:
            stamp: [ns] in place of the state's own.
        """
        state = answer.state
        stamp = state.stamp if stamp is None else stamp
        self.publish_torques(state, answer.effort, stamp)
        if not self.subscribed.publishers:
            return
        try:
            self._publish_wanted(answer, stamp)
        except BadMessage as error:  # the joint state is processed: its torques are published
            self._node.log.problem(
                "outputs", error.cause, f"beside the torques nothing is published: {error}"
            )

    def _publish_wanted(self, answer: Answer, stamp_ns: int) -> None:
        """Publish what is subscribed to besides the torques."""
        dynamics, stamp = answer.dynamics, stamp_message(stamp_ns)
        if self._wrenches_publisher in self.subscribed.publishers:
            message = self._wrenches.write(stamp, dynamics.tree.connection_wrench_in_link, self.description)
            self._wrenches_publisher.publish(message)
        if isinstance(dynamics, ClosedLoopSolution):
            if self._completed_publisher in self.subscribed.publishers:
                q, v = dynamics.result.coordinates, dynamics.result.velocities
                states = self._completed.write(stamp_ns, q[self._completed_q], v[self._completed_v])
                self._completed_publisher.publish(states)
            self._cuts.publish(stamp, lambda name: dynamics.cut_wrenches[name])
        if (base := self._robot.base) is not None and self._base_publisher in self.subscribed.publishers:
            wrench = self._base_wrench.write(stamp, base.link, dynamics.base_wrench)
            self._base_publisher.publish(wrench)
        indices = self._subsystems
        self._connections.publish(stamp, lambda name: dynamics.tree.connection_wrench_in_link(indices[name]))
        self.terms.publish(answer, stamp)

    def publish_motions(self, stamp: int, motions_of: Callable[[], Mapping[str, ConnectionMotion]]) -> None:
        """Publish the motions of black boxes at a stamp [ns], as far as they are subscribed to."""
        if not self._motions:
            return
        self.subscribed.update()
        if wanted := [
            name for name, (publisher, _) in self._motions.items() if publisher in self.subscribed.publishers
        ]:
            motions, time = motions_of(), stamp_message(stamp)
            for name in wanted:
                publisher, writer = self._motions[name]
                publisher.publish(writer.write(time, motions[name]))

    def publish_torques(self, state: State, effort: Array, stamp: int) -> None:
        """Publish torques (n,) and commands with a stamp [ns], without joints in black boxes."""
        self._torque_publisher.publish(self._torques.write(stamp, state.q, state.v, effort))
        self._publish_commands(effort, stamp)


class TorqueRamp:
    """Ramps the last published torques to zero (ramp_to_zero), whichever robot of the node they were for.

    All robots of a node share one ramp: when a robot is replaced, controllers keep the torques of the old one
    until a state of the new one is processed. The ramp has the joints and the order of these torques. The
    topics are the same for all robots of a node, which keeps their publishers (`SharedEntities`).
    """

    def __init__(self, node: SessionNode) -> None:
        self._node = node
        self._outputs: DynamicsOutputs | None = None
        self._last: tuple[State, Array] | None = None  # the state, and the torques published for it
        self._factor = 1.0  # of the last torques; it falls until others are published
        self._start = 0.0  # for how long [s] the input had been stale when the ramp began

    def published(self, answer: Answer, outputs: DynamicsOutputs) -> None:
        """Store the published torques, from which a ramp begins."""
        self._last, self._outputs, self._factor = (answer.state, answer.effort), outputs, 1.0

    def advance(self, overdue: float, duration: float) -> bool:
        """Publish the torques that are due, `overdue` [s] after the input became stale.

        Args:
            duration: of the whole ramp [s].

        Returns:
            Whether there were torques to publish.
        """
        if self._last is None or self._factor == 0.0:
            return False
        # it begins with the first look, which comes late where /clock died or the process stood still
        begun = max(0.0, overdue - WATCH_PERIOD)
        self._start = begun if self._factor == 1.0 else min(self._start, begun)
        self._publish(1.0 - (overdue - self._start) / duration)
        return True

    def finish(self, duration: float, hurried: Callable[[], bool]) -> None:
        """Publish the rest of the ramp, until `hurried` returns true."""
        began, start = time.monotonic(), self._factor
        while self._last is not None and self._factor > 0.0 and not hurried():
            time.sleep(WATCH_PERIOD)
            self._publish(start - (time.monotonic() - began) / duration)
        if self._outputs is not None:
            self._outputs.wait_until_received()

    def _publish(self, factor: float) -> None:
        """Publish the last torques times a factor, which never rises."""
        assert self._last is not None  # both callers have checked
        assert self._outputs is not None
        # never more than before, also where a simulation that starts again sets the clock back
        self._factor = min(self._factor, max(0.0, factor))
        state, effort = self._last
        self._outputs.publish_torques(state, self._factor * effort, self._node.now())


class DynamicsSession(RobotSession[DynamicsParameters]):
    """One robot: its subscriptions while the node is active, and its publishers.

    Args:
        prepared: as `load` returns it.

    Attributes:
        limited: answers above the effort limit, by joint. boxes: its black boxes.
        last_published: the last answer, or one that holds the robot while input is stale. prepared: as given.

    Raises:
        RobotError: robot or parameters cannot be used.
    """

    load = staticmethod(load_prepared)

    _outputs: DynamicsOutputs

    def __init__(self, node: SessionNode, prepared: PreparedRobot, parameters: DynamicsParameters) -> None:
        computation, self.prepared = prepared.computation, prepared
        super().__init__(node, computation, parameters)
        self._base_source, self.limited = base_source(parameters), Counter[str]()
        self.crosschecks = CrossChecks(self.robot, node.log, prepared.check, parameters.crosscheck_rate)
        self.boxes = BlackBoxes(node, computation, parameters)
        # last of what may refuse the robot: its publishers would be left behind
        self._outputs = DynamicsOutputs(node, computation, parameters)
        self.last_published: Answer | None = None
        self._last_processed: Answer | None = None  # last published answer to a joint state
        self._computed: Answer | None = None  # last answer, published or held back
        self._ramp = TorqueRamp(node)
        self._reference: ReferenceInput | None = None  # while active
        self._wrenches: WrenchInputs | None = None  # while active

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer; publish the graph."""
        node, parameters = self._node, self.parameters
        self.limited = Counter[str]()
        self.crosschecks.restart()
        self._outputs.description = self.description
        self._outputs.activate(state)
        self._wrenches = WrenchInputs(node, self.computation, self.boxes)
        self._reference = ReferenceInput(node, self.computation, parameters.reference_type)
        others = [self._reference, self._wrenches]
        if self._base_source:
            others.append(BaseInput(node, self.computation, self._base_source))
        self._subscribe(others, efforts=self._outputs.terms.needs_efforts)
        self._outputs.publish_graph(node.stamp())

    def continue_from(self, other: "DynamicsSession") -> None:
        """See `RobotSession`."""
        self.limited, self._ramp = other.limited, other._ramp
        self.boxes.continue_from(other.boxes)
        self.computation.keep_base_states(other.computation)
        if self._wrenches is not None and other._wrenches is not None:
            self._wrenches.continue_from(other._wrenches)
        if self.prepared.described is other.prepared.described:
            self._carry_over(other)

    def _carry_over(self, other: "DynamicsSession") -> None:
        """Take over inputs and results of the robot before its change."""
        self._outputs.terms.continue_from(other._outputs.terms)
        self.computation.continue_after_change(other.computation, other._computed)
        if self._reference is not None and other._reference is not None:
            self._reference.continue_from(other._reference)
        self.last_published = self.computation.answer_after_change(other.robot, other.last_published)
        self._last_processed = self.computation.answer_after_change(other.robot, other._last_processed)

    @property
    def positions(self) -> Mapping[str, float]:
        """Return positions [rad or m] by joint: last measured or, of loops and gears, last computed."""
        return {**self.computation.positions(self._computed), **super().positions}

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""
        self.boxes.deactivate()
        super().deactivate()
        self.last_published = self._last_processed = self._computed = None
        self._wrenches = self._reference = None
        self._ramp = TorqueRamp(self._node)

    def destroy(self) -> None:
        """Deactivate, and remove the publishers."""
        self.boxes.retire()
        super().destroy()

    def set_parameters(self, parameters: DynamicsParameters) -> None:
        """Take parameters that changed at run time."""
        if parameters.output != self.parameters.output and self.record.counts.processed:
            self._node.log.note(PUBLISHING[parameters.output])
        super().set_parameters(parameters)
        self._outputs.terms.parameters = parameters
        self.computation.set_gravity(parameters.gravity)
        self.robot = self.computation.robot

    def statuses(self) -> list[Status]:
        """Return the statuses for /diagnostics, while active."""
        answer = self.last_published
        statuses = [
            self.record.status("cross-check", *LOG_PLACES),
            self._output_status(answer),
            self.crosschecks.status(),
        ]
        if self._wrenches is not None:
            statuses.append(self._wrenches.status())
        return [*statuses, self.record.closure_status(answer)] if self.robot.closed else statuses

    def on_state(self, state: State, arrival: int) -> None:
        """Publish the torques of a state, unless the comparison with Pinocchio holds them back."""
        self.boxes.observe(state)
        self._outputs.publish_motions(state.stamp, lambda: self.boxes.motions(state))
        previous = self._computed, self.record.last
        self._computed = answer = self.computation.compute(state, self._node.now(), *previous)
        if not self.crosschecks.admits(answer):
            return
        now = self._node.now()  # time may have passed in other threads
        self.record.require_fresh(answer.state.stamp, now, arrival)
        self._outputs.publish(answer)
        self.last_published = self._last_processed = answer
        self._ramp.published(answer, self._outputs)
        if not self.record.counts.processed:
            self._node.log.note(PUBLISHING[self.computation.settings.output])
        self.record.processed(answer, arrival, now, self.computation.settings.closure_tolerance)
        # any() alone takes longer than the rest of this function
        if self.computation.settings.effort_limits != "off" and answer.exceeded.any():
            self.limited.update(self._limited_by(answer))

    def on_watch(self) -> None:
        """While input is stale, publish what the parameter on_stale says."""
        if (overdue := self.record.overdue()) is None:
            return
        on_stale, publishing = self.parameters.on_stale, "nothing"
        last, processed = self.last_published, self._last_processed
        holds = on_stale == "hold_gravity" and not self.superseded
        if holds and last is not None and processed is not None:
            try:
                held = self.computation.hold(last, lambda state: self.boxes.held(state, processed))
            except BadMessage as error:
                self._node.log.problem("joint_states", error.cause, f"position not held: {error}")
            else:
                # poses at rest may agree where moving ones do not: they do not end a stop
                if not self.crosschecks.stopped and self.crosschecks.admits(held):
                    publishing = "gravity torques at the position measured last"
                    self.last_published = held
                    self._outputs.publish(held, self._node.now())
                    self._ramp.published(held, self._outputs)
        elif on_stale == "ramp_to_zero" and self._ramp.advance(overdue, self.parameters.ramp_time):
            publishing = "the last torques times a falling factor"
        self.record.stale(publishing)

    def wind_down(self, hurried: Callable[[], bool]) -> None:
        """Ramp the published torques to zero, if ramp_to_zero is set: see `RobotSession`."""
        if self.parameters.on_stale == "ramp_to_zero":
            self._ramp.finish(self.parameters.ramp_time, hurried)

    def _limited_by(self, answer: Answer) -> list[str]:
        """Return the joints whose effort limits the answer exceeded."""
        return [self.robot.state_names[index] for index in np.flatnonzero(answer.exceeded)]

    def _output_status(self, answer: Answer | None) -> Status:
        """Return the status of rate, latency, effort limits and the source of accelerations."""
        robot, settings = self.robot, self.computation.settings
        values = {
            **answer_values(self.record.counts, self.acceleration_source),
            "output": settings.output,
            "root": robot.mounting,
        }
        values |= {f"answers above the effort limit of {name}": str(n) for name, n in self.limited.items()}
        now = [] if answer is None else self._limited_by(answer)
        warnings = [f"effort limit reached ({settings.effort_limits}): {', '.join(now)}"] if now else []
        good = f"{robot.graph.name}: torques of {len(robot.joint_names)} joints"
        return status_of("output", good, values, warnings=warnings)
