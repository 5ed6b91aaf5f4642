"""nav_msgs/Odometry as the state of a floating base."""

from typing import TYPE_CHECKING

import numpy as np

from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.floating_base import FloatingBase
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import LARGEST, Array
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.poses import unit_quaternion

if TYPE_CHECKING:  # not every distribution has it, and the command bag runs without ROS
    from nav_msgs.msg import Odometry

__all__ = ["base_state_from_message"]


def base_state_from_message(
    message: "Odometry", robot: Robot, base: FloatingBase
) -> tuple[Quaternion, Array]:
    """Return orientation and twist (6,) of the base, as of `BaseState`.

    Raises:
        BadMessage: frames that do not say how the base moves, values that are not finite, no unit quaternion.
    """
    x_base_link = base.frame(robot.link(message.child_frame_id))
    world = base.world(robot.link(message.header.frame_id))
    position, twist = message.pose.pose.position, message.twist.twist
    linear, angular = (np.array([v.x, v.y, v.z]) for v in (twist.linear, twist.angular))
    moved = base.twist(x_base_link, linear, angular)
    if not np.isfinite([*moved, position.x, position.y, position.z]).all():
        raise BadMessage("not finite", "its pose or twist holds NaN, infinite or too large values")
    if np.abs(moved).max() > LARGEST:
        raise BadMessage("too large", f"its twist is beyond {LARGEST:g} m/s or rad/s, the most that is taken")
    orientation = world * unit_quaternion(message.pose.pose.orientation)
    return orientation * x_base_link.primary.conjugate(), moved
