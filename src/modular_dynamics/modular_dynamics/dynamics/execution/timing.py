"""Times of a kernel for one robot, with generated code or without."""

from collections.abc import Callable
from timeit import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.row_queue import new_queue
from ...model import SubsystemGraph
from ..arrays.arguments import Array, Topology
from ..arrays.body_frames import joint_without_inertia
from ..arrays.model_arrays import work_of
from .algorithms import Algorithm

__all__ = ["NoInertiaError", "microseconds", "raise_without_inertia"]

#: States in a timed batch, calls for one state, and rounds of timing: some milliseconds for each round.
TIMED_STATES, TIMED_CALLS, ROUNDS = 256, 50, 5


class NoInertiaError(Exception):
    """A joint moves no inertia at the timed state, so that the algorithm computes nothing."""


def raise_without_inertia(
    graph: SubsystemGraph, algorithm: Algorithm, topology: Topology, constants: Array
) -> None:
    """Raise NoInertiaError, which names the joint, where an algorithm with pivots computes nothing."""
    if algorithm.pivots:
        work, out = work_of(graph, algorithm.columns), np.empty(algorithm.shape(topology))
        if algorithm.bind(topology, constants, work)(*_timed_state(graph, algorithm), out) == 3:
            raise NoInertiaError(f"joint '{joint_without_inertia(graph, work).name}' moves no inertia")


def _timed_state(graph: SubsystemGraph, algorithm: Algorithm) -> list[Array]:
    rng = np.random.default_rng(0)
    sizes = (graph.nq, graph.nv, graph.nv)[: len(algorithm.inputs)]
    return [rng.uniform(0.5, 1.0, size) for size in sizes]


def microseconds(
    graph: SubsystemGraph,
    algorithm: Algorithm,
    form: str,
    dtype: np.dtype[Any],
    topology: Topology,
    constants: Array,
) -> float:
    """Microseconds for one state [us]: the best of some rounds, at a state without special angles.

    Args:
        form: "single" for the kernel of one state, "batch" for that of many.
    """
    vectors = _timed_state(graph, algorithm)
    if form == "single":
        work, out = work_of(graph, algorithm.columns), np.empty(algorithm.shape(topology))
        call = algorithm.bind(topology, constants, work)
        seconds = min(repeat(lambda: call(*vectors, out), number=TIMED_CALLS, repeat=ROUNDS)) / TIMED_CALLS
    else:
        run = _batch_call(graph, algorithm, topology, constants.astype(dtype), vectors)
        run()
        seconds = min(repeat(run, number=1, repeat=ROUNDS)) / TIMED_STATES
    return seconds * 1e6


def _batch_call(
    graph: SubsystemGraph,
    algorithm: Algorithm,
    topology: Topology,
    constants: NDArray[Any],
    vectors: list[Array],
) -> Callable[[], object]:
    """A call of the batch kernel for the dtype of ``constants``."""
    dtype = constants.dtype
    rows = [np.tile(vector.astype(dtype), (TIMED_STATES, 1)) for vector in vectors]
    rows += [np.empty((TIMED_STATES, 0), dtype)] * (3 - len(rows))  # not read
    out = np.zeros((TIMED_STATES, algorithm.results(topology)), dtype)
    kernel, checked = algorithm.batch_kernel(dtype), algorithm.checked(topology)
    zero_blocks = algorithm.zero_blocks(graph, kernel, topology, constants)
    return lambda: kernel(topology, constants, *rows, out, checked, zero_blocks, new_queue())
