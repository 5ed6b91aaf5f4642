"""What subsystem_node publishes about its subsystem."""

from collections.abc import Iterable, Mapping, Sequence

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import ConnectionMotion as ConnectionMotionMessage
from modular_dynamics_interfaces.msg import SubsystemGraph
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.computation.subsystem.part import SubsystemPart
from modular_dynamics_ros.lifecycle.entities import LATCHED
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.subsystems import ConnectionMotionWriter, subsystem_graph_message
from modular_dynamics_ros.node.outputs import JointStateWriter, Outputs
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.subsystem.inputs import DEPTH

__all__ = ["SubsystemOutputs"]


class SubsystemOutputs(Outputs):
    """See `Outputs`; efforts are the torques of the subsystem's joints.

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
        self._missing_publisher = self._publisher(String, "~/missing", 10)

    def publish_graph(self, stamp: Time) -> None:
        """Publish the graph, with which neighbours check their descriptions."""
        self.graph.header.stamp = stamp
        self._graph_publisher.publish(self.graph)

    def publish_motions(self, stamp: Time, motions: Mapping[str, ConnectionMotion]) -> None:
        """Publish the motions of the connection points that the subsystem carries."""
        for name, motion in motions.items():
            publisher, writer = self._motions[name]
            publisher.publish(writer.write(stamp, motion))

    def publish_wrench(self, stamp: Time, answer: Answer) -> None:
        """Publish the predecessor's wrench on the subsystem, at and in the link that carries it."""
        wrench = self._wrench.write(stamp, self._link, answer.dynamics.base_wrench)
        self._wrench_publisher.publish(wrench)

    def publish_torques(self, stamp: int, answer: Answer) -> None:
        """Publish torques and commands, with a stamp [ns]."""
        state, effort = answer.state, answer.effort
        self._torque_publisher.publish(self._torques.write(stamp, state.q, state.v, effort))
        self._publish_commands(effort, stamp)

    def publish_missing(self, names: Iterable[str]) -> None:
        """Publish the subsystems that do not send awaited input."""
        self._missing_publisher.publish(String(data="\n".join(names)))
