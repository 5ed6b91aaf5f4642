"""An inertial measurement unit on a fixed root: how the root is turned against gravity."""

from typing import Any

import numpy as np
from sensor_msgs.msg import Imu

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.dynamics.base_state_input import BaseStateInput
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.geometry import unit_quaternion
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.topics import SENSOR

__all__ = ["ImuInput"]

NO_ORIENTATION = -1.0  # sensor_msgs/Imu: first element of the covariance of what the sensor does not measure


class ImuInput(BaseStateInput):
    """Orientations."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        super().__init__(node, computation)
        self._subscribe_to_stream(Imu, "imu", self._on_imu, SENSOR)

    def _on_imu(self, message: Imu, info: dict[str, Any]) -> None:
        with self._refusing("imu", "imu"):
            x_base_link = self._base.frame(self._robot.link(message.header.frame_id))
            if message.orientation_covariance[0] == NO_ORIENTATION:
                raise BadMessage(
                    "no orientation", "its orientation_covariance begins with -1: it measures no orientation"
                )
            orientation = unit_quaternion(message.orientation)
            turned = orientation * x_base_link.primary.conjugate()
            self._take(message.header.stamp, info, turned, np.zeros(6))
