"""The wrenches that hold the subsystems of a robot, as arrows: visualization_msgs/MarkerArray."""

import colorsys

import numpy as np
from builtin_interfaces.msg import Time
from numpy.typing import NDArray
from visualization_msgs.msg import MarkerArray

from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.messages.terms.arrows import Colour, arrow_marker, set_arrow

__all__ = ["WrenchMarkerWriter", "subsystem_colour"]

Array = NDArray[np.float64]
GOLDEN = 0.61803398875  # multiples of it modulo 1 lie far from each other, however many there are


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
