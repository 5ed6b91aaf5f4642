"""Times of a kernel for one robot, with generated code or without."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.row_queue import new_queue
from ...model import SubsystemGraph
from ..arrays.model_arrays import work_of
from ..arrays.pivots import joint_without_inertia
from .algorithms import Algorithm

__all__ = ["NoInertiaError", "microseconds"]

#: States in a timed batch, calls for one state, and rounds of timing: some milliseconds for each round.
TIMED_STATES, TIMED_CALLS, ROUNDS = 256, 50, 5


class NoInertiaError(Exception):
    """A joint moves no inertia at the timed state, so that the algorithm computes nothing."""


def microseconds(
    graph: SubsystemGraph,
    algorithm: Algorithm,
    form: str,
    dtype: np.dtype[Any],
    topology: NDArray[np.int64],
    constants: NDArray[np.float64],
) -> float:
    """Microseconds for one state [us]: the best of some rounds, at a state without special angles.

    Args:
        form: "single" for the kernel of one state, "batch" for that of many.

    Raises:
        NoInertiaError: names the joint.
    """
    count = len(algorithm.inputs)
    rng = np.random.default_rng(0)
    vectors = [rng.uniform(0.5, 1.0, size) for size in (graph.nq, graph.nv, graph.nv)][:count]
    if form == "single":
        run, calls, states = _single_call(graph, algorithm, topology, constants, vectors), TIMED_CALLS, 1
    else:
        run, calls = _batch_call(graph, algorithm, dtype, topology, constants, vectors), 1
        states = TIMED_STATES
    run()
    best = np.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(calls):
            run()
        best = min(best, time.perf_counter() - start)
    return best / (calls * states) * 1e6


def _single_call(
    graph: SubsystemGraph,
    algorithm: Algorithm,
    topology: NDArray[np.int64],
    constants: NDArray[np.float64],
    vectors: list[NDArray[np.float64]],
) -> Callable[[], object]:
    work, arrays = work_of(graph, algorithm.columns), (*vectors, np.empty(algorithm.shape(topology)))
    call = algorithm.bind(topology, constants, work)
    if call(*arrays) == 3 and algorithm.pivots:
        raise NoInertiaError(f"joint '{joint_without_inertia(graph, work).name}' moves no inertia")
    return lambda: call(*arrays)


def _batch_call(
    graph: SubsystemGraph,
    algorithm: Algorithm,
    dtype: np.dtype[Any],
    topology: NDArray[np.int64],
    constants: NDArray[np.float64],
    vectors: list[NDArray[np.float64]],
) -> Callable[[], object]:
    kernel, constants = algorithm.batches[dtype], constants.astype(dtype)
    rows = [np.tile(vector, (TIMED_STATES, 1)) for vector in vectors]
    rows += [np.empty((TIMED_STATES, 0))] * (3 - len(rows))  # not read
    rows = [array.astype(dtype) for array in [*rows, np.zeros((TIMED_STATES, algorithm.results(topology)))]]
    checked = algorithm.checked(topology)
    zero_blocks = algorithm.zero_blocks(graph, dtype, topology, constants)
    return lambda: kernel(topology, constants, *rows, checked, zero_blocks, new_queue())
