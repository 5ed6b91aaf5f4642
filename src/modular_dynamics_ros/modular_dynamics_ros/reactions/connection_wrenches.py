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
from modular_dynamics_ros.node.inputs import Inputs
from modular_dynamics_ros.node.robot_node import RobotNode
from modular_dynamics_ros.node.topics import topic_name
from modular_dynamics_ros.reactions.wrench_matching import WrenchMatcher

__all__ = ["LOG_NAME", "ConnectionWrenches"]

LOG_NAME = "connection wrenches"
DEPTH = 500  # as for joint states: a second at 500 Hz
Item = TypeVar("Item")


class ConnectionWrenches(Inputs, Generic[Item]):
    """Subscriptions from activation to deactivation.

    Args:
        names: of the subsystems. patience: see `WrenchMatcher`. complete: called with an item that waited for
        its wrenches, and these.
    """

    def __init__(
        self,
        node: RobotNode,
        graph: md.SubsystemGraph,
        names: Sequence[str],
        patience: float,
        complete: Callable[[Item, dict[str, StampedWrench]], None],
    ) -> None:
        super().__init__(node)
        self._graph, self._complete = graph, complete
        self.matcher: WrenchMatcher[Item] = WrenchMatcher(names, patience)
        for name in names:
            topic = f"dynamics_node/connections/{topic_name(name)}/wrench"
            self._subscribe_with_queued(WrenchStamped, topic, partial(self._receive, name), DEPTH)

    def match(self, stamp: int, item: Item) -> dict[str, StampedWrench] | None:
        """The wrenches with this stamp [ns]; None where some have not arrived: the item waits for them.

        Raises:
            BadMessage: see `WrenchMatcher.wait`.
        """
        self.matcher.wait(stamp, item, self._node.now())
        matched = self.matcher.take(stamp)
        return None if matched is None else matched[1]

    def _receive(self, name: str, message: WrenchStamped, info: dict[str, Any]) -> None:
        stamp, link = stamp_nanoseconds(message.header.stamp), message.header.frame_id
        try:
            if link not in self._graph.links:
                raise BadMessage("unknown link", f"its frame '{link}' is no link of '{self._graph.name}'")
            self.matcher.add(name, stamp, (link, wrench_from_message(message)), self._node.now())
        except BadMessage as error:
            self._node.log.problem(LOG_NAME, error.cause, f"wrench of '{name}' refused: {error}")
            return
        if (matched := self.matcher.take(stamp)) is not None:
            self._complete(*matched)
