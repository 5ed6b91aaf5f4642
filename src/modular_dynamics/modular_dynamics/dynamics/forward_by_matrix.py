"""Forward dynamics of graphs with mimic joints: M(q) vdot = tau - h(q, v), solved by Cholesky's method.

A coordinate that moves several joints closes a loop of transmissions: no single body answers for it, and the
articulated-body recursion does not apply. The mass matrix knows nothing of that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StateError
from ..kernels import inverse_dynamics_float64, layout, mass_matrix_float64
from ..kernels.recursions.articulated_body import ROUNDING
from ..kernels.turns import begin, end, first_bad, new_turns, stop, take
from ..model import SubsystemGraph

__all__ = ["forward_by_matrix", "rows_by_matrix"]

Array = NDArray[np.float64]
Arrays = tuple[NDArray[np.int64], Array]
#: Numbers in the mass matrices that a thread has in memory at a time, and states at most.
LARGEST_STACK, TAKEN = 1_000_000, 512


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
    if not np.isfinite(out).all():
        raise StateError("q, v and tau are finite, but so large that the accelerations are not")


def rows_by_matrix(
    topology: NDArray[np.int64],
    constants: NDArray[np.float64],
    q: Array,
    v: Array,
    tau: Array,
    vdot: Array,
    known: NDArray[np.int64],
    blank: NDArray[np.bool_],
    turns: NDArray[np.int64],
) -> None:
    """Rows of q, v, tau -> rows of vdot, as the batch kernels do."""
    nv = int(topology[-1, layout.V])
    step = min(TAKEN, max(8, LARGEST_STACK // max(nv * nv, 1)))
    begin(turns)
    try:
        while (first := take(turns, step)) < len(q):
            rows = (array[first : first + step] for array in (q, v, tau, vdot))
            bad: int | None = 0  # and so where something goes wrong: nobody else has these rows
            try:
                bad = _first_bad((topology, constants), known, *rows)
            finally:
                if bad is not None:
                    stop(turns, first + bad, len(q))
    finally:
        end(turns)


def _first_bad(
    tree: Arrays, known: NDArray[np.int64], q: Array, v: Array, tau: Array, vdot: Array
) -> int | None:
    """Write vdot, or say from which row on one is bad."""
    count, nv = tau.shape
    none, flat, h = np.empty((count, 0)), np.empty((count, nv * nv)), np.empty((count, nv))
    turns, blank = new_turns(), np.zeros(nv * nv, np.bool_)  # nothing is
    mass_matrix_float64(*tree, q, none, none, flat, np.arange(nv * nv), blank, turns)
    if (bad := first_bad(turns)) is None:
        turns = new_turns()
        inverse_dynamics_float64(*tree, q, v, np.zeros_like(h), h, known, blank, turns)
        bad = first_bad(turns)
    if bad is not None:
        return bad
    M = flat.reshape(count, nv, nv)
    try:
        pivots = np.diagonal(np.linalg.cholesky(M), axis1=1, axis2=2) ** 2
        good = bool((pivots > ROUNDING * np.diagonal(M, axis1=1, axis2=2)).all())
    except np.linalg.LinAlgError:
        good = False
    if not (good and np.isfinite(tau).all()):
        return 0
    with np.errstate(over="ignore"):
        vdot[:] = np.linalg.solve(M, (tau - h)[..., None])[..., 0]
    return None if np.isfinite(vdot).all() else 0
