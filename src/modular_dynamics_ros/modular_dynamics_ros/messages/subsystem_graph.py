"""A graph of subsystems as the message that dynamics_node publishes once, for late subscribers too."""

from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.msg import SubsystemEdge, SubsystemGraph, SubsystemVertex

import modular_dynamics as md
from modular_dynamics_ros.messages.poses import pose_message

__all__ = ["subsystem_graph_message"]


def subsystem_graph_message(graph: md.SubsystemGraph, stamp: Time, frame_prefix: str = "") -> SubsystemGraph:
    """The graph's vertices, edges (twists down, wrenches up) and connection points.

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
