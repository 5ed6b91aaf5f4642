"""What torso_reaction_node publishes about one robot: messages, made once and written again, and topics."""

import time
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Vector3
from modular_dynamics_interfaces.msg import ActuatorForce, JointReaction, SpringForce, TorsoReactions
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from modular_dynamics_ros.computation.values import StampedWrench
from modular_dynamics_ros.messages.joint_states import JointStateWriter
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.outputs import Outputs, WrenchTopics
from modular_dynamics_ros.parameters.nodes import ReactionParameters
from modular_dynamics_ros.reactions.computation import MechanismReactions, ReactionComputation

__all__ = ["MarkerWriter", "ReactionOutputs", "ReactionsWriter", "at_origin"]

COLOURS = {  # r, g, b
    "actuator": (0.17, 0.42, 0.69),
    "spring": (0.18, 0.52, 0.35),
    "joint": (0.80, 0.20, 0.20),
    "moment": (0.80, 0.80, 0.20),
}
SHAFT, HEAD, LENGTH = 0.008, 0.02, 0.03  # [m]
SHORTEST = 1e-4  # [m] a shorter arrow has no visible direction
LIFETIME = Duration(nanosec=500_000_000)  # arrows disappear when the node ends


def _set_vector(message: Point | Vector3, values: Sequence[float]) -> None:
    """Write x, y, z."""
    message.x, message.y, message.z = values


def at_origin(reactions: MechanismReactions, name: str, axes: str) -> StampedWrench:
    """The wrench at a joint at and in the frame of the link `axes`, which tf knows."""
    wrench = reactions.shared.wrenches[name].copy()
    R, o = np.asarray(reactions.load_case.rotations[axes]), np.asarray(reactions.load_case.origins[axes])
    wrench[3:] += np.cross(R.T @ (reactions.shared.points[name] - o), wrench[:3])
    return axes, wrench


class ReactionsWriter:
    """TorsoReactions."""

    def __init__(self, computation: ReactionComputation) -> None:
        graph, rules = computation.robot.graph, computation.rules
        self._indices = [(graph.q_slice(n).start, graph.v_slice(n).start) for n in computation.actuators]
        self.message = TorsoReactions()
        self.message.header.frame_id = graph.ground.name
        self.message.actuators = [
            ActuatorForce(name=name, limit=float(limit))
            for name, limit in zip(computation.actuators, computation.limits, strict=True)
        ]
        self.message.springs = [
            SpringForce(name=name, free_length=float(length))
            for name, length in zip(computation.springs, computation.free_lengths, strict=True)
        ]
        self.message.joints = [
            JointReaction(name=joint.name, body=joint.on, by=joint.by, axes=joint.axes)
            for joint in rules.joints.values()
        ]

    def write(self, stamp: Time, reactions: MechanismReactions, *, from_topics: bool) -> TorsoReactions:
        """The message of one state."""
        message, dynamics = self.message, reactions.dynamics
        message.header.stamp = stamp
        message.loads = TorsoReactions.TOPICS if from_topics else TorsoReactions.COMPUTED
        for actuator, force, (q, v) in zip(
            message.actuators, reactions.pushes.tolist(), self._indices, strict=True
        ):
            actuator.force = force
            actuator.position = float(dynamics.coordinates[q])
            actuator.velocity = float(dynamics.velocities[v])
        for spring, tension, length in zip(
            message.springs, reactions.tensions.tolist(), reactions.lengths.tolist(), strict=True
        ):
            spring.tension, spring.length = tension, length
        for joint in message.joints:
            wrench = reactions.shared.wrenches[joint.name].tolist()
            _set_vector(joint.point, reactions.shared.points[joint.name].tolist())
            _set_vector(joint.wrench.force, wrench[:3])
            _set_vector(joint.wrench.torque, wrench[3:])
        message.residual_force, message.residual_moment = reactions.residual
        message.dead_point_distance = reactions.dead_point_distance
        return message


class MarkerWriter:
    """MarkerArray: two arrows for each joint, in the root link's frame: what body `by` exerts on body `on`.

    They begin at the true points of application.

    Args:
        force_scale: [m/N]; moment_scale: [m/(N m)]: lengths of the arrows.
    """

    def __init__(self, computation: ReactionComputation) -> None:
        self._rules, self.message = computation.rules, MarkerArray()
        for name in self._rules.joints:
            kind = "actuator" if name in computation.actuators else "joint"
            kind = "spring" if name in computation.springs else kind
            frame = computation.robot.graph.ground.name
            self.message.markers += [
                _arrow(frame, name, "forces", kind),
                _arrow(frame, name, "moments", "moment"),
            ]
        for number, marker in enumerate(self.message.markers):
            marker.id = number

    def write(
        self, stamp: Time, reactions: MechanismReactions, force_scale: float, moment_scale: float
    ) -> MarkerArray:
        """The arrows of one state."""
        markers = iter(self.message.markers)
        for name, joint in self._rules.joints.items():
            R, at = np.asarray(reactions.load_case.rotations[joint.axes]), reactions.shared.points[name]
            wrench = reactions.shared.wrenches[name]
            for part, scale in ((wrench[:3], force_scale), (wrench[3:], moment_scale)):
                marker, arrow = next(markers), scale * (R @ part)
                marker.header.stamp = stamp
                marker.action = Marker.ADD if float(arrow @ arrow) > SHORTEST**2 else Marker.DELETE
                _set_vector(marker.points[0], at.tolist())
                _set_vector(marker.points[1], (at + arrow).tolist())
        return self.message


def _arrow(frame: str, name: str, quantity: str, kind: str) -> Marker:
    r, g, b = COLOURS[kind]
    marker = Marker(
        ns=f"{quantity} of {name}",
        type=Marker.ARROW,
        points=[Point(), Point()],
        scale=Vector3(x=SHAFT, y=HEAD, z=LENGTH),
        color=ColorRGBA(r=r, g=g, b=b, a=0.9),
        lifetime=LIFETIME,
    )
    marker.header.frame_id = frame
    marker.pose.orientation.w = 1.0
    return marker


class ReactionOutputs(Outputs):
    """See `Outputs`; efforts are the forces of the rules' actuators."""

    def __init__(
        self, node: SessionNode, computation: ReactionComputation, parameters: ReactionParameters
    ) -> None:
        rules = computation.rules
        actuators = {name: index for index, name in enumerate(computation.actuators)}
        owner = f"the actuators of '{rules.name}' are"
        super().__init__(node, parameters.controller_joints, actuators, owner)
        self.parameters = parameters
        self._axes = {name: joint.axes for name, joint in rules.joints.items()}
        springs = computation.springs
        # lengths [m] as positions and tensions [N] as efforts are easily plotted
        self._springs = JointStateWriter(springs, range(len(springs)), ("position", "effort"))
        self._reactions = ReactionsWriter(computation)
        self._markers, self._next_markers = MarkerWriter(computation), 0.0
        self._reactions_publisher = self._publisher(TorsoReactions, "~/reactions")
        self._spring_publisher = self._publisher(JointState, "~/springs")
        self._marker_publisher = self._publisher(MarkerArray, "~/markers", 1)
        self._wrenches = WrenchTopics(self._publisher, "joints", rules.joints)

    def publish(self, reactions: MechanismReactions, stamp_ns: int, *, from_topics: bool) -> None:
        """One answer: commands first, all else only while it is subscribed to.

        Args:
            stamp_ns: of the state [ns]. from_topics: whether the loads came from topics.
        """
        stamp = stamp_message(stamp_ns)
        self._publish_commands(reactions.pushes)
        if self._reactions_publisher.get_subscription_count():
            message = self._reactions.write(stamp, reactions, from_topics=from_topics)
            self._reactions_publisher.publish(message)
        if self._spring_publisher.get_subscription_count():
            self._spring_publisher.publish(self._springs.write(stamp, reactions.lengths, reactions.tensions))
        self._wrenches.publish(stamp, lambda name: at_origin(reactions, name, self._axes[name]))
        self._publish_markers(stamp, reactions)

    def _publish_markers(self, stamp: Time, reactions: MechanismReactions) -> None:
        """At most at marker_rate: eyes do not see more, and arrows are the largest message."""
        rate, now = self.parameters.marker_rate, time.monotonic()
        if rate == 0.0 or now < self._next_markers or not self._marker_publisher.get_subscription_count():
            return
        self._next_markers = now + 1.0 / rate
        scales = self.parameters.force_scale, self.parameters.moment_scale
        self._marker_publisher.publish(self._markers.write(stamp, reactions, *scales))
