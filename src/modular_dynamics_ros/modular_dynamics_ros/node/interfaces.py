"""What a session needs of its node, and a node of its session: neither knows the other's class."""

from collections.abc import Callable
from typing import Any, Protocol

from builtin_interfaces.msg import Time
from rclpy.lifecycle import LifecycleState

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.messages.status import Status

__all__ = ["RobotSession", "SessionNode"]


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


class RobotSession(Protocol):
    """One robot in a node: its subscriptions while the node is active, and its publishers."""

    @property
    def robot_name(self) -> str:
        """The name in the robot description."""

    @property
    def summary(self) -> str:
        """One line about the robot, for the log."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about the robot description."""

    def activate(self, state: LifecycleState | None) -> None:
        """Subscribe and begin to answer."""

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""

    def destroy(self) -> None:
        """Deactivate, and remove the publishers."""

    def set_parameters(self, parameters: Any) -> None:
        """Take parameters that changed at run time."""

    def statuses(self) -> list[Status]:
        """The parts of /diagnostics."""
