"""What torso_reaction_node publishes about one robot."""

from builtin_interfaces.msg import Time
from modular_dynamics_interfaces.msg import TorsoReactions
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from modular_dynamics_ros.computation.reactions import MechanismReactions, ReactionComputation
from modular_dynamics_ros.messages.markers import MarkerWriter, ReactionsWriter
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.outputs import MARKER_RATE, JointStateWriter, Outputs, Pace, WrenchTopics
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.topic_names import topic_names
from modular_dynamics_ros.parameters.nodes import ReactionParameters

__all__ = ["ReactionOutputs"]


class ReactionOutputs(Outputs):
    """See `Outputs`; efforts are the forces of the rules' actuators."""

    def __init__(
        self, node: SessionNode, computation: ReactionComputation, parameters: ReactionParameters
    ) -> None:
        rules = computation.rules
        joints = topic_names("joint", rules.joints)  # first: what is refused leaves no publisher behind
        actuators = {name: index for index, name in enumerate(computation.actuators)}
        owner = f"the actuators of '{rules.name}' are"
        super().__init__(node, parameters.controller_joints, actuators, owner)
        self.parameters = parameters
        self._axes = {name: joint.axes for name, joint in rules.joints.items()}
        springs = computation.springs
        # lengths [m] as positions and tensions [N] as efforts are easily plotted
        self._springs = JointStateWriter(springs, range(len(springs)), ("position", "effort"))
        self._reactions = ReactionsWriter(computation)
        self._markers, self._marker_pace = MarkerWriter(computation), Pace()
        self._reactions_publisher = self._publisher(TorsoReactions, "~/reactions")
        self._spring_publisher = self._publisher(JointState, "~/springs")
        self._marker_publisher = self._publisher(MarkerArray, "~/markers", 1)
        self._wrenches = WrenchTopics(
            self._publisher, "joints", joints, computation.robot.frame_prefix, self.demand
        )

    def publish(self, reactions: MechanismReactions, stamp_ns: int, *, from_topics: bool) -> None:
        """Publish one answer: commands first, all else only while subscribed.

        Args:
            stamp_ns: of the state [ns]. from_topics: whether the loads came from topics.
        """
        stamp = stamp_message(stamp_ns)
        self._publish_commands(reactions.actuator_forces, stamp_ns)
        if self._reactions_publisher in self.demand.wanted:
            message = self._reactions.write(stamp, reactions, from_topics=from_topics)
            self._reactions_publisher.publish(message)
        if self._spring_publisher in self.demand.wanted:
            self._spring_publisher.publish(
                self._springs.write(stamp_ns, reactions.lengths, reactions.tensions)
            )
        self._wrenches.publish(stamp, lambda name: reactions.wrench_on_link(name, self._axes[name]))
        self._publish_markers(stamp, reactions)

    def _publish_markers(self, stamp: Time, reactions: MechanismReactions) -> None:
        """Publish the arrows, the largest message, at most at MARKER_RATE."""
        if self._marker_publisher in self.demand.wanted and self._marker_pace.due(MARKER_RATE):
            scales = self.parameters.force_scale, self.parameters.moment_scale
            self._marker_publisher.publish(self._markers.write(stamp, reactions, *scales))
