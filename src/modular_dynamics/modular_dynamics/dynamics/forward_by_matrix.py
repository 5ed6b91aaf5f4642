"""Forward dynamics of graphs with mimic joints: M(q) vdot = tau - h(q, v), solved by Cholesky's method.

A coordinate that moves several joints closes a loop of transmissions: no single body answers for it, and the
articulated-body recursion does not apply. The mass matrix knows nothing of that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StateError
from ..kernels import inverse_dynamics_float64, layout, mass_matrix_float64
from ..kernels.articulated_body import ROUNDING
from ..model import SubsystemGraph

__all__ = ["forward_by_matrix", "rows_by_matrix"]

#: Numbers in the mass matrices that are in memory at a time.
LARGEST_STACK = 1_000_000


def forward_by_matrix(
    graph: SubsystemGraph, M: NDArray[np.float64], torques: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Write vdot of M vdot = torques.

    Raises:
        StateError: M is not positive definite; names the joint whose coordinate needs the others to move.
    """
    from scipy.linalg.lapack import dpotrf, dpotrs  # noqa: PLC0415  # few robots need it, all wait at import

    if not (np.isfinite(M).all() and np.isfinite(torques).all()):
        raise StateError("q, v and tau are finite, but so large that the mass matrix or the bias are not")
    factor, failed = dpotrf(M, lower=True)  # failed: 1 + the first coordinate that moves no mass of its own
    if failed == 0:
        none = np.diagonal(factor) ** 2 <= ROUNDING * np.diagonal(M)
        failed = 1 + int(np.argmax(none)) if none.any() else 0
    if failed > 0:
        joint = next(name for name in graph.joint_names if graph.v_slice(name).stop >= failed)
        raise StateError(
            f"joint '{joint}' moves no inertia of its own: the mass matrix of '{graph.name}' is singular, "
            "and torques would accelerate the joint infinitely"
        )
    out[:] = dpotrs(factor, torques, lower=True)[0]


def rows_by_matrix(
    topology: NDArray[np.int64],
    constants: NDArray[np.float64],
    q: NDArray[np.float64],
    v: NDArray[np.float64],
    tau: NDArray[np.float64],
    vdot: NDArray[np.float64],
    known: NDArray[np.int64],
) -> int:
    """Rows of q, v, tau -> rows of vdot, as the batch kernels do: -1, or a row from which on one is bad."""
    nv = int(topology[-1, layout.V])
    step = max(8, LARGEST_STACK // max(nv * nv, 1))
    for first in range(0, len(q), step):
        part = slice(first, first + step)
        count = len(q[part])
        none, flat, h = np.empty((count, 0)), np.empty((count, nv * nv)), np.empty((count, nv))
        entries = np.arange(nv * nv)
        bad = mass_matrix_float64(topology, constants, q[part], none, none, flat, entries)
        if bad < 0:
            bad = inverse_dynamics_float64(topology, constants, q[part], v[part], np.zeros_like(h), h, known)
        if bad >= 0:
            return first + int(bad)
        M = flat.reshape(count, nv, nv)
        try:
            pivots = np.diagonal(np.linalg.cholesky(M), axis1=1, axis2=2) ** 2
            good = bool((pivots > ROUNDING * np.diagonal(M, axis1=1, axis2=2)).all())
        except np.linalg.LinAlgError:
            good = False
        if not (good and np.isfinite(tau[part]).all()):
            return first
        vdot[part] = np.linalg.solve(M, (tau[part] - h)[..., None])[..., 0]
    return -1
