"""The subscriptions of an active node beside joint_states: reference and wrenches of one robot."""

from collections.abc import Callable
from functools import partial

from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from trajectory_msgs.msg import JointTrajectory

from modular_dynamics_ros.computation.open_chain import Computation
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.messages.bad_message import BadMessage
from modular_dynamics_ros.messages.conversions import trajectory_from_message, wrench_from_message
from modular_dynamics_ros.messages.topic_names import topic_name

__all__ = ["Inputs"]

SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)  # a sensor may be either


class Inputs:
    """Feeds references and wrenches into a computation; a bad one is refused, the last good one stays.

    Args:
        loads: whether wrenches are taken at all.
    """

    def __init__(
        self,
        node: Node,
        computation: Computation,
        log: ChangeLog,
        now: Callable[[], int],
        *,
        loads: bool = True,
    ) -> None:
        self._node, self._computation, self._log, self._now = node, computation, log, now
        self._subscriptions = [node.create_subscription(JointTrajectory, "reference", self._on_reference, 10)]
        if loads:
            self._subscriptions += self._of_loads(node)

    def _of_loads(self, node: Node) -> list:
        return [
            node.create_subscription(WrenchStamped, "~/external_wrench", self._on_external_wrench, SENSOR),
            *(
                node.create_subscription(
                    WrenchStamped,
                    f"~/black_box/{topic_name(name)}/wrench",
                    partial(self._on_black_box_wrench, name),
                    SENSOR,
                )
                for name in self._computation.robot.black_boxes
            ),
        ]

    def _on_reference(self, message: JointTrajectory) -> None:
        try:
            trajectory = trajectory_from_message(message, self._computation.robot.state_names, self._now())
        except BadMessage as error:
            self._log.problem("reference", error.cause, f"reference refused: {error}")
            return
        self._computation.reference.add(trajectory)

    def _on_external_wrench(self, message: WrenchStamped) -> None:
        link = message.header.frame_id
        try:
            self._computation.robot.graph.link_body(link)
            self._computation.external.set(link, wrench_from_message(message), self._now())
        except KeyError as error:
            self._log.problem("external_wrench", "unknown link", f"external wrench refused: {error.args[0]}")
        except BadMessage as error:
            self._log.problem("external_wrench", error.cause, f"external wrench refused: {error}")

    def _on_black_box_wrench(self, name: str, message: WrenchStamped) -> None:
        try:
            self._computation.black_box.set(name, wrench_from_message(message), self._now())
        except BadMessage as error:
            self._log.problem(
                f"black_box/{name}", error.cause, f"wrench of black box '{name}' refused: {error}"
            )

    def destroy(self) -> None:
        """Take all subscriptions away."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
