"""Connection wrenches from dynamics_node, matched to the joint states that they were computed from."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from modular_dynamics_interfaces.msg import ConnectionWrenches as ConnectionWrenchesMessage

from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import StampedWrench
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.subsystems import connection_wrenches_from_message
from modular_dynamics_ros.node.inputs import Subscriptions
from modular_dynamics_ros.node.session_node import SessionNode

__all__ = ["LOG_NAME", "ConnectionWrenches", "WrenchMatcher", "Wrenches"]

LOG_NAME = "connection wrenches"
DEPTH = 500  # as for joint states: a second at 500 Hz
MOST = 1000  # stamps that are kept on either side: two seconds at 500 Hz
Item = TypeVar("Item")
Wrenches = dict[str, StampedWrench]
"""By subsystem."""


class WrenchMatcher(Generic[Item]):
    """Pairs the item that waits under a stamp with the wrenches of this stamp; either may arrive first.

    All times are in nanoseconds of the monotonic clock; stamps are only compared with each
    other. A topic keeps its order: once wrenches with a later stamp have arrived, earlier ones will not.
    While a node lags behind, its topics all do; so an item waits as long as wrenches with earlier stamps
    arrive. The wrenches of two states with the same stamp cannot be distinguished: neither is answered.

    Args:
        timeout: how long [s] an item waits when the topic has fallen silent.
    """

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self._items: dict[int, tuple[int, Item]] = {}  # by stamp: since when it waits, and the item
        self._wrenches: dict[int, Wrenches] = {}
        self._last: tuple[int, int] | None = None  # when the last wrenches arrived, and their stamp
        self._newest: int | None = None
        self._dropped = 0  # see `overdue`
        self._closed = False

    def wait(self, stamp: int, item: Item, now: int) -> None:
        """Let an item wait for the wrenches of this stamp.

        Raises:
            BadMessage: the item before had this stamp, or a waiting one has it, which is dropped; or the
            matcher is closed.
        """
        if self._closed:
            raise BadMessage("robot replaced", "the robot was replaced before its wrenches came")
        before, self._newest = self._newest, stamp
        if stamp == before or stamp in self._items:
            self._items.pop(stamp, None)
            raise BadMessage(
                "repeated stamp",
                "another joint state had its stamp: their connection wrenches cannot be distinguished",
            )
        if before is not None and stamp < before:
            # a recording begins again: the wrenches of its last round belong to other states
            self._dropped += len(self._items)
            self._items.clear()
            self._wrenches.clear()
            self._last = None
        self._items[stamp] = now, item

    def add(self, stamp: int, wrenches: Wrenches, now: int) -> None:
        """Add the wrenches of a stamp."""
        self._last = now, stamp
        self._wrenches[stamp] = wrenches
        if len(self._wrenches) > MOST:
            del self._wrenches[next(iter(self._wrenches))]

    def take(self, stamp: int) -> tuple[Item, Wrenches] | None:
        """Remove and return the item under this stamp and its wrenches, if both have arrived."""
        if stamp not in self._items or stamp not in self._wrenches:
            return None
        return self._items.pop(stamp)[1], self._wrenches.pop(stamp)

    def close(self) -> int:
        """Return the number of items that still waited; no more wrenches arrive."""
        self._closed = True
        count = len(self._items)
        self._items.clear()
        return count

    def overdue(self, now: int) -> int:
        """Drop items that have timed out; return how many."""
        given_up, self._dropped = self._dropped, 0
        for stamp, (since, _) in list(self._items.items()):
            late = now - since > self.timeout * 1e9 and self._lost(stamp, now)
            if late or len(self._items) > MOST:
                given_up += 1
                del self._items[stamp]
        return given_up

    def _lost(self, stamp: int, now: int) -> bool:
        """Return whether wrenches of this stamp are lost: the topic is silent, or later ones are here."""
        if self._last is None:
            return True
        arrived, newest = self._last
        return now - arrived > self.timeout * 1e9 or newest >= stamp

    def age(self, now: int) -> float | None:
        """Return the time [s] since the last wrenches arrived; None if none have."""
        return None if self._last is None else (now - self._last[0]) * 1e-9


class ConnectionWrenches(Subscriptions, Generic[Item]):
    """The subscription to connection wrenches, from activation to deactivation.

    Args:
        names: of the subsystems whose wrenches are needed. timeout: see `WrenchMatcher`. complete: called
        with an item that waited for its wrenches, and these. description: digest of the robot's, which that
        of wrenches must be, where both are known.

    Attributes:
        matcher: of items and wrenches. refused: number of messages by cause.
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
        self.matcher: WrenchMatcher[Item] = WrenchMatcher(timeout)
        topic = "dynamics_node/connection_wrenches"
        self._subscribe_to_stream(ConnectionWrenchesMessage, topic, self._receive, DEPTH)

    def match(self, stamp: int, item: Item) -> Wrenches | None:
        """Return the wrenches with this stamp [ns]; None until they arrive: the item waits for them.

        Raises:
            BadMessage: see `WrenchMatcher.wait`.
        """
        self.matcher.wait(stamp, item, self._node.steady())
        matched = self.matcher.take(stamp)
        return None if matched is None else matched[1]

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
        self.matcher.add(stamp, wrenches, self._node.steady())
        if (matched := self.matcher.take(stamp)) is not None:
            self._complete(*matched)
