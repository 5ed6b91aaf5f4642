"""Many states of a graph at once, for every algorithm: in chunks of bounded memory, on several threads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ...exceptions import StateError
from ...kernels import SMALLEST_NORM, layout
from ...model import SubsystemGraph
from ..arrays.arguments import (
    Array,
    Progress,
    Topology,
    checked_dtype,
    checked_out,
    checked_progress,
    state_rows,
    thread_count,
)
from .algorithms import Algorithm
from .generated import address_of_code, calling_code
from .single_precision import Angles
from .threads import run_on_threads

__all__ = ["Batch"]

#: States between two calls of progress or looks at an interrupt; and as many as are converted at a time.
LARGEST_CHUNK, CHUNK = 2**16, 2**13
#: States that are worth a thread, or numbers in their results.
THREAD_STATES, THREAD_RESULTS = 256, 2**17


@dataclass(frozen=True)
class Batch:
    """One algorithm on one graph, for many states.

    Attributes:
        topology, constants: the graph as kernels see it; constants in double precision.
        loaded: whether wrenches act, or some of the graph is a black box.
        alone: the algorithm for one state; its error for a row says more than the batch can.
    """

    graph: SubsystemGraph
    algorithm: Algorithm
    topology: Topology
    constants: Array
    loaded: bool = False
    alone: Callable[..., object] | None = None

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Of one state's result."""
        return self.algorithm.shape(self.topology)

    @cached_property
    def _width(self) -> int:
        """Numbers in one state's result."""
        return self.algorithm.results(self.topology)

    @cached_property
    def _angles(self) -> Angles:
        return Angles(self.graph)

    @cached_property
    def _made(self) -> dict[np.dtype[Any], tuple[Topology, NDArray[Any], NDArray[np.bool_]]]:
        return {}

    def _arrays(self, kind: np.dtype[Any]) -> tuple[Topology, NDArray[Any], NDArray[np.bool_]]:
        """Topology, constants and blocks of zeros, as the batch kernel of a dtype takes them.

        Made on first use: whoever needs one dtype does not wait until the other's kernel is compiled.
        """
        if kind not in self._made:
            arrays = self.topology, self.constants
            if not self.loaded:
                terms = int(self.topology[-1, layout.TERMS])
                address = address_of_code(self.graph, self.algorithm, "batch", kind, terms)
                arrays = calling_code(self.algorithm.reduced(*arrays), address)
            topology, constants = arrays[0], arrays[1].astype(kind)
            zero_blocks = self.algorithm.zero_blocks(self.graph, self._kernel(kind), topology, constants)
            self._made[kind] = topology, constants, zero_blocks
        return self._made[kind]

    def _kernel(self, kind: np.dtype[Any]) -> Any:
        return self.algorithm.batch_kernel(kind, self.loaded)

    def __call__(
        self,
        states: Mapping[str, ArrayLike],
        threads: int | None,
        out: NDArray[Any] | None,
        dtype: DTypeLike,
        progress: Progress,
    ) -> NDArray[Any]:
        """Results of all states (count, *shape).

        Args:
            states: q (count, nq) and the other inputs of the algorithm, (count, nv), by their names.
            threads: how many to use; all cores by default.
            out: array (count, *shape) of ``dtype`` for the result. Other memory does not grow with count.
            progress: called repeatedly with (states done, count), from the calling thread.

        Raises:
            StateError: a wrong shape, dtype or number of threads, or a number that is not finite, by its row.
                Where finite numbers are too large, it names a row at or before the first of them.
        """
        kind = checked_dtype(dtype, self.algorithm.batches)
        checked_progress(progress)
        count = thread_count(threads)
        arrays = state_rows(self.graph, states)
        rows = len(arrays["q"])
        if out is None:
            result = np.empty((rows, *self.shape), kind)
        else:
            result = checked_out(out, (rows, *self.shape), kind)
            if any(np.may_share_memory(out, array) for array in arrays.values()):
                raise StateError(
                    f"out shares memory with {' or '.join(arrays)}; an array of its own is needed"
                )
        flat = result.reshape(rows, self._width)
        as_they_are = all(x.dtype == kind and x.flags.carray for x in arrays.values())
        as_they_are = as_they_are and not (kind == np.float32 and self._angles.kept)
        chunk = LARGEST_CHUNK if as_they_are and progress is None else CHUNK
        for start in range(0, rows, chunk):
            stop = min(start + chunk, rows)
            self._chunk(arrays, flat[start:stop], start, count, as_they_are)
            if progress is not None:
                progress(stop, rows)
        return result

    def _chunk(
        self,
        states: Mapping[str, NDArray[Any]],
        out: NDArray[Any],
        start: int,
        threads: int,
        as_they_are: bool,
    ) -> None:
        """Results of the states from ``start`` on; copies only what the kernel cannot take as it is."""
        rows, kind = len(out), out.dtype
        inputs = [array[start : start + rows] for array in states.values()]
        if kind == np.float32 and self._angles.too_large(inputs[0]):  # these need double precision
            exact = np.empty(out.shape)
            self._chunk(states, exact, start, threads, as_they_are)
            with np.errstate(over="ignore"):
                out[:] = exact
            large = ~np.isfinite(out[:, self._checked_results]).all(axis=1)
            if large.any():
                self._report_first_bad(states, start, int(np.argmax(large)), 1)
            return
        if not as_they_are:
            if kind == np.float32 and inputs[0].dtype != kind:
                inputs[0] = self._angles.wrapped(inputs[0])
            with np.errstate(over="ignore"):  # what single precision cannot hold is reported with its row
                inputs = [np.require(array, kind, ["C", "W", "A"]) for array in inputs]
        for first in self._quaternions:
            with np.errstate(over="ignore"):  # not short
                short = np.linalg.norm(inputs[0][:, first : first + 4], axis=1) < SMALLEST_NORM
            if short.any():
                self._report_first_bad(states, start, 0, rows)
        bad = self._run(inputs, out, threads)
        if bad is not None:
            among = 64 // kind.itemsize if self.alone is None else rows
            self._report_first_bad(states, start, bad, min(among, rows - bad))

    def _run(self, inputs: list[NDArray[Any]], out: NDArray[Any], threads: int) -> int | None:
        """Run the kernel on threads, as many as are worth it; the first bad row, or None."""
        rows, kernel, checked = len(out), self._kernel(out.dtype), self._checked_results
        topology, constants, zero_blocks = self._arrays(out.dtype)
        not_read = [np.empty((rows, 0), out.dtype)] * (3 - len(inputs))

        def work(queue: NDArray[np.int64]) -> None:
            kernel(topology, constants, *inputs, *not_read, out, checked, zero_blocks, queue)

        share = min(THREAD_STATES, 1 + THREAD_RESULTS // max(self._width, 1))
        return run_on_threads(work, rows, min(threads, max(1, rows // share)))

    @cached_property
    def _checked_results(self) -> NDArray[np.int64]:
        """Which of one state's results must be finite: not torques inside black boxes."""
        unknown = self.topology[:-1, layout.V][self.topology[:-1, layout.MODE] == layout.UNKNOWN]
        checked = self.algorithm.checked(self.topology)
        return checked[~np.isin(checked, unknown)] if len(unknown) else checked

    def _report_first_bad(
        self, states: Mapping[str, NDArray[Any]], start: int, bad: int, among: int
    ) -> NoReturn:
        """Raise the error of the first bad row among so many from ``start + bad`` on."""
        for row in range(start + bad, start + bad + among):
            state = {name: array[row] for name, array in states.items()}
            try:
                self.graph.checked(**state)
                if self.alone is not None:
                    self.alone(**state)
            except StateError as error:
                raise StateError(f"row {row}: {error}") from None
        raise StateError(
            f"row {start + bad} or soon after: {', '.join(states)} are finite, but too large for the dtype"
        )

    @cached_property
    def _quaternions(self) -> list[int]:
        """Where quaternions start in q."""
        graph = self.graph
        joints = [name for name in graph.joint_names if graph.joint(name).type.quaternion is not None]
        return [graph.q_slice(name).stop - 4 for name in joints]
