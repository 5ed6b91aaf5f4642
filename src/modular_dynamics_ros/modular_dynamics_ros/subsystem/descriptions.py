"""Whether the neighbours of a subsystem were started with descriptions that fit its own."""

from collections.abc import Callable
from functools import partial
from typing import Any

from modular_dynamics_interfaces.msg import SubsystemGraph

from modular_dynamics_ros.computation.subsystem.layout import Layout, contradiction
from modular_dynamics_ros.computation.subsystem.part import SubsystemPart
from modular_dynamics_ros.lifecycle.entities import NO_SUBSCRIPTION_EVENTS
from modular_dynamics_ros.messages.subsystems import layout_from_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.node.topics import LATCHED
from modular_dynamics_ros.subsystem.inputs import LOG_NAME

__all__ = ["NeighbourDescriptions"]


class NeighbourDescriptions(Subscriptions):
    """The graphs of all other subsystems' nodes: any of them may take this one for its neighbour.

    A foreign program publishes no graph, and is compared with nothing.

    Args:
        part: the subsystem. graph: what this node publishes.
        fits: called when a description has come that fits, or a node has ended whose description did not.

    Attributes:
        contradictions: what to say of the nodes whose descriptions do not fit, by subsystem.
    """

    def __init__(
        self, node: SessionNode, part: SubsystemPart, graph: SubsystemGraph, fits: Callable[[], None]
    ) -> None:
        super().__init__(node)
        self._name, self._own, self._fits = part.name, layout_from_message(graph), fits
        self._layouts: dict[str, Layout] = {}
        self._awaited = {*part.neighbours}  # neighbours whose graph has not arrived
        self.contradictions: dict[str, str] = {}
        self._graphs = {
            other: self._subscribe_with_info(
                SubsystemGraph,
                f"{topic_name(other)}/subsystem_graph",
                partial(self._on_graph, other),
                LATCHED,
                event_callbacks=NO_SUBSCRIPTION_EVENTS,
            )
            for other in self._own.predecessors
            if other != self._name
        }

    def continue_from(self, other: "NeighbourDescriptions") -> None:
        """Take over what is known of the others; DDS does not resend it."""
        for name in other._layouts.keys() & self._graphs.keys() - self._layouts.keys():
            self._compare(name, other._layouts[name])

    def unusable(self) -> dict[str, str]:
        """Return the nodes that cannot take part in computations, and why; also those without a graph yet."""
        coming = [name for name in self._awaited if self._graphs[name].get_publisher_count()]
        return self.contradictions | {
            name: f"the node of subsystem '{name}' runs, but its subsystem_graph has not come: nothing shows "
            "whether its robot description fits; no torques are published: is the node active?"
            for name in coming
        }

    def forget_ended(self) -> None:
        """Forget contradictions with nodes that have ended, as another program may replace them.

        What did fit is kept: a node that DDS took for ended, because its process stood still, comes back, and
        its graph, which this node has received, does not come again.
        """
        for name in [*self.contradictions]:
            if not self._graphs[name].get_publisher_count():
                del self._layouts[name], self.contradictions[name]
                self._fits()

    def _on_graph(self, name: str, message: SubsystemGraph, info: dict[str, Any]) -> None:
        with self._refusing(LOG_NAME, f"subsystem_graph of '{name}'"):
            self._compare(name, layout_from_message(message))

    def _compare(self, name: str, layout: Layout) -> None:
        self._layouts[name] = layout
        self._awaited.discard(name)
        if (clause := contradiction(self._name, self._own, name, layout)) is not None:
            self.contradictions[name] = (
                f"the robot descriptions of '{self._name}' and '{name}' contradict each other: {clause}; "
                "no torques are published: give the nodes of all subsystems the same description"
            )
            return
        self.contradictions.pop(name, None)
        self._fits()
