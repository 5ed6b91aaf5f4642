"""subsystem_node: the joint torques of one subsystem of a robot, as one of several processes.

From joint_states, the motion of its connection point, which its predecessor publishes, and the wrenches that
its successors publish, all of the same stamp, it computes

  ~/joint_torques        JointState: of the subsystem's joints
  ~/wrench_out           WrenchStamped: what the predecessor exerts on the subsystem
  ~/motion_out/NAME      ConnectionMotion: of the connection point of each successor NAME
  ~/missing              String: which subsystems do not send what is awaited, one a line
  ~/subsystem_graph      SubsystemGraph: by it neighbours see whether their descriptions fit
  ~/effort_commands      Float64MultiArray: the torques, for an effort controller
  /diagnostics           once a second

Together the nodes of all subsystems publish the torques that one dynamics_node publishes. The node must have
the name of its subsystem: its neighbours look for its topics there. It is a lifecycle node: without
robot_description_file it waits, configured, for a robot on the topic robot_description.
"""

from dataclasses import replace
from typing import Any

from modular_dynamics_ros.node.robot_node import RobotNode
from modular_dynamics_ros.node.spinning import run_lifecycle_node
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.parameters.nodes import SubsystemParameters
from modular_dynamics_ros.subsystem.session import SubsystemSession

__all__ = ["SubsystemNode", "main"]


class SubsystemNode(RobotNode[SubsystemParameters]):
    """The torques of one subsystem: see `SubsystemSession`."""

    NAME = "subsystem_node"
    PARAMETERS = SubsystemParameters
    SESSION = SubsystemSession

    def configure(self) -> bool:
        """See `RobotNode`."""
        subsystem, own = self.parameters.subsystem, self.get_name()
        if subsystem and topic_name(subsystem) != own:
            self.get_logger().warning(
                f"the node is called '{own}': its neighbours look for the topics of '{subsystem}' below "
                f"'{topic_name(subsystem)}'; start it with -r __node:={topic_name(subsystem)}, or remap them"
            )
        return super().configure()

    def _load(self, description: str) -> Any:
        named = replace(self.parameters, subsystem=self.parameters.subsystem or self.get_name())
        return self.SESSION.load(description, named)


def main() -> int:
    """Run the node as a process."""
    return run_lifecycle_node(SubsystemNode, str(__doc__))
