"""What the algorithms on trees cannot treat is refused by name."""

from __future__ import annotations

from ..exceptions import UnsupportedModelError
from .graph import SubsystemGraph

__all__ = ["refuse_closures"]


def refuse_closures(graph: SubsystemGraph, computation: str) -> None:
    """Raises UnsupportedModelError where the graph has loop joints, passive joints, gears or springs."""
    present = {
        "loop joints": [loop.name for loop in graph.loop_joints],
        "passive joints": list(graph.passive_joints),
        "gears": [gear.joint for gear in graph.gears],
        "springs": [spring.name for spring in graph.springs],
    }
    found = [f"{kind} {', '.join(names)}" for kind, names in present.items() if names]
    if found:
        raise UnsupportedModelError(
            f"{computation} of '{graph.name}' is not supported: it has {'; '.join(found)}, "
            "and these need the functions for closed loops (closed_loop_inverse_dynamics and the others); "
            "graph.tree is the open tree"
        )
