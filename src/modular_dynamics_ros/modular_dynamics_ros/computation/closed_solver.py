"""Closed loops in the shape of `OpenSolver`: what a robot with loops has in its place."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

import modular_dynamics as md
from modular_dynamics.closure import (
    ClosedLoopDynamics,
    closed_loop_inverse_dynamics,
    internal_wrenches,
    stamped_cut_wrenches,
)
from modular_dynamics.closure.dynamics.solver import solver_of

__all__ = ["ClosedSolver"]

Wrenches = Mapping[str, ArrayLike] | None


class ClosedSolver:
    """Inverse dynamics of a graph with loops, gears or springs, and the wrenches of its open tree.

    Attributes:
        guess: coordinates of all joints, from where the next call closes the loops; None: the library's.
        found: the last call's result.

    Raises:
        UnsupportedModelError: a black box, or a passive joint with several coordinates.
    """

    def __init__(self, graph: md.SubsystemGraph) -> None:
        self.graph = graph
        self.guess: np.ndarray | None = None
        self.found: ClosedLoopDynamics | None = None
        self._independent = solver_of(graph).independent_v
        self._tree = md.InverseDynamics(graph.tree)
        self._external: Wrenches = None
        self._tree_result: tuple[ClosedLoopDynamics, md.InverseDynamicsResult] | None = None
        self._loads: tuple[ClosedLoopDynamics | None, dict[str, np.ndarray]] = (None, {})  # and the loads

    def warm_up(self) -> None:
        """Close the loops once, and compute everything.

        Raises:
            ClosureError: no configuration is found in which the loops close, or it is a dead point.
        """
        rest = np.zeros(self.graph.nv)
        self.guess = solver_of(self.graph).warm_up()
        self(self.guess, rest, rest, out=rest.copy())
        self.stamped_wrench(0)
        self.guess = None

    def __call__(
        self,
        q: np.ndarray,
        v: np.ndarray,
        vdot: np.ndarray,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """tau (nv,) of the independent joints, zero elsewhere, from their part of q, v and vdot.

        Black boxes' wrenches are an argument because `OpenSolver` has it; there are none here.
        Errors as of `closed_loop_inverse_dynamics`.
        """
        own = self._independent
        self.found = closed_loop_inverse_dynamics(
            self.graph, q[own], v[own], vdot[own], self.guess, external_wrenches
        )
        self._external = external_wrenches
        tau = np.zeros(self.graph.nv) if out is None else out
        tau[:] = 0.0
        tau[own] = self.found.tau
        return tau

    def open_by(self, coordinates: np.ndarray) -> float:
        """What is open [m or 1] at coordinates of all joints, the largest of all loops and gears."""
        return max(solver_of(self.graph).residual(coordinates).values(), default=0.0)

    @property
    def loads(self) -> dict[str, np.ndarray]:
        """By link: what loop joints, springs and the last call's external wrenches exert on the open tree."""
        assert self.found is not None  # a call was made
        if self._loads[0] is not self.found:
            loads = internal_wrenches(self.graph, self.found)
            for link, wrench in (self._external or {}).items():
                loads[link] = loads.get(link, 0.0) + np.asarray(wrench, dtype=float)
            self._loads = self.found, loads
        return self._loads[1]

    def stamped_wrench(self, index: int) -> tuple[str, np.ndarray]:
        """Of the last call: the wrench that the open tree passes on to a subsystem, as (link, wrench)."""
        found = self.found
        assert found is not None  # a call was made
        if self._tree_result is None or self._tree_result[0] is not found:
            motion = found.coordinates, found.velocities, found.accelerations
            self._tree_result = found, self._tree.solve(*motion, self.loads)
        return self._tree_result[1].connection_wrench_in_link(index)

    @property
    def stamped_cut_wrenches(self) -> dict[str, tuple[str, np.ndarray]]:
        """By loop joint (link, [force, moment]) at and in the successor link's frame, of the last call."""
        assert self.found is not None  # a call was made
        return stamped_cut_wrenches(self.graph, self.found)
