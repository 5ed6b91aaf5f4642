"""torso_reaction_node: who bears what in a mechanism with redundant joints, for every joint state.

Made for the care robot's torso (Goncalves et al., section 4), and for any mechanism that a URDF with closed
loops and a file of rules describe. From joint_states alone, or with dynamics_node's connection wrenches as
the loads of what hangs on the mechanism, it publishes

  ~/reactions            TorsoReactions: actuators, springs, joints, how far equilibrium and dead points are
  ~/effort_commands      Float64MultiArray: forces of the actuators, for an effort controller
  ~/springs              JointState: lengths and tensions
  ~/joints/NAME/wrench   WrenchStamped: what a joint exerts on the body that it holds, in a link's frame
  ~/markers              MarkerArray: the same as arrows, at the true points of application
  /diagnostics           once a second

A state or a wrench that cannot be used is named and not answered. Its transitions are those of every node
about a robot: robot_node.py.
"""

import sys
from typing import TYPE_CHECKING

from modular_dynamics_ros.node.robot_node import RobotNode, run_robot_node
from modular_dynamics_ros.parameters.nodes import ReactionParameters

if TYPE_CHECKING:
    from modular_dynamics_ros.reactions.session import ReactionSession

__all__ = ["TorsoReactionNode", "main"]


class TorsoReactionNode(RobotNode):
    """See the head of this file."""

    NAME = "torso_reaction_node"
    PARAMETERS = ReactionParameters
    SESSION = "modular_dynamics_ros.reactions.session"

    def make_session(self, description: str) -> "ReactionSession":
        """The robot's reactions. Raises RobotError: robot, rules or parameters cannot be used."""
        from modular_dynamics_ros.computation.robot import load_robot  # noqa: PLC0415  # see RobotNode
        from modular_dynamics_ros.reactions.session import ReactionSession  # noqa: PLC0415  # see RobotNode

        parameters = self.parameters
        robot = load_robot(description, parameters.partition_file, parameters.gravity, with_check=False)
        return ReactionSession(self, robot)


def main() -> int:
    """Run the node as a process."""
    return run_robot_node(TorsoReactionNode, str(__doc__))


if __name__ == "__main__":
    sys.exit(main())
