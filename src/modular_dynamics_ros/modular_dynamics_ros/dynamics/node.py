"""dynamics_node: the joint torques of a robot composed of subsystems, for every joint state.

It listens to joint_states and, with acceleration_source 'reference', to reference. It is a lifecycle node:
without robot_description_file it waits, configured, for a robot on the topic robot_description. Services
change the robot while it runs: payloads, attached robots, locked joints.
"""

from typing import Any

from rclpy.lifecycle import LifecycleState

from modular_dynamics_ros.black_boxes import BlackBoxServices
from modular_dynamics_ros.computation.black_boxes.offsets import SensorOffsets
from modular_dynamics_ros.dynamics.reconfiguration import Reconfiguration
from modular_dynamics_ros.dynamics.session import DynamicsSession, PreparedRobot, prepared_keeping
from modular_dynamics_ros.exceptions import OffsetsFileError
from modular_dynamics_ros.messages.status import OK, Status
from modular_dynamics_ros.node.robot_node import Description, RobotNode
from modular_dynamics_ros.node.spinning import run_lifecycle_node
from modular_dynamics_ros.parameters.nodes import DynamicsParameters
from modular_dynamics_ros.queries import QueryServices


class DynamicsNode(RobotNode[DynamicsParameters]):
    """The torques of one robot: see `DynamicsSession`; and its changes: see `Reconfiguration`."""

    NAME = "dynamics_node"
    PARAMETERS = DynamicsParameters
    SESSION = DynamicsSession
    _offsets: SensorOffsets
    _threads: tuple[QueryServices | BlackBoxServices, ...] = ()  # none before the node is equipped

    def equip(self) -> None:
        """See `ManagedNode`."""
        self._queries = QueryServices(self)
        self._box_services = BlackBoxServices(self)
        self._changes = Reconfiguration(self)
        self._threads = self._queries, self._box_services

    def end(self) -> None:
        """See `ManagedNode`."""
        self.stop()
        for services in self._threads:  # before the robot goes, which is not the reason why they end
            services.destroy()
        super().end()

    def destroy_node(self) -> None:
        """Destroy the node as rclpy does, after the threads that answer requests have ended.

        From Kilted on, rclpy's shutdown calls it, too, and also of a node that could not be made.
        """
        for services in self._threads:
            services.destroy()
        super().destroy_node()

    def prepare_robots(self) -> bool:
        """Read stored offsets: see `RobotNode`."""
        if not self._changes.configure():
            return False
        try:
            self._offsets = SensorOffsets(self.parameters.offsets_file)
        except OffsetsFileError as error:
            self.get_logger().error(str(error))
            return False
        return True

    def activate(self, state: LifecycleState) -> None:
        """See `RobotNode`."""
        super().activate(state)
        self._changes.publish_description()

    def _load(self, description: str) -> Any:
        return DynamicsSession.load(description, self.parameters, self._changes.changed)

    def _add(self, prepared: Any, description: Description) -> None:
        """Replace the robot by a prepared one with the changes that are active now."""
        if self._changes.changes != prepared.changed.wanted:
            # the robot was changed while this description was prepared
            kept = self._changes.changed(prepared.described)
            prepared = prepared_keeping(prepared.described, kept, self.parameters)
        super()._add(prepared, description)
        self._changes.adopt(prepared.described.name, prepared.changed)

    def _session(self, prepared: Any) -> Any:
        session: Any = super()._session(prepared)
        session.computation.wrenches.offsets = self._offsets  # a sensor is the same whatever the robot is
        return session

    def replace_robot(self, prepared: PreparedRobot) -> int:
        """Let a changed robot of the active description answer; return since when [ns]."""
        self._replace(self._session(prepared), self._described)
        return self.now()

    def report(self) -> tuple[str, list[Status]]:
        """See `ManagedNode`."""
        robot, statuses = super().report()
        texts = {f"change {k}": str(change) for k, change in enumerate(self._changes.changes, 1)}
        good = f"{len(texts)} changes of the described robot" if texts else "the robot is as described"
        return robot, [*statuses, Status(OK, "changes", good, values=texts)]


def main() -> int:
    """Run the node as a process."""
    return run_lifecycle_node(DynamicsNode, str(__doc__))
