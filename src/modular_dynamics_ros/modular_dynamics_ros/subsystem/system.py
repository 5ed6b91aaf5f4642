"""Names of the subsystem nodes that together compute one robot."""

import modular_dynamics as md
from modular_dynamics_ros.computation.subsystem.part import refuse_shared_elements
from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.node.topic_names import topic_names

__all__ = ["subsystem_nodes"]


def subsystem_nodes(graph: md.SubsystemGraph) -> dict[str, str]:
    """Return the name of each subsystem's node, by subsystem; black boxes have none.

    Raises:
        RobotError: the robot cannot be computed by one node per subsystem; it has only black boxes; two
            subsystems would have nodes of the same name.
    """
    refuse_shared_elements(graph)
    names = topic_names("subsystem", [one.name for one in graph.subsystems])
    nodes = {one.name: names[one.name] for one in graph.subsystems if not one.black_box}
    if not nodes:
        raise RobotError(f"'{graph.name}' has only black boxes: other programs must compute them")
    return nodes
