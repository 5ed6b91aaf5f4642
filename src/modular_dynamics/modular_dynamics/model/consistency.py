"""Consistency of a graph: its joints and bodies, and the subsystems that contain them."""

from collections.abc import Sequence
from dataclasses import replace

from ..exceptions import ModelError
from .subsystem import Body, Joint, Subsystem

__all__ = ["consistent_subsystems"]


def consistent_subsystems(
    name: str,
    joints: tuple[Joint, ...],
    bodies: tuple[Body, ...],
    parents: Sequence[int | None],
    subsystems: Sequence[Subsystem],
    joint_names: Sequence[str],
) -> tuple[Subsystem, ...]:
    """Return the subsystems of a graph, with its joints and bodies.

    Raises:
        ModelError: other numbers of bodies, parents or joints in subsystems than joints; or joint_names that
            are not the joints that mimic no other, each once.
    """
    inside = sum(len(subsystem.joints) for subsystem in subsystems)
    counts = len(joints), len(bodies), len(parents), inside
    own = {joint.name for joint in joints if joint.mimic is None}
    if len({*counts}) > 1 or {*joint_names} != own or len(joint_names) != len(own):
        raise ModelError(
            f"'{name}' has {counts[0]} joints, {counts[1]} bodies, {counts[2]} parents, and {inside} joints "
            "in subsystems: as many of each are needed, and joint_names must name each joint that mimics no "
            "other once"
        )
    return tuple(_following(subsystem, joints, bodies) for subsystem in subsystems)


def _following(subsystem: Subsystem, joints: tuple[Joint, ...], bodies: tuple[Body, ...]) -> Subsystem:
    """Return the subsystem with these joints and bodies."""
    rows = slice(subsystem.first, subsystem.first + len(subsystem.joints))
    if subsystem.joints == joints[rows] and subsystem.bodies == bodies[rows]:
        return subsystem
    return replace(subsystem, joints=joints[rows], bodies=bodies[rows])
