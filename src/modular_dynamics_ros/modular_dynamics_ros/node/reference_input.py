"""Where reference trajectories are taken in."""

from trajectory_msgs.msg import JointTrajectory

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.messages.bad_message import BadMessage
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.node.interfaces import SessionNode

__all__ = ["ReferenceInput"]


class ReferenceInput:
    """The subscription of an active node; a bad trajectory is refused, and the last good one stays valid."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        self._node, self._computation = node, computation
        self._subscription = node.create_subscription(JointTrajectory, "reference", self._on_reference, 10)

    def _on_reference(self, message: JointTrajectory) -> None:
        names = self._computation.robot.state_names
        try:
            trajectory = trajectory_from_message(message, names, self._node.now())
        except BadMessage as error:
            self._node.log.problem("reference", error.cause, f"reference refused: {error}")
            return
        self._computation.accelerations.reference.add(trajectory)

    def destroy(self) -> None:
        """Remove the subscription."""
        self._node.destroy_subscription(self._subscription)
