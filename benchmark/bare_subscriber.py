"""A node that only subscribes to joint_states and prints the arrival of the first."""

import time

import rclpy
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

rclpy.init()
node, messages = Node("bare_subscriber"), []
node.create_subscription(JointState, "joint_states", messages.append, qos_profile_sensor_data)
while not messages:
    rclpy.spin_once(node)
print("heard at", time.time_ns(), flush=True)
rclpy.spin(node)
