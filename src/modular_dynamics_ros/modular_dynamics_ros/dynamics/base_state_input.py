"""What the inputs that say how the base of a robot moves have in common."""

from typing import Any

from builtin_interfaces.msg import Time

from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.messages.stamps import sending_time, stamp_nanoseconds
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions

__all__ = ["BaseStateInput"]


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
