"""Springs between links: tensions, their Jacobian, and elastic energy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...kernels.loops.constraint_rows import evaluate_rows
from ...kernels.loops.structures import SpringArrays, Tree
from ...model import SubsystemGraph
from .rows import spring_rows
from .workspace import row_values

__all__ = ["Springs"]

Array = NDArray[np.float64]


class Springs:
    """The springs of one graph. For one thread only.

    Attributes:
        arrays: as the kernels take them.
    """

    def __init__(self, graph: SubsystemGraph, tree: Tree) -> None:
        laws = [[s.stiffness, s.free_length, s.initial_force, s.damping] for s in graph.springs]
        values = row_values(graph, len(laws))
        self.arrays = SpringArrays(spring_rows(graph).arrays, values, np.array(laws).reshape(-1, 4))
        self._tree, self._rest = tree, np.zeros(graph.nv)

    def forces(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Jacobian (s, nv) of the springs' lengths, and their tensions F_0 + k (L - L_0) + d dL/dt [N]."""
        rows, values, laws = self.arrays
        if not len(laws):
            return values.J, np.zeros(0)
        evaluate_rows(self._tree, rows, q, v, values)
        stiffness, free_length, initial, damping = laws.T
        tensions: Array = initial + stiffness * (values.phi - free_length) + damping * (values.J @ v)
        return values.J, tensions

    def energy(self, q: Array) -> float:
        """Elastic energy at coordinates of all joints [J]; zero at the free lengths."""
        rows, values, laws = self.arrays
        if not len(laws):
            return 0.0
        evaluate_rows(self._tree, rows, q, self._rest, values)
        stretch = values.phi - laws[:, 1]
        return float(laws[:, 2] @ stretch + 0.5 * laws[:, 0] @ stretch**2)
