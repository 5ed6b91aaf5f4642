"""Odometry as the state of a floating base. Only what needs nav_msgs imports this file."""

from typing import Any

from nav_msgs.msg import Odometry

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.dynamics.base_state_input import BaseStateInput
from modular_dynamics_ros.messages.geometry import base_state_from_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.topics import SENSOR

__all__ = ["OdometryInput"]


class OdometryInput(BaseStateInput):
    """Pose and twist of the base."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        super().__init__(node, computation)
        self._subscribe_to_stream(Odometry, "odometry", self._on_odometry, SENSOR)

    def _on_odometry(self, message: Odometry, info: dict[str, Any]) -> None:
        with self._refusing("odometry", "odometry"):
            orientation, twist = base_state_from_message(message, self._robot, self._base)
            self._take(message.header.stamp, info, orientation, twist)
