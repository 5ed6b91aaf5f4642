"""What dynamics_node publishes about one robot."""

from collections.abc import Callable, Mapping

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import ConnectionMotion as ConnectionMotionMessage
from modular_dynamics_interfaces.msg import ConnectionWrenches, SubsystemGraph
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.computation.values import Array, State
from modular_dynamics_ros.dynamics.terms import TermOutputs
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.lifecycle.entities import LATCHED
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.joint_states import JointStateWriter
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.subsystems import (
    ConnectionMotionWriter,
    ConnectionWrenchesWriter,
    subsystem_graph_message,
)
from modular_dynamics_ros.node.outputs import Outputs, WrenchTopics
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.topic_names import topic_names
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

__all__ = ["DynamicsOutputs"]


class DynamicsOutputs(Outputs):
    """See `Outputs`; efforts are the torques of the robot's joints outside black boxes.

    With closed loops also all joints with one coordinate, the loops closed, and the wrench at each cut joint.
    With a floating base also its wrench.

    Attributes:
        terms: what stands behind the torques.

    Raises:
        RobotError: also where two names would share a topic, or one is too long for a topic.
    """

    def __init__(self, node: SessionNode, computation: Computation, parameters: DynamicsParameters) -> None:
        robot, controller_joints = computation.robot, parameters.controller_joints
        graph = robot.graph
        # before the first publisher: a robot that is refused leaves none behind
        subsystems = topic_names("subsystem", [subsystem.name for subsystem in graph.subsystems])
        loop_joints = topic_names("loop joint", [loop.name for loop in graph.loop_joints])
        super().__init__(node, controller_joints, robot.commanded, f"'{graph.name}' has torques of")
        self._robot = robot
        fields = ("position", "velocity", "effort")
        self._torques = JointStateWriter(robot.state_names, robot.published.tolist(), fields)
        self._torque_publisher = self._publisher(JointState, "~/joint_torques", always=True)
        self._graph_publisher = self._publisher(SubsystemGraph, "~/subsystem_graph", LATCHED, always=True)
        self._subsystems = {subsystem.name: index for index, subsystem in enumerate(graph.subsystems)}
        self._wrenches = ConnectionWrenchesWriter(list(self._subsystems), robot.frame_prefix)
        self._wrenches_publisher = self._publisher(ConnectionWrenches, "~/connection_wrenches")
        self._connections = WrenchTopics(
            self._publisher, "connections", subsystems, robot.frame_prefix, self.demand
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
                self._publisher, "loop_joints", loop_joints, robot.frame_prefix, self.demand
            )
        self.terms = TermOutputs(node, self._publisher, self.demand, computation, parameters)

    def publish_graph(self, stamp: Time) -> None:
        """Publish the graph, also for later subscribers."""
        robot = self._robot
        self._graph_publisher.publish(subsystem_graph_message(robot.graph, stamp, robot.frame_prefix))

    def publish(self, answer: Answer, stamp: int | None = None) -> None:
        """Publish one answer: torques, commands, wrenches and loops.

        Args:
            stamp: [ns] instead of the state's own.
        """
        state = answer.state
        stamp = state.stamp if stamp is None else stamp
        self.publish_torques(state, answer.effort, stamp)
        if not self.demand.wanted:
            return
        try:
            self._publish_wanted(answer, stamp)
        except BadMessage as error:  # the joint state is answered all the same: its torques are published
            self._node.log.problem(
                "outputs", error.cause, f"beside the torques nothing is published: {error}"
            )

    def _publish_wanted(self, answer: Answer, stamp_ns: int) -> None:
        """Publish the other topics of an answer that are subscribed to."""
        dynamics, stamp = answer.dynamics, stamp_message(stamp_ns)
        if self._wrenches_publisher in self.demand.wanted:
            self._wrenches_publisher.publish(self._wrenches.write(stamp, dynamics.connection_wrench))
        if isinstance(dynamics, ClosedLoopSolution):
            if self._completed_publisher in self.demand.wanted:
                q, v = dynamics.result.coordinates, dynamics.result.velocities
                message = self._completed.write(stamp_ns, q[self._completed_q], v[self._completed_v])
                self._completed_publisher.publish(message)
            self._cuts.publish(stamp, lambda name: dynamics.cut_wrenches[name])
        if (base := self._robot.base) is not None and self._base_publisher in self.demand.wanted:
            wrench = self._base_wrench.write(stamp, base.link, dynamics.base_wrench)
            self._base_publisher.publish(wrench)
        self._connections.publish(stamp, lambda name: dynamics.connection_wrench(self._subsystems[name]))
        self.terms.publish(answer, stamp)

    def publish_motions(self, stamp: int, motions_of: Callable[[], Mapping[str, ConnectionMotion]]) -> None:
        """Publish the motions of black boxes' connection points that are subscribed to, at a stamp [ns]."""
        if not self._motions:
            return
        self.demand.look()
        if wanted := [
            name for name, (publisher, _) in self._motions.items() if publisher in self.demand.wanted
        ]:
            motions, time = motions_of(), stamp_message(stamp)
            for name in wanted:
                publisher, writer = self._motions[name]
                publisher.publish(writer.write(time, motions[name]))

    def publish_torques(self, state: State, effort: Array, stamp: int) -> None:
        """Publish only torques (n,) and commands at a stamp [ns], without joints in black boxes."""
        self._torque_publisher.publish(self._torques.write(stamp, state.q, state.v, effort))
        self._publish_commands(effort, stamp)
