"""The equation of motion of a robot whose loops Newton's method closes: M1, and vdot by M1."""

from typing import Any

import numpy as np

from ....dynamics import mass_matrix
from ....dynamics.arrays.arguments import Array
from ....exceptions import StateError
from ..reduced_inertia import reduced_accelerations
from ..solver import ClosedLoopSolver
from .call import REFUSED, NewtonCall, is_array, is_result

__all__ = ["NewtonEquationCall"]


class NewtonEquationCall:
    """A function (q, guess, M) or (q, v, tau, guess, vdot) -> status; with coordinates as one argument more.

    Of :class:`NewtonCall` come closed coordinates, h1 and W; then M1 = W^T M W and M1 vdot = tau - h1. Where
    the status is not 0 nothing is written, and the general method answers.
    """

    def __init__(self, solver: ClosedLoopSolver, friction: str) -> None:
        width = len(solver.independent_v)
        self._call = NewtonCall(solver, friction)
        self._graph, self._tree = solver.graph, solver.graph.tree
        self._rest, self._bias, self._full = np.zeros(width), np.zeros(width), np.zeros(solver.graph.nq)

    def __call__(self, *arguments: Any) -> int:
        """The status; 1 also for arguments that are not float64 arrays of the right shape."""
        if len(arguments) in (3, 4):
            return self._mass_matrix(*arguments)
        return self._accelerations(*arguments) if len(arguments) in (5, 6) else REFUSED

    def _mass_matrix(self, q: Array, guess: Array, out: Array, coordinates: Array | None = None) -> int:
        width = len(self._rest)
        if not is_result(out, (width, width)) or not self._is_closed(q, self._rest, guess, coordinates):
            return REFUSED
        W = self._call.projection
        out[:] = W.T @ mass_matrix(self._tree, self._full) @ W
        return self._written(coordinates)

    def _accelerations(
        self, q: Array, v: Array, tau: Array, guess: Array, out: Array, coordinates: Array | None = None
    ) -> int:
        if not (is_array(tau, self._rest.shape) and is_result(out, self._rest.shape)):
            return REFUSED
        if not self._is_closed(q, v, guess, coordinates):
            return REFUSED
        M = mass_matrix(self._tree, self._full)
        try:
            vdot = reduced_accelerations(self._graph, self._call.projection, M, tau - self._bias)
        except StateError:
            return REFUSED
        if not np.isfinite(vdot).all():
            return REFUSED
        out[:] = vdot
        return self._written(coordinates)

    def _is_closed(self, q: Array, v: Array, guess: Array, coordinates: Array | None) -> bool:
        """Whether loops were closed at q, and the array for coordinates, if any, can take them."""
        if coordinates is not None and not is_result(coordinates, self._full.shape):
            return False
        return self._call(q, v, self._rest, guess, self._bias, self._full) == 0

    def _written(self, coordinates: Array | None) -> int:
        if coordinates is not None:
            coordinates[:] = self._full
        return 0
