"""The size of a batch: small ones pay for the call, large ones for memory outside the caches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from states import random_states
from timing import Timed, interleaved

import modular_dynamics as md

__all__ = ["SIZES", "measure_sizes"]

SIZES = (64, 256, 1024, 4096, 16384)
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
            timed[f"derivatives/{count}"] = (_derivatives(graph, double), count)
    found: dict[str, dict[int, float]] = {}
    for name, times in interleaved(timed, rounds, tick).items():
        what, count = name.split("/")
        found.setdefault(what, {})[int(count)] = float(np.median(times))
    return found


def _torques(graph: md.SubsystemGraph, states: list[np.ndarray]) -> Callable[[], object]:
    out = np.empty_like(states[1])
    return lambda: md.inverse_dynamics_batch(graph, *states, 1, out=out, dtype=out.dtype)


def _derivatives(graph: md.SubsystemGraph, states: list[np.ndarray]) -> Callable[[], object]:
    out = md.inverse_dynamics_derivatives_batch(graph, *states)
    return lambda: md.inverse_dynamics_derivatives_batch(graph, *states, 1, out=out)


def _zeros(count: int, nv: int) -> Callable[[], object]:
    """What writing alone takes."""
    out = np.empty((count, nv, nv))
    return lambda: out.fill(0.0)


def _matrices(graph: md.SubsystemGraph, q: np.ndarray) -> Callable[[], object]:
    out = np.empty((len(q), graph.nv, graph.nv))
    return lambda: md.mass_matrix_batch(graph, q, 1, out=out)
