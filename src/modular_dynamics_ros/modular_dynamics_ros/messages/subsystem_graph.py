"""A graph of subsystems as the message that nodes publish once, for late subscribers too."""

import numpy as np
from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.msg import SubsystemEdge, SubsystemGraph, SubsystemVertex

import modular_dynamics as md
from modular_dynamics.algebra import rotation_matrix
from modular_dynamics_ros.computation.subsystem.layout import Layout
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.poses import pose_message, unit_quaternion

__all__ = ["layout_from_message", "subsystem_graph_message"]


def subsystem_graph_message(graph: md.SubsystemGraph, stamp: Time, frame_prefix: str = "") -> SubsystemGraph:
    """Return the graph's vertices, edges (twists down, wrenches up) and connection points.

    Args:
        frame_prefix: begins the names of the links in TF.
    """
    message = SubsystemGraph(robot=graph.name, dot=md.subsystem_graph_dot(graph))
    message.header.stamp, message.header.frame_id = stamp, frame_prefix + graph.ground.name
    for index, subsystem in enumerate(graph.subsystems):
        predecessor = -1 if subsystem.predecessor is None else subsystem.predecessor
        names = [joint.name for joint in subsystem.joints]
        message.vertices.append(
            SubsystemVertex(
                name=subsystem.name,
                joints=names,
                number_of_joints=len(names),
                black_box=subsystem.black_box,
                predecessor=predecessor,
                connection_link=subsystem.connection.link,
                connection_pose=pose_message(subsystem.connection.x_link_connection),
            )
        )
        if predecessor >= 0:
            message.edges.append(SubsystemEdge(kind=SubsystemEdge.TWIST, source=predecessor, target=index))
            message.edges.append(SubsystemEdge(kind=SubsystemEdge.WRENCH, source=index, target=predecessor))
    return message


def layout_from_message(message: SubsystemGraph) -> Layout:
    """Return how the sender's description divides the robot.

    Raises:
        BadMessage: a predecessor that is none of the vertices, or an orientation that is none.
    """
    vertices = message.vertices
    predecessors = dict[str, str | None]()
    for one in vertices:
        if not -1 <= one.predecessor < len(vertices):
            text = (
                f"the predecessor of '{one.name:.80}' is {one.predecessor}, none of {len(vertices)} vertices"
            )
            raise BadMessage("no graph", text)
        predecessors[one.name] = None if one.predecessor < 0 else vertices[one.predecessor].name
    owners = {joint: one.name for one in vertices for joint in one.joints}
    points = {}
    for one in vertices:
        H, position = np.eye(4), one.connection_pose.position
        H[:3, :3] = rotation_matrix(unit_quaternion(one.connection_pose.orientation))
        H[:3, 3] = position.x, position.y, position.z
        points[one.name] = one.connection_link, H
    return Layout(predecessors, owners, points)
