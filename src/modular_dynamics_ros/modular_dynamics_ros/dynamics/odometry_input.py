"""Odometry as the state of a floating base. Only what needs nav_msgs imports this file."""

from nav_msgs.msg import Odometry

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.messages.odometry import base_state_from_message
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.node.topics import SENSOR

__all__ = ["OdometryInput"]


class OdometryInput(Subscriptions):
    """Pose and twist of the base; a message that cannot be used is refused, and the last good one stays."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        super().__init__(node)
        assert computation.robot.base is not None  # the caller looks
        assert computation.base_states is not None
        self._robot, self._base, self._states = (
            computation.robot,
            computation.robot.base,
            computation.base_states,
        )
        self._subscribe(Odometry, "odometry", self._on_odometry, SENSOR)

    def _on_odometry(self, message: Odometry) -> None:
        with self._refusing("odometry", "odometry"):
            orientation, twist = base_state_from_message(message, self._robot, self._base)
            stamp = stamp_nanoseconds(message.header.stamp) or self._node.now()
            self._states.require_order(stamp, self._node.now())
            self._states.add(stamp, orientation, twist)
