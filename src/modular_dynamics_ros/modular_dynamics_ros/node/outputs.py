"""Publishers of one robot, whose messages are made once and written again and again."""

import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from numpy.typing import ArrayLike, NDArray
from rclpy.duration import Duration
from rclpy.exceptions import InvalidHandle
from rclpy.lifecycle import LifecycleState
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from modular_dynamics_ros.computation.values import StampedWrench
from modular_dynamics_ros.exceptions import SettingError, listed
from modular_dynamics_ros.lifecycle.entities import ANSWER_DEPTH, NO_PUBLISHER_EVENTS
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.node.session_node import SessionNode

MARKER_RATE = 30.0  # [Hz] as RViz draws
SECOND = 1_000_000_000  # [ns]
LOOK_PERIOD = 20_000_000  # [ns] until a subscriber that has come is noticed
RECEIPT = 200_000_000  # [ns] longest wait until all subscribers have received what was published


def subscribers(publisher: Any) -> int:
    """Return the number of a publisher's subscribers; 0 if it was destroyed.

    A ramp goes on with the outputs of a robot that was replaced. The new robot shares its publishers, except
    those of subsystems, joints and loops that are gone: these are destroyed.
    """
    try:
        return int(publisher.get_subscription_count())
    except InvalidHandle:
        return 0


class SubscribedPublishers:
    """Knows which publishers have subscribers: it asks once per LOOK_PERIOD, as to ask all takes 10 us.

    Attributes:
        publishers: those that had subscribers when `update` asked last.
    """

    def __init__(self) -> None:
        self.publishers: frozenset[Any] = frozenset()
        self._all: list[Any] = []
        self._next_look = 0  # [ns]

    def add(self, publisher: Any) -> None:
        """Ask for the subscribers of this publisher, too."""
        self._all.append(publisher)
        self._next_look = 0

    def update(self) -> None:
        """Update `publishers`, if LOOK_PERIOD has passed."""
        if (now := time.monotonic_ns()) >= self._next_look:
            self.publishers = frozenset(filter(subscribers, self._all))
            self._next_look = now + LOOK_PERIOD


class Pace:
    """Limits the rate of large messages, by the monotonic clock."""

    def __init__(self) -> None:
        self._next = 0.0  # [s]

    def due(self, rate: float) -> bool:
        """Return whether a message may be sent now, and count it as sent; `rate` [Hz]."""
        if (now := time.monotonic()) < self._next:
            return False
        self._next = now + 1.0 / rate
        return True


class Outputs:
    """Publishers that live as long as a session.

    Args:
        controller_joints: order of ~/effort_commands; empty: that of `indices`.
        indices: in the vector of efforts, of all joints that can be commanded, by name.
        owner: begins the sentence that lists these joints in an error.

    Attributes:
        subscribed: of the publishers that publish only then; updated when commands are published.

    Raises:
        SettingError: controller_joints names a joint that cannot be commanded.
    """

    def __init__(
        self, node: SessionNode, controller_joints: Sequence[str], indices: Mapping[str, int], owner: str
    ) -> None:
        self._node = node
        self._publishers: list[Any] = []
        self.subscribed = SubscribedPublishers()
        if unknown := [name for name in controller_joints if name not in indices]:
            raise SettingError(
                f"controller_joints names {listed(unknown)}, but {owner} {', '.join(indices) or 'none'}"
            )
        order = [indices[name] for name in controller_joints or indices]
        names = {index: name for name, index in indices.items()}
        names_by_index = [names.get(index, "") for index in range(max(names, default=-1) + 1)]
        self._order, self._commands = np.array(order, np.intp), Float64MultiArray()
        self._stamped = JointStateWriter(names_by_index, order, ("effort",))
        self._command_publisher = self._publisher(Float64MultiArray, "~/effort_commands", always=True)
        self._stamped_publisher = self._publisher(JointState, "~/stamped_effort_commands")

    def _publisher(self, kind: type, topic: str, qos: Any = ANSWER_DEPTH, *, always: bool = False) -> Any:
        """Return a publisher; `always`: it publishes even without subscribers."""
        make = self._node.create_lifecycle_publisher
        publisher = make(kind, topic, qos, event_callbacks=NO_PUBLISHER_EVENTS)
        self._publishers.append(publisher)
        if not always:
            self.subscribed.add(publisher)
        return publisher

    def _publish_commands(self, efforts: NDArray[Any], stamp: int) -> None:
        """Publish efforts in the controller's order; while subscribed, also with stamp [ns] and names."""
        self._commands.data = _numbers(efforts, self._order)
        self._command_publisher.publish(self._commands)
        self.subscribed.update()
        if self._stamped_publisher in self.subscribed.publishers:
            self._stamped_publisher.publish(self._stamped.write(stamp, efforts))

    def wait_until_received(self) -> None:
        """Wait for reliable subscribers, RECEIPT at most: DDS may drop what was sent just before the end.

        Subscribers that stand still must not delay the end by that time on each of their topics.
        """
        end = time.monotonic_ns() + RECEIPT
        for publisher in filter(subscribers, self._publishers):
            publisher.wait_for_all_acked(Duration(nanoseconds=max(0, end - time.monotonic_ns())))

    def activate(self, state: LifecycleState | None) -> None:
        """Enable publishers that were made while the node is active; safe to repeat."""
        for publisher in self._publishers:
            publisher.on_activate(state)
        self.subscribed.update()  # those who have subscribed already get the first answer, too

    def destroy(self) -> None:
        """Remove all publishers."""
        for publisher in self._publishers:
            self._node.destroy_lifecycle_publisher(publisher)


class WrenchTopics:
    """Publishes wrenches on a topic ~/KIND/NAME/wrench for each name, while subscribed.

    Args:
        parts: of the topics by name, see `topic_names`. frame_prefix: see `WrenchWriter`.
    """

    def __init__(
        self,
        make_publisher: Callable[[type, str], Any],
        kind: str,
        parts: Mapping[str, str],
        frame_prefix: str,
        subscribed: SubscribedPublishers,
    ) -> None:
        self._subscribed = subscribed
        self._topics = {
            name: (make_publisher(WrenchStamped, f"~/{kind}/{part}/wrench"), WrenchWriter(frame_prefix))
            for name, part in parts.items()
        }

    def publish(self, stamp: Time, wrench_of: Callable[[str], StampedWrench]) -> None:
        """Publish the wrenches that are subscribed to."""
        for name, (publisher, writer) in self._topics.items():
            if publisher in self._subscribed.publishers:
                publisher.publish(writer.write(stamp, *wrench_of(name)))


class JointStateWriter:
    """Writes joint states of the joints at `indices` of a robot's vectors, in the order of `indices`."""

    def __init__(
        self, joint_names: Sequence[str], indices: Sequence[int], fields: Sequence[str], frame_id: str = ""
    ) -> None:
        self._fields, self._indices = tuple(fields), np.array(indices, np.intp)
        self.message = JointState(name=[joint_names[index] for index in indices])
        self.message.header.frame_id = frame_id

    def write(self, stamp: int, *vectors: ArrayLike) -> JointState:
        """Return the message with this stamp [ns] and the numbers of the fields' vectors."""
        message = self.message
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, SECOND)
        for field, vector in zip(self._fields, vectors, strict=True):
            setattr(message, field, _numbers(vector, self._indices))
        return message


def _numbers(vector: ArrayLike, indices: NDArray[np.intp]) -> "array[float]":
    """Return the numbers at `indices` as an array, which rclpy takes without checking each number."""
    return array("d", np.asarray(vector, np.float64)[indices].tobytes())
