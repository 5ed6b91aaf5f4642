"""Odometry as the state of a floating base. Only what needs nav_msgs imports this file."""

from typing import Any

import numpy as np
from nav_msgs.msg import Odometry

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.dynamics.base_state_input import BaseStateInput
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.poses import unit_quaternion
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.topics import SENSOR

__all__ = ["OdometryInput"]


class OdometryInput(BaseStateInput):
    """Pose and twist of the base."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        super().__init__(node, computation)
        self._subscribe_with_info(Odometry, "odometry", self._on_odometry, SENSOR)

    def _on_odometry(self, message: Odometry, info: dict[str, Any]) -> None:
        with self._refusing("odometry", "odometry"):
            x_base_link = self._base.frame(self._robot.link(message.child_frame_id))
            world = self._base.world(self._robot.link(message.header.frame_id))
            position, twist = message.pose.pose.position, message.twist.twist
            linear, angular = (np.array([v.x, v.y, v.z]) for v in (twist.linear, twist.angular))
            moved = self._base.twist(x_base_link, linear, angular)
            if not np.isfinite([*moved, position.x, position.y, position.z]).all():
                raise BadMessage("not finite", "its pose or twist holds NaN, infinite or too large values")
            orientation = world * unit_quaternion(message.pose.pose.orientation)
            self._take(message.header.stamp, info, orientation, x_base_link, moved)
