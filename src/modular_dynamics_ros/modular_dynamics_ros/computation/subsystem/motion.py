"""How connection points move: from a subsystem's own to those that it carries.

Twists and their derivatives are [linear m/s, angular rad/s] at a point, along the axes of its frame; the
derivative is that of the six components. So both are taken to a frame on the same body by the same constant
matrix, and both are those of a floating joint of the library.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import modular_dynamics as md
from modular_dynamics.algebra import DualQuaternion, to_rotation_translation
from modular_dynamics.algebra.matrix_forms import adjoint_matrix, homogeneous, inverse
from modular_dynamics.dynamics.kinematics import frame_motions
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import BadMessage


@dataclass(frozen=True, eq=False)
class ConnectionPoint:
    """A connection point as the part that carries it, or is carried there, knows it.

    Attributes:
        subsystem: that is connected there. link: carries the point.
        links: fixed to that link, in whose frames the wrench may be given, by x_link_other.
        x_link_connection: the point in the link's frame.
        to_link: (6, 6) takes twists [linear, angular] at and in the point's frame to those of the link.
    """

    subsystem: str
    link: str
    links: dict[str, DualQuaternion]
    x_link_connection: DualQuaternion
    to_link: Array


def connection_point_of(graph: md.SubsystemGraph, subsystem: md.Subsystem) -> ConnectionPoint:
    """Return a subsystem's connection point, and the links fixed to the one that carries it."""
    connection = subsystem.connection
    x_link_body = graph.link_pose(connection.link)[1].conjugate()
    poses = ((link, graph.link_pose(link)) for link in graph.links)
    links = {link: x_link_body * x for link, (body, x) in poses if body == connection.body}
    x = connection.x_link_connection
    return ConnectionPoint(subsystem.name, connection.link, links, x, adjoint_matrix(pose_matrix(x)))


def pose_matrix(x_a_b: DualQuaternion) -> Array:
    """Return H_a_b (4, 4): p_a = R p_b + p."""
    return homogeneous(*to_rotation_translation(x_a_b))


@dataclass(frozen=True, eq=False)
class ConnectionMotion:
    """The motion of a connection point.

    Attributes:
        H_root_point: (4, 4) its pose in the root link's frame.
        twist, acceleration: (6,) see above, without gravity.
        gravity: (3,) gravitational acceleration in the root link's frame [m/s^2].
        description: digest of the robot description that the motion was computed from; empty: not known.
    """

    H_root_point: Array
    twist: Array
    acceleration: Array
    gravity: Array
    description: str = ""

    def equals(self, other: "ConnectionMotion") -> bool:
        """Return whether all values are equal."""
        return all(map(np.array_equal, vars(self).values(), vars(other).values()))

    @property
    def gravity_at_point(self) -> Array:
        """Return the gravitational acceleration (3,) [m/s^2] in the point's frame."""
        return np.asarray(self.gravity @ self.H_root_point[:3, :3])

    def falling(self) -> Array:
        """Return the acceleration (6,) less that of free fall, in the point's frame.

        A subsystem without gravity that accelerates so needs the same torques as one with gravity.
        """
        relative = self.acceleration.copy()
        relative[:3] -= self.gravity_at_point
        return relative


def fixed_motion(
    x_root_point: DualQuaternion, gravity: Sequence[float] | Array, description: str = ""
) -> ConnectionMotion:
    """Return the motion of a point on the ground."""
    at = pose_matrix(x_root_point)
    return ConnectionMotion(at, np.zeros(6), np.zeros(6), np.array(gravity, dtype=float), description)


class MotionPropagation:
    """Computes successors' connection point motions from that of a part's own connection point.

    Args:
        graph: of the part: a floating joint moves the link of its own connection point.
        own, successors: connection points.
    """

    def __init__(
        self, graph: md.SubsystemGraph, own: ConnectionPoint, successors: Sequence[ConnectionPoint]
    ) -> None:
        self._names = [one.subsystem for one in successors]
        self._H_point_link = inverse(pose_matrix(own.x_link_connection))
        self._H_link_point = np.array([pose_matrix(one.x_link_connection) for one in successors])
        to_point = [adjoint_matrix(inverse(pose_matrix(one.x_link_connection))) for one in successors]
        self._to_point = np.array(to_point)
        self._graph, self._links = graph, tuple(one.link for one in successors)

    def at_successors(
        self, motion: ConnectionMotion, q: Array, v: Array, a: Array
    ) -> dict[str, ConnectionMotion]:
        """Return the motions of the successors' connection points, by subsystem.

        Args:
            q, v, a: of all joints of the part (nq,), (nv,), (nv,); of the floating joint no pose, but twist
                and acceleration of the link that it moves, without gravity.

        Raises:
            BadMessage: the motions overflow.
        """
        if not self._names:
            return {}
        try:
            motions = frame_motions(self._graph, q, v, a, self._links)
        except md.StateError as error:
            text = "the state is finite, but so large that the motion of connection points is not"
            raise BadMessage("not finite", text) from error
        R, (p, omega, linear, alpha, pull) = motions[:, :3], motions[:, 3:].transpose(1, 0, 2)
        # from a point of the link to one fixed in space: then the derivative is taken component by component
        spatial = pull - np.cross(omega, linear)
        in_link = np.stack((linear, omega, spatial, alpha), axis=1) @ R  # rows: R^T of each
        in_link = in_link.reshape(-1, 2, 6) @ self._to_point.transpose(0, 2, 1)
        H = np.zeros((len(R), 4, 4))
        H[:, :3, :3], H[:, :3, 3], H[:, 3, 3] = R, p, 1.0
        poses = motion.H_root_point @ self._H_point_link @ H @ self._H_link_point
        return {
            name: ConnectionMotion(pose, twist, acceleration, motion.gravity, motion.description)
            for name, pose, (twist, acceleration) in zip(self._names, poses, in_link, strict=True)
        }
