"""Wrenches that the joints of the open tree transmit, from its inverse dynamics."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from ...dynamics import InverseDynamics, InverseDynamicsResult
from ...dynamics.execution.workspaces import workspace_of
from ...model import SubsystemGraph
from ..dynamics.closed_loop_dynamics import ClosedLoopDynamics

__all__ = ["tree_dynamics"]


def tree_dynamics(
    graph: SubsystemGraph, dynamics: ClosedLoopDynamics, loads: Mapping[str, ArrayLike]
) -> InverseDynamicsResult:
    """Inverse dynamics of the open tree at the motion of ``dynamics``, with loads on its links."""
    solver = workspace_of(graph.tree, InverseDynamics)
    return solver.solve(dynamics.coordinates, dynamics.velocities, dynamics.accelerations, loads)
