"""Inverse dynamics of closed loops for many states: a bad state is marked, and spoils no other."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arrays.arguments import Array, thread_count
from ...dynamics.execution.threads import run_on_threads
from ...exceptions import ClosureError, ModularDynamicsError, SingularityError, StateError
from ...kernels.loops.planar.entry import BLOCK, planar_batch
from ...model import SubsystemGraph
from ...model.number_arrays import real_numbers
from ..assembly.assemble import finite_guess
from ..constraints.rows import row_values
from .inverse_dynamics import ClosedLoopInverseDynamics
from .planar_arrays import planar_mechanism, planar_workspace
from .solver import solver_of
from .state_rows import rows_of_states

__all__ = ["ClosedLoopBatch", "RowStatus", "closed_loop_inverse_dynamics_batch"]

#: States that are worth a thread.
THREAD_STATES = 256


class RowStatus(IntEnum):
    """What became of a state."""

    ANSWERED = 0
    CANNOT_CLOSE = 1
    DEAD_POINT = 2
    NO_STATE = 3  #: not finite, or too large


class _States(NamedTuple):
    q: Array
    v: Array
    vdot: Array


@dataclass(frozen=True, eq=False)
class ClosedLoopBatch:
    """Results of `closed_loop_inverse_dynamics_batch`, a row for each state.

    Attributes:
        tau: torques of the independent joints (n, independent) [N m or N]; NaN where there is none.
        coordinates: of all joints (n, nq); NaN as well. statuses: a `RowStatus` of each state (n,).
        reasons: by row, what was wrong with a state that was not answered.
    """

    tau: Array
    coordinates: Array
    statuses: NDArray[np.uint8]
    reasons: Mapping[int, str]


def closed_loop_inverse_dynamics_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    *,
    errors: str = "mark",
    friction: str = "none",
) -> ClosedLoopBatch:
    """Torques and coordinates of many states: rows as of :func:`.closed_loop_inverse_dynamics`.

    Where all loops are planar, in one compiled function on several threads; else state by state.

    Args:
        q, v, vdot: of the independent joints, a row for each state.
        guess: coordinates of all joints for each state (n, nq); or for the first one (nq,): then each state
            starts from one before it, as of a motion, at most BLOCK rows away. The reference by default.
        threads: how many to use; all cores by default. The results do not depend on it.
        errors: "mark": states that cannot be answered have NaN, a status and a reason. "raise": the error of
            the first one, with its row.
        friction: as of ``inverse_dynamics``.

    Raises:
        StateError: a wrong shape, one guess that is not finite, another ``errors``. With "raise", as of
            ``closed_loop_inverse_dynamics``.
    """
    if errors not in ("mark", "raise"):
        raise StateError(f'errors is {errors!r}; "mark" or "raise" is needed')
    solver, general = ClosedLoopInverseDynamics(graph, friction), solver_of(graph)
    width = len(general.independent_v)
    rows = rows_of_states(q=(q, len(general.independent_q)), v=(v, width), vdot=(vdot, width))
    states = _States(*(np.require(x, np.float64, ["C", "A", "W"]) for x in rows))
    count = len(states.q)
    tau, coordinates = np.full((count, width), np.nan), np.full((count, graph.nq), np.nan)
    codes, reasons = np.ones(count, np.int64), dict[int, str]()
    starts = _starts(solver, general.reference() if guess is None else guess, states)
    if count and (mechanism := planar_mechanism(general, friction)) is not None:

        def work(queue: NDArray[np.int64]) -> None:
            springs = mechanism.springs._replace(values=row_values(graph, len(graph.springs)))
            own = mechanism._replace(springs=springs)
            arrays = *states, starts, coordinates, tau, codes
            planar_batch(own, planar_workspace(graph, own), arrays, queue)

        run_on_threads(work, count, min(thread_count(threads), 1 + count // THREAD_STATES))
    statuses = np.zeros(count, np.uint8)
    for row in np.flatnonzero(codes).tolist():
        near = starts[row] if len(starts) == count else _near(coordinates, starts, row)
        try:
            result = solver.solve(states.q[row], states.v[row], states.vdot[row], near)
        except ModularDynamicsError as error:
            if errors == "raise":
                error.args = (f"row {row}: {error}", *error.args[1:])
                raise
            statuses[row], reasons[row] = _status(error), str(error)
        else:
            tau[row], coordinates[row] = result.tau, result.coordinates
    return ClosedLoopBatch(tau, coordinates, statuses, reasons)


def _starts(solver: ClosedLoopInverseDynamics, guess: ArrayLike, states: _States) -> Array:
    """A closed configuration for each state, or for each block: that of its first state, if this closes."""
    given = np.require(real_numbers("guess", guess), np.float64, ["C", "A", "W"])
    nq, count = solver.graph.nq, len(states.q)
    if given.shape == (count, nq) and count != 1:
        return given
    if given.shape not in ((nq,), (count, nq)):
        raise StateError(f"guess has shape {given.shape}; ({nq},) or ({count}, {nq}) is needed")
    starts, rest = np.empty((-(-count // BLOCK), nq)), np.zeros(states.v.shape[1])
    now = finite_guess(solver.graph, given.reshape(nq))
    for block, start in enumerate(starts):
        with suppress(ModularDynamicsError):  # its own row will say so
            solver(states.q[block * BLOCK], rest, rest, now, coordinates=now)
        start[:] = now
    return starts


def _near(coordinates: Array, starts: Array, row: int) -> Array:
    """The last answered configuration of the row's block, or the block's start."""
    block = row // BLOCK
    before = coordinates[block * BLOCK : row]
    answered = np.flatnonzero(np.isfinite(before).all(axis=1))
    nearest: Array = before[answered[-1]] if len(answered) else starts[block]
    return nearest


def _status(error: ModularDynamicsError) -> RowStatus:
    if isinstance(error, SingularityError):
        return RowStatus.DEAD_POINT
    return RowStatus.CANNOT_CLOSE if isinstance(error, ClosureError) else RowStatus.NO_STATE
