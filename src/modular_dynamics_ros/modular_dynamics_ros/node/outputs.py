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

__all__ = ["MARKER_RATE", "Demand", "EffortWriter", "JointStateWriter", "Outputs", "Pace", "WrenchTopics"]

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


class Demand:
    """Which publishers have subscribers: asked once per LOOK_PERIOD, because to ask for all takes 10 us.

    Attributes:
        wanted: those that had some when `look` asked last.
    """

    def __init__(self) -> None:
        self.wanted: frozenset[Any] = frozenset()
        self._publishers: list[Any] = []
        self._next_look = 0  # [ns]

    def add(self, publisher: Any) -> None:
        """Look at the subscribers of this publisher, too."""
        self._publishers.append(publisher)
        self._next_look = 0

    def look(self) -> None:
        """Bring `wanted` up to date, if LOOK_PERIOD has passed."""
        if (now := time.monotonic_ns()) >= self._next_look:
            self.wanted = frozenset(filter(subscribers, self._publishers))
            self._next_look = now + LOOK_PERIOD


class Pace:
    """Rate limiter for large messages, by the monotonic clock."""

    def __init__(self) -> None:
        self._next = 0.0  # [s]

    def due(self, rate: float) -> bool:
        """Return whether a message may be sent now, and count it as sent; `rate` [Hz], 0: never."""
        now = time.monotonic()
        if rate == 0.0 or now < self._next:
            return False
        self._next = now + 1.0 / rate
        return True


class Outputs:
    """Publishers that live as long as a session.

    Args:
        controller_joints: order of ~/effort_commands; empty: that of `indices`.
        indices: joint -> index in the vector of efforts, of all joints that can be commanded.
        owner: begins the sentence that lists these joints in an error.

    Attributes:
        demand: of those that publish only while subscribed; it looks when commands are published.

    Raises:
        SettingError: controller_joints names a joint that cannot be commanded.
    """

    def __init__(
        self, node: SessionNode, controller_joints: Sequence[str], indices: Mapping[str, int], owner: str
    ) -> None:
        self._node = node
        self._publishers: list[Any] = []
        self.demand = Demand()
        if unknown := [name for name in controller_joints if name not in indices]:
            raise SettingError(
                f"controller_joints names {listed(unknown)}, but {owner} {', '.join(indices) or 'none'}"
            )
        order = [indices[name] for name in controller_joints or indices]
        names = {index: name for name, index in indices.items()}
        names_by_index = [names.get(index, "") for index in range(max(names, default=-1) + 1)]
        self._commands, self._stamped = (
            EffortWriter(order),
            JointStateWriter(names_by_index, order, ("effort",)),
        )
        self._command_publisher = self._publisher(Float64MultiArray, "~/effort_commands", always=True)
        self._stamped_publisher = self._publisher(JointState, "~/stamped_effort_commands")

    def _publisher(self, kind: type, topic: str, qos: Any = ANSWER_DEPTH, *, always: bool = False) -> Any:
        """Return a publisher; `always`: of what is published even without subscribers."""
        make = self._node.create_lifecycle_publisher
        publisher = make(kind, topic, qos, event_callbacks=NO_PUBLISHER_EVENTS)
        self._publishers.append(publisher)
        if not always:
            self.demand.add(publisher)
        return publisher

    def _publish_commands(self, efforts: NDArray[Any], stamp: int) -> None:
        """Publish the efforts in the controller's order; while subscribed, also with stamp [ns] and names."""
        self._command_publisher.publish(self._commands.write(efforts))
        self.demand.look()
        if self._stamped_publisher in self.demand.wanted:
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
        self.demand.look()  # those who have subscribed already get the first answer, too

    def destroy(self) -> None:
        """Remove all publishers."""
        for publisher in self._publishers:
            self._node.destroy_lifecycle_publisher(publisher)


class WrenchTopics:
    """A topic ~/KIND/NAME/wrench for each name.

    A wrench that has no subscriber is not published.

    Args:
        parts: of the topics by name, see `topic_names`. frame_prefix: see `WrenchWriter`. demand: for them.
    """

    def __init__(
        self,
        make_publisher: Callable[[type, str], Any],
        kind: str,
        parts: Mapping[str, str],
        frame_prefix: str,
        demand: Demand,
    ) -> None:
        self._demand = demand
        self._topics = {
            name: (make_publisher(WrenchStamped, f"~/{kind}/{part}/wrench"), WrenchWriter(frame_prefix))
            for name, part in parts.items()
        }

    def publish(self, stamp: Time, wrench_of: Callable[[str], StampedWrench]) -> None:
        """Publish the wrenches of the names that are subscribed to."""
        for name, (publisher, writer) in self._topics.items():
            if publisher in self._demand.wanted:
                publisher.publish(writer.write(stamp, *wrench_of(name)))


class JointStateWriter:
    """One joint state of the joints at `indices` of a robot's vectors, in the order of `indices`."""

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


class EffortWriter:
    """Efforts in the order of a controller's joints, as effort and forward_command controllers take them."""

    def __init__(self, indices: Sequence[int]) -> None:
        self._indices, self.message = np.array(indices, np.intp), Float64MultiArray()

    def write(self, efforts: ArrayLike) -> Float64MultiArray:
        """Return the message of efforts (n,), n: joints of the robot; it has no stamp."""
        self.message.data = _numbers(efforts, self._indices)
        return self.message


def _numbers(vector: ArrayLike, indices: NDArray[np.intp]) -> "array[float]":
    """Return the numbers at `indices` as rclpy takes them without a look at each."""
    return array("d", np.asarray(vector, np.float64)[indices].tobytes())
