"""Accelerations along the motions that loops leave open, by the mass matrix of these."""

import numpy as np

from ...dynamics.arrays.arguments import Array

__all__ = ["NO_INERTIA", "reduced_accelerations"]

#: Inertia of a motion that is rounding, relative to the largest of the tree.
NO_INERTIA = 1e-14
#: Torque [N m or N] along a motion that is rounding, relative to the largest.
NO_TORQUE = 1e-9


def reduced_accelerations(N: Array, M: Array, torques: Array) -> Array | None:
    """x (f,) with N^T M N x = torques (f,); the columns of N (nv, f) are motions, M (nv, nv) is of the tree.

    Zero along motions that move no inertia, as of a thin rod that spins, where no torque acts on these; None
    where one does. NaN where a torque is not finite.
    """
    from scipy import linalg  # noqa: PLC0415  # inverse dynamics must not wait for it at import

    if not np.isfinite(torques).all():
        return np.full(N.shape[1], np.nan)
    largest = float(np.abs(M).max(initial=0.0) * np.abs(N).max(initial=0.0) ** 2)
    reduced, rounding = N.T @ M @ N, NO_INERTIA * largest
    factor, failed = linalg.lapack.dpotrf(reduced, lower=True)
    if failed == 0 and (np.diagonal(factor) ** 2 > rounding).all():
        return np.asarray(linalg.cho_solve((factor, True), torques), np.float64)
    sizes, motions = np.linalg.eigh(reduced)
    along, counts = motions.T @ torques, sizes > rounding
    if np.abs(along[~counts]).max(initial=0.0) > NO_TORQUE * max(1.0, float(np.abs(torques).max())):
        return None
    return np.asarray(motions[:, counts] @ (along[counts] / sizes[counts]), np.float64)
