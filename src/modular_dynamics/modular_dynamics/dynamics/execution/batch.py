"""Many states of a graph at once: checks, chunks, threads, bounded memory, for every algorithm."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ...exceptions import StateError
from ...kernels import SMALLEST_NORM, layout
from ...model import JointType, SubsystemGraph
from ..arrays.model_arrays import checked_out
from .algorithms import Algorithm
from .generated import with_code
from .threads import shared

__all__ = ["Batch", "Progress"]

#: States between two looks at progress or an interrupt; and as many as are converted at a time.
STRETCH, CHUNK = 2**16, 2**13
#: States that are worth a thread, or numbers in their results.
SHARE, SHARED_RESULTS = 256, 2**17
#: Angles [rad] from which single precision would lose more than 1e-6 of them.
WRAPPED_FROM = 16.0

TURNING = JointType.REVOLUTE, JointType.CONTINUOUS

Progress = Callable[[int, int], None] | None


@dataclass(frozen=True)
class Batch:
    """One algorithm on one graph.

    Attributes:
        topology, constants: the graph as kernels see it; constants in double precision.
        generated: may code that `graph.compile` generated do the work? Not where wrenches act.
        alone: the algorithm for one state; where it refuses one, it says better why.
    """

    graph: SubsystemGraph
    algorithm: Algorithm
    topology: NDArray[np.int64]
    constants: NDArray[np.float64]
    generated: bool = True
    alone: Callable[..., object] | None = None

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Of one state's result."""
        return self.algorithm.shape(self.graph)

    @cached_property
    def _width(self) -> int:
        return self.algorithm.results(self.graph)

    @cached_property
    def _forms(self) -> dict[np.dtype[Any], tuple[NDArray[np.int64], NDArray[Any], NDArray[np.bool_]]]:
        """Topology and constants as the kernel of a dtype takes them, and what it need not write."""
        forms: dict[np.dtype[Any], tuple[NDArray[np.int64], NDArray[Any], NDArray[np.bool_]]] = {}
        for kind in self.algorithm.batches:
            topology = self.topology
            if self.generated:
                topology = with_code(self.graph, self.algorithm, "batch", kind, topology)
            arrays = topology, self.constants.astype(kind)
            forms[kind] = *arrays, self.algorithm.blank(self.graph, kind, *arrays)
        return forms

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
            states: q (count, nq) and what else the algorithm reads, (count, nv), by their names.
            threads: how many to use; all cores by default.
            out: array (count, *shape) of ``dtype`` for the result. Beside it memory does not grow with count.
            progress: called now and then with (states done, count), from the calling thread.

        Raises:
            StateError: a wrong shape, dtype or number of threads, or a number that is not finite, by its row.
        """
        try:
            kind = np.dtype(dtype)
        except TypeError:
            raise StateError(f"dtype is {dtype!r}; float64 or float32 is needed") from None
        if progress is not None and not callable(progress):
            raise StateError(f"progress is {progress!r}; a function of (states done, count) is needed")
        choices = self.algorithm.batches
        if kind not in choices:
            raise StateError(f"dtype is {kind}; {' or '.join(map(str, choices))} is needed")
        count = _thread_count(threads)
        given = self._rows(states)
        rows = len(given["q"])
        if out is None:
            result = np.empty((rows, *self.shape), kind)
        else:
            result = checked_out(out, (rows, *self.shape), kind)
            if any(np.may_share_memory(out, array) for array in given.values()):
                raise StateError(
                    f"out shares memory with {' or '.join(given)}; an array of its own is needed"
                )
        flat = result.reshape(rows, self._width)
        ready = all(x.dtype == kind and x.flags.carray for x in given.values())
        ready = ready and not (kind == np.float32 and self._driving)
        chunk = STRETCH if ready and progress is None else CHUNK
        for start in range(0, rows, chunk):
            stop = min(start + chunk, rows)
            self._chunk(given, flat[start:stop], start, count, ready)
            if progress is not None:
                progress(stop, rows)
        return result

    def _rows(self, states: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
        """The states as 2-D arrays of numbers with as many rows each."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, value in states.items():
            width = self.graph.nq if name == "q" else self.graph.nv
            try:
                array = np.asarray(value)
                if array.dtype.kind == "c":
                    raise TypeError("complex numbers")
                if array.dtype.kind not in "fiu":  # those are converted chunk by chunk
                    array = array.astype(np.float64)
            except (TypeError, ValueError) as error:
                raise StateError(f"{name} is not an array of numbers: {error}") from None
            rows = len(arrays["q"]) if arrays else "n"
            if array.ndim != 2 or array.shape[1] != width or (arrays and len(array) != rows):
                raise StateError(
                    f"{name} has shape {array.shape}; '{self.graph.name}' needs ({rows}, {width})"
                )
            arrays[name] = array
        return arrays

    def _chunk(
        self, given: Mapping[str, NDArray[Any]], out: NDArray[Any], start: int, threads: int, ready: bool
    ) -> None:
        """Results of the states from ``start`` on; copies only what the kernel cannot take as it is."""
        rows, kind = len(out), out.dtype
        taken = [array[start : start + rows] for array in given.values()]
        if kind == np.float32 and self._far(taken[0]):
            exact = np.empty(out.shape)
            self._chunk(given, exact, start, threads, ready)
            with np.errstate(over="ignore"):
                out[:] = exact
            large = ~np.isfinite(out[:, self._known]).all(axis=1)
            if large.any():
                self._refuse_first_bad(given, start, int(np.argmax(large)), 1)
            return
        if not ready:
            if kind == np.float32 and taken[0].dtype != kind:
                taken[0] = self._wrapped(taken[0])
            with np.errstate(over="ignore"):  # what single precision cannot hold is refused by its row
                taken = [np.require(array, kind, ["C", "W", "A"]) for array in taken]
        for first in self._quaternions:
            with np.errstate(over="ignore"):  # not short
                short = np.linalg.norm(taken[0][:, first : first + 4], axis=1) < SMALLEST_NORM
            if short.any():
                self._refuse_first_bad(given, start, 0, rows)
        while len(taken) < 3:
            taken.append(np.empty((rows, 0), kind))  # not read
        kernel, known = self.algorithm.batches[kind], self._known
        topology, constants, blank = self._forms[kind]

        def work(turns: NDArray[np.int64]) -> None:
            kernel(topology, constants, *taken, out, known, blank, turns)

        share = min(SHARE, 1 + SHARED_RESULTS // max(self._width, 1))
        bad = shared(work, rows, min(threads, max(1, rows // share)))
        if bad is not None:
            among = 64 // kind.itemsize if self.alone is None else rows
            self._refuse_first_bad(given, start, bad, min(among, rows - bad))

    @cached_property
    def _known(self) -> NDArray[np.int64]:
        """Which of one state's results must be finite: not torques inside black boxes."""
        unknown = self.topology[:-1, layout.V][self.topology[:-1, layout.MODE] == layout.UNKNOWN]
        checked = self.algorithm.checked(self.graph)
        return checked[~np.isin(checked, unknown)] if len(unknown) else checked

    def _refuse_first_bad(
        self, given: Mapping[str, NDArray[Any]], start: int, bad: int, among: int
    ) -> NoReturn:
        """Raise the error of the first bad row among so many from ``start + bad`` on."""
        for row in range(start + bad, start + bad + among):
            state = {name: array[row] for name, array in given.items()}
            try:
                self.graph.checked(**state)
                if self.alone is not None:
                    self.alone(**state)
            except StateError as error:
                raise StateError(f"row {row}: {error}") from None
        raise StateError(
            f"row {start + bad} or soon after: {', '.join(given)} are finite, but too large for the dtype"
        )

    @cached_property
    def _quaternions(self) -> list[int]:
        """Where the quaternions of floating joints start in q."""
        graph = self.graph
        floating = [name for name in graph.joint_names if graph.joint(name).type is JointType.FLOATING]
        return [graph.q_slice(name).start + 3 for name in floating]

    @cached_property
    def _angles(self) -> list[int]:
        """Columns of q that whole turns do not change."""
        graph = self.graph
        turning = [name for name in graph.joint_names if graph.joint(name).type in TURNING]
        columns = [graph.q_slice(name).start for name in turning]
        return [column for column in columns if column not in self._driving]

    @cached_property
    def _driving(self) -> dict[int, float]:
        """Columns of q that others mimic: the largest angle of a joint at 1, for those that turn any."""
        graph, angles = self.graph, dict[int, float]()
        for joint in graph.joints:
            if joint.mimic is not None:
                driver = graph.driver(joint)
                turned = abs(joint.mimic.multiplier) * (joint.type in TURNING)
                column = graph.q_slice(driver).start
                own = 1.0 * (graph.joint(driver).type in TURNING)
                angles[column] = max(angles.get(column, 0.0), own, turned)
        return {column: angle for column, angle in angles.items() if angle > 0.0}

    def _far(self, q: NDArray[Any]) -> bool:
        """Are angles of mimic joints too large for single precision? Turns cannot be taken off."""
        columns, angles = list(self._driving), np.array([*self._driving.values()])
        return bool((np.abs(q[:, columns].astype(np.float64)) * angles >= WRAPPED_FROM).any())

    def _wrapped(self, q: NDArray[Any]) -> NDArray[Any]:
        """q with angles in +-pi, so that single precision does not lose their fractions of a turn."""
        if q.size == 0 or max(-float(q.min()), float(q.max())) < WRAPPED_FROM:
            return q
        wrapped = q.astype(np.float64)
        angles = wrapped[:, self._angles]
        with np.errstate(invalid="ignore"):  # what is not finite is refused by its row
            wrapped[:, self._angles] = np.arctan2(np.sin(angles), np.cos(angles))
        return wrapped


def _thread_count(threads: int | None) -> int:
    count = threads if threads is not None else os.cpu_count() or 1
    if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 1:
        raise StateError(f"threads is {threads!r}; a whole number from 1 on is needed")
    return int(count)
