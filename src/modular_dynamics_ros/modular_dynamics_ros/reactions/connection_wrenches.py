"""Connection wrenches from dynamics_node, matched to the joint states that they were computed from."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from geometry_msgs.msg import WrenchStamped

import modular_dynamics as md
from modular_dynamics_ros.computation.values import StampedWrench
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.wrenches import wrench_from_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.node.topics import topic_name

__all__ = ["LOG_NAME", "ConnectionWrenches", "WrenchMatcher"]

LOG_NAME = "connection wrenches"
DEPTH = 500  # as for joint states: a second at 500 Hz
MOST = 1000  # stamps that are kept on either side: two seconds at 500 Hz
Item = TypeVar("Item")


class WrenchMatcher(Generic[Item]):
    """Pairs the item that waits under a stamp with one wrench of each connection; both may arrive first.

    All times are in nanoseconds of the steady clock, which nobody sets; stamps are only compared with each
    other. A topic keeps its order: once a wrench with a later stamp has arrived, an earlier one will not.
    While a node lags behind, its topics all do; so an item waits as long as wrenches with earlier stamps
    arrive. The wrenches of two states with the same stamp cannot be distinguished: neither is answered.

    Args:
        names: of the connections. timeout: how long [s] an item waits for a topic that has fallen silent.
    """

    def __init__(self, names: Sequence[str], timeout: float) -> None:
        self.names, self.timeout = tuple(names), timeout
        self._items: dict[int, tuple[int, Item]] = {}  # by stamp: since when it waits, and the item
        self._wrenches: dict[int, dict[str, StampedWrench]] = {}
        self._last: dict[str, tuple[int, int]] = {}  # when the last wrench arrived, and its stamp
        self._newest: int | None = None
        self._dropped: list[tuple[str, ...]] = []  # see `overdue`
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
            self._dropped += [self._missing(waiting) for waiting in self._items]
            self._items.clear()
            self._wrenches.clear()
            self._last.clear()
        self._items[stamp] = now, item

    def add(self, name: str, stamp: int, wrench: StampedWrench, now: int) -> None:
        """Add a wrench."""
        self._last[name] = now, stamp
        self._wrenches.setdefault(stamp, {})[name] = wrench
        if len(self._wrenches) > MOST:
            del self._wrenches[next(iter(self._wrenches))]

    def take(self, stamp: int) -> tuple[Item, dict[str, StampedWrench]] | None:
        """Remove and return the item under this stamp and its wrenches, if all have arrived."""
        if stamp not in self._items or len(self._wrenches.get(stamp, ())) < len(self.names):
            return None
        return self._items.pop(stamp)[1], self._wrenches.pop(stamp, {})

    def close(self) -> int:
        """No wrench comes any more; return how many items waited."""
        self._closed = True
        count = len(self._items)
        self._items.clear()
        return count

    def overdue(self, now: int) -> list[tuple[str, ...]]:
        """Drop items that wait in vain; for each, the connections whose wrench is missing."""
        given_up, self._dropped = self._dropped, []
        for stamp, (since, _) in list(self._items.items()):
            missing = self._missing(stamp)
            late = now - since > self.timeout * 1e9 and any(self._lost(n, stamp, now) for n in missing)
            if late or len(self._items) > MOST:
                given_up.append(missing)
                del self._items[stamp]
                self._wrenches.pop(stamp, None)
        return given_up

    def _missing(self, stamp: int) -> tuple[str, ...]:
        """Connections whose wrench of this stamp has not arrived."""
        return tuple(name for name in self.names if name not in self._wrenches.get(stamp, ()))

    def _lost(self, name: str, stamp: int, now: int) -> bool:
        """Whether the wrench of this stamp will not arrive: the topic is silent, or a later one is here."""
        if name not in self._last:
            return True
        arrived, newest = self._last[name]
        return now - arrived > self.timeout * 1e9 or newest > stamp

    def ages(self, now: int) -> dict[str, float | None]:
        """By connection, the time [s] since its last wrench; None where none has arrived."""
        return {
            name: (now - self._last[name][0]) * 1e-9 if name in self._last else None for name in self.names
        }


class ConnectionWrenches(Subscriptions, Generic[Item]):
    """Subscriptions from activation to deactivation.

    Args:
        names: of the subsystems. timeout: see `WrenchMatcher`. complete: called with an item that waited for
        its wrenches, and these.
    """

    def __init__(
        self,
        node: SessionNode,
        graph: md.SubsystemGraph,
        names: Sequence[str],
        timeout: float,
        complete: Callable[[Item, dict[str, StampedWrench]], None],
    ) -> None:
        super().__init__(node)
        self._graph, self._complete = graph, complete
        self.matcher: WrenchMatcher[Item] = WrenchMatcher(names, timeout)
        for name in names:
            topic = f"dynamics_node/connections/{topic_name(name)}/wrench"
            self._subscribe_with_queued(WrenchStamped, topic, partial(self._receive, name), DEPTH)

    def match(self, stamp: int, item: Item) -> dict[str, StampedWrench] | None:
        """The wrenches with this stamp [ns]; None where some have not arrived: the item waits for them.

        Raises:
            BadMessage: see `WrenchMatcher.wait`.
        """
        self.matcher.wait(stamp, item, self._node.steady())
        matched = self.matcher.take(stamp)
        return None if matched is None else matched[1]

    def _receive(self, name: str, message: WrenchStamped, info: dict[str, Any]) -> None:
        stamp, link = stamp_nanoseconds(message.header.stamp), message.header.frame_id
        try:
            if link not in self._graph.links:
                raise BadMessage(
                    "unknown frame", f"its frame '{link:.80}' is no link of '{self._graph.name}'"
                )
            self.matcher.add(name, stamp, (link, wrench_from_message(message)), self._node.steady())
        except BadMessage as error:
            self._node.log.problem(LOG_NAME, error.cause, f"wrench of '{name}' refused: {error}")
            return
        if (matched := self.matcher.take(stamp)) is not None:
            self._complete(*matched)
