"""What sessions, inputs and outputs need of their node: no class of nodes is known to them."""

from typing import TYPE_CHECKING, Any, Protocol

from modular_dynamics_ros.node.answer_record import AnswerRecord, Clocks
from modular_dynamics_ros.node.joint_table import JointTable

if TYPE_CHECKING:  # the command bag runs without ROS
    from builtin_interfaces.msg import Time

__all__ = ["SessionNode"]


class SessionNode(Clocks, Protocol):
    """A node as its session sees it. What makes and removes publishers, subscriptions and timers is rclpy's.

    Attributes:
        record: what became of the joint states since activation. joints: what they said.
    """

    record: AnswerRecord
    joints: JointTable

    def create_subscription(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's
    def destroy_subscription(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's
    def create_timer(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's
    def destroy_timer(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's
    def create_guard_condition(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's
    def destroy_guard_condition(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's
    def create_lifecycle_publisher(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's
    def destroy_lifecycle_publisher(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's
    def count_publishers(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's
    def get_publishers_info_by_topic(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's
    def get_clock(self, *of: Any, **options: Any) -> Any: ...  # noqa: D102  # rclpy's

    def stamp(self) -> "Time":
        """Return the node's clock as a stamp."""
