"""Accelerations along the motions that loops leave open, by the mass matrix of these."""

import numpy as np

from ...dynamics.arguments import Array
from ...exceptions import StateError
from ...model import SubsystemGraph

__all__ = ["SMALLEST_RATE", "exact_zeros", "reduced_accelerations", "separate_motions"]

#: Relative size of an inertia, compared to its terms, that may be rounding.
ROUNDING = 1e-13
#: Velocity of a joint that is rounding, relative to the largest of a motion that loops allow: loops are
#: closed, and their rank is known, to as much.
SMALLEST_RATE = 1e-9
#: Velocities below this are rounding errors of an exact zero.
EXACT_ZERO = 1e-14
#: Torque along a motion that is rounding, relative to the largest, or to what accelerates it by 1 rad/s^2.
NO_TORQUE = 1e-9
#: Velocity of a joint in a lost motion that is more than rounding, relative to the largest.
PART = 1e-3


def exact_zeros(motions: Array) -> Array:
    """Return motions with zeros in place of rounding errors, which would seem to need torques."""
    return np.where(np.abs(motions) < EXACT_ZERO, 0.0, motions)


def separate_motions(free: Array) -> Array:
    """Return motions (f, nv) that span the rows of ``free`` (f, nv), each the only one that moves some joint.

    Orthonormal motions mix joints that have nothing to do with each other: heavy ones would hide light ones.
    """
    from scipy import linalg  # noqa: PLC0415  # inverse dynamics must not wait for it at import

    if not len(free):
        return free
    own = linalg.qr(free, mode="r", pivoting=True)[1][: len(free)]
    separate = np.asarray(np.linalg.solve(free[:, own], free), np.float64)
    separate = exact_zeros(separate)
    separate[:, own] = np.eye(len(free))
    return separate


def reduced_accelerations(graph: SubsystemGraph, N: Array, M: Array, torques: Array) -> Array:
    """Solve N^T M N x = torques for x (f,); columns of N (nv, f) are motions, M (nv, nv) is the tree's.

    Zero along motions that move no inertia, as of a thin rod that spins, where no torque acts on these. NaN
    where a torque is not finite.

    Raises:
        StateError: torques act on a motion that moves no inertia; it names the joints that move.
    """
    if not np.isfinite(torques).all():
        return np.full(N.shape[1], np.nan)
    # sum of the sizes of terms that make each motion's inertia
    joints, rates = np.abs(N), np.abs(N).max(axis=0, initial=0.0)
    largest = np.where(joints > 0.0, np.diagonal(M)[:, None], 0.0).max(axis=0, initial=0.0) * rates**2
    terms = np.einsum("if,ij,jf->f", joints, np.abs(M), joints)
    size = np.maximum(terms, SMALLEST_RATE**2 / ROUNDING * largest)
    scale = 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0))
    reduced, scaled = scale[:, None] * (N.T @ M @ N) * scale, scale * torques
    try:
        factor = np.linalg.cholesky(reduced)
    except np.linalg.LinAlgError:
        pass
    else:
        if (np.diagonal(factor) ** 2 > ROUNDING).all():
            return np.asarray(scale * np.linalg.solve(reduced, scaled), np.float64)
    sizes, motions = np.linalg.eigh(reduced)
    along, counts = motions.T @ scaled, sizes > ROUNDING
    units = np.abs(motions).T @ np.sqrt(np.where(size > 0.0, size, 1.0))
    allowed = NO_TORQUE * np.maximum(np.abs(scaled).max(initial=0.0), units)
    if (acting := ~counts & (np.abs(along) > allowed)).any():
        names = ", ".join(_moving(graph, N, scale[:, None] * motions[:, acting]))
        raise StateError(
            f"{names} of '{graph.name}' have a motion that moves no inertia, on which torques act: M is "
            "singular, and they would accelerate infinitely"
        )
    return np.asarray(scale * (motions[:, counts] @ (along[counts] / sizes[counts])), np.float64)


def _moving(graph: SubsystemGraph, N: Array, lost: Array) -> list[str]:
    """Return names of the joints that move in motions N ``lost``; columns of ``lost`` are coefficients."""
    motions = np.abs(N @ lost)
    parts = (motions > PART * motions.max(axis=0, initial=0.0)).any(axis=1)
    return [name for name in graph.joint_names if parts[graph.v_slice(name)].any()]
