"""What subsystem_node receives from its neighbours: motions, wrenches, and for which subsystems they wait."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import ConnectionMotion
from std_msgs.msg import String

from modular_dynamics_ros.computation.subsystem.computation import SubsystemComputation
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.geometry import wrench_from_message
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.subsystems import connection_motion_from_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.node.topic_names import topic_name

__all__ = ["DEPTH", "LOG_NAME", "NeighbourInputs"]

LOG_NAME = "neighbours"
DEPTH = 500  # as for joint states: a second at 500 Hz
REPORT_VALID = 0.5  # [s] for which a neighbour's word counts that it waits: it repeats it faster
Receive = Callable[[int, str, Any], None]
"""Takes a stamp [ns], the neighbour, and the motion or the wrench."""


class NeighbourInputs(Subscriptions):
    """Motions from the predecessor, wrenches from the successors; a bad message is refused.

    Args:
        receive: takes what is good.

    Attributes:
        received, refused: messages by neighbour, and by cause.
    """

    def __init__(self, node: SessionNode, computation: SubsystemComputation, receive: Receive) -> None:
        super().__init__(node)
        self._computation, self._receive = computation, receive
        self.received: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._heard: dict[str, int] = {}  # when the last good message came [ns]
        # when a successor got the first motion that it has not answered [ns]
        self._asked: dict[str, int] = {}
        self._reports: dict[str, tuple[int, list[str]]] = {}
        part = computation.part
        own = topic_name(part.name)
        if part.predecessor is not None:
            topic = f"{topic_name(part.predecessor)}/motion_out/{own}"
            self._subscribe_to_stream(ConnectionMotion, topic, self._on_motion, DEPTH)
            self._hear_of(part.predecessor)
        for one in part.successors:
            take = partial(self._on_wrench, one.subsystem)
            self._subscribe_to_stream(WrenchStamped, f"{topic_name(one.subsystem)}/wrench_out", take, DEPTH)
            self._hear_of(one.subsystem)

    def _hear_of(self, neighbour: str) -> None:
        """Subscribe to a neighbour's report of the subsystems for which it waits."""
        self._heard[neighbour] = self._node.steady()

        def take(message: String) -> None:
            self._reports[neighbour] = self._node.steady(), message.data.splitlines()

        self._subscribe(String, f"{topic_name(neighbour)}/missing", take, 10)

    def excuse(self, pause: int) -> None:
        """Exclude a pause [ns] of this node, ending now, from neighbours' silence."""
        now = self._node.steady()
        for neighbour, heard in self._heard.items():
            self._heard[neighbour] = min(now, heard + pause)
        for neighbour, asked in self._asked.items():
            self._asked[neighbour] = min(now, asked + pause)
        for neighbour, (since, names) in self._reports.items():
            self._reports[neighbour] = min(now, since + pause), names

    def asked(self) -> None:
        """Expect answers to the motions of successors' connection points, which are published now."""
        for one in self._computation.part.successors:
            self._asked.setdefault(one.subsystem, self._node.steady())

    def silence(self, neighbour: str) -> float:
        """Return for how long [s], while this node ran, no valid motion or wrench came from a neighbour.

        A successor is silent only since it was asked: without a motion it has no wrench.
        """
        since, now = self._heard[neighbour], self._node.steady()
        if neighbour != self._computation.part.predecessor:
            since = self._asked.get(neighbour, now)
        return (now - since) * 1e-9

    def awaited_by(self, neighbour: str) -> list[str]:
        """Return the subsystems that a neighbour waits for, by its last report if that is recent."""
        since, names = self._reports.get(neighbour, (0, []))
        valid = self._node.steady() - since <= REPORT_VALID * 1e9
        own = self._computation.part.name
        return [name for name in names if valid and name not in (own, neighbour)]

    def _on_motion(self, message: ConnectionMotion, info: dict[str, Any]) -> None:
        part, prefix = self._computation.part, self._computation.robot.frame_prefix
        assert part.predecessor is not None  # it has subscribed

        def read() -> Any:
            return connection_motion_from_message(message, part.name, part.root, prefix)

        self._take(part.predecessor, "motion", message, read)

    def _on_wrench(self, subsystem: str, message: WrenchStamped, info: dict[str, Any]) -> None:
        def read() -> Any:
            wrench = wrench_from_message(message)
            return self._computation.at_link(subsystem, message.header.frame_id, wrench)

        self._take(subsystem, "wrench", message, read)

    def _take(self, neighbour: str, what: str, message: Any, read: Callable[[], Any]) -> None:
        self.received[neighbour] += 1
        try:
            if not (stamp := stamp_nanoseconds(message.header.stamp)):
                raise BadMessage("no stamp", "it has no stamp, and so belongs to no joint state")
            value = read()
        except BadMessage as error:
            self.refused[error.cause] += 1
            text = f"{what} from '{neighbour}' refused: {error}"
            self._node.log.problem(LOG_NAME, f"{neighbour}: {error.cause}", text)
            return
        self._heard[neighbour] = self._node.steady()
        self._asked.pop(neighbour, None)
        self._receive(stamp, neighbour, value)
