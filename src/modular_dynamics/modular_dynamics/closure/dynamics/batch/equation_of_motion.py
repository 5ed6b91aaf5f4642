"""The terms of M1 vdot + h1 = tau1 in independent coordinates, and its solution, of many states.

All follow from inverse dynamics, which is linear in vdot. At rest, without gravity and springs, it gives
column k of M1 for the unit vector of vdot along k.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....dynamics import mass_matrix
from ....dynamics.arrays.arguments import Array
from ....dynamics.lost_inertia import are_definite
from ....dynamics.workspaces import workspace_of
from ....exceptions import ModularDynamicsError, StateError
from ....kernels.recursions.articulated_layout import ROUNDING
from ....model import SubsystemGraph
from ....model.number_arrays import real_numbers
from ..prepared_equation import ClosedLoopEquationOfMotion, without_springs
from ..solver import solver_of
from .inverse_dynamics import closed_loop_inverse_dynamics_batch
from .results import ClosedLoopBatch, status_of

__all__ = [
    "ClosedLoopTerms",
    "closed_loop_bias_batch",
    "closed_loop_forward_dynamics_batch",
    "closed_loop_gravity_torque_batch",
    "closed_loop_mass_matrix_batch",
]

#: States whose mass matrices are made at a time.
CHUNK = 256


@dataclass(frozen=True, eq=False)
class ClosedLoopTerms:
    """A quantity of n states in the p independent coordinates.

    Attributes:
        values: (n, p), or (n, p, p) of the mass matrix; NaN where a state was not answered.
        coordinates, statuses, reasons: as of :class:`.ClosedLoopBatch`.
    """

    values: Array
    coordinates: Array
    statuses: NDArray[np.uint8]
    reasons: Mapping[int, str]


def closed_loop_mass_matrix_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
) -> ClosedLoopTerms:
    """M1 (n, p, p) of rows of q: see :func:`.closed_loop_mass_matrix`.

    Arguments and errors of these functions as of :func:`.closed_loop_inverse_dynamics_batch`.
    """
    bare, p = workspace_of(graph, _without_forces), len(solver_of(graph).independent_v)
    at = _at_rest(bare, q, guess, threads, errors)
    answered = np.flatnonzero(at.statuses == 0)
    M = np.full((len(at.statuses), p, p), np.nan)
    rows, q_rows = np.eye(p), np.asarray(q)
    for first in range(0, len(answered), CHUNK):
        chunk = answered[first : first + CHUNK]
        repeated, units = np.repeat(chunk, p), np.tile(rows, (len(chunk), 1))
        columns = closed_loop_inverse_dynamics_batch(
            bare, q_rows[repeated], np.zeros_like(units), units, at.coordinates[repeated], threads
        ).tau.reshape(-1, p, p)
        M[chunk] = 0.5 * (columns + columns.swapaxes(1, 2))  # rounding apart, it is symmetric
    return _terms(M, at)


def closed_loop_bias_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
    friction: str = "none",
) -> ClosedLoopTerms:
    """h1 (n, p) of rows of q and v: see :func:`.closed_loop_bias`."""
    rest = np.zeros(real_numbers("v", v).shape)
    result = closed_loop_inverse_dynamics_batch(
        graph, q, v, rest, guess, threads, errors=errors, friction=friction
    )
    return _terms(result.tau, result)


def closed_loop_gravity_torque_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
) -> ClosedLoopTerms:
    """g1 (n, p) of rows of q, without springs: see :func:`.closed_loop_gravity_torque`."""
    result = _at_rest(workspace_of(graph, without_springs), q, guess, threads, errors)
    return _terms(result.tau, result)


def closed_loop_forward_dynamics_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
    friction: str = "none",
) -> ClosedLoopTerms:
    """Accelerations (n, p) of the independent joints: vdot = M1^-1 (tau - h1).

    Free joints have velocity zero. States beside dead points of the independent joints are not answered;
    :func:`.closed_loop_forward_dynamics` answers them, for these joints do not matter there.

    Raises:
        StateError: tau has another shape than v, or, with ``errors="raise"``, is not finite, or acts on a
            motion that moves no inertia. Without torque such a motion has no acceleration.
    """
    bias = closed_loop_bias_batch(graph, q, v, guess, threads, errors=errors, friction=friction)
    torques = real_numbers("tau", tau)
    if torques.shape != bias.values.shape:
        raise StateError(f"tau has shape {torques.shape}; {bias.values.shape} is needed")
    statuses, reasons = bias.statuses.copy(), dict(bias.reasons)
    for row in np.flatnonzero((statuses == 0) & ~np.isfinite(torques).all(axis=1)).tolist():
        statuses[row], reasons[row] = 3, "tau is not finite"
        if errors == "raise":
            raise StateError(f"row {row}: tau is not finite")
    answered = np.flatnonzero(statuses == 0)
    vdot = np.full(bias.values.shape, np.nan)
    M = closed_loop_mass_matrix_batch(graph, np.asarray(q)[answered], bias.coordinates[answered], threads)
    loads = torques[answered] - bias.values[answered]
    light = _needs_care(graph, M.values, bias.coordinates[answered], threads)
    vdot[answered[~light]] = np.linalg.solve(M.values[~light], loads[~light, :, None])[..., 0]
    single = workspace_of(graph, ClosedLoopEquationOfMotion, friction)
    rows = np.asarray(q), np.asarray(v), torques, bias.coordinates
    for row in answered[light].tolist():
        state = [array[row] for array in rows]
        try:
            vdot[row] = single.forward_dynamics(*state)
        except ModularDynamicsError as error:
            if errors == "raise":
                error.args = (f"row {row}: {error}", *error.args[1:])
                raise
            statuses[row], reasons[row] = status_of(error), str(error)
    return ClosedLoopTerms(vdot, bias.coordinates, statuses, reasons)


def _needs_care(
    graph: SubsystemGraph, M: Array, coordinates: Array, threads: int | None
) -> NDArray[np.bool_]:
    """Which of M1 (n, p, p) may be singular but for rounding: `reduced_accelerations` decides."""
    careful = ~are_definite(M)
    for first in range(0, len(M), CHUNK):
        rows = slice(first, first + CHUNK)
        tree = np.diagonal(mass_matrix(graph.tree, coordinates[rows], threads=threads), axis1=1, axis2=2)
        least = np.diagonal(M[rows], axis1=1, axis2=2).min(axis=1, initial=np.inf)
        careful[rows] |= least <= ROUNDING * tree.max(axis=1, initial=0.0)
    return np.asarray(careful, np.bool_)


def _at_rest(
    graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None, threads: int | None, errors: str
) -> ClosedLoopBatch:
    rows = real_numbers("q", q)
    rest = np.zeros((len(rows) if rows.ndim else 0, len(solver_of(graph).independent_v)))
    return closed_loop_inverse_dynamics_batch(graph, q, rest, rest, guess, threads, errors=errors)


def _terms(values: Array, result: ClosedLoopBatch) -> ClosedLoopTerms:
    return ClosedLoopTerms(values, result.coordinates, result.statuses, result.reasons)


def _without_forces(graph: SubsystemGraph) -> SubsystemGraph:
    return replace(without_springs(graph), gravity=np.zeros(3))
