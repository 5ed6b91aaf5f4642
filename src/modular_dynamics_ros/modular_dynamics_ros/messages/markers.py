"""Arrows of wrenches, and the reactions of a mechanism, as messages that are written again and again."""

import colorsys

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Vector3
from modular_dynamics_interfaces.msg import ActuatorForce, JointReaction, SpringForce, TorsoReactions
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

import modular_dynamics as md
from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics_ros.computation.reactions import MechanismReactions, ReactionComputation
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.messages.geometry import set_wrench

LONGEST = 0.5  # [m] arrow of the robot's weight
LEVER = 0.2  # [m] at which the weight exerts the moment with an arrow of that length
DEFAULT_WEIGHT = 250.0  # [N] of a robot without masses
Array = NDArray[np.float64]
Colour = tuple[float, float, float]
"""r, g, b from 0 to 1."""
SHAFT, HEAD, LENGTH = 0.008, 0.02, 0.03  # [m]
SHORTEST = 1e-4  # [m] a shorter arrow has no visible direction
LIFETIME = Duration(nanosec=500_000_000)  # arrows disappear when the node ends
GOLDEN = 0.61803398875  # multiples of it modulo 1 lie far from each other, however many there are
COLOURS = {  # r, g, b
    "actuator": (0.17, 0.42, 0.69),
    "spring": (0.18, 0.52, 0.35),
    "joint": (0.80, 0.20, 0.20),
    "moment": (0.80, 0.80, 0.20),
}


def arrow_scales(graph: md.SubsystemGraph) -> tuple[float, float]:
    """Return lengths of arrows, of forces [m/N] and of moments [m/(N m)]."""
    mass = sum(body.mass for body in graph.bodies)
    weight = mass * float(np.linalg.norm(graph.gravity)) or DEFAULT_WEIGHT
    return LONGEST / weight, LONGEST / (weight * LEVER)


def arrow_marker(number: int, frame: str, name: str, colour: Colour) -> Marker:
    """Return an arrow in a frame; `number` and `name` identify it in its array."""
    r, g, b = colour
    marker = Marker(
        id=number,
        ns=name,
        type=Marker.ARROW,
        points=[Point(), Point()],
        scale=Vector3(x=SHAFT, y=HEAD, z=LENGTH),
        color=ColorRGBA(r=r, g=g, b=b, a=0.9),
        lifetime=LIFETIME,
    )
    marker.header.frame_id = frame
    marker.pose.orientation.w = 1.0
    return marker


def set_arrow(marker: Marker, stamp: Time, start: Array, arrow: Array) -> None:
    """Draw `arrow` (3,) [m] from the point `start` [m]; one without a visible direction is removed."""
    marker.header.stamp = stamp
    marker.action = Marker.ADD if float(arrow @ arrow) > SHORTEST**2 else Marker.DELETE
    for point, values in zip(marker.points, (start, start + arrow), strict=True):
        point.x, point.y, point.z = values.tolist()


def subsystem_colour(index: int, *, moment: bool) -> Colour:
    """Return a subsystem's colour, one hue each, paler for moments."""
    return colorsys.hsv_to_rgb(index * GOLDEN % 1.0, 0.35 if moment else 0.9, 0.9)


class WrenchMarkerWriter:
    """Two arrows for each subsystem: force and moment that its predecessor, or the ground, exerts on it.

    They begin at the connection point, in the frame of the link that carries it. Those of a floating base,
    whose connection point is not on the robot, begin at the origin of its link.
    """

    def __init__(self, robot: Robot) -> None:
        self.message = MarkerArray()
        self._placed: list[tuple[Array, Array]] = []  # rotation link <- wrench, point of application
        self._on_base: int | None = None  # the subsystem that the floating base belongs to
        for index, subsystem in enumerate(robot.graph.subsystems):
            link, x_link_connection = subsystem.connection.link, subsystem.connection.x_link_connection
            R, point = (np.array(part) for part in to_rotation_translation(x_link_connection))
            if robot.base is not None and robot.base.joint in {joint.name for joint in subsystem.joints}:
                self._on_base, link, R, point = index, robot.base.link, np.eye(3), np.zeros(3)
            self._placed.append((R, point))
            for kind in ("force", "moment"):
                name, colour = f"{kind} on {subsystem.name}", subsystem_colour(index, moment=kind == "moment")
                number, frame = len(self.message.markers), robot.frame(link)
                self.message.markers.append(arrow_marker(number, frame, name, colour))

    def write(
        self, stamp: Time, wrenches: Array, base_wrench: Array | None, force_scale: float, moment_scale: float
    ) -> MarkerArray:
        """Return the arrows of one state.

        Args:
            wrenches: (s, 6) [force, moment] on the subsystems, at and in their connection frames.
            base_wrench: on the floating base, at and in its link's frame.
            force_scale: [m/N]. moment_scale: [m/(N m)].
        """
        markers = iter(self.message.markers)
        for index, ((R, point), wrench) in enumerate(zip(self._placed, wrenches, strict=True)):
            at_point = base_wrench if index == self._on_base and base_wrench is not None else wrench
            set_arrow(next(markers), stamp, point, force_scale * (R @ at_point[:3]))
            set_arrow(next(markers), stamp, point, moment_scale * (R @ at_point[3:]))
        return self.message


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
        for joint, point, wrench in zip(message.joints, shared.points[:, 1], shared.wrenches, strict=True):
            joint.point.x, joint.point.y, joint.point.z = point.tolist()
            set_wrench(joint.wrench, wrench)
        message.residual_force, message.residual_moment = reactions.residual
        message.singularity_distance = reactions.singularity_distance
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
