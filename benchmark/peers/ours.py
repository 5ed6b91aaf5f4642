"""This library's calls, by its public functions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import modular_dynamics as md
from benchmark.setting.robots import MATRICES, VECTORS, Array, States
from benchmark.setting.timing import Timed


class Ours:
    """All calls of one graph on the same states; result arrays are allocated before timing.

    Attributes:
        timed: the calls; those of batches have their number of threads behind their name.
    """

    def __init__(self, graph: md.SubsystemGraph, states: States, many: States, threads: int) -> None:
        nv, (q, v, vdot) = graph.nv, states.first
        tau, acceleration, matrix = np.empty(nv), np.empty(nv), np.empty((nv, nv))
        # later calls write into these results
        parts = md.inverse_dynamics_derivatives(graph, q, v, vdot)
        given = md.inverse_dynamics(graph, q, v, vdot)
        self.timed: Timed = {
            "inverse_dynamics out=": (lambda: md.inverse_dynamics(graph, q, v, vdot, out=tau), 1),
            "inverse_dynamics": (lambda: md.inverse_dynamics(graph, q, v, vdot), 1),
            "mass_matrix": (lambda: md.mass_matrix(graph, q, out=matrix), 1),
            "forward_dynamics": (lambda: md.forward_dynamics(graph, q, v, given, out=acceleration), 1),
            "inverse_dynamics_derivatives": (
                lambda: md.inverse_dynamics_derivatives(graph, q, v, vdot, out=parts),
                1,
            ),
        }
        self._first: dict[str, dict[str, Any]] = {
            "torques": {"inverse_dynamics out=": tau},
            "mass matrix": {"mass_matrix": matrix},
            "accelerations": {"forward_dynamics": acceleration},
            "derivatives": {"inverse_dynamics_derivatives": parts},
        }
        rows, threads_used = (many.q, many.v, many.vdot), sorted({1, threads})
        few, low = [x[:MATRICES] for x in rows], [x.astype(np.float32) for x in rows]
        torques, derivatives = md.inverse_dynamics, md.inverse_dynamics_derivatives
        many_given = torques(graph, *rows, threads)

        def add(
            quantity: str, name: str, batch: Callable[..., Any], arguments: Sequence[Any], out: Any
        ) -> None:
            for count in threads_used:
                self.timed[f"{name} {count}"] = (
                    partial(batch, graph, *arguments, count, out=out),
                    len(arguments[0]),
                )
            first = tuple(x[0] for x in out) if isinstance(out, tuple) else out[0]
            self._first[quantity][f"{name} 1"] = first

        vectors, singles = np.empty((2, VECTORS, nv)), np.empty((VECTORS, nv), np.float32)
        add("torques", "inverse_dynamics_batch float64", torques, rows, vectors[0])
        add("torques", "inverse_dynamics_batch float32", partial(torques, dtype=np.float32), low, singles)
        forward = md.forward_dynamics
        add("accelerations", "forward_dynamics_batch", forward, (many.q, many.v, many_given), vectors[1])
        add("mass matrix", "mass_matrix_batch", md.mass_matrix, few[:1], np.empty((MATRICES, nv, nv)))
        stacks = derivatives(graph, *few)
        add("derivatives", "inverse_dynamics_derivatives_batch", derivatives, few, stacks)

    def results(self) -> dict[str, dict[str, Array]]:
        """Results of the timed calls for the first state: quantity -> call -> array."""
        return {
            quantity: {name: np.array(arrays) for name, arrays in calls.items()}
            for quantity, calls in self._first.items()
        }


def single_and_batch(graph: md.SubsystemGraph, states: States, count: int) -> list[tuple[Any, int]]:
    """Calls to time: inverse dynamics of the first state, and of so many states on one thread."""
    (q, v, vdot), many = states.first, states.repeated(count)
    tau, taus = np.empty(graph.nv), np.empty((count, graph.nv))
    return [
        (lambda: md.inverse_dynamics(graph, q, v, vdot, out=tau), 1),
        (lambda: md.inverse_dynamics(graph, many.q, many.v, many.vdot, threads=1, out=taus), count),
    ]
