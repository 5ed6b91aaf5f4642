"""The jacobian of a point on a link against the root link, its pose and its twist."""

from dataclasses import dataclass

import numpy as np

import modular_dynamics as md
from modular_dynamics.algebra.matrix_forms import inverse, skew
from modular_dynamics_ros.computation.queries.errors import QueryError
from modular_dynamics_ros.computation.queries.query_model import QueryModel
from modular_dynamics_ros.computation.queries.requested_state import require_usable
from modular_dynamics_ros.computation.values import Array, Configuration, State
from modular_dynamics_ros.exceptions import listed

__all__ = ["PointJacobian", "point_jacobian"]


@dataclass(frozen=True, eq=False)
class PointJacobian:
    """The Jacobian of a point on a link, along the axes of the root link.

    Attributes:
        frame: the root link: of a floating base its link. coordinates: names of the columns.
        jacobian: (6, p) [linear; angular]; the twist of the point against the world is jacobian times
        velocities. pose: H_frame_point (4, 4), along the link's axes. twist: (6,) at the state's velocities.
    """

    frame: str
    coordinates: list[str]
    jacobian: Array
    pose: Array
    twist: Array


def point_jacobian(
    model: QueryModel, configuration: Configuration, state: State, link: str, point: Array
) -> PointJacobian:
    """J of a point [m] on a link, in the link's frame; of closed loops J W, along the independent joints.

    The velocity of the point p from that of the link's origin o is pdot = odot + omega x R p.

    Raises:
        QueryError: an unknown link, or a point that is not finite or huge. ModularDynamicsError: a dead
            point.
    """
    robot, graph, q = model.robot, model.robot.graph, configuration.coordinates
    name = robot.link(link)
    if name not in graph.links:
        text = f"no link '{link[:80]}' in '{graph.name}'; its links: {listed(graph.links, 8)}"
        raise QueryError("UNKNOWN_NAME", text)
    require_usable("point", point, "xyz")
    frame = graph.ground.name if robot.base is None else robot.base.link
    pose, H_root_frame = md.frame_poses(graph, q, [name, frame])
    J = md.jacobian(graph, q, name)
    lever = pose[:3, :3] @ point
    pose[:3, 3] += lever
    J[:3] -= skew(lever) @ J[3:]
    if (W := model.projection(configuration)) is not None:
        J = J @ W
    J = np.kron(np.eye(2), H_root_frame[:3, :3].T) @ J
    v = model.rates(state.v, None if state.base is None else state.base.twist)
    indices, names = model.coordinates
    return PointJacobian(robot.frame(frame), names, J[:, indices], inverse(H_root_frame) @ pose, J @ v)
