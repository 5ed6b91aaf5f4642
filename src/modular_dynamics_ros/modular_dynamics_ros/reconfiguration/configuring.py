"""The parts of reconfiguration that dynamics_node has while it is configured."""

from typing import Any

from std_msgs.msg import String

import modular_dynamics as md
from modular_dynamics_ros.exceptions import ChangeFileError
from modular_dynamics_ros.lifecycle.node import ManagedNode
from modular_dynamics_ros.node.topics import LATCHED
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters
from modular_dynamics_ros.reconfiguration.answers import ChangeAnswers, SessionView
from modular_dynamics_ros.reconfiguration.reconfiguration import Reconfiguration
from modular_dynamics_ros.reconfiguration.services import ReconfigurationServices

__all__ = ["reconfiguration_of"]


def reconfiguration_of(
    node: ManagedNode[DynamicsParameters], host: SessionView, services: ReconfigurationServices
) -> Reconfiguration | None:
    """Return the changes of a node's robot, made by its services; None, after logging why, on errors."""
    parameters = node.parameters
    publisher: Any = None
    if parameters.publish_robot_description:
        if not parameters.robot_description_file:
            node.get_logger().error(
                "publish_robot_description needs robot_description_file: without, the topic belongs to others"
            )
            return None
        publisher = node.make_publisher(String, "robot_description", LATCHED)
    try:
        changes = Reconfiguration(
            node,
            host,
            parameters.changes_file,
            strict=parameters.strict,
            describe=None if publisher is None else _description,
            publish=lambda text: publisher.publish(String(data=text)),
        )
    except ChangeFileError as error:
        node.get_logger().error(str(error))
        return None
    prefix = parameters.frame_prefix
    services.begin(ChangeAnswers(node, host, changes, strict=parameters.strict, frame_prefix=prefix))
    node.while_configured.callback(services.end)
    return changes


def _description(graph: md.SubsystemGraph) -> str:
    """Return the URDF text that was read or, for a changed graph, an equivalent one.

    Raises:
        ModularDynamicsError: a URDF cannot describe it.
    """
    return graph.urdf or graph.to_urdf()
