"""What the solvers of one graph have in common: arrays made beforehand, checked arguments, errors by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import DualQuaternion
from ...exceptions import StateError
from ...kernels import entry
from ...kernels.numba_support.compilation import make_ready
from ...model import SubsystemGraph, body_loads
from ..arrays.arguments import as_kernel_arrays, checked_out, is_contiguous_float64
from ..arrays.loaded_constants import LoadedConstants
from ..arrays.model_arrays import alignments_of, body_to_aligned, work_for
from .algorithms import DOUBLE, Algorithm
from .batch import Batch
from .generated import with_code
from .workspaces import offer_direct_call, workspace_of

__all__ = ["LoadedSolver", "Solver", "Wrenches", "leave_to_python"]

Wrenches = Mapping[str, ArrayLike] | None
S = TypeVar("S", bound="Solver")


def leave_to_python(*_: object) -> bool:
    """The direct call of a solver that has none: no result was written."""
    return False


class Solver:
    """One algorithm on one graph: a workspace with everything allocated and compiled beforehand.

    A workspace belongs to one thread.

    Attributes:
        topology, constants: the graph as the kernel sees it (see kernels/layout.py); never changed.
        shape: of the result.
        direct_call: (*inputs, out) -> whether the result was written; straight from Python to the kernel
            (kernels/numba_support/entry). False where the arguments are anything but matching arrays.
    """

    def __init__(
        self,
        graph: SubsystemGraph,
        algorithm: Algorithm,
        topology: NDArray[np.int64],
        constants: NDArray[np.float64],
    ) -> None:
        make_ready(algorithm.single, algorithm.signature)
        self.graph, self.algorithm = graph, algorithm
        self.topology, self.constants = topology, constants
        self.shape = algorithm.shape(topology)
        self._kernel: Any = algorithm.single
        self._work = work_for(len(topology) - 1, algorithm.columns)
        self._topology = with_code(graph, algorithm, "single", DOUBLE, topology)
        self.direct_call: Callable[..., bool] = leave_to_python
        if algorithm.direct:
            arrays = self._topology, constants, self._work
            self.direct_call = entry(algorithm.name, *arrays, graph.nq, graph.nv) or leave_to_python

    @classmethod
    def of(cls: type[S], graph: SubsystemGraph, *arguments: Any) -> S:
        """This thread's solver of a graph, made on first use."""
        solver = workspace_of(graph, cls, *arguments)
        if solver.direct_call is not leave_to_python:
            offer_direct_call(graph, solver.algorithm.name, solver.direct_call)
        return solver

    @cached_property
    def _batch(self) -> Batch:
        return Batch(self.graph, self.algorithm, self.topology, self.constants)

    def batch(self) -> Batch:
        """The same algorithm for many states."""
        return self._batch

    def _run(
        self,
        topology: NDArray[np.int64],
        constants: NDArray[np.float64],
        vectors: tuple[Any, ...],
        out: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Write the result into ``out``. Lists, other dtypes and strides are converted; else it raises."""
        suited = is_contiguous_float64(*vectors, out) and out.shape == self.shape
        if suited and self._kernel(topology, constants, self._work, *vectors, out) == 0:
            return out
        state = self.graph.checked(**dict(zip(self.algorithm.inputs, vectors, strict=True)))
        checked_out(out, self.shape)
        status = self._kernel(topology, constants, self._work, *as_kernel_arrays(*state), out)
        if status != 0:
            raise StateError(self._failure(status))
        return out

    def _failure(self, status: int) -> str:
        """What a kernel's status means for arguments that are right."""
        return self.algorithm.overflow


class LoadedSolver(Solver):
    """A solver whose bodies may bear external wrenches."""

    def __init__(
        self,
        graph: SubsystemGraph,
        algorithm: Algorithm,
        topology: NDArray[np.int64],
        constants: NDArray[np.float64],
    ) -> None:
        super().__init__(graph, algorithm, topology, constants)
        self.alignments = alignments_of(graph)
        self._with_loads = LoadedConstants(constants, self._into_row)

    def _into_row(self, body: int, wrench: NDArray[np.float64]) -> NDArray[np.float64]:
        """[force, moment] from a body's axes into the frame of its row."""
        return body_to_aligned(self.alignments[body], wrench)

    def _loads(self, external_wrenches: Wrenches) -> dict[int, DualQuaternion]:
        return body_loads(self.graph, {} if external_wrenches is None else external_wrenches)

    def batch(self, external_wrenches: Wrenches = None) -> Batch:
        """The same algorithm for many states under the same wrenches."""
        if external_wrenches is None:
            return self._batch
        constants = self._with_loads(self._loads(external_wrenches)).copy()
        return Batch(self.graph, self.algorithm, self.topology, constants, generated=False)
