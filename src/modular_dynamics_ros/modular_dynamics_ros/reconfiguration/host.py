"""What changes need of their node."""

from typing import Any, Protocol

import modular_dynamics as md
from modular_dynamics_ros.computation.changes.application import Applied

__all__ = ["Host", "RobotInForce"]


class RobotInForce(Protocol):
    """The robot in force, or one that is prepared.

    Attributes:
        described: the graph of its description. changed: the graph, and the changes that made it.
    """

    described: md.SubsystemGraph
    changed: Applied


class Host(Protocol):
    """A node with a robot."""

    active: bool

    def robot_in_force(self) -> Any:
        """What was prepared of it (`RobotInForce`); None where there is none."""

    def prepare_changed(self, described: md.SubsystemGraph, changed: Applied) -> Any:
        """All that takes long about a changed robot, in any thread.

        Raises:
            RobotError: the robot cannot be used.
        """

    def make_changed(self, prepared: Any) -> Any:
        """A session of it, which is not in force yet; it has `destroy`.

        Raises:
            RobotError: a parameter contradicts the robot.
        """

    def put_in_force(self, session: Any) -> int:
        """Let it answer joint states from a stamp [ns] on, which is returned."""
