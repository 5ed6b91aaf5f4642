"""What the solvers of one graph have in common: arrays kept ready, checked arguments, errors by name."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...exceptions import StateError
from ...kernels import layout
from ...kernels.numba_support.compilation import make_ready
from ...model import SubsystemGraph
from ..arrays.model_arrays import checked_out, converted
from .algorithms import DOUBLE, Algorithm
from .batch import Batch

__all__ = ["Solver", "kept"]

#: Solvers for one link or list of links each that a graph keeps; the oldest goes first.
MOST_KEPT = 1024

S = TypeVar("S")


class Solver:
    """One algorithm on one graph with everything allocated beforehand. Not for several threads at once.

    Each calls its kernel on what it is given, and ``_checked`` where the kernel refuses that: lists, other
    dtypes and strides can be converted, the rest is an error.

    Attributes:
        topology, constants: the graph as the kernel sees it (see kernels/layout.py).
        shape: of the result.
    """

    def __init__(
        self,
        graph: SubsystemGraph,
        kernel: Any,
        signature: Any,
        batch_kernel: Any,
        arrays: tuple[NDArray[np.int64], NDArray[np.float64]],
        columns: int,
        shape: tuple[int, ...],
    ) -> None:
        make_ready(kernel, signature)
        self.graph = graph
        self.topology, self.constants = arrays
        self.shape = shape
        self._kernel = kernel
        self._algorithm = Algorithm(
            type(self).__name__,
            recursion=None,
            columns=columns,
            single=kernel,
            signature=signature,
            batches={DOUBLE: batch_kernel},
            inputs=(),
            shape=lambda _: shape,
        )
        rows = len(self.topology)
        self._work = np.zeros(rows * columns + layout.STATE_BLOCKS * layout.padded(rows - 1))

    def _checked(self, state: dict[str, Any], result: NDArray[np.float64]) -> NDArray[np.float64]:
        """The result at a state {q: ..., v: ...} that the kernel refused: converted first, or an error."""
        given = converted(*self.graph.checked(**state))
        checked_out(result, self.shape)
        if self._kernel(self.topology, self.constants, self._work, *given, result) != 0:
            raise StateError(f"{', '.join(state)}: finite, but so large that the result is not")
        return result

    def batch(self) -> Batch:
        """The same algorithm for many states."""
        return Batch(self.graph, self._algorithm, self.topology, self.constants, generated=False)


def kept(graph: SubsystemGraph, what: str, key: Hashable, make: Callable[[], S]) -> S:
    """This thread's solver of a graph, made on first use and kept as ``graph.workspaces.what[key]``."""
    solvers: dict[Hashable, S] | None = getattr(graph.workspaces, what, None)
    if solvers is None:
        solvers = {}
        setattr(graph.workspaces, what, solvers)
    if key not in solvers:
        solver = make()
        if len(solvers) >= MOST_KEPT:
            solvers.pop(next(iter(solvers)))
        solvers[key] = solver
    return solvers[key]
