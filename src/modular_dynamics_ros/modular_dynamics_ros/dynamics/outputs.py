"""What dynamics_node publishes about one robot; messages are made once and written again and again."""

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.lifecycle import LifecycleNode, LifecycleState
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from modular_dynamics_ros.computation.robot import Robot, RobotError
from modular_dynamics_ros.dynamics.graph_message import subsystem_graph_message
from modular_dynamics_ros.dynamics.loop_outputs import LoopOutputs
from modular_dynamics_ros.messages.bad_message import listed
from modular_dynamics_ros.messages.conversions import EffortWriter, JointStateWriter, WrenchWriter
from modular_dynamics_ros.messages.topic_names import topic_name

__all__ = ["Outputs"]

DEPTH = 100  # answers that a reliable publisher keeps for a subscriber that is late: 0.2 s at 500 Hz
# rclpy would watch two events of each of these publishers at every message, a third of its time; that a
# subscriber is incompatible is still told by the subscriber's side
NO_EVENTS = PublisherEventCallbacks(use_default_callbacks=False)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Outputs:
    """Publishers and messages of one robot.

    Raises:
        RobotError: controller_joints names a joint whose torque this robot does not have.
    """

    def __init__(self, node: LifecycleNode, robot: Robot, controller_joints: tuple[str, ...]) -> None:
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
        make = node.create_lifecycle_publisher
        self._torque_publisher = make(JointState, "~/joint_torques", DEPTH, event_callbacks=NO_EVENTS)
        self._effort_publisher = make(
            Float64MultiArray, "~/effort_commands", DEPTH, event_callbacks=NO_EVENTS
        )
        self._graph_publisher = make(SubsystemGraph, "~/subsystem_graph", LATCHED)
        self._wrench_publishers = [
            make(
                WrenchStamped,
                f"~/connections/{topic_name(subsystem.name)}/wrench",
                DEPTH,
                event_callbacks=NO_EVENTS,
            )
            for subsystem in robot.graph.subsystems
        ]
        self._loops = LoopOutputs(node, robot, DEPTH, NO_EVENTS) if robot.closed else None

    @property
    def _publishers(self) -> list:
        return [
            self._torque_publisher,
            self._effort_publisher,
            self._graph_publisher,
            *self._wrench_publishers,
            *(self._loops.publishers if self._loops else ()),
        ]

    def activate(self, state: LifecycleState | None) -> None:
        """Enable publishers that were made while the node is active; safe to repeat."""
        for publisher in self._publishers:
            publisher.on_activate(state)

    def publish_graph(self, stamp: Time) -> None:
        """The graph, for subscribers of now and of later."""
        self._graph_publisher.publish(subsystem_graph_message(self._robot.graph, stamp))

    def publish(
        self, stamp: Time, q: np.ndarray, v: np.ndarray, effort: np.ndarray, *, wrenches: bool = True
    ) -> None:
        """One answer: torques and commands; unless `wrenches` is false, connection wrenches and the loops.

        q, v, effort are those of the robot's state_names; joints in black boxes are left out.

        A wrench that nobody subscribes to is not published: asking costs a tenth of publishing it.
        """
        self._torque_publisher.publish(self._torques.write(stamp, q, v, effort))
        self._effort_publisher.publish(self._efforts.write(effort))
        if not wrenches:
            return
        if self._loops:
            self._loops.publish(stamp)
        solver = self._robot.solver
        for index, (publisher, writer) in enumerate(
            zip(self._wrench_publishers, self._wrenches, strict=True)
        ):
            if publisher.get_subscription_count():
                publisher.publish(writer.write(stamp, *solver.stamped_wrench(index)))

    def destroy(self) -> None:
        """Take all publishers away."""
        for publisher in self._publishers:
            self._node.destroy_lifecycle_publisher(publisher)
