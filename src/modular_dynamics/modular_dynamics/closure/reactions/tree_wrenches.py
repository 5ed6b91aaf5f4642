"""Wrenches that the joints of the open tree transmit, from its inverse dynamics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...dynamics import InverseDynamics
from ...model import SubsystemGraph
from ..dynamics.closed_loop_dynamics import ClosedLoopDynamics
from ..workspaces import workspace_of

__all__ = ["TreeWrenches", "tree_wrenches"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeWrenches:
    """Wrenches [force N, moment N m].

    Attributes:
        joints (n, 6): at each joint, of the parent link on the child link, at and in the child link's frame.
        connections: by subsystem index (link, wrench of the predecessor on the subsystem), at and in a link.
    """

    joints: Array
    connections: Mapping[int, tuple[str, Array]]


def tree_wrenches(
    graph: SubsystemGraph,
    dynamics: ClosedLoopDynamics,
    loads: Mapping[str, Array],
    subsystems: Iterable[int] = (),
) -> TreeWrenches:
    """At the state of ``dynamics`` under loads on links; connection wrenches of the subsystems asked for."""
    solver = workspace_of(graph.tree, InverseDynamics)
    solver(dynamics.coordinates, dynamics.velocities, dynamics.accelerations, loads)
    connections = {index: solver.stamped_wrench(index) for index in subsystems}
    return TreeWrenches(solver.joint_wrenches, connections)
