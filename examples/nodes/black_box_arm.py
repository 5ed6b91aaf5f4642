"""An arm that another program computes: for dynamics_node it is a black box, known by its wrench alone.

It takes the motion of the arm's connection point and the joint states, and gives the wrench on the arm.
CHARMIE's right arm, with right_arm a black box of dynamics_node (config/charmie_black_box.yaml):

  python examples/nodes/black_box_arm.py urdf/charmie.urdf right_shoulder_abduction \\
      --ros-args -r __node:=right_arm -r '~/motion:=dynamics_node/black_box/right_arm/motion' \\
      -r '~/wrench:=dynamics_node/black_box/right_arm/wrench'
"""

import sys
import xml.etree.ElementTree as ET
from contextlib import suppress

import numpy as np
import rclpy
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import ConnectionMotion
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import JointState

import modular_dynamics as md

MOST = 500  # messages that wait for the other of their stamp


def arm_of(urdf: str, first: str) -> md.SubsystemGraph:
    """Return what a joint carries as a robot on a floating joint at the connection point, weightless."""
    robot = ET.parse(urdf).getroot()
    joints = {joint.get("name"): joint for joint in robot.findall("joint")}
    arm = ET.Element("robot", name="arm")
    ET.SubElement(arm, "link", name="connection_point")
    added, more = set[str](), [joints[first]]
    while more:
        joint = more.pop()
        arm.append(joint)
        added.add(link := joint.find("child").get("link"))
        more += [one for one in joints.values() if one.find("parent").get("link") == link]
    joints[first].find("parent").set("link", "connection_point")
    if (origin := joints[first].find("origin")) is not None:
        joints[first].remove(origin)
    arm.extend(link for link in robot.findall("link") if link.get("name") in added)
    text = ET.tostring(arm, encoding="unicode")
    return md.load_urdf(text, gravity=(0.0, 0.0, 0.0), floating_base=True)


class Arm(Node):
    """Answers each motion with the wrench of its stamp; the arm's joints do not accelerate, or slowly."""

    def __init__(self, graph: md.SubsystemGraph) -> None:
        super().__init__("black_box_arm")
        self.graph, self.motions, self.states = graph, {}, {}
        self.dynamics = md.InverseDynamics(graph)
        self.wrench = self.create_publisher(WrenchStamped, "~/wrench", 500)
        self.create_subscription(ConnectionMotion, "~/motion", lambda m: self.take(self.motions, m), 500)
        self.create_subscription(JointState, "joint_states", lambda m: self.take(self.states, m), 500)

    def take(self, kept: dict, message: ConnectionMotion | JointState) -> None:
        """Keep a message until the other one of its stamp is there, then answer."""
        stamp = message.header.stamp.sec, message.header.stamp.nanosec
        kept[stamp] = message
        if stamp in self.motions and stamp in self.states:
            self.answer(self.motions.pop(stamp), self.states.pop(stamp))
        if len(kept) > MOST:
            del kept[next(iter(kept))]

    def answer(self, motion: ConnectionMotion, state: JointState) -> None:
        """Publish the wrench at the connection point, in its axes."""
        graph, base = self.graph, self.graph.v_slice("root_joint")
        q, v, a = graph.neutral(), np.zeros(graph.nv), np.zeros(graph.nv)
        for name, position, velocity in zip(state.name, state.position, state.velocity, strict=True):
            if name in graph.joint_names:
                q[graph.q_slice(name)], v[graph.v_slice(name)] = position, velocity
        v[base] = [*vector(motion.twist.linear), *vector(motion.twist.angular)]
        a[base] = [*vector(motion.acceleration.linear), *vector(motion.acceleration.angular)]
        # a body without weight that accelerates against gravity needs the same force as one with weight
        o = motion.pose.orientation
        turned = md.algebra.rotation_matrix(md.algebra.Quaternion(o.w, o.x, o.y, o.z))
        a[base][:3] -= turned.T @ vector(motion.gravity)
        wrench = self.dynamics(q, v, a)[base].tolist()
        message = WrenchStamped()
        message.header.stamp = motion.header.stamp  # by it dynamics_node knows to which state this belongs
        message.header.frame_id = f"{motion.subsystem}/connection_point"
        force, moment = message.wrench.force, message.wrench.torque
        force.x, force.y, force.z, moment.x, moment.y, moment.z = wrench
        self.wrench.publish(message)


def vector(v: object) -> np.ndarray:
    """Return x, y and z of a message."""
    return np.array([v.x, v.y, v.z])


if __name__ == "__main__":
    path, joint = remove_ros_args(sys.argv)[1:]
    rclpy.init()
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(Arm(arm_of(path, joint)))
