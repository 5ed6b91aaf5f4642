"""Motions that move no inertia: whether M has one, which joints make it, and what to say of them.

Three joints through one point, with massless links between, lose a direction where the axes of the first and
the third are in line: turning one against the other moves nothing. M is singular there, and every torque
along this motion would accelerate it infinitely. One rule decides everywhere whether M is singular but for
rounding: what a joint moves while others are free (a pivot of Cholesky's method or of articulated bodies, or
the inverse of a diagonal element of M^-1) must be more than `ROUNDING` times what it moves while they are
held.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StateError
from ..model import SubsystemGraph
from .arguments import Array

__all__ = ["are_definite", "lost_joints", "no_inertia_text", "raise_lost"]

#: A pivot up to this share of what a joint moves while others are held is mostly rounding; as in the core.
ROUNDING = 1e-13
#: Part of a joint in a lost motion, of which all joints have unit inertias, that is more than rounding.
PART = 1e-3


def are_definite(M: Array) -> NDArray[np.bool_]:
    """Return whether each of the matrices (count, n, n) is positive definite beyond rounding."""
    diagonals = np.diagonal(M, axis1=1, axis2=2)
    try:
        pivots = np.diagonal(np.linalg.cholesky(M), axis1=1, axis2=2) ** 2
    except np.linalg.LinAlgError:  # one or more matrices are not positive definite
        pivots = np.array([_pivots(matrix) for matrix in M]).reshape(diagonals.shape)
    return np.asarray((pivots > ROUNDING * diagonals).all(axis=1))


def _pivots(matrix: Array) -> Array:
    """Return the pivots (n,) of one matrix; zeros if it is not positive definite."""
    try:
        return np.asarray(np.diagonal(np.linalg.cholesky(matrix)) ** 2)
    except np.linalg.LinAlgError:
        return np.zeros(len(matrix))


def lost_joints(graph: SubsystemGraph, M: Array, velocities: NDArray[np.int64] | None = None) -> list[str]:
    """Return names of the joints in motions without inertia of M (n, n), or with the least inertia.

    Args:
        velocities: (n,) indices in v of the rows of M; all by default.
    """
    indices = np.arange(graph.nv) if velocities is None else velocities
    diagonal = np.diagonal(M)
    moves = ~(diagonal > 0.0)
    if not moves.any():
        scale = 1.0 / np.sqrt(diagonal)
        sizes, motions = np.linalg.eigh(scale[:, None] * M * scale)
        lost = sizes <= max(sizes[0], 10.0 * ROUNDING)
        moves = (np.abs(motions[:, lost]) > PART).any(axis=1)
    moving = np.zeros(graph.nv, np.bool_)
    moving[indices[moves]] = True
    return [name for name in graph.joint_names if moving[graph.v_slice(name)].any()]


def no_inertia_text(graph: SubsystemGraph, names: Sequence[str]) -> str:
    """Return the error text for joints with known torques that move no inertia."""
    if len(names) == 1:
        return (
            f"joint '{names[0]}' moves no inertia: link '{graph.joint(names[0]).child_link}' and what it "
            "carries have none along the joint while the joints beyond it are free; any torque would "
            "accelerate it infinitely"
        )
    listed = ", ".join(f"'{name}'" for name in names[:-1])
    return (
        f"joints {listed} and '{names[-1]}' together move no inertia at this configuration: the mass matrix "
        f"of '{graph.name}' is singular, and torques would accelerate them infinitely; with an inertia of "
        "the links between them, or an armature of the joints, it would not be"
    )


def raise_lost(
    graph: SubsystemGraph,
    M: Array,
    definite: NDArray[np.bool_],
    velocities: NDArray[np.int64] | None = None,
    first: int | None = None,
) -> None:
    """Raise StateError, which names the joints, if a matrix of M (count, n, n) is not ``definite`` (count,).

    Args:
        velocities: as of `lost_joints`. first: the number of the first row of a batch; None for one state.
    """
    if not definite.all():
        row = int(np.argmin(definite))
        text = no_inertia_text(graph, lost_joints(graph, M[row], velocities))
        raise StateError(text if first is None else f"row {first + row}: {text}")
