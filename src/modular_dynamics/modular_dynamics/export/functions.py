"""Which functions are exported of a graph: those in tree.py, or, with closed loops, in loops.py."""

from collections.abc import Sequence

from numpy.typing import ArrayLike

from ..codegen.c_files import Recording
from ..exceptions import StateError
from ..model import SubsystemGraph, require_graph
from .tree import tree_recordings

__all__ = ["recordings_of"]


def recordings_of(
    graph: SubsystemGraph,
    functions: Sequence[str] | None,
    links: Sequence[str],
    guess: ArrayLike | None,
    what: str,
) -> list[Recording]:
    """Return the functions with these names as programs, with states and the library's results at these.

    Raises:
        StateError: unknown names, or none; links without a function of links, or the reverse; unknown links;
            a guess without loops.
        UnsupportedModelError: no joints; or loops that cannot be exported.
    """
    require_graph(graph)
    if graph.has_loops:
        from .loops import loop_recordings  # noqa: PLC0415  # trees need nothing of closed loops

        return loop_recordings(graph, functions, links, guess, what)
    if guess is not None:
        raise StateError(f"{what}: '{graph.name}' has no loops; guess= selects how loops close")
    return tree_recordings(graph, functions, links, what)
