"""Reactions of a mechanism: TorsoReactions, and arrows as MarkerArray; written again and again."""

from collections.abc import Sequence

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Vector3
from modular_dynamics_interfaces.msg import ActuatorForce, JointReaction, SpringForce, TorsoReactions
from visualization_msgs.msg import MarkerArray

from modular_dynamics_ros.computation.reactions import MechanismReactions, ReactionComputation
from modular_dynamics_ros.messages.terms.arrows import arrow_marker, set_arrow

__all__ = ["MarkerWriter", "ReactionsWriter"]

COLOURS = {  # r, g, b
    "actuator": (0.17, 0.42, 0.69),
    "spring": (0.18, 0.52, 0.35),
    "joint": (0.80, 0.20, 0.20),
    "moment": (0.80, 0.80, 0.20),
}


def _set_vector(message: Point | Vector3, values: Sequence[float]) -> None:
    """Write x, y, z."""
    message.x, message.y, message.z = values


class ReactionsWriter:
    """TorsoReactions."""

    def __init__(self, computation: ReactionComputation) -> None:
        graph, rules = computation.robot.graph, computation.rules
        self._indices = [(graph.q_slice(n).start, graph.v_slice(n).start) for n in computation.actuators]
        self.message = TorsoReactions()
        self.message.header.frame_id = computation.robot.frame(graph.ground.name)
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
        """Return the message of one state."""
        message, dynamics = self.message, reactions.dynamics
        message.header.stamp = stamp
        message.loads = TorsoReactions.TOPICS if from_topics else TorsoReactions.COMPUTED
        for actuator, force, (q, v) in zip(
            message.actuators, reactions.actuator_forces.tolist(), self._indices, strict=True
        ):
            actuator.force = force
            actuator.position = float(dynamics.coordinates[q])
            actuator.velocity = float(dynamics.velocities[v])
        for spring, tension, length in zip(
            message.springs, reactions.tensions.tolist(), reactions.lengths.tolist(), strict=True
        ):
            spring.tension, spring.length = tension, length
        shared = reactions.shared
        points, wrenches = shared.points[:, 1].tolist(), shared.wrenches.tolist()
        for joint, point, wrench in zip(message.joints, points, wrenches, strict=True):
            _set_vector(joint.point, point)
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
        robot, markers = computation.robot, self.message.markers
        frame = robot.frame(robot.graph.ground.name)
        kinds = dict.fromkeys(computation.actuators, "actuator") | dict.fromkeys(
            computation.springs, "spring"
        )
        for name in self._rules.joints:
            for kind, colour in (
                ("forces", COLOURS[kinds.get(name, "joint")]),
                ("moments", COLOURS["moment"]),
            ):
                markers.append(arrow_marker(len(markers), frame, f"{kind} of {name}", colour))

    def write(
        self, stamp: Time, reactions: MechanismReactions, force_scale: float, moment_scale: float
    ) -> MarkerArray:
        """Return the arrows of one state."""
        markers = iter(self.message.markers)
        for name, joint in self._rules.joints.items():
            R, at, wrench = reactions.rotation(joint.axes), reactions.point(name), reactions.wrench(name)
            for part, scale in ((wrench[:3], force_scale), (wrench[3:], moment_scale)):
                set_arrow(next(markers), stamp, at, scale * (R @ part))
        return self.message
