"""The URDF text of the robot in force."""

import modular_dynamics as md

__all__ = ["description_text"]


def description_text(graph: md.SubsystemGraph) -> str:
    """The text that was read or, of a changed graph, one that describes the same robot.

    Raises:
        ModularDynamicsError: a URDF cannot describe it.
    """
    return graph.urdf or graph.to_urdf()
