"""Time per state by size of the batch: small ones pay for the call, large ones for memory access."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

import modular_dynamics as md
from benchmark.setting.states import random_states
from benchmark.setting.timing import Timed, interleaved
from modular_dynamics.dynamics.arrays.model_arrays import constants_of, topology_of
from modular_dynamics.dynamics.execution.algorithms import DOUBLE, MASS_MATRIX
from modular_dynamics.kernels.numba_support.memory import zero_float64x8
from modular_dynamics.kernels.transposition import lanes_to_columns

__all__ = ["SIZES", "measure_sizes"]

SIZES = (64, 256, 1024, 4096, 16384)
LANES = 8
Array = NDArray[np.float64]
LARGEST_ARRAY = 2**23  # numbers; 64 MB


def measure_sizes(urdf: str, rounds: int, tick: Callable[[str], None]) -> dict[str, dict[int, float]]:
    """Microseconds for one state after graph.compile(), one thread: what -> states -> time."""
    graph = md.load_urdf(urdf)
    graph.compile(tick)
    states, nv = random_states(graph), graph.nv
    timed: Timed = {}
    for count in SIZES:
        many = states.repeated(count)
        double = [many.q, many.v, many.vdot]
        single = [x.astype(np.float32) for x in double]
        timed |= {
            f"torques f64/{count}": (_torques(graph, double), count),
            f"torques f32/{count}": (_torques(graph, single), count),
        }
        if count * nv * nv <= LARGEST_ARRAY:
            timed[f"mass matrix/{count}"] = (_matrices(graph, many.q), count)
            timed[f"zeros of its size/{count}"] = (_zeros(count, nv), count)
            timed[f"reordering alone/{count}"] = (_reordering(graph, count), count)
            timed[f"derivatives/{count}"] = (_derivatives(graph, double), count)
    medians: dict[str, dict[int, float]] = {}
    for name, times in interleaved(timed, rounds, tick).items():
        what, count = name.split("/")
        medians.setdefault(what, {})[int(count)] = float(np.median(times))
    return medians


def _torques(graph: md.SubsystemGraph, states: list[np.ndarray]) -> Callable[[], object]:
    out = np.empty_like(states[1])
    return lambda: md.inverse_dynamics_batch(graph, *states, 1, out=out, dtype=out.dtype)


def _derivatives(graph: md.SubsystemGraph, states: list[np.ndarray]) -> Callable[[], object]:
    out = md.inverse_dynamics_derivatives_batch(graph, *states)
    return lambda: md.inverse_dynamics_derivatives_batch(graph, *states, 1, out=out)


def _zeros(count: int, nv: int) -> Callable[[], object]:
    """Writing zeros alone."""
    out = np.empty((count, nv, nv))
    return lambda: out.fill(0.0)


def _reordering(graph: md.SubsystemGraph, count: int) -> Callable[[], object]:
    """Copying mass matrices from vector lanes to rows, without computing any."""
    topology, constants = MASS_MATRIX.prepared(topology_of(graph, frozenset()), constants_of(graph))
    blank = MASS_MATRIX.zero_blocks(graph, DOUBLE, topology, constants)
    lanes, out = np.zeros(graph.nv**2 * LANES), np.empty((count, graph.nv**2))
    return lambda: _reorder(lanes, out, blank)


@njit
def _reorder(lanes: Array, out: Array, blank: NDArray[np.bool_]) -> None:
    for first in range(0, out.shape[0], LANES):
        lanes_to_columns(lanes, out, first, blank, LANES, zero_float64x8())


def _matrices(graph: md.SubsystemGraph, q: np.ndarray) -> Callable[[], object]:
    out = np.empty((len(q), graph.nv, graph.nv))
    return lambda: md.mass_matrix_batch(graph, q, 1, out=out)
