"""Connection wrenches from dynamics_node, matched to the joint states that they were computed from."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from modular_dynamics_interfaces.msg import ConnectionWrenches as ConnectionWrenchesMessage

from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.subsystem.rendezvous import Rendezvous
from modular_dynamics_ros.computation.values import StampedWrench
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.subsystems import connection_wrenches_from_message
from modular_dynamics_ros.node.inputs import Subscriptions
from modular_dynamics_ros.node.session_node import SessionNode

LOG_NAME = "connection wrenches"
TOPIC = "dynamics_node/connection_wrenches"
DEPTH = 500  # as for joint states: a second at 500 Hz
Item = TypeVar("Item")
Wrenches = dict[str, StampedWrench]
"""By subsystem."""


class ConnectionWrenches(Subscriptions, Generic[Item]):
    """The subscription to connection wrenches, from activation to deactivation.

    The wrenches of two joint states with the same stamp cannot be distinguished: while they are awaited,
    neither is answered.

    Args:
        names: of the subsystems whose wrenches are needed. timeout: how long [s] an item waits for them.
        complete: called with an item that waited for its wrenches, and these. description: digest of the
        robot's, which that of wrenches must be, where both are known.

    Attributes:
        rendezvous: of items and wrenches. refused: number of messages by cause.
    """

    def __init__(
        self,
        node: SessionNode,
        robot: Robot,
        names: Sequence[str],
        timeout: float,
        complete: Callable[[Item, Wrenches], None],
        description: str = "",
    ) -> None:
        super().__init__(node)
        self._names, self._robot, self._complete = tuple(names), robot, complete
        self._description, self.refused = description, Counter[str]()
        self.rendezvous: Rendezvous[Item] = Rendezvous((TOPIC,), timeout)
        self._arrived: int | None = None  # when the last wrenches came [ns of the monotonic clock]
        self._subscribe(ConnectionWrenchesMessage, TOPIC, self._receive, DEPTH)

    def match(self, stamp: int, item: Item) -> Wrenches | None:
        """Return the wrenches with this stamp [ns]; None until they arrive: the item waits for them.

        Raises:
            BadMessage: another item had this stamp; if it still waits, it is dropped.
        """
        meeting = self.rendezvous.add_item(stamp, item, self._node.steady())
        if meeting is None:
            for waiting in self.rendezvous.waiting():
                waiting.done |= waiting.stamp == stamp
            text = "another joint state had its stamp: their connection wrenches cannot be distinguished"
            raise BadMessage("repeated stamp", text)
        wrenches: Wrenches | None = meeting.parts.get(TOPIC)
        meeting.done = wrenches is not None
        return wrenches

    def age(self) -> float | None:
        """Return the time [s] since the last wrenches arrived; None if none have."""
        return None if self._arrived is None else (self._node.steady() - self._arrived) * 1e-9

    def _receive(self, message: ConnectionWrenchesMessage, info: dict[str, Any]) -> None:
        """Take wrenches, and complete the item that waits for them."""
        stamp = stamp_nanoseconds(message.header.stamp)
        try:
            links, prefix = self._robot.graph.links, self._robot.frame_prefix
            own = self._description
            wrenches = connection_wrenches_from_message(message, self._names, links, prefix, own)
        except BadMessage as error:
            self.refused[error.cause] += 1
            self._node.log.problem(LOG_NAME, error.cause, f"connection wrenches refused: {error}")
            return
        self._arrived = self._node.steady()
        meeting = self.rendezvous.add_part(stamp, TOPIC, wrenches, self._arrived)
        if meeting is not None and meeting.item is not None:
            meeting.done = True
            self._complete(meeting.item, wrenches)
