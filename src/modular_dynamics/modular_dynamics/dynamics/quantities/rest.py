"""Zero velocities and accelerations, for functions that are given positions only."""

import numpy as np
from numpy.typing import ArrayLike

from ...model import SubsystemGraph, require_graph
from ..arrays.arguments import Array
from ..workspaces import workspace_of

__all__ = ["rest", "rest_rows"]


def _zeros(graph: SubsystemGraph) -> Array:
    return np.zeros(graph.nv)


def rest(graph: SubsystemGraph) -> Array:
    """Zero rates (nv,), allocated once for each thread: no kernel writes its inputs."""
    return workspace_of(graph, _zeros)


def rest_rows(graph: SubsystemGraph, q: ArrayLike) -> Array:
    """Zero rates (count, nv) beside positions q; none where q has no rows, which the batch then reports."""
    require_graph(graph)
    try:
        count = len(np.asarray(q))
    except (TypeError, ValueError):
        count = 0
    return np.broadcast_to(0.0, (count, graph.nv))
