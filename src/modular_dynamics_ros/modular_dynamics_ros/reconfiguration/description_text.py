"""The URDF text of the robot in force."""

from typing import Any

import modular_dynamics as md
from modular_dynamics.exceptions import UnsupportedModelError

__all__ = ["description_text"]


def description_text(graph: md.SubsystemGraph) -> str:
    """The text that was read or, of a changed graph, one that describes the same robot.

    Raises:
        ModularDynamicsError: a URDF cannot describe it.
    """
    if graph.urdf:
        return graph.urdf
    write: Any = getattr(graph, "to_urdf", None)
    if write is None:
        raise UnsupportedModelError(
            f"'{graph.name}' was changed, and this version of the library writes no URDF of a changed robot; "
            "set publish_robot_description to false"
        )
    text: str = write()
    return text
