"""How the base of a robot moves: odometry of a floating base, or an IMU on a fixed root."""

from collections.abc import Callable
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from sensor_msgs.msg import Imu

from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import BadMessage, SettingError
from modular_dynamics_ros.lifecycle.entities import SENSOR
from modular_dynamics_ros.messages.geometry import base_state_from_message, unit_quaternion
from modular_dynamics_ros.messages.stamps import sending_time, stamp_nanoseconds
from modular_dynamics_ros.node.inputs import Subscriptions
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

try:
    from nav_msgs.msg import Odometry
except ImportError:  # a node without floating base needs no nav_msgs
    Odometry = None

__all__ = ["base_input", "base_source"]


class BaseStateInput(Subscriptions):
    """States of the base; a message that cannot be used is refused, and the last good one stays."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        super().__init__(node)
        robot, states = computation.robot, computation.base_states
        assert robot.base is not None  # the caller looks
        assert states is not None
        self._robot, self._base, self._states = robot, robot.base, states

    def _take(self, stamp: Time, info: dict[str, Any], orientation: Quaternion, twist: Array) -> None:
        """Store the base's state of a message with this stamp; zero: the time of its sending.

        The message may have waited while this node was stopped.

        Args:
            info: rclpy's. orientation: of the base. twist: (6,) of the base; see `BaseState`.

        Raises:
            BadMessage: a newer message was taken before; or its stamp does not fit the filter.
        """
        now = self._node.now()
        instant = stamp_nanoseconds(stamp) or sending_time(info, now, simulated=self._node.simulated)
        self._states.require_order(instant, now)
        self._states.add(instant, orientation, twist)


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


class OdometryInput(BaseStateInput):
    """Pose and twist of the base."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        super().__init__(node, computation)
        self._subscribe_to_stream(Odometry, "odometry", self._on_odometry, SENSOR)

    def _on_odometry(self, message: Any, info: dict[str, Any]) -> None:
        with self._refusing("odometry", "odometry"):
            orientation, twist = base_state_from_message(message, self._robot, self._base)
            self._take(message.header.stamp, info, orientation, twist)


def base_source(parameters: DynamicsParameters) -> str:
    """Return the topic's name; empty if the root is fixed and gravity comes from the parameter.

    Raises:
        SettingError: two topics would tell how the base is turned.
    """
    imu = parameters.gravity_source == "imu"
    if imu and parameters.floating_base:
        raise SettingError(
            "gravity_source 'imu' is for a fixed root; with floating_base odometry says how it is turned"
        )
    return "odometry" if parameters.floating_base else "imu" if imu else ""


def base_input(
    parameters: DynamicsParameters,
) -> tuple[Callable[[SessionNode, Computation], Subscriptions], ...]:
    """Return the input of the base's topic, if there is one.

    Raises:
        SettingError: its messages cannot be imported; or as of `base_source`.
    """
    source = base_source(parameters)
    if source != "odometry":
        return (ImuInput,) if source else ()
    if Odometry is None:
        raise SettingError("floating_base needs nav_msgs/Odometry: the package nav_msgs is not installed")
    return (OdometryInput,)
