"""What dynamics_node publishes only about a robot with closed loops."""

from collections.abc import Callable
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.messages.joint_state_writer import JointStateWriter
from modular_dynamics_ros.messages.topic_names import topic_name
from modular_dynamics_ros.messages.wrenches import WrenchWriter

__all__ = ["LoopOutputs"]


class LoopOutputs:
    """Publishers and messages: all joints with the loops closed, and the wrench at each cut joint.

    Args:
        make_publisher: of a message type and a topic.
    """

    def __init__(self, make_publisher: Callable[[type, str], Any], robot: Robot) -> None:
        graph = robot.graph
        self._completed = JointStateWriter(graph.joint_names, range(graph.nq), ("position", "velocity"))
        self._completed_publisher = make_publisher(JointState, "~/completed_joint_states")
        self._cuts = {
            loop.name: (
                make_publisher(WrenchStamped, f"~/loop_joints/{topic_name(loop.name)}/wrench"),
                WrenchWriter(),
            )
            for loop in graph.loop_joints
        }

    def publish(self, solution: ClosedLoopSolution, stamp: Time) -> None:
        """One solution; each part only while it is subscribed to."""
        if self._completed_publisher.get_subscription_count():
            result = solution.result
            self._completed_publisher.publish(
                self._completed.write(stamp, result.coordinates, result.velocities)
            )
        if not any(publisher.get_subscription_count() for publisher, _ in self._cuts.values()):
            return
        for name, (link, wrench) in solution.cut_wrenches().items():
            publisher, writer = self._cuts[name]
            if publisher.get_subscription_count():
                publisher.publish(writer.write(stamp, link, wrench))
