"""A subsystem of a robot as a foreign program: the motion of its connection point in, a wrench out.

It stands for any program, in any language, that knows one part of a robot; nothing of modular_dynamics but
its message is used. Here the part is one rigid body, such as a gripper with closed fingers:

  python examples/nodes/foreign_subsystem.py --ros-args -r __node:=head -p mass:=3.2 -p com:=[0.0,0.0,0.1] \\
      -r '~/motion_in:=torso/motion_out/head'
"""

import contextlib

import numpy as np
import rclpy
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import ConnectionMotion
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node


def vector(v: object) -> np.ndarray:
    """Return x, y and z of a message."""
    return np.array([v.x, v.y, v.z])


class RigidBody(Node):
    """One body at a connection point: mass [kg], com [m], inertia about it (xx yy zz xy xz yz) [kg m^2].

    All are in the frame of the point.
    """

    def __init__(self) -> None:
        super().__init__("foreign_subsystem")
        any_number = ParameterDescriptor(dynamic_typing=True)  # mass:=3 is as good as mass:=3.0
        self.mass = float(self.declare_parameter("mass", 1.0, any_number).value)
        self.com = np.array(self.declare_parameter("com", [0.0, 0.0, 0.0], any_number).value, float)
        inertia = self.declare_parameter("inertia", [0.0] * 6, any_number).value
        xx, yy, zz, xy, xz, yz = map(float, inertia)
        self.inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        self.wrench = self.create_publisher(WrenchStamped, "~/wrench_out", 500)
        self.create_subscription(ConnectionMotion, "~/motion_in", self.on_motion, 500)

    def on_motion(self, motion: ConnectionMotion) -> None:
        """Publish the wrench by Newton and Euler for the centre of mass, in the connection point's axes."""
        q = motion.pose.orientation
        x, w = vector(q), vector(motion.twist.angular)
        g = vector(motion.gravity)
        g = g + 2.0 * np.cross(x, np.cross(x, g) - q.w * g)  # turned back by the quaternion
        alpha = vector(motion.acceleration.angular)
        # the derivative of the components of the velocity, plus what the turning axes add
        a = vector(motion.acceleration.linear) + np.cross(w, vector(motion.twist.linear))
        a += np.cross(alpha, self.com) + np.cross(w, np.cross(w, self.com))
        force = self.mass * (a - g)
        moment = self.inertia @ alpha + np.cross(w, self.inertia @ w) + np.cross(self.com, force)
        message = WrenchStamped()
        message.header.stamp = motion.header.stamp  # by it the robot knows to which joint state this belongs
        message.header.frame_id = f"{motion.subsystem}/connection_point"
        message.wrench.force.x, message.wrench.force.y, message.wrench.force.z = force.tolist()
        message.wrench.torque.x, message.wrench.torque.y, message.wrench.torque.z = moment.tolist()
        self.wrench.publish(message)


if __name__ == "__main__":
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(RigidBody())
