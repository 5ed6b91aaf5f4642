"""What sessions, inputs and outputs need of their node: they do not know its class."""

from collections.abc import Callable
from typing import Any, Protocol

from builtin_interfaces.msg import Time

from modular_dynamics_ros.diagnostics.change_log import ChangeLog

__all__ = ["SessionNode"]


class SessionNode(Protocol):
    """A node as its session sees it. Publishers, subscriptions and timers are rclpy's."""

    log: ChangeLog

    def now(self) -> int:
        """The node's clock [ns]."""

    def stamp(self) -> Time:
        """The node's clock as a stamp."""

    def create_subscription(
        self, msg_type: Any, topic: str, callback: Callable[..., None], qos_profile: Any, /, **options: Any
    ) -> Any:
        """As rclpy's."""

    def destroy_subscription(self, subscription: Any, /) -> bool:
        """As rclpy's."""

    def create_timer(self, timer_period_sec: float, callback: Callable[[], None], /) -> Any:
        """As rclpy's."""

    def destroy_timer(self, timer: Any, /) -> bool:
        """As rclpy's."""

    def create_lifecycle_publisher(
        self, msg_type: Any, topic: str, qos_profile: Any, /, **options: Any
    ) -> Any:
        """As rclpy's."""

    def destroy_lifecycle_publisher(self, publisher: Any, /) -> bool:
        """As rclpy's."""
