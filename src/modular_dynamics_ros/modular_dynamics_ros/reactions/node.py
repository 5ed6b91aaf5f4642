"""torso_reaction_node: the reactions of a mechanism with redundant joints, for every joint state.

Made for the care robot's torso (Goncalves et al., section 4), and for any mechanism that a URDF with closed
loops and a file of rules describe. From joint_states alone, or with dynamics_node's connection wrenches as
the loads of the subsystems that the mechanism carries, it publishes

  ~/reactions            TorsoReactions: actuators, springs, joints, equilibrium residual, dead point distance
  ~/effort_commands      Float64MultiArray: forces of the actuators, for an effort controller
  ~/springs              JointState: lengths and tensions
  ~/joints/NAME/wrench   WrenchStamped: what a joint exerts on the body that it holds, in a link's frame
  ~/markers              MarkerArray: the same as arrows, at the true points of application
  /diagnostics           once a second

A state or a wrench that cannot be used is reported and not answered. It is a lifecycle node: without
robot_description_file it waits, configured, for a robot on the topic robot_description.
"""

from modular_dynamics_ros.node.robot_node import RobotNode
from modular_dynamics_ros.node.spinning import run_lifecycle_node
from modular_dynamics_ros.parameters.nodes import ReactionParameters
from modular_dynamics_ros.reactions.session import ReactionSession

__all__ = ["TorsoReactionNode", "main"]


class TorsoReactionNode(RobotNode[ReactionParameters]):
    """The reactions of one robot: see `ReactionSession`."""

    NAME = "torso_reaction_node"
    PARAMETERS = ReactionParameters
    SESSION = ReactionSession


def main() -> int:
    """Run the node as a process."""
    return run_lifecycle_node(TorsoReactionNode, str(__doc__))
