"""Connection wrenches from dynamics_node, matched to the joint states that they were computed from."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from geometry_msgs.msg import WrenchStamped

import modular_dynamics as md
from modular_dynamics_ros.computation.answer import StampedWrench
from modular_dynamics_ros.messages.bad_message import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.topic_names import topic_name
from modular_dynamics_ros.messages.wrenches import wrench_from_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.pending_messages import pending_messages
from modular_dynamics_ros.node.qos import NO_SUBSCRIPTION_EVENTS
from modular_dynamics_ros.reactions.wrench_matching import WrenchMatcher

__all__ = ["LOG_NAME", "ConnectionWrenches"]

LOG_NAME = "connection wrenches"
DEPTH = 500  # as for joint states: a second at 500 Hz
Item = TypeVar("Item")


class ConnectionWrenches(Generic[Item]):
    """Subscriptions from activation to deactivation.

    Args:
        names: of the subsystems. patience: see `WrenchMatcher`. complete: called with an item that waited for
        its wrenches, and these.
    """

    def __init__(
        self,
        node: SessionNode,
        graph: md.SubsystemGraph,
        names: Sequence[str],
        patience: float,
        complete: Callable[[Item, dict[str, StampedWrench]], None],
    ) -> None:
        self._node, self._graph, self._complete = node, graph, complete
        self._matcher: WrenchMatcher[Item] = WrenchMatcher(names, patience)
        self._subscriptions: dict[str, Any] = {
            name: node.create_subscription(
                WrenchStamped,
                f"dynamics_node/connections/{topic_name(name)}/wrench",
                partial(self._on_wrench, name),
                DEPTH,
                event_callbacks=NO_SUBSCRIPTION_EVENTS,
            )
            for name in names
        }

    @property
    def patience(self) -> float:
        """How long [s] an item waits for a topic that has fallen silent."""
        return self._matcher.patience

    @patience.setter
    def patience(self, value: float) -> None:
        self._matcher.patience = value

    def match(self, stamp: int, item: Item) -> dict[str, StampedWrench] | None:
        """The wrenches with this stamp [ns]; None where some have not arrived: the item waits for them.

        Raises:
            BadMessage: see `WrenchMatcher.wait`.
        """
        self._matcher.wait(stamp, item, self._node.now())
        matched = self._matcher.take(stamp)
        return None if matched is None else matched[1]

    def give_up(self) -> list[tuple[str, ...]]:
        """For each item that waited too long, the connections whose wrench is missing."""
        return self._matcher.overdue(self._node.now())

    def ages(self) -> dict[str, float | None]:
        """By connection, the time [s] since its last wrench; None where none has arrived."""
        return self._matcher.ages(self._node.now())

    def destroy(self) -> None:
        """Remove the subscriptions."""
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)

    def _on_wrench(self, name: str, message: WrenchStamped) -> None:
        self._receive(name, message)
        for next_message, _ in pending_messages(self._subscriptions[name]):
            self._receive(name, next_message)

    def _receive(self, name: str, message: WrenchStamped) -> None:
        stamp, link = stamp_nanoseconds(message.header.stamp), message.header.frame_id
        try:
            if link not in self._graph.links:
                raise BadMessage("unknown link", f"its frame '{link}' is no link of '{self._graph.name}'")
            self._matcher.add(name, stamp, (link, wrench_from_message(message)), self._node.now())
        except BadMessage as error:
            self._node.log.problem(LOG_NAME, error.cause, f"wrench of '{name}' refused: {error}")
            return
        if (matched := self._matcher.take(stamp)) is not None:
            self._complete(*matched)
