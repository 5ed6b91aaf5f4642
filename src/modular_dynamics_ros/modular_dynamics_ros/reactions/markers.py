"""Arrows of forces and moments at their true points of application, for rviz."""

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from modular_dynamics_ros.reactions.computation import MechanismReactions, ReactionComputation
from modular_dynamics_ros.reactions.messages import set_vector

__all__ = ["MarkerWriter"]

COLOURS = {  # r, g, b
    "actuator": (0.17, 0.42, 0.69),
    "spring": (0.18, 0.52, 0.35),
    "joint": (0.80, 0.20, 0.20),
    "moment": (0.80, 0.80, 0.20),
}
SHAFT, HEAD, LENGTH = 0.008, 0.02, 0.03  # [m]
SHORTEST = 1e-4  # [m] a shorter arrow has no visible direction
LIFETIME = Duration(nanosec=500_000_000)  # arrows disappear when the node ends


class MarkerWriter:
    """Two arrows for each joint, in the root link's frame: what body `by` exerts on body `on`.

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
                set_vector(marker.points[0], at.tolist())
                set_vector(marker.points[1], (at + arrow).tolist())
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
