"""What dynamics_node publishes about a robot with closed loops beside what it does for any robot."""

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.lifecycle import LifecycleNode
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.closed_solver import ClosedSolver
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.messages.conversions import JointStateWriter, WrenchWriter
from modular_dynamics_ros.messages.topic_names import topic_name

__all__ = ["LoopOutputs"]


class LoopOutputs:
    """Publishers and messages: all joints with the loops closed, and the wrench at each cut.

    Args:
        depth: answers that are kept for a late subscriber. events: as for the wrenches of subsystems.
    """

    def __init__(
        self, node: LifecycleNode, robot: Robot, depth: int, events: PublisherEventCallbacks
    ) -> None:
        graph = robot.graph
        self._solver: ClosedSolver = robot.solver
        self._completed = JointStateWriter(graph.joint_names, range(graph.nq), ("position", "velocity"))
        make = node.create_lifecycle_publisher
        self._completed_publisher = make(
            JointState, "~/completed_joint_states", depth, event_callbacks=events
        )
        self._cuts = {
            loop.name: (
                make(
                    WrenchStamped,
                    f"~/loop_joints/{topic_name(loop.name)}/wrench",
                    depth,
                    event_callbacks=events,
                ),
                WrenchWriter(),
            )
            for loop in graph.loop_joints
        }

    @property
    def publishers(self) -> list:
        """All of them."""
        return [self._completed_publisher, *(publisher for publisher, _ in self._cuts.values())]

    def publish(self, stamp: Time) -> None:
        """The solver's last result; each part only where somebody subscribes to it."""
        found = self._solver.found
        assert found is not None  # there is an answer
        if self._completed_publisher.get_subscription_count():
            self._completed_publisher.publish(
                self._completed.write(stamp, found.coordinates, found.velocities)
            )
        if not any(publisher.get_subscription_count() for publisher, _ in self._cuts.values()):
            return
        for name, stamped in self._solver.stamped_cut_wrenches.items():
            publisher, writer = self._cuts[name]
            if publisher.get_subscription_count():
                publisher.publish(writer.write(stamp, *stamped))
