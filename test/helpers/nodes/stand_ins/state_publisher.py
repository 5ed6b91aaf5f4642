"""Stands for robot_state_publisher: publishes the robot description, and tf where tf2_msgs is installed.

A program that `.ament_index` installs. It reads the URDF by itself: the tests compare its
tf with the library.
"""

import contextlib
from xml.etree import ElementTree

import numpy as np
import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState
from std_msgs.msg import String

try:
    from geometry_msgs.msg import TransformStamped
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
FIXED = ("fixed", "floating")  # it takes a floating joint for a fixed one, as the real one does


class StatePublisher(Node):
    """Parameters robot_description and frame_prefix; topics joint_states, tf and tf_static."""

    def __init__(self):
        super().__init__("robot_state_publisher")
        self.description = self.create_publisher(String, "robot_description", LATCHED)
        self.prefix = self.declare_parameter("frame_prefix", "").value
        self.joints = []
        if TFMessage is not None:
            self.tf = self.create_publisher(TFMessage, "/tf", 100)
            self.tf_static = self.create_publisher(TFMessage, "/tf_static", LATCHED)
            self.create_subscription(JointState, "joint_states", self.publish_tf, 10)
        self.take([self.declare_parameter("robot_description", "")])
        self.add_on_set_parameters_callback(self.take)

    def take(self, parameters):
        """The content is published, at the start and after each change."""
        for parameter in parameters:
            if parameter.name == "robot_description":
                self.description.publish(String(data=parameter.value))
                self.joints = (
                    ElementTree.fromstring(parameter.value).findall("joint") if parameter.value else []
                )
                self.publish_fixed()
        return SetParametersResult(successful=True)

    def publish_fixed(self):
        if TFMessage is not None:
            fixed = [one for one in self.joints if one.get("type") in FIXED]
            self.tf_static.publish(TFMessage(transforms=[self.transform(one, 0.0) for one in fixed]))

    def publish_tf(self, message):
        """Of all joints whose position is known."""
        positions = dict(zip(message.name, message.position, strict=True))
        moved = []
        for joint in self.joints:
            mimic = joint.find("mimic")
            name = joint.get("name") if mimic is None else mimic.get("joint")
            if joint.get("type") in FIXED or name not in positions:
                continue
            q = positions[name]
            if mimic is not None:
                q = float(mimic.get("multiplier", "1")) * q + float(mimic.get("offset", "0"))
            moved.append(self.transform(joint, q, message.header.stamp))
        self.tf.publish(TFMessage(transforms=moved))

    def transform(self, joint, q, stamp=None):
        """Pose of the child link in its parent, at this position [rad or m]."""
        place, axis = numbers(joint, "origin", "xyz"), numbers(joint, "axis", "xyz", (1.0, 0.0, 0.0))
        rotation = Rotation.from_euler("xyz", numbers(joint, "origin", "rpy"))
        along = q * axis / np.linalg.norm(axis)
        if joint.get("type") == "prismatic":
            place = place + rotation.apply(along)
        else:
            rotation = rotation * Rotation.from_rotvec(along)
        message = TransformStamped(child_frame_id=self.prefix + joint.find("child").get("link"))
        message.header.frame_id = self.prefix + joint.find("parent").get("link")
        message.header.stamp = self.get_clock().now().to_msg() if stamp is None else stamp
        to, turn = message.transform.translation, message.transform.rotation
        to.x, to.y, to.z = map(float, place)
        turn.x, turn.y, turn.z, turn.w = map(float, rotation.as_quat())
        return message


def numbers(joint, element, attribute, default=(0.0, 0.0, 0.0)):
    """Three numbers of an element that may be absent."""
    found = joint.find(element)
    text = None if found is None else found.get(attribute)
    return np.array(default if text is None else list(map(float, text.split())))


def main():
    """Until it is interrupted."""
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(StatePublisher())


if __name__ == "__main__":
    main()
