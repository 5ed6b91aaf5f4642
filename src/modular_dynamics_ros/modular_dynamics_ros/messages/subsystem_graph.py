"""A graph of subsystems as the message that dynamics_node publishes once, for late subscribers too.

Its rotations are quaternions x y z w, made by tf_transformations or by transforms3d, which it wraps:
tf_transformations comes with a ROS 2 distribution (ros-jazzy-tf-transformations) and not from PyPI.
"""

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose, Quaternion
from modular_dynamics_interfaces.msg import SubsystemEdge, SubsystemGraph, SubsystemVertex
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics.algebra import rotation_matrix, translation

try:
    import tf_transformations
except ImportError:
    import transforms3d

    tf_transformations = None

__all__ = ["pose_message", "quaternion_message", "subsystem_graph_message"]


def quaternion_message(rotation: NDArray[np.float64]) -> Quaternion:
    """A rotation matrix (3, 3) as a unit quaternion."""
    if tf_transformations is not None:
        matrix = np.eye(4)
        matrix[:3, :3] = rotation
        x, y, z, w = tf_transformations.quaternion_from_matrix(matrix)
    else:
        w, x, y, z = transforms3d.quaternions.mat2quat(rotation)
    return Quaternion(x=float(x), y=float(y), z=float(z), w=float(w))


def pose_message(pose: md.DualQuaternion) -> Pose:
    """A unit dual quaternion x_a_b as the pose of b in a."""
    message = Pose(orientation=quaternion_message(rotation_matrix(pose.primary)))
    message.position.x, message.position.y, message.position.z = translation(pose).tolist()
    return message


def subsystem_graph_message(graph: md.SubsystemGraph, stamp: Time) -> SubsystemGraph:
    """The graph's vertices, edges (twists down, wrenches up) and connection points."""
    message = SubsystemGraph(robot=graph.name, dot=md.subsystem_graph_dot(graph))
    message.header.stamp, message.header.frame_id = stamp, graph.ground.name
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
