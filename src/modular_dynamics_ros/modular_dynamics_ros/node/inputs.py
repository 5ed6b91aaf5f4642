"""What an active node takes in besides joint states: references, and wrenches from outside."""

from functools import partial

from geometry_msgs.msg import WrenchStamped
from rclpy.clock import JumpThreshold, TimeJump
from rclpy.duration import Duration
from trajectory_msgs.msg import JointTrajectory

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.messages.wrenches import wrench_from_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.node.topics import SENSOR, topic_name

__all__ = ["ReferenceInput", "WrenchInputs"]

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
            trajectory = trajectory_from_message(message, computation.robot.state_names, now)
            computation.accelerations.reference.add(trajectory)
            if len(trajectory.instants) and trajectory.end < now - computation.settings.stale_after * 1e9:
                text = "a reference had ended before it came: compare its stamp with this node's clock"
                self._node.log.problem("reference", "in the past", text)

    def _on_jump(self, jump: TimeJump) -> None:
        """A simulation starts again: its last run's trajectories would be in force when their time comes."""
        self._computation.accelerations.reference.clear()


class WrenchInputs(Subscriptions):
    """External wrenches on links, and those of black boxes; a bad one is refused, the last good one stays."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        super().__init__(node)
        self._computation = computation
        self._subscribe(WrenchStamped, "~/external_wrench", self._on_external_wrench, SENSOR)
        for name in computation.robot.black_boxes:
            callback = partial(self._on_black_box_wrench, name)
            self._subscribe(WrenchStamped, f"~/black_box/{topic_name(name)}/wrench", callback, SENSOR)

    def _on_external_wrench(self, message: WrenchStamped) -> None:
        link = message.header.frame_id
        with self._refusing("external_wrench", "external wrench"):
            try:
                self._computation.robot.graph.link_body(link)
            except KeyError as error:
                raise BadMessage("unknown link", error.args[0]) from error
            self._computation.external.set(link, wrench_from_message(message), self._node.now())

    def _on_black_box_wrench(self, name: str, message: WrenchStamped) -> None:
        with self._refusing(f"black_box/{name}", f"wrench of black box '{name}'"):
            self._computation.black_box.set(name, wrench_from_message(message), self._node.now())
