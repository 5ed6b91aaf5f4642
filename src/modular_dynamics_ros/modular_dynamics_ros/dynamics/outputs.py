"""What dynamics_node publishes about one robot; messages are made once and written again and again."""

from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.lifecycle import LifecycleState
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from modular_dynamics_ros.computation.answer import Answer
from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.dynamics.loop_outputs import LoopOutputs
from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.messages.bad_message import listed
from modular_dynamics_ros.messages.joint_state_writer import EffortWriter, JointStateWriter
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.subsystem_graph import subsystem_graph_message
from modular_dynamics_ros.messages.topic_names import topic_name
from modular_dynamics_ros.messages.wrenches import WrenchWriter
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.qos import ANSWER_DEPTH, LATCHED, NO_PUBLISHER_EVENTS

__all__ = ["Outputs"]


class Outputs:
    """Publishers and messages of one robot.

    Raises:
        RobotError: controller_joints names a joint whose torque this robot does not have.
    """

    def __init__(self, node: SessionNode, robot: Robot, controller_joints: tuple[str, ...]) -> None:
        self._node, self._robot = node, robot
        wanted = controller_joints or robot.joint_names
        if unknown := [name for name in wanted if name not in robot.joint_names]:
            raise RobotError(
                f"controller_joints names {listed(unknown)}, but '{robot.graph.name}' has torques of "
                f"{', '.join(robot.joint_names)}"
            )
        self._torques = JointStateWriter(
            robot.state_names, robot.published.tolist(), ("position", "velocity", "effort")
        )
        self._efforts = EffortWriter([robot.state_names.index(name) for name in wanted])
        self._wrenches = [WrenchWriter() for _ in robot.graph.subsystems]
        self._publishers: list[Any] = []
        self._torque_publisher = self._publisher(JointState, "~/joint_torques")
        self._effort_publisher = self._publisher(Float64MultiArray, "~/effort_commands")
        self._graph_publisher = node.create_lifecycle_publisher(SubsystemGraph, "~/subsystem_graph", LATCHED)
        self._publishers.append(self._graph_publisher)
        self._wrench_publishers = [
            self._publisher(WrenchStamped, f"~/connections/{topic_name(subsystem.name)}/wrench")
            for subsystem in robot.graph.subsystems
        ]
        self._loops = LoopOutputs(self._publisher, robot) if robot.closed else None

    def _publisher(self, kind: type, topic: str) -> Any:
        make = self._node.create_lifecycle_publisher
        publisher = make(kind, topic, ANSWER_DEPTH, event_callbacks=NO_PUBLISHER_EVENTS)
        self._publishers.append(publisher)
        return publisher

    def activate(self, state: LifecycleState | None) -> None:
        """Enable publishers that were made while the node is active; safe to repeat."""
        for publisher in self._publishers:
            publisher.on_activate(state)

    def publish_graph(self, stamp: Time) -> None:
        """The graph, also for later subscribers."""
        self._graph_publisher.publish(subsystem_graph_message(self._robot.graph, stamp))

    def publish(self, answer: Answer, stamp: Time | None = None) -> None:
        """One answer: torques, commands, connection wrenches and loops.

        A wrench that has no subscriber is not published: asking costs a tenth of publishing it.

        Args:
            stamp: instead of the state's own.
        """
        stamp = stamp_message(answer.state.stamp) if stamp is None else stamp
        self.publish_torques(answer, stamp)
        if self._loops and isinstance(answer.dynamics, ClosedLoopSolution):
            self._loops.publish(answer.dynamics, stamp)
        for index, publisher in enumerate(self._wrench_publishers):
            if publisher.get_subscription_count():
                link, wrench = answer.dynamics.connection_wrench(index)
                publisher.publish(self._wrenches[index].write(stamp, link, wrench))

    def publish_torques(self, answer: Answer, stamp: Time) -> None:
        """Torques and commands alone; joints in black boxes are left out."""
        state, effort = answer.state, answer.effort
        self._torque_publisher.publish(self._torques.write(stamp, state.q, state.v, effort))
        self._effort_publisher.publish(self._efforts.write(effort))

    def destroy(self) -> None:
        """Remove all publishers."""
        for publisher in self._publishers:
            self._node.destroy_lifecycle_publisher(publisher)
