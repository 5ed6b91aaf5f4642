"""Reference trajectories of an active node."""

from trajectory_msgs.msg import JointTrajectory

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions

__all__ = ["ReferenceInput"]


class ReferenceInput(Subscriptions):
    """Reference trajectories; a bad one is refused, and the last good one stays valid."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        super().__init__(node)
        self._computation = computation
        self._subscribe(JointTrajectory, "reference", self._on_reference, 10)

    def _on_reference(self, message: JointTrajectory) -> None:
        computation, now = self._computation, self._node.now()
        with self._refusing("reference", "reference"):
            trajectory = trajectory_from_message(message, computation.robot.state_names, now)
            computation.accelerations.reference.add(trajectory)
