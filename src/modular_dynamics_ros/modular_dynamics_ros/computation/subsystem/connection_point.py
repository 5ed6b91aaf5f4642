"""A connection point, as both sides of it know it."""

from dataclasses import dataclass

import modular_dynamics as md
from modular_dynamics.algebra import DualQuaternion, to_rotation_translation
from modular_dynamics.algebra.matrix_forms import adjoint_matrix, homogeneous
from modular_dynamics_ros.computation.values import Array

__all__ = ["ConnectionPoint", "connection_point_of", "pose_matrix"]


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
