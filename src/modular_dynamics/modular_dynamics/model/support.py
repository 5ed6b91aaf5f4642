"""Graphs that an algorithm cannot treat: the error names what they have."""

from __future__ import annotations

from ..exceptions import StateError, UnsupportedModelError
from .graph import SubsystemGraph

__all__ = ["refuse_black_boxes", "refuse_closures"]


def refuse_closures(graph: SubsystemGraph, computation: str) -> None:
    """Raise UnsupportedModelError if the graph has loop joints, passive joints, gears or springs."""
    elements = {
        "loop joints": [loop.name for loop in graph.loop_joints],
        "passive joints": list(graph.passive_joints),
        "gears": [gear.joint for gear in graph.gears],
        "springs": [spring.name for spring in graph.springs],
    }
    present = [f"{kind} {', '.join(names)}" for kind, names in elements.items() if names]
    if present:
        raise UnsupportedModelError(
            f"{computation} of '{graph.name}' is not supported: it has {'; '.join(present)}, "
            "and these need the functions for closed loops (closed_loop_inverse_dynamics and the others); "
            "graph.tree is the open tree"
        )


def refuse_black_boxes(graph: SubsystemGraph, quantity: str) -> None:
    """Raise StateError if the graph has black boxes, whose masses nobody knows."""
    names = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
    if names:
        raise StateError(f"{quantity} of '{graph.name}' is not known: its black boxes are {', '.join(names)}")
