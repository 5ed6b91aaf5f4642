"""What torso_reaction_node publishes about one robot."""

import time
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import TorsoReactions
from rclpy.lifecycle import LifecycleState
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from visualization_msgs.msg import MarkerArray

from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.messages.bad_message import listed
from modular_dynamics_ros.messages.joint_state_writer import EffortWriter
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.topic_names import topic_name
from modular_dynamics_ros.messages.wrenches import WrenchWriter
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.qos import ANSWER_DEPTH, NO_PUBLISHER_EVENTS
from modular_dynamics_ros.parameters.nodes import ReactionParameters
from modular_dynamics_ros.reactions.computation import MechanismReactions, ReactionComputation
from modular_dynamics_ros.reactions.markers import MarkerWriter
from modular_dynamics_ros.reactions.messages import ReactionsWriter, SpringWriter, at_origin

__all__ = ["ReactionOutputs"]


class ReactionOutputs:
    """Publishers and messages of one robot.

    Raises:
        RobotError: controller_joints names a joint that is not an actuator of the rules.
    """

    def __init__(
        self, node: SessionNode, computation: ReactionComputation, parameters: ReactionParameters
    ) -> None:
        self._node, self.parameters = node, parameters
        actuators, rules = computation.actuators, computation.rules
        wanted = parameters.controller_joints or actuators
        if unknown := [name for name in wanted if name not in actuators]:
            raise RobotError(
                f"controller_joints names {listed(unknown)}, but the actuators of '{rules.name}' are "
                f"{', '.join(actuators) or 'none'}"
            )
        self._axes = {name: joint.axes for name, joint in rules.joints.items()}
        self._efforts = EffortWriter([actuators.index(name) for name in wanted])
        self._springs, self._reactions = SpringWriter(computation.springs), ReactionsWriter(computation)
        self._markers, self._next_markers = MarkerWriter(computation), 0.0
        self._publishers: list[Any] = []
        self._reactions_publisher = self._publisher(TorsoReactions, "~/reactions")
        self._effort_publisher = self._publisher(Float64MultiArray, "~/effort_commands")
        self._spring_publisher = self._publisher(JointState, "~/springs")
        self._marker_publisher = self._publisher(MarkerArray, "~/markers", depth=1)
        self._wrenches = {
            name: (self._publisher(WrenchStamped, f"~/joints/{topic_name(name)}/wrench"), WrenchWriter())
            for name in rules.joints
        }

    def _publisher(self, kind: type, topic: str, depth: int = ANSWER_DEPTH) -> Any:
        make = self._node.create_lifecycle_publisher
        publisher = make(kind, topic, depth, event_callbacks=NO_PUBLISHER_EVENTS)
        self._publishers.append(publisher)
        return publisher

    def activate(self, state: LifecycleState | None) -> None:
        """Enable publishers that were made while the node is active; safe to repeat."""
        for publisher in self._publishers:
            publisher.on_activate(state)

    def publish(self, reactions: MechanismReactions, stamp_ns: int, *, from_topics: bool) -> None:
        """One answer: commands first, all else only while it is subscribed to.

        Args:
            stamp_ns: of the state [ns]. from_topics: whether the loads came from topics.
        """
        stamp = stamp_message(stamp_ns)
        self._effort_publisher.publish(self._efforts.write(reactions.pushes))
        if self._reactions_publisher.get_subscription_count():
            self._reactions_publisher.publish(
                self._reactions.write(stamp, reactions, from_topics=from_topics)
            )
        if self._spring_publisher.get_subscription_count():
            self._spring_publisher.publish(self._springs.write(stamp, reactions))
        for name, (publisher, writer) in self._wrenches.items():
            if publisher.get_subscription_count():
                axes = self._axes[name]
                publisher.publish(writer.write(stamp, axes, at_origin(reactions, name, axes)))
        self._publish_markers(stamp, reactions)

    def _publish_markers(self, stamp: Time, reactions: MechanismReactions) -> None:
        """At most at marker_rate: eyes do not see more, and arrows are the largest message."""
        rate, now = self.parameters.marker_rate, time.monotonic()
        if rate == 0.0 or now < self._next_markers or not self._marker_publisher.get_subscription_count():
            return
        self._next_markers = now + 1.0 / rate
        scales = self.parameters.force_scale, self.parameters.moment_scale
        self._marker_publisher.publish(self._markers.write(stamp, reactions, *scales))

    def destroy(self) -> None:
        """Remove all publishers."""
        for publisher in self._publishers:
            self._node.destroy_lifecycle_publisher(publisher)
