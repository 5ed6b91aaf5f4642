"""What the solvers of one graph have in common: arrays made beforehand, checked arguments, errors by name."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ...exceptions import StateError
from ...kernels import entries_are_direct, layout
from ...model import SubsystemGraph
from ..arrays.arguments import Array, Topology, as_kernel_arrays, checked_out
from ..arrays.loaded_constants import LoadedConstants
from ..arrays.model_arrays import alignments_of, body_to_aligned, work_for
from ..workspaces import offer_direct_call, workspace_of
from .algorithms import DOUBLE, Algorithm, StateCall
from .batch import Batch
from .generated import address_of_code, calling_code

__all__ = ["LoadedSolver", "Solver", "Wrenches"]

Wrenches = Mapping[str, ArrayLike] | None
S = TypeVar("S", bound="Solver")


class Solver:
    """One algorithm on one graph: a workspace with everything allocated and compiled beforehand.

    A workspace belongs to one thread.

    Attributes:
        topology, constants: the graph as the kernel sees it (see kernels/layout.py); never changed.
        shape: of the result.
        call: (*inputs, out) -> status of the kernel without wrenches, 0 when the result is written; not 0 if
            the arguments are anything but matching arrays.
        direct: whether ``call`` is a compiled function that holds the interpreter's lock while it runs.
    """

    def __init__(
        self, graph: SubsystemGraph, algorithm: Algorithm, topology: Topology, constants: Array
    ) -> None:
        self.graph, self.algorithm = graph, algorithm
        self.topology, self.constants = topology, constants
        self.shape = algorithm.shape(topology)
        self._work = work_for(len(topology) - 1, algorithm.columns)
        self.call = self._bind(self._work)
        self.direct = algorithm.direct and entries_are_direct()

    @classmethod
    def of(cls: type[S], graph: SubsystemGraph, *arguments: Any) -> S:
        """This thread's solver of a graph, made on first use; from then on all threads have a direct call."""
        solver = workspace_of(graph, cls, *arguments)
        if solver.direct:
            # with memory of its own: another thread's call must not change what this solver has yet to read
            shape = len(solver.topology) - 1, solver.algorithm.columns
            offer_direct_call(graph, solver.algorithm.name, lambda: solver._bind(work_for(*shape)))
        return solver

    def _bind(self, work: Array) -> StateCall:
        arrays, terms = (self.topology, self.constants), int(self.topology[-1, layout.TERMS])
        address = address_of_code(self.graph, self.algorithm, "single", DOUBLE, terms)
        if address:
            arrays = calling_code(self.algorithm.reduced(*arrays), address)
        return self.algorithm.bind(*arrays, work)

    @cached_property
    def _batch(self) -> Batch:
        return Batch(self.graph, self.algorithm, self.topology, self.constants, alone=self._alone(None))

    def batch(self) -> Batch:
        """The same algorithm for many states."""
        return self._batch

    def _run(self, vectors: tuple[Any, ...], out: Array | None, call: StateCall | None = None) -> Array:
        """The result, in ``out`` if given. Lists, other dtypes and strides are converted; else it raises."""
        out = np.empty(self.shape) if out is None else out
        call = self.call if call is None else call
        if call(*vectors, out) == 0:
            return out
        state = self.graph.checked(**dict(zip(self.algorithm.inputs, vectors, strict=True)))
        checked_out(out, self.shape)
        status = call(*as_kernel_arrays(*state), out)
        if status != 0:
            raise StateError(self._failure(status, state[0]))
        return out

    def _alone(self, external_wrenches: Wrenches) -> Callable[..., object] | None:
        """The algorithm for one state, if its error for a row of a batch says more than the batch can."""
        return None

    def _failure(self, status: int, q: Array) -> str:
        """What a kernel's status means for arguments that are right, at positions q."""
        return self.algorithm.overflow


class LoadedSolver(Solver):
    """A solver whose bodies may be loaded by external wrenches.

    Attributes:
        alignments: rotations body <- aligned frame (n, 3, 3).
    """

    def __init__(
        self, graph: SubsystemGraph, algorithm: Algorithm, topology: Topology, constants: Array
    ) -> None:
        super().__init__(graph, algorithm, topology, constants)
        self.alignments = alignments_of(graph)

    @cached_property
    def _with_loads(self) -> LoadedConstants:
        return LoadedConstants(self.graph, self.constants, self._into_row)

    @cached_property
    def _bound_to_loads(self) -> StateCall:
        return self.algorithm.bind(self.topology, self._with_loads.constants, self._work)

    def _loaded_call(self, external_wrenches: Wrenches) -> StateCall | None:
        """The call with these wrenches, valid until the next one; None without wrenches."""
        if external_wrenches is None:
            return None
        self._with_loads(external_wrenches)
        return self._bound_to_loads

    def _into_row(self, body: int, wrench: Array) -> Array:
        """[force, moment] from a body's axes into the frame of its row."""
        return body_to_aligned(self.alignments[body], wrench)

    def batch(self, external_wrenches: Wrenches = None) -> Batch:
        """The same algorithm for many states under the same wrenches."""
        if external_wrenches is None:
            return self._batch
        constants = self._with_loads(external_wrenches).copy()
        alone = self._alone(external_wrenches)
        return Batch(self.graph, self.algorithm, self.topology, constants, loaded=True, alone=alone)
