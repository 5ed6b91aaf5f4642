"""References of the whole robot, as the node of one subsystem takes them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.subsystem.computation import SubsystemComputation
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.reference_input import ReferenceInput

__all__ = ["PartReferenceInput"]


class PartReferenceInput(ReferenceInput):
    """References of the whole robot: the nodes of all subsystems take, and refuse, the same ones."""

    def __init__(self, node: SessionNode, computation: SubsystemComputation, reference_type: str) -> None:
        super().__init__(node, computation, reference_type)
        names, own = computation.part.robot_names, computation.robot.state_names
        self._names, self._columns = names, [names.index(name) for name in own]

    def _trajectory(
        self, message: Any, read: Callable[[Sequence[str]], ReferenceTrajectory]
    ) -> ReferenceTrajectory:
        """Return the trajectory as `ReferenceInput` does. Raises BadMessage: no stamp, as arrivals differ."""
        if not stamp_nanoseconds(message.header.stamp):
            text = "its stamp is zero, which means its arrival: that differs from node to node; stamp it"
            raise BadMessage("no stamp", text)
        trajectory = read(self._names)
        if not len(trajectory.instants):
            return trajectory
        own = {self._names[column] for column in self._columns}
        missing = tuple(name for name in trajectory.missing if name in own)
        return replace(trajectory, powers=trajectory.powers[:, :, self._columns].copy(), missing=missing)
