"""What sessions, inputs and outputs need of their node, and a node of its session: no class is known."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.status import Status
from modular_dynamics_ros.parameters.nodes import RobotParameters

if TYPE_CHECKING:  # the command bag runs without ROS
    from builtin_interfaces.msg import Time
    from rclpy.lifecycle import LifecycleState
    from sensor_msgs.msg import JointState

    # it imports the library, for which a node that starts does not wait
    from modular_dynamics_ros.computation.robot import Robot

__all__ = ["Parameters", "Session", "SessionNode", "SessionType"]

Parameters = TypeVar("Parameters", bound=RobotParameters)
Parameters_contra = TypeVar("Parameters_contra", bound=RobotParameters, contravariant=True)


class SessionNode(Protocol):
    """A node as its session sees it. Publishers, subscriptions and timers are rclpy's."""

    log: ChangeLog

    @property
    def create_subscription(self) -> Callable[..., Any]:
        """The method of rclpy's node."""

    @property
    def destroy_subscription(self) -> Callable[..., Any]:
        """The method of rclpy's node."""

    @property
    def create_timer(self) -> Callable[..., Any]:
        """The method of rclpy's node."""

    @property
    def destroy_timer(self) -> Callable[..., Any]:
        """The method of rclpy's node."""

    @property
    def create_guard_condition(self) -> Callable[..., Any]:
        """The method of rclpy's node."""

    @property
    def destroy_guard_condition(self) -> Callable[..., Any]:
        """The method of rclpy's node."""

    @property
    def create_lifecycle_publisher(self) -> Callable[..., Any]:
        """The method of rclpy's node."""

    @property
    def destroy_lifecycle_publisher(self) -> Callable[..., Any]:
        """The method of rclpy's node."""

    @property
    def count_publishers(self) -> Callable[[str], int]:
        """The method of rclpy's node."""

    @property
    def get_publishers_info_by_topic(self) -> Callable[[str], Sequence[Any]]:
        """The method of rclpy's node."""

    @property
    def simulated(self) -> bool:
        """Whether the node's clock is /clock."""

    @property
    def get_clock(self) -> Callable[[], Any]:
        """The method of rclpy's node."""

    def now(self) -> int:
        """Return the node's clock [ns]."""

    def steady(self) -> int:
        """Return a monotonic clock [ns]."""

    def stamp(self) -> "Time":
        """Return the node's clock as a stamp."""


class Session(Protocol[Parameters_contra]):
    """One robot in a node."""

    robot: "Robot"

    def activate(self, state: "LifecycleState | None") -> None:
        """Subscribe and begin to answer."""

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether a joint state with these names holds all needed joints."""

    def knows(self, names: Sequence[str]) -> bool:
        """Return whether all these names are joints of the robot."""

    def answer(self, data: bytes, info: dict[str, Any], since: int) -> bool:
        """Answer a serialised joint state, if that is possible as it is: one like others that were answered.

        False where it is to be deserialised and received. Then nothing has happened.

        Args:
            info: rclpy's. since: the robot is so from this stamp [ns] on.
        """

    def receive(self, message: "JointState", info: dict[str, Any]) -> None:
        """Answer a joint state, now or later, or report why not.

        Args:
            info: rclpy's.
        """

    def retire(self) -> None:
        """Answer waiting states, and then only states of this robot: a newer one is active."""

    def continue_from(self, other: Any) -> None:
        """Count on what another session of the same kind has counted."""

    def reject(self, error: BadMessage) -> None:
        """Count and report a joint state that no robot can answer."""

    def wind_down(self, hurried: Callable[[], bool]) -> None:
        """Publish the last messages before the node stops, until `hurried` is true."""

    def deactivate(self) -> None:
        """Take no more messages; forget what the next activation must not build upon."""

    def destroy(self) -> None:
        """Deactivate, and remove the publishers."""

    def set_parameters(self, parameters: Parameters_contra) -> None:
        """Take parameters that changed at run time."""

    def statuses(self) -> list[Status]:
        """Return the statuses for /diagnostics, while active."""


class SessionType(Protocol[Parameters_contra]):
    """Makes a session, in two steps: the first may take long."""

    def load(self, description: str, parameters: Parameters_contra) -> Any:
        """Prepare a robot, in any thread: all that takes long, so that the other robot answers meanwhile.

        Args:
            description: path or text of the URDF.

        Raises:
            RobotError: the robot cannot be used.
        """

    def __call__(
        self, node: SessionNode, prepared: Any, parameters: Parameters_contra, /
    ) -> Session[Parameters_contra]:
        """Return the session of what `load` has prepared; makes publishers.

        Raises:
            RobotError: a parameter contradicts the robot.
        """
