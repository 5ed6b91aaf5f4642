"""Which joints a list of changes holds."""

from modular_dynamics_ros.computation.changes.change import Changes
from modular_dynamics_ros.computation.changes.lock import Lock

__all__ = ["locked_positions"]


def locked_positions(changes: Changes) -> dict[str, float]:
    """By joint that is locked, where it is held [rad or m]."""
    locks = (change.positions for change in changes if isinstance(change, Lock))
    return {name: position for positions in locks for name, position in positions.items()}
