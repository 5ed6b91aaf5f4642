"""What changes need of their node."""

from typing import Any, Protocol

import modular_dynamics as md
from modular_dynamics_ros.computation.changes.application import Applied

__all__ = ["Host"]


class Host(Protocol):
    """A node with a robot."""

    active: bool

    @property
    def why_no_robot(self) -> str:
        """Return why no robot is active."""

    def robot_in_force(self) -> Any:
        """Return what was prepared of the active robot; None without one.

        It has `described`, the graph of its description, and `changed`, that graph with the changes.
        """

    def prepare_changed(self, described: md.SubsystemGraph, changed: Applied) -> Any:
        """Prepare a changed robot, which is slow. Thread-safe.

        Raises:
            RobotError: the robot cannot be used.
        """

    def make_changed(self, prepared: Any) -> Any:
        """Return a session of it, not active yet, which has `destroy`.

        Raises:
            RobotError: a parameter contradicts the robot.
        """

    def put_in_force(self, session: Any) -> int:
        """Let it answer joint states from a stamp [ns] on, which is returned."""
