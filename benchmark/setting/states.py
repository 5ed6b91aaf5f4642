"""Random states of a robot, the same for all that are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

import modular_dynamics as md

__all__ = ["MATRICES", "DISTINCT", "VECTORS", "States", "random_states"]

VECTORS = 8192  # states in a batch whose results are vectors, ...
MATRICES = 256  # ... or matrices: as many as fit into the caches, because peers keep one result
DISTINCT = 256  # different states, which batches repeat: converting them to the peers' orders is slow
Array = NDArray[np.float64]


@dataclass(frozen=True)
class States:
    """Rows of q (count, nq), v, vdot (count, nv), in one library's order."""

    q: Array
    v: Array
    vdot: Array

    def repeated(self, count: int) -> States:
        """As many rows, repeated in their order."""
        rows = np.arange(count) % len(self.q)
        return States(*(np.ascontiguousarray(x[rows]) for x in (self.q, self.v, self.vdot)))

    @property
    def first(self) -> tuple[Array, Array, Array]:
        """q, v, vdot of the first state, each an array of its own."""
        return self.q[0].copy(), self.v[0].copy(), self.vdot[0].copy()


def random_states(graph: md.SubsystemGraph, count: int = DISTINCT) -> States:
    """Standard normal, in the graph's order; each library normalizes a floating joint's quaternion."""
    rng = default_rng(0)
    return States(rng.normal(size=(count, graph.nq)), *rng.normal(size=(2, count, graph.nv)))
