"""The workspace of a closed-loop robot: closing its loops, and inverse dynamics where they are closed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arrays.model_arrays import body_to_aligned
from ...exceptions import StateError
from ...kernels import layout
from ...kernels.loops import closed_loop
from ...kernels.loops.constraint_rows import cut_wrenches
from ...model import SubsystemGraph, body_loads
from ..assembly.mechanism import Mechanism
from ..constraints.independence import LARGEST_VIOLATION, raise_if_dependent, raise_if_singular
from ..workspaces import workspace_of
from .closed_loop_dynamics import ClosedLoopDynamics

__all__ = ["ClosedLoopSolver", "solver_of"]

Array = NDArray[np.float64]


class ClosedLoopSolver:
    """Closed-loop computations of one graph, with everything allocated beforehand. For one thread only.

    Results are values: later calls do not change them.

    Attributes:
        mechanism: the constraints of the graph and their solution.

    Raises:
        UnsupportedModelError: a black box, or a passive or geared joint with several coordinates.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self.graph, self.mechanism = graph, Mechanism(graph)
        self._loaded = self.mechanism.arrays[0][1].copy()

    @property
    def independent_q(self) -> NDArray[np.int64]:
        """Indices of the independent joints' coordinates in q (nq,)."""
        return self.mechanism.independent_q

    @property
    def independent_v(self) -> NDArray[np.int64]:
        """Indices of the independent joints' velocities in v (nv,)."""
        return self.mechanism.independent_v

    def reference(self) -> Array:
        """The closed configuration (nq,) from which loops are closed without a guess. Raises ClosureError."""
        return self.mechanism.reference().copy()

    def close(self, q_independent: ArrayLike, guess: ArrayLike | None = None) -> Array:
        """Coordinates of all joints (nq,), loops closed: see :func:`.close_loops`."""
        return self.mechanism.positions(q_independent, guess)

    def residual(self, coordinates: ArrayLike) -> dict[str, float]:
        """By loop joint and gear, the largest violation of its rows [m or 1] at coordinates (nq,)."""
        return self.mechanism.residual(*self.graph.checked(q=coordinates))

    def projection(self, coordinates: ArrayLike) -> Array:
        """W (nv, independent) at closed coordinates (nq,): see :func:`.constraint_projection`.

        Raises:
            SingularityError: a dead point, or too few independent joints. ClosureError: too many.
        """
        (q,) = self.graph.checked(q=coordinates)
        W = np.zeros((self.graph.nv, len(self.independent_v)))
        condition = closed_loop.projection(*self.mechanism.arrays, q, self.mechanism.room, W)
        raise_if_singular(self.mechanism, q, condition)
        raise_if_dependent(self.mechanism, q, W)
        return W

    def inverse_dynamics(
        self,
        coordinates: ArrayLike,
        v_independent: ArrayLike,
        vdot_independent: ArrayLike,
        external_wrenches: Mapping[str, ArrayLike] | None = None,
    ) -> ClosedLoopDynamics:
        """Inverse dynamics at coordinates (nq,) that are closed already; they are not closed again.

        Args:
            coordinates: of all joints, as ``close`` returns them. The residual of the result reports how far
                they are from closed; nothing is raised for it.
            v_independent, vdot_independent: of the independent joints.
            external_wrenches: as of :func:`.closed_loop_inverse_dynamics`, and so the errors.
        """
        mechanism, graph = self.mechanism, self.graph
        q = graph.checked(q=coordinates)[0].copy()
        v, vdot = mechanism.checked_rates(v=v_independent, vdot=vdot_independent)
        velocities, accelerations = np.zeros((2, graph.nv))
        velocities[mechanism.independent_v], accelerations[mechanism.independent_v] = v, vdot
        tau, multipliers = np.empty(graph.nv), np.zeros(len(mechanism.rows.rows))
        (topology, constants), loops, split = mechanism.arrays
        tree = topology, self._with_loads(external_wrenches) if external_wrenches else constants
        room = mechanism.room, mechanism.stretch, mechanism.buffer
        status, condition, rank, violation = closed_loop.closed_dynamics(
            tree,
            loops,
            mechanism.springs.arrays,
            mechanism.laws,
            split,
            q,
            velocities,
            accelerations,
            *room,
            tau,
            multipliers,
        )
        tensions = mechanism.stretch[8].tolist()
        raise_if_singular(mechanism, q, condition)
        if status != 0:
            raise StateError("q, v and vdot are finite, but so large that the torques are not")
        cut = np.zeros((len(mechanism.rows.ends), 6))
        cut_wrenches(topology, mechanism.room[1], *loops, multipliers, cut)
        W = np.zeros((graph.nv, len(mechanism.independent_v)))
        closed_loop.projection(*mechanism.arrays, q, mechanism.room, W)
        if violation > LARGEST_VIOLATION:
            raise_if_dependent(mechanism, q, W)
        return ClosedLoopDynamics(
            tau[mechanism.independent_v],
            multipliers,
            q,
            velocities,
            accelerations,
            {loop.name: wrench for loop, wrench in zip(graph.loop_joints, cut, strict=True)},
            {spring.name: tension for spring, tension in zip(graph.springs, tensions, strict=False)},
            rank,
            len(multipliers) - rank,
            condition,
            mechanism.residual(q),
            W,
        )

    def warm_up(self) -> None:
        """Compile or load every kernel, so that the first real call is as fast as the others.

        Raises:
            ClosureError: no closed configuration was found, or the reference is a dead point.
        """
        rest = np.zeros(len(self.independent_v))
        self.inverse_dynamics(self.mechanism.warm_up(), rest, rest)

    def _with_loads(self, external_wrenches: Mapping[str, ArrayLike]) -> Array:
        """The constants of the tree with wrenches on its bodies."""
        self._loaded[:-1, layout.EXTERNAL :] = 0.0
        for body, zeta in body_loads(self.graph, external_wrenches).items():
            wrench = body_to_aligned(self.mechanism.alignments[body], zeta.vec6())
            self._loaded[body, layout.EXTERNAL :] += wrench
        return self._loaded


def solver_of(graph: SubsystemGraph) -> ClosedLoopSolver:
    """This thread's solver of a graph, made on first use."""
    return workspace_of(graph, ClosedLoopSolver)
