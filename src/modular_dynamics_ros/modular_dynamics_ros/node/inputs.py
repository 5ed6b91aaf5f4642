"""What an active node subscribes to: the inputs of one part of it, and references of the accelerations."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from rclpy.serialization import deserialize_message
from trajectory_msgs.msg import JointTrajectory

from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import CLOCK_SET_BACK
from modular_dynamics_ros.exceptions import BadMessage, NodeError, RobotError
from modular_dynamics_ros.lifecycle.entities import JOINT_STATES
from modular_dynamics_ros.messages import trajectories
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.worker import Worker

AT_ONCE = 50_000  # [bytes] that rclpy reads within 10 ms: it makes an object of each point of a trajectory
MOST_WAITING = 10  # large references, as many as the middleware keeps


class Subscriptions:
    """Subscriptions from activation to deactivation."""

    def __init__(self, node: SessionNode) -> None:
        self._node = node
        self._subscriptions: list[Any] = []

    def _subscribe(
        self,
        kind: type,
        topic: str,
        callback: Callable[[Any, dict[str, Any]], None],
        qos: Any,
        **options: Any,
    ) -> Any:
        """Subscribe to a topic; `callback` gets each message with rclpy's info. Return the subscription."""
        subscription = self._node.create_subscription(kind, topic, callback, qos, **options)
        self._subscriptions.append(subscription)
        return subscription

    @contextmanager
    def _refusing(self, where: str, what: str) -> Iterator[None]:
        """Report messages that the body rejects as unusable."""
        try:
            yield
        except BadMessage as error:
            self._node.log.problem(where, error.cause, f"{what} refused: {error}")

    def destroy(self) -> None:
        """Remove the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)


def require_reference_type(reference_type: str) -> None:
    """Raise RobotError where the messages of this type of reference are not installed."""
    if reference_type == "controller_state" and trajectories.JointTrajectoryControllerState is None:
        text = "reference_type 'controller_state' needs the package control_msgs, which is not installed"
        raise RobotError(f"{text}: apt install ros-$ROS_DISTRO-control-msgs, or 'trajectory'")


class ReferenceInput(Subscriptions):
    """Reference trajectories; an invalid one is refused, and earlier ones stay active.

    Args:
        reference_type: trajectory, or controller_state: the set points of a joint_trajectory_controller.
    """

    def __init__(
        self, node: SessionNode, computation: Computation, reference_type: str = "trajectory"
    ) -> None:
        super().__init__(node)
        self._computation, self._controller = computation, trajectories.ControllerStateReader()
        if reference_type == "controller_state":
            # as many as joint states, which may wait as long; they are stamped alike
            kind, receive = trajectories.JointTrajectoryControllerState, self._on_controller_state
            self._subscribe(kind, "controller_state", receive, JOINT_STATES)
        else:
            # serialized: rclpy takes a second to make 100,000 points of a message, and nothing else is called
            self._subscribe(JointTrajectory, "reference", self._on_reference, 10, raw=True)
        self._worker, self._unread = Worker(node), deque[tuple[bytes, int]]()  # large ones that are read

    def destroy(self) -> None:
        """Remove the subscription; what is still being read is not taken."""
        self._worker.destroy(NodeError("ended"))
        super().destroy()

    def continue_from(self, other: "ReferenceInput") -> None:
        """Read what the input of the robot before its change has not read yet."""
        for serialized, arrival in other._unread:
            self._receive(serialized, arrival)
        self._controller = other._controller

    def _on_reference(self, serialized: bytes, info: dict[str, Any]) -> None:
        now = self._node.now()
        self._computation.accelerations.note_time(now)
        self._receive(serialized, now)

    def _receive(self, serialized: bytes, now: int) -> None:
        """Read a small trajectory at once, and a large one, or one that comes after it, in a thread."""
        if len(serialized) <= AT_ONCE and not len(self._worker):
            with self._refusing("reference", "reference"):
                self._add(self._read(serialized, now), now)
        elif len(self._worker) < MOST_WAITING:  # a small one behind a large one waits for it
            self._unread.append((serialized, now))
            self._worker.submit(partial(self._read, serialized, now), partial(self._on_read, now))
        else:
            text = "large ones come faster than they are read: send fewer, or fewer points"
            self._node.log.problem("reference", "left out", text)

    def _read(self, serialized: bytes, arrival: int) -> ReferenceTrajectory:
        """Return the trajectory of a serialized message. Thread-safe."""
        try:
            message = deserialize_message(serialized, JointTrajectory)
        except Exception as error:  # of rclpy, whose classes are private
            text = f"its bytes are no trajectory_msgs/JointTrajectory ({type(error).__name__})"
            raise BadMessage("unreadable", text) from error
        return self._trajectory(message, lambda names: trajectory_from_message(message, names, arrival))

    def _on_read(self, arrival: int, trajectory: ReferenceTrajectory | None, error: Exception | None) -> None:
        """Take a trajectory that the thread has read, or report why it could not be read."""
        self._unread.popleft()
        # no longer read; or the clock was set back since then: forgotten as those before, see `note_time`
        if isinstance(error, NodeError) or arrival > self._node.now() + CLOCK_SET_BACK:
            return
        with self._refusing("reference", "reference"):
            if error is not None:
                raise error
            assert trajectory is not None  # there is one or the other
            self._add(trajectory, arrival)

    def _on_controller_state(self, message: Any, info: dict[str, Any]) -> None:
        """Add the set point of a controller to the reference."""
        now, computation, controller = self._node.now(), self._computation, self._controller
        computation.accelerations.note_time(now)
        validity = round(computation.settings.stale_after * 1e9)
        with self._refusing("reference", "reference"):
            self._add(
                self._trajectory(message, lambda names: controller.read(message, names, now, validity)), now
            )
        if controller.unfilled:
            text = "speed_scaling_factor is 0 while the set points move; it counts as 1"
            advice = "ros2_controllers fill it in since 4.39"
            self._node.log.event("reference", "speed scaling", f"{text}: {advice}")

    def _add(self, trajectory: ReferenceTrajectory, arrival: int) -> None:
        """Add a trajectory to the reference; report one that had ended before it came."""
        computation = self._computation
        computation.accelerations.reference.add(trajectory, self._node.now())
        if len(trajectory.instants) and trajectory.end < arrival - computation.settings.stale_after * 1e9:
            text = "a reference had ended before it came: compare its stamp with this node's clock"
            self._node.log.problem("reference", "in the past", text)

    def _trajectory(
        self, message: Any, read: Callable[[Sequence[str]], ReferenceTrajectory]
    ) -> ReferenceTrajectory:
        """Return the trajectory of the joints in joint states. Thread-safe.

        Args:
            read: returns the accelerations of joints by name from the message.
        """
        return read(self._computation.robot.state_names)
