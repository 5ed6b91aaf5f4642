"""Pinocchio from Python: single calls, and parallel ones where they exist."""

from functools import cached_property

import numpy as np
import pinocchio

import modular_dynamics as md
from benchmark.setting.robots import VECTORS, Array, States
from benchmark.setting.timing import Timed


class PinocchioPeer:
    """Pinocchio's model of a graph and the same states in its order; one row for each state."""

    def __init__(self, graph: md.SubsystemGraph, states: States, *thread_counts: int) -> None:
        self.graph, self._thread_counts = graph, thread_counts
        self._converter = md.crosscheck.PinocchioModel(graph)
        self.model, self.data = self._converter.model, self._converter.data
        turns = self._converter.q, self._converter.v, self._converter.v
        ours = states.q, states.v, states.a
        self.states = States(
            *(np.array([turn(row) for row in rows]) for turn, rows in zip(turns, ours, strict=True))
        )
        # from Pinocchio itself, whose mimic joints are independent: their torques do not follow from ours
        rows = zip(self.states.q, self.states.v, self.states.a, strict=True)
        self.tau = np.array([pinocchio.rnea(self.model, self.data, *row) for row in rows])

    @cached_property
    def S(self) -> Array:
        """From our velocities to Pinocchio's: v_theirs = S v_ours, tau_ours = S^T tau_theirs."""
        return np.array([self._converter.v(unit) for unit in np.eye(self.graph.nv)]).T

    def timed(self) -> Timed:
        """Single calls by name, parallel ones with their number of threads."""
        model, data, (q, v, a), tau = self.model, self.data, self.states.first, self.tau[0].copy()
        world = pinocchio.Convention.WORLD  # which convention is faster depends on the robot
        calls: Timed = {
            "rnea": (lambda: pinocchio.rnea(model, data, q, v, a), 1),
            "crba": (lambda: pinocchio.crba(model, data, q), 1),
            "crba (world)": (lambda: pinocchio.crba(model, data, q, world), 1),
            "aba": (lambda: pinocchio.aba(model, data, q, v, tau), 1),
            "aba (world)": (lambda: pinocchio.aba(model, data, q, v, tau, world), 1),
            "computeRNEADerivatives": (lambda: pinocchio.computeRNEADerivatives(model, data, q, v, a), 1),
        }
        for count in self._thread_counts:
            calls |= self.parallel(count)
        return calls

    def parallel(self, threads: int, count: int = VECTORS) -> Timed:
        """rneaInParallel and abaInParallel, which take columns."""
        rows = self.states.repeated(count)
        q, v, a, given = (x.T for x in (rows.q, rows.v, rows.a, self.many_torques(count)))
        tau, acceleration = np.zeros((2, count, self.model.nv)).transpose(0, 2, 1)
        pool = pinocchio.ModelPool(self.model, threads)
        rnea, aba = pinocchio.rneaInParallel, pinocchio.abaInParallel
        return {
            f"rneaInParallel {threads}": (lambda: rnea(threads, pool, q, v, a, tau), count),
            f"abaInParallel {threads}": (lambda: aba(threads, pool, q, v, given, acceleration), count),
        }

    def many_torques(self, count: int) -> Array:
        """Torques of so many states, in Pinocchio's order: the input of forward dynamics."""
        return self.tau[np.arange(count) % len(self.tau)]

    def results(self) -> dict[str, Array]:
        """Results for the first state, in the graph's order: quantity -> array."""
        model, data, (q, v, a), S = self.model, self.data, self.states.first, self.S
        matrix = pinocchio.crba(model, data, q)
        parts = pinocchio.computeRNEADerivatives(model, data, q, v, a)
        return {
            "torques": self.torques(self.tau[0]),
            "mass matrix": S.T @ (np.triu(matrix) + np.triu(matrix, 1).T) @ S,
            "accelerations": self.accelerations(pinocchio.aba(model, data, q, v, self.tau[0])),
            "derivatives": np.array([S.T @ part @ S for part in parts]),
        }

    def torques(self, theirs: Array) -> Array:
        """Torques in the graph's order."""
        return self.S.T @ theirs

    def accelerations(self, theirs: Array) -> Array:
        """Accelerations in the graph's order."""
        return np.linalg.lstsq(self.S, theirs)[0]
