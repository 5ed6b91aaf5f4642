"""Motions, wrenches and the graph of a robot's subsystems and joints as messages."""

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Wrench
from modular_dynamics_interfaces.msg import ConnectionMotion as ConnectionMotionMessage
from modular_dynamics_interfaces.msg import (
    ConnectionWrenches,
    JointWrenches,
    SubsystemEdge,
    SubsystemGraph,
    SubsystemVertex,
)
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

import modular_dynamics as md
from modular_dynamics.algebra import rotation_matrix, rotation_quaternion
from modular_dynamics.algebra.matrix_forms import homogeneous
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.computation.subsystem.structure import SubsystemStructure
from modular_dynamics_ros.computation.values import StampedWrench
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.geometry import (
    pose_message,
    rates_array,
    require_usable,
    set_rates,
    set_wrench,
    unit_quaternion,
    wrench_array,
)


class ConnectionMotionWriter:
    """One message of one connection point, written again and again.

    Args:
        frame: of the robot's root link in TF. subsystem: that is connected at the point.
    """

    def __init__(self, frame: str, subsystem: str) -> None:
        self.message = ConnectionMotionMessage(subsystem=subsystem)
        self.message.header.frame_id = frame

    def write(self, stamp: Time, motion: ConnectionMotion) -> ConnectionMotionMessage:
        """Return the message of a motion."""
        message, H = self.message, motion.H_root_point
        message.header.stamp = stamp
        position, turned = message.pose.position, message.pose.orientation
        position.x, position.y, position.z = H[:3, 3].tolist()
        # not by tf_transformations, as elsewhere: that takes as long as the rest of the answer
        r = rotation_quaternion(H[:3, :3])
        turned.x, turned.y, turned.z, turned.w = r.x, r.y, r.z, r.w
        set_rates(message.twist, motion.twist)
        set_rates(message.acceleration, motion.acceleration)
        message.gravity.x, message.gravity.y, message.gravity.z = motion.gravity.tolist()
        message.description = motion.description
        return message


def connection_motion_from_message(
    message: ConnectionMotionMessage,
    subsystem: str,
    root: str,
    frame_prefix: str = "",
    description: str = "",
) -> ConnectionMotion:
    """Return a motion of a subsystem's connection point.

    Args:
        root: the robot's root link, which the frame must be. frame_prefix: that the frame may have.
        description: digest of the receiver's, which that of the sender must be, where both are known.

    Raises:
        BadMessage: of another subsystem or robot description, in another frame, no orientation, or values
        that are not finite or huge.
    """
    if message.subsystem != subsystem:
        text = f"it is of '{message.subsystem:.80}', not of '{subsystem}': check the remapping"
        raise BadMessage("another subsystem", text)
    require_same_description(message.description, description)
    if (frame := message.header.frame_id.removeprefix(frame_prefix)) != root:
        raise BadMessage("unknown frame", f"its frame is '{frame:.80}'; the root link '{root}' is needed")
    p, g = message.pose.position, message.gravity
    twist, acceleration = rates_array(message.twist), rates_array(message.acceleration)
    position, gravity = np.array([p.x, p.y, p.z]), np.array([g.x, g.y, g.z])
    require_usable(np.concatenate((position, gravity, twist, acceleration)), "it")
    H = homogeneous(rotation_matrix(unit_quaternion(message.pose.orientation)), position)
    return ConnectionMotion(H, twist, acceleration, gravity, message.description or description)


def require_same_description(theirs: str, own: str) -> None:
    """Raise BadMessage unless a message's description is that of its receiver, where both are known."""
    if theirs and own and theirs != own:
        text = f"computed from the robot description '{theirs:.80}', and here is '{own}'"
        raise BadMessage("another robot", f"{text}: all nodes need the same text")


class ConnectionWrenchesWriter:
    """One message of all subsystems, written again and again.

    Args:
        frame_prefix: begins every frame in TF.
    """

    def __init__(self, subsystems: Sequence[str], frame_prefix: str = "") -> None:
        self._prefix = frame_prefix
        self.message = ConnectionWrenches(
            subsystems=list(subsystems),
            frames=[""] * len(subsystems),
            wrenches=[Wrench() for _ in subsystems],
        )

    def write(
        self, stamp: Time, wrench_of: Callable[[int], StampedWrench], description: str = ""
    ) -> ConnectionWrenches:
        """Return the message of the wrenches by index of the subsystem.

        Args:
            description: digest of the one that they were computed from; empty: not known.
        """
        message = self.message
        message.header.stamp, message.description = stamp, description
        for k, part in enumerate(message.wrenches):
            link, wrench = wrench_of(k)
            message.frames[k] = self._prefix + link
            set_wrench(part, wrench)
        return message


def connection_wrenches_from_message(
    message: ConnectionWrenches,
    names: Sequence[str],
    links: Collection[str],
    frame_prefix: str = "",
    description: str = "",
) -> dict[str, StampedWrench]:
    """Return the wrenches of the subsystems `names`.

    Args:
        links: of the robot, one of which each frame must be. frame_prefix: that frames may have.
        description: as of `connection_motion_from_message`.

    Raises:
        BadMessage: of another robot description, lists of different lengths, a subsystem is missing, an
        unknown frame, values that are not finite, or huge.
    """
    require_same_description(message.description, description)
    if not len(message.subsystems) == len(message.frames) == len(message.wrenches):
        raise BadMessage("lengths", "subsystems, frames and wrenches have different lengths")
    parts = dict(zip(message.subsystems, zip(message.frames, message.wrenches, strict=True), strict=True))
    if missing := [name for name in names if name not in parts]:
        text = f"no wrench of {listed(missing)}: dynamics_node has another robot"
        raise BadMessage("missing wrench", text)
    wrenches = {}
    for name in names:
        frame, part = parts[name]
        if (link := frame.removeprefix(frame_prefix)) not in links:
            raise BadMessage("unknown frame", f"the frame '{link:.80}' of '{name}' is no link of the robot")
        wrench = wrench_array(part)
        require_usable(wrench, f"the wrench of '{name}'")
        wrenches[name] = link, wrench
    return wrenches


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


def structure_from_message(message: SubsystemGraph) -> SubsystemStructure:
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
        p, R = one.connection_pose.position, rotation_matrix(unit_quaternion(one.connection_pose.orientation))
        points[one.name] = one.connection_link, homogeneous(R, np.array([p.x, p.y, p.z]))
    return SubsystemStructure(predecessors, owners, points)


class JointWrenchesWriter:
    """One message of all joints, written again and again.

    Args:
        joints: of each its name, and the link that it moves. frame_prefix: begins every frame in TF.
    """

    def __init__(self, joints: Iterable[tuple[str, str]], frame_prefix: str = "") -> None:
        named = list(joints)
        self.message = JointWrenches(
            joint_names=[name for name, _ in named],
            frames=[frame_prefix + link for _, link in named],
            wrenches=[Wrench() for _ in named],
        )

    def write(self, stamp: Time, wrenches: NDArray[np.float64]) -> JointWrenches:
        """Return the message of [force, moment] (k, 6), at and in the frames of the links."""
        message = self.message
        message.header.stamp = stamp
        for part, values in zip(message.wrenches, wrenches, strict=True):
            set_wrench(part, values)
        return message


def known_efforts_message(
    stamp: Time, joint_names: Sequence[str], efforts: NDArray[np.float64]
) -> JointState | None:
    """Return a message of the joints whose effort (n,) is not NaN; None if all are."""
    known = np.flatnonzero(~np.isnan(efforts))
    if not len(known):
        return None
    message = JointState(name=[joint_names[index] for index in known.tolist()])
    message.header.stamp = stamp
    message.effort = array("d", efforts[known].tobytes())
    return message
