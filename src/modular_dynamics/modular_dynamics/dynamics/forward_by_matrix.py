"""Forward dynamics of graphs with mimic joints: M(q) vdot = tau - h(q, v), solved by Cholesky's method.

A coordinate that moves several joints acts on several bodies at once, so that the articulated-body recursion
does not apply. The mass matrix is not affected.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import inverse_dynamics_float64, layout, mass_matrix_float64
from ..kernels.recursions.articulated_layout import ROUNDING
from ..kernels.row_queue import begin, end, first_bad, new_queue, stop, take
from .arrays.arguments import Array, Topology, is_contiguous_float64
from .arrays.model_arrays import Arrays, work_for
from .execution.algorithms import (
    DOUBLE,
    FORWARD_DYNAMICS,
    INVERSE_DYNAMICS,
    MASS_MATRIX,
    REFUSED,
    Algorithm,
    StateCall,
)
from .lost_inertia import are_definite

__all__ = ["FORWARD_BY_MATRIX", "NO_INERTIA"]

#: Numbers in the mass matrices that a thread holds in memory at a time, and states at most.
LARGEST_STACK, TAKEN = 1_000_000, 512
#: Other statuses of a kernel: done; results that are not finite; joints that move no inertia.
DONE, OVERFLOW, NO_INERTIA = 0, 2, 3


class _ForwardByMatrix:
    """The call for one state, with the kernels for M and h bound to one graph's arrays."""

    def __init__(self, topology: Topology, constants: Array) -> None:
        n, self._nv = len(topology) - 1, int(topology[-1, layout.V])
        self._mass_matrix, self._inverse_dynamics = (
            algorithm.bind(topology, constants, work_for(n, algorithm.columns))
            for algorithm in (MASS_MATRIX, INVERSE_DYNAMICS)
        )

    def __call__(self, q: Any, v: Any, tau: Any, vdot: Any) -> int:
        """Write vdot at one state; it allocates.

        Returns:
            0; 1 for arguments that are refused; 2 where vdot is not finite; 3 where M is not positive
            definite but for rounding.
        """
        from scipy.linalg.lapack import dpotrf, dpotrs  # noqa: PLC0415  # few robots need it, and its import is slow

        nv = self._nv
        if not is_contiguous_float64(q, v, tau, vdot) or tau.shape != (nv,) or vdot.shape != (nv,):
            return REFUSED
        M, h = np.empty((nv, nv)), np.empty(nv)
        for status in (self._mass_matrix(q, M), self._inverse_dynamics(q, v, np.zeros(nv), h)):
            if status != DONE:
                return status
        if not np.isfinite(tau).all():
            return REFUSED
        with np.errstate(over="ignore"):
            torques = tau - h
        if not (np.isfinite(M).all() and np.isfinite(torques).all()):
            return OVERFLOW
        factor, failed = dpotrf(M, lower=True)
        if failed or (np.diagonal(factor) ** 2 <= ROUNDING * np.diagonal(M)).any():
            return NO_INERTIA
        vdot[:] = dpotrs(factor, torques, lower=True)[0]
        return DONE if np.isfinite(vdot).all() else OVERFLOW


def rows_by_matrix(
    topology: Topology,
    constants: Array,
    q: Array,
    v: Array,
    tau: Array,
    vdot: Array,
    checked: NDArray[np.int64],
    zero_blocks: NDArray[np.bool_],
    queue: NDArray[np.int64],
) -> None:
    """Rows of q, v, tau -> rows of vdot, as the batch kernels do."""
    nv = int(topology[-1, layout.V])
    step = min(TAKEN, max(8, LARGEST_STACK // max(nv * nv, 1)))
    begin(queue)
    try:
        while (first := take(queue, step)) < len(q):
            rows = (array[first : first + step] for array in (q, v, tau, vdot))
            bad: int | None = 0  # also if an exception is raised: no other thread takes these rows
            try:
                bad = _first_bad((topology, constants), checked, *rows)
            finally:
                if bad is not None:
                    stop(queue, first + bad, len(q))
    finally:
        end(queue)


def _first_bad(
    tree: Arrays, checked: NDArray[np.int64], q: Array, v: Array, tau: Array, vdot: Array
) -> int | None:
    """Write vdot; or the row from which on one is bad."""
    count, nv = tau.shape
    none, flat, h = np.empty((count, 0)), np.empty((count, nv * nv)), np.empty((count, nv))
    queue, never_zero = new_queue(), np.zeros(nv * nv, np.bool_)
    mass_matrix_float64(*tree, q, none, none, flat, np.arange(nv * nv), never_zero, queue)
    if (bad := first_bad(queue)) is None:
        queue = new_queue()
        inverse_dynamics_float64(*tree, q, v, np.zeros_like(h), h, checked, never_zero, queue)
        bad = first_bad(queue)
    if bad is not None:
        return bad
    M = flat.reshape(count, nv, nv)
    if not (are_definite(M).all() and np.isfinite(tau).all()):
        return 0
    with np.errstate(over="ignore"):
        vdot[:] = np.linalg.solve(M, (tau - h)[..., None])[..., 0]
    return None if np.isfinite(vdot).all() else 0


@dataclass(frozen=True)
class _ByMatrix(Algorithm):
    """Forward dynamics that combines the calls of two other algorithms."""

    @property
    def direct(self) -> bool:
        return False

    def bind(self, topology: Topology, constants: Array, work: Array) -> StateCall:
        return _ForwardByMatrix(topology, constants)


FORWARD_BY_MATRIX = _ByMatrix(
    FORWARD_DYNAMICS.name,
    1,
    {DOUBLE: rows_by_matrix},
    FORWARD_DYNAMICS.inputs,
    FORWARD_DYNAMICS.shape,
    FORWARD_DYNAMICS.overflow,
)
