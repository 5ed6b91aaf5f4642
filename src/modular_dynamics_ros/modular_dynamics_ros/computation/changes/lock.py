"""Joints that are held."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import modular_dynamics as md
from modular_dynamics_ros.computation.changes.attachment import Attachment
from modular_dynamics_ros.computation.changes.change import Changes

__all__ = ["Lock", "locked_positions", "locked_with_mimics"]


@dataclass(frozen=True)
class Lock:
    """Joints with one coordinate that are held at positions [rad or m]."""

    positions: Mapping[str, float]
    kind = "lock"

    def apply(self, graph: md.SubsystemGraph) -> md.SubsystemGraph:
        """See `Change`."""
        return graph.lock(dict(self.positions))

    def without_unknown(self, graph: md.SubsystemGraph) -> "Lock | None":
        """See `Change`."""
        return self.without([name for name in self.positions if name not in graph.joint_names])

    def without(self, names: Collection[str]) -> "Lock | None":
        """Return the lock without some joints; None if none is left."""
        left = {name: position for name, position in self.positions.items() if name not in names}
        return Lock(left) if left else None

    def content(self) -> Mapping[str, Any]:
        """See `Change`."""
        return {"positions": dict(self.positions)}

    def __str__(self) -> str:
        return "locked: " + ", ".join(f"{name} at {at:g}" for name, at in self.positions.items())


def locked_positions(changes: Changes) -> dict[str, float]:
    """Return for each locked joint the position [rad or m] at which it is held."""
    locks = (change.positions for change in changes if isinstance(change, Lock))
    return {name: position for positions in locks for name, position in positions.items()}


def locked_with_mimics(
    described: md.SubsystemGraph, changes: Changes, graph: md.SubsystemGraph
) -> dict[str, float]:
    """Return `locked_positions`, and those of joints that mimic a locked one and are locked with it.

    Args:
        described: the robot without changes. graph: with them; a joint whose link it lacks was removed.
    """
    held, links = locked_positions(changes), {*graph.links}
    robots = [(described, "")]
    robots += [(change.robot, change.prefix) for change in changes if isinstance(change, Attachment)]
    mimics = {
        prefix + joint.name: joint.mimic.multiplier * held[driver] + joint.mimic.offset
        for robot, prefix in robots
        for joint in robot.joints
        if joint.mimic is not None
        and (driver := prefix + joint.mimic.joint) in held
        and prefix + joint.child_link in links
    }
    return mimics | held
