"""The way from a quantity of trees to the same quantity of robots with closed loops.

loops/ is built on dynamics/ and has functions of the same names; it is imported when the first robot with
loops comes. This is the only place where dynamics/ knows of it.
"""

from importlib import import_module
from typing import Any

from ..model import SubsystemGraph, require_graph

__all__ = ["has_loops", "with_loops"]


def has_loops(graph: SubsystemGraph) -> bool:
    """Return whether a graph has loop joints, passive joints, gears or springs between links."""
    try:
        return graph.has_loops
    except AttributeError:
        require_graph(graph)
        raise


class _WithLoops:
    """The functions for robots with closed loops, by name."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module("modular_dynamics.loops"), name)
        setattr(self, name, value)
        return value


with_loops = _WithLoops()
