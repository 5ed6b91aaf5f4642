"""Inverse dynamics of a robot whose loops Newton's method closes: one call of one compiled function."""

from typing import Any

import numpy as np

from ....dynamics.arrays.arguments import Array
from ....kernels.loops.newton_batch import NewtonStates, newton_batch
from ....kernels.row_queue import new_queue
from ....model import SubsystemGraph
from ..solver import ClosedLoopSolver
from .arrays import newton_mechanism, no_designs, with_work_arrays

__all__ = ["REFUSED", "NewtonCall", "is_array", "is_result"]

#: Status for what the compiled function does not answer.
REFUSED = 1


class NewtonCall:
    """The batch's function (kernels/loops/newton_batch.py) with one row, whose arrays are made beforehand.

    It answers what the batch answers; its status tells of the rest, which is left to the general method. It
    belongs to one thread.

    Args:
        solver: its arrays are overwritten. friction: as of :func:`.inverse_dynamics`.
    """

    def __init__(self, solver: ClosedLoopSolver, friction: str) -> None:
        self._solver, self._friction = solver, friction
        positions, velocities = len(solver.independent_q), len(solver.independent_v)
        self._row = _one_row(solver.graph, positions, velocities)
        self._queue, self._at_start = new_queue(), new_queue()
        self._arguments: tuple[Any, ...] | None = None
        self._shapes = (positions,), (velocities,), (solver.graph.nq,)

    def __call__(
        self, q: Array, v: Array, vdot: Array, guess: Array, tau: Array, coordinates: Array | None = None
    ) -> int:
        """Write tau and the coordinates of all joints; 0, or another status where nothing is written.

        Args:
            q, v, vdot, tau (p,): of the independent joints. guess, coordinates (nq,): of all joints. Float64;
                else the status is not 0.
        """
        positions, velocities, all_joints = self._shapes
        given = (q, positions), (v, velocities), (vdot, velocities), (guess, all_joints)
        if not all(is_array(one, shape) for one, shape in given) or not is_result(tau, velocities):
            return REFUSED
        if coordinates is not None and not is_result(coordinates, all_joints):
            return REFUSED
        row = self._row
        row.q[0], row.v[0], row.vdot[0], row.starts[0] = q, v, vdot, guess
        if self._arguments is None:
            self._prepare()
        if self._arguments is None:
            return REFUSED
        self._queue[:] = self._at_start
        newton_batch(*self._arguments, 1, self._queue)
        if row.statuses[0] != 0:
            return REFUSED
        tau[:] = row.tau[0]
        if coordinates is not None:
            coordinates[:] = row.coordinates[0]
        return 0

    @property
    def projection(self) -> Array:
        """W (nv, p) of the state that was answered last; the next one overwrites it."""
        assert self._arguments is not None
        projection: Array = self._arguments[2].projection
        return projection

    def _prepare(self) -> None:
        """Make the arguments that stay: at a guess, which shows whether loops determine all coordinates."""
        solver, row = self._solver, self._row
        mechanism = newton_mechanism(solver, self._friction, row.starts)
        if mechanism is None:
            return
        own, workspace = with_work_arrays(mechanism, solver.graph), solver.system.new_workspace()
        self._arguments = own, workspace, solver.result_arrays(), row, no_designs(solver.graph)


def _one_row(graph: SubsystemGraph, positions: int, velocities: int) -> NewtonStates:
    q, rates, tensions = (
        np.zeros((1, positions)),
        np.zeros((1, velocities)),
        np.zeros((1, len(graph.springs))),
    )
    starts, statuses = np.zeros((1, graph.nq)), np.ones(1, np.int64)
    return NewtonStates(
        q, rates, rates.copy(), starts, starts.copy(), rates.copy(), tensions, statuses=statuses
    )


def is_array(value: object, shape: tuple[int, ...]) -> bool:
    """Whether a value is a float64 array of this shape."""
    return type(value) is np.ndarray and value.dtype == np.float64 and value.shape == shape


def is_result(value: object, shape: tuple[int, ...]) -> bool:
    """The same, contiguous, aligned and writeable."""
    return isinstance(value, np.ndarray) and is_array(value, shape) and value.flags.carray
