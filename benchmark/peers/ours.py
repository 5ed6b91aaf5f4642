"""This library's calls, by its public functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from benchmark.setting.states import MATRICES, VECTORS, States
from benchmark.setting.timing import Timed

__all__ = ["Ours"]


class Ours:
    """All calls of one graph on the same states; result arrays are allocated before timing."""

    def __init__(self, graph: md.SubsystemGraph, states: States, many: States, threads: int) -> None:
        self.graph, self.states, self._many = graph, states, many
        nv = graph.nv
        self._tau, self._acceleration = np.empty(nv), np.empty(nv)
        self._matrix, self._matrices = np.empty((nv, nv)), np.empty((MATRICES, nv, nv))
        self._taus, self._singles = np.empty((VECTORS, nv)), np.empty((VECTORS, nv), np.float32)
        self._accelerations = np.empty((VECTORS, nv))
        self._few = [x[:MATRICES] for x in (many.q, many.v, many.vdot)]
        # later calls write into the results of these
        self._parts = md.inverse_dynamics_derivatives(graph, *states.first)
        self._stacks = md.inverse_dynamics_derivatives_batch(graph, *self._few)
        self.timed: Timed = self._single()
        for count in sorted({1, threads}):
            self.timed |= self._batches(count)

    def results(self) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Results of the timed calls for the first state: quantity -> call -> array."""
        results: dict[str, dict[str, tuple[NDArray[np.float64], ...]]] = {
            "torques": {
                "inverse_dynamics out=": (self._tau,),
                "inverse_dynamics_batch float64 1": (self._taus[0],),
                "inverse_dynamics_batch float32 1": (self._singles[0],),
            },
            "mass matrix": {"mass_matrix": (self._matrix,), "mass_matrix_batch 1": (self._matrices[0],)},
            "accelerations": {
                "forward_dynamics": (self._acceleration,),
                "forward_dynamics_batch 1": (self._accelerations[0],),
            },
            "derivatives": {
                "inverse_dynamics_derivatives": self._parts,
                "inverse_dynamics_derivatives_batch 1": tuple(x[0] for x in self._stacks),
            },
        }
        return {
            quantity: {name: np.array(arrays) for name, arrays in calls.items()}
            for quantity, calls in results.items()
        }

    def _single(self) -> Timed:
        graph, (q, v, vdot) = self.graph, self.states.first
        given = md.inverse_dynamics(graph, q, v, vdot)
        tau, matrix, acceleration, parts = self._tau, self._matrix, self._acceleration, self._parts
        return {
            "inverse_dynamics out=": (lambda: md.inverse_dynamics(graph, q, v, vdot, out=tau), 1),
            "inverse_dynamics": (lambda: md.inverse_dynamics(graph, q, v, vdot), 1),
            "mass_matrix": (lambda: md.mass_matrix(graph, q, matrix), 1),
            "forward_dynamics": (lambda: md.forward_dynamics(graph, q, v, given, out=acceleration), 1),
            "inverse_dynamics_derivatives": (
                lambda: md.inverse_dynamics_derivatives(graph, q, v, vdot, out=parts),
                1,
            ),
        }

    def _batches(self, threads: int) -> Timed:
        graph, q, v, vdot = self.graph, self._many.q, self._many.v, self._many.vdot
        few, stacks = self._few, self._stacks
        lows = [x.astype(np.float32) for x in (q, v, vdot)]
        given = md.inverse_dynamics_batch(graph, q, v, vdot, threads)
        torques = md.inverse_dynamics_batch
        return {
            f"inverse_dynamics_batch float64 {threads}": (
                lambda: torques(graph, q, v, vdot, threads, out=self._taus),
                VECTORS,
            ),
            f"inverse_dynamics_batch float32 {threads}": (
                lambda: torques(graph, *lows, threads, out=self._singles, dtype=np.float32),
                VECTORS,
            ),
            f"forward_dynamics_batch {threads}": (
                lambda: md.forward_dynamics_batch(graph, q, v, given, threads, out=self._accelerations),
                VECTORS,
            ),
            f"mass_matrix_batch {threads}": (
                lambda: md.mass_matrix_batch(graph, few[0], threads, out=self._matrices),
                MATRICES,
            ),
            f"inverse_dynamics_derivatives_batch {threads}": (
                lambda: md.inverse_dynamics_derivatives_batch(graph, *few, threads, out=stacks),
                MATRICES,
            ),
        }
