"""Stands for robot_state_publisher: publishes the robot description; tf is left to the real one.

A program that `.ament_index` installs.
"""

import contextlib

import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class StatePublisher(Node):
    """Parameters robot_description and frame_prefix."""

    def __init__(self):
        super().__init__("robot_state_publisher")
        self.description = self.create_publisher(String, "robot_description", LATCHED)
        self.declare_parameter("frame_prefix", "")
        self.take([self.declare_parameter("robot_description", "")])
        self.add_on_set_parameters_callback(self.take)

    def take(self, parameters):
        """The content is published, at the start and after each change."""
        for parameter in parameters:
            if parameter.name == "robot_description":
                self.description.publish(String(data=parameter.value))
        return SetParametersResult(successful=True)


def main():
    """Until it is interrupted."""
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(StatePublisher())


if __name__ == "__main__":
    main()
