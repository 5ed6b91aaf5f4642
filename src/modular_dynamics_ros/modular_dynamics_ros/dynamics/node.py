"""dynamics_node: the joint torques of a robot composed of subsystems, for every joint state.

It listens to joint_states and, with acceleration_source 'reference', to reference. It is a lifecycle node:
without robot_description_file it waits, configured, for a robot on the topic robot_description.
"""

from modular_dynamics_ros.black_boxes.services import BlackBoxServices
from modular_dynamics_ros.node.interfaces import SessionType
from modular_dynamics_ros.node.robot_node import RobotNode
from modular_dynamics_ros.node.spinning import run_lifecycle_node
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters
from modular_dynamics_ros.queries.services import QueryServices

__all__ = ["DynamicsNode", "main"]


class DynamicsNode(RobotNode[DynamicsParameters]):
    """The torques of one robot: see `DynamicsSession`."""

    NAME = "dynamics_node"
    PARAMETERS = DynamicsParameters

    def equip(self) -> None:
        """See `ManagedNode`."""
        self._queries = QueryServices(self, self)
        self._box_services = BlackBoxServices(self, self)

    def destroy_node(self) -> None:
        """rclpy's: the thread that answers requests ends before what it uses."""
        self._queries.destroy()
        self._box_services.destroy()
        super().destroy_node()

    @staticmethod
    def session_type() -> SessionType[DynamicsParameters]:
        """See `RobotNode`."""
        from modular_dynamics_ros.dynamics.session import DynamicsSession  # noqa: PLC0415  # imports the library

        return DynamicsSession


def main() -> int:
    """Run the node as a process."""
    return run_lifecycle_node(DynamicsNode, str(__doc__))
