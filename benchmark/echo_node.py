"""A node that sends each joint state back: the shortest way of an answer through ROS 2 in Python."""

import rclpy
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

QOS = QoSProfile(depth=500, reliability=ReliabilityPolicy.BEST_EFFORT)

rclpy.init()
node = Node("echo")
publisher = node.create_publisher(
    JointState, "~/joint_states", 100, event_callbacks=PublisherEventCallbacks(use_default_callbacks=False)
)
events = SubscriptionEventCallbacks(use_default_callbacks=False)
node.create_subscription(JointState, "joint_states", publisher.publish, QOS, event_callbacks=events)
rclpy.spin(node)
