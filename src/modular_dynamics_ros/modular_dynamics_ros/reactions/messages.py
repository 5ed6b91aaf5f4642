"""The reactions of a mechanism as messages that are made once and written again and again."""

from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Vector3
from modular_dynamics_interfaces.msg import ActuatorForce, JointReaction, SpringForce, TorsoReactions
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.values import StampedWrench
from modular_dynamics_ros.reactions.computation import MechanismReactions, ReactionComputation

__all__ = ["ReactionsWriter", "SpringWriter", "at_origin", "set_vector"]


def set_vector(message: Point | Vector3, values: Sequence[float]) -> None:
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
            set_vector(joint.point, reactions.shared.points[joint.name].tolist())
            set_vector(joint.wrench.force, wrench[:3])
            set_vector(joint.wrench.torque, wrench[3:])
        message.residual_force, message.residual_moment = reactions.residual
        message.dead_point_distance = reactions.dead_point_distance
        return message


class SpringWriter:
    """Springs as joint states: length as position [m], tension as effort [N]; easily plotted."""

    def __init__(self, names: Sequence[str]) -> None:
        self.message = JointState(name=list(names))

    def write(self, stamp: Time, reactions: MechanismReactions) -> JointState:
        """The message of one state."""
        self.message.header.stamp = stamp
        self.message.position = array("d", reactions.lengths.tobytes())
        self.message.effort = array("d", reactions.tensions.tobytes())
        return self.message
