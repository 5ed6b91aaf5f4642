"""Pinocchio from Python: single calls, and parallel ones where they exist."""

from functools import cached_property

import numpy as np
import pinocchio

import modular_dynamics as md
from benchmark.peers.pinocchio_quantities import Reference
from benchmark.quantities import State
from benchmark.setting.robots import VECTORS, Array, States
from benchmark.setting.timing import Timed


class PinocchioPeer:
    """Pinocchio's model of a graph and the same states in its order; one row for each state."""

    def __init__(self, graph: md.SubsystemGraph, states: States, *thread_counts: int) -> None:
        self._reference, self._thread_counts = Reference(graph), thread_counts
        to = self._reference.converter
        self.model, self.data = to.model, to.data
        turns, ours = (to.q, to.v, to.v), (states.q, states.v, states.a)
        self.states = States(
            *(np.array([turn(row) for row in rows]) for turn, rows in zip(turns, ours, strict=True))
        )
        # from Pinocchio itself, whose mimic joints are independent: their torques do not follow from ours
        rows = zip(self.states.q, self.states.v, self.states.a, strict=True)
        self.tau = np.array([pinocchio.rnea(self.model, self.data, *row) for row in rows])
        own = *states.first, self._reference.S.T @ self.tau[0]
        self._first = State(*own, *[np.empty(0)] * 5)

    @cached_property
    def timed(self) -> Timed:
        """Return single calls by name, parallel ones with their number of threads."""
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

    def parallel(self, threads: int) -> Timed:
        """Return rneaInParallel and abaInParallel, which take columns."""
        rows, count = self.states.repeated(VECTORS), VECTORS
        torques = self.tau[np.arange(count) % len(self.tau)]
        q, v, a, given = (x.T for x in (rows.q, rows.v, rows.a, torques))
        tau, acceleration = np.zeros((2, count, self.model.nv)).transpose(0, 2, 1)
        pool = pinocchio.ModelPool(self.model, threads)
        rnea, aba = pinocchio.rneaInParallel, pinocchio.abaInParallel
        return {
            f"rneaInParallel {threads}": (lambda: rnea(threads, pool, q, v, a, tau), count),
            f"abaInParallel {threads}": (lambda: aba(threads, pool, q, v, given, acceleration), count),
        }

    def results(self) -> dict[str, tuple[str, Array]]:
        """Return quantity and result for the first state by call, in the graph's order."""
        computed, state = self._reference, self._first
        return {
            "rnea": ("torques", computed.torques(state)),
            "crba": ("mass matrix", computed.mass_matrix(state)),
            "aba": ("accelerations", computed.accelerations(state)),
            "computeRNEADerivatives": ("derivatives", computed.derivatives(state)),
        }
