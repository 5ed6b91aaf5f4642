"""What torso_reaction_node publishes about one robot."""

import time

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import TorsoReactions
from rclpy.lifecycle import LifecycleNode, LifecycleState
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from visualization_msgs.msg import MarkerArray

from modular_dynamics_ros.computation.robot import RobotError
from modular_dynamics_ros.dynamics.outputs import DEPTH, NO_EVENTS
from modular_dynamics_ros.messages.bad_message import listed
from modular_dynamics_ros.messages.conversions import EffortWriter, WrenchWriter
from modular_dynamics_ros.messages.topic_names import topic_name
from modular_dynamics_ros.parameters.nodes import ReactionParameters
from modular_dynamics_ros.reactions.computation import MechanismReactions, ReactionComputation
from modular_dynamics_ros.reactions.markers import MarkerWriter
from modular_dynamics_ros.reactions.messages import ReactionsWriter, SpringWriter, at_origin

__all__ = ["ReactionOutputs"]


class ReactionOutputs:
    """Publishers and messages of one robot.

    Raises:
        RobotError: controller_joints names a joint that is no actuator of the rules.
    """

    def __init__(
        self, node: LifecycleNode, computation: ReactionComputation, parameters: ReactionParameters
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
        make = node.create_lifecycle_publisher
        self._reactions_publisher = make(TorsoReactions, "~/reactions", DEPTH, event_callbacks=NO_EVENTS)
        self._effort_publisher = make(
            Float64MultiArray, "~/effort_commands", DEPTH, event_callbacks=NO_EVENTS
        )
        self._spring_publisher = make(JointState, "~/springs", DEPTH, event_callbacks=NO_EVENTS)
        self._marker_publisher = make(MarkerArray, "~/markers", 1, event_callbacks=NO_EVENTS)
        self._wrenches = {
            name: (
                make(WrenchStamped, f"~/joints/{topic_name(name)}/wrench", DEPTH, event_callbacks=NO_EVENTS),
                WrenchWriter(),
            )
            for name in rules.joints
        }

    @property
    def _publishers(self) -> list:
        return [
            self._reactions_publisher,
            self._effort_publisher,
            self._spring_publisher,
            self._marker_publisher,
            *(publisher for publisher, _ in self._wrenches.values()),
        ]

    def activate(self, state: LifecycleState | None) -> None:
        """Enable publishers that were made while the node is active; safe to repeat."""
        for publisher in self._publishers:
            publisher.on_activate(state)

    def publish(self, stamp: Time, found: MechanismReactions, *, from_topics: bool) -> None:
        """One answer: commands at once, all else only where somebody subscribes to it."""
        self._effort_publisher.publish(self._efforts.write(found.pushes))
        if self._reactions_publisher.get_subscription_count():
            self._reactions_publisher.publish(self._reactions.write(stamp, found, from_topics=from_topics))
        if self._spring_publisher.get_subscription_count():
            self._spring_publisher.publish(self._springs.write(stamp, found))
        for name, (publisher, writer) in self._wrenches.items():
            if publisher.get_subscription_count():
                axes = self._axes[name]
                publisher.publish(writer.write(stamp, axes, at_origin(found, name, axes)))
        self._publish_markers(stamp, found)

    def _publish_markers(self, stamp: Time, found: MechanismReactions) -> None:
        """Now and then: eyes do not see more, and arrows are the largest message."""
        rate, now = self.parameters.marker_rate, time.monotonic()
        if rate == 0.0 or now < self._next_markers or not self._marker_publisher.get_subscription_count():
            return
        self._next_markers = now + 1.0 / rate
        scales = self.parameters.force_scale, self.parameters.moment_scale
        self._marker_publisher.publish(self._markers.write(stamp, found, *scales))

    def destroy(self) -> None:
        """Take all publishers away."""
        for publisher in self._publishers:
            self._node.destroy_lifecycle_publisher(publisher)
