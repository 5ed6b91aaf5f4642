"""dynamics_node: the joint torques of a robot composed of subsystems, for every joint state.

It listens to joint_states and, with acceleration_source 'reference', to reference. Its transitions are those
of every node about a robot: robot_node.py.
"""

import sys
from typing import TYPE_CHECKING

from modular_dynamics_ros.node.robot_node import RobotNode, run_robot_node
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

if TYPE_CHECKING:
    from modular_dynamics_ros.dynamics.session import DynamicsSession

__all__ = ["DynamicsNode", "main"]


class DynamicsNode(RobotNode):
    """See the head of this file."""

    NAME = "dynamics_node"
    PARAMETERS = DynamicsParameters
    SESSION = "modular_dynamics_ros.dynamics.session"

    def make_session(self, description: str) -> "DynamicsSession":
        """The robot's torques. Raises RobotError: the robot or the parameters cannot be used."""
        from modular_dynamics_ros.computation.robot import load_robot  # noqa: PLC0415  # see RobotNode
        from modular_dynamics_ros.dynamics.session import DynamicsSession  # noqa: PLC0415  # see RobotNode

        parameters = self.parameters
        return DynamicsSession(self, load_robot(description, parameters.partition_file, parameters.gravity))


def main() -> int:
    """Run the node as a process."""
    return run_robot_node(DynamicsNode, str(__doc__))


if __name__ == "__main__":
    sys.exit(main())
