"""Where wrench messages are taken in: what the world exerts on a link, and what a black box measures."""

from functools import partial
from typing import Any

from geometry_msgs.msg import WrenchStamped

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.messages.bad_message import BadMessage
from modular_dynamics_ros.messages.topic_names import topic_name
from modular_dynamics_ros.messages.wrenches import wrench_from_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.qos import SENSOR

__all__ = ["WrenchInputs"]


class WrenchInputs:
    """Subscriptions of an active node; a bad wrench is refused, and the last good one stays valid."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        self._node, self._computation = node, computation
        subscribe = node.create_subscription
        self._subscriptions: list[Any] = [
            subscribe(WrenchStamped, "~/external_wrench", self._on_external_wrench, SENSOR)
        ]
        for name in computation.robot.black_boxes:
            topic, callback = (
                f"~/black_box/{topic_name(name)}/wrench",
                partial(self._on_black_box_wrench, name),
            )
            self._subscriptions.append(subscribe(WrenchStamped, topic, callback, SENSOR))

    def _on_external_wrench(self, message: WrenchStamped) -> None:
        link, log = message.header.frame_id, self._node.log
        try:
            self._computation.robot.graph.link_body(link)
            self._computation.external.set(link, wrench_from_message(message), self._node.now())
        except KeyError as error:
            log.problem("external_wrench", "unknown link", f"external wrench refused: {error.args[0]}")
        except BadMessage as error:
            log.problem("external_wrench", error.cause, f"external wrench refused: {error}")

    def _on_black_box_wrench(self, name: str, message: WrenchStamped) -> None:
        try:
            self._computation.black_box.set(name, wrench_from_message(message), self._node.now())
        except BadMessage as error:
            self._node.log.problem(
                f"black_box/{name}", error.cause, f"wrench of black box '{name}' refused: {error}"
            )

    def destroy(self) -> None:
        """Remove all subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
