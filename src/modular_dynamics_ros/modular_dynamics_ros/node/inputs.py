"""Reference trajectories of an active node."""

from rclpy.clock import JumpThreshold, TimeJump
from rclpy.duration import Duration
from trajectory_msgs.msg import JointTrajectory

from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions

__all__ = ["ReferenceInput"]

# of /clock; messages of it that overtake each other set it back by less
SET_BACK = JumpThreshold(min_forward=None, min_backward=Duration(seconds=-0.1))


class ReferenceInput(Subscriptions):
    """Reference trajectories; a bad one is refused, and those that came before stay in force."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        super().__init__(node)
        self._computation = computation
        self._subscribe(JointTrajectory, "reference", self._on_reference, 10)
        self._jumps = node.get_clock().create_jump_callback(SET_BACK, post_callback=self._on_jump)

    def destroy(self) -> None:
        """Remove the subscription."""
        self._jumps.unregister()
        super().destroy()

    def _on_reference(self, message: JointTrajectory) -> None:
        computation, now = self._computation, self._node.now()
        with self._refusing("reference", "reference"):
            trajectory = self._read(message, now)
            computation.accelerations.reference.add(trajectory, now)
            if len(trajectory.instants) and trajectory.end < now - computation.settings.stale_after * 1e9:
                text = "a reference had ended before it came: compare its stamp with this node's clock"
                self._node.log.problem("reference", "in the past", text)

    def _read(self, message: JointTrajectory, now: int) -> ReferenceTrajectory:
        """The accelerations of the joints in joint states; `now`: its arrival [ns]."""
        return trajectory_from_message(message, self._computation.robot.state_names, now)

    def _on_jump(self, jump: TimeJump) -> None:
        """A simulation starts again: its last run's trajectories would be in force when their time comes."""
        self._computation.accelerations.reference.clear()
