"""Inverse dynamics of closed loops for many states: a bad state is marked, and spoils no other."""

from collections.abc import Mapping
from contextlib import suppress

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....dynamics.arrays.arguments import Array, thread_count
from ....dynamics.workspaces import workspace_of
from ....exceptions import ModularDynamicsError, StateError
from ....kernels.loops.planar.batch import BLOCK, planar_batch
from ....kernels.row_queue import new_queue
from ....model import SubsystemGraph
from ....model.number_arrays import real_numbers
from ...assembly.assemble import finite_guess
from ...threads import run_on_threads
from ..inverse_dynamics import ClosedLoopInverseDynamics
from ..planar_arrays import thread_arrays
from ..solver import solver_of
from ..state_rows import rows_of_states
from .designs import designs_batch
from .newton_rows import answer_by_newton
from .results import ClosedLoopBatch, new_states, status_of

__all__ = ["closed_loop_inverse_dynamics_batch"]

#: States that are worth a thread.
THREAD_STATES = 256


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
    parameters: Mapping[str, ArrayLike] | None = None,
) -> ClosedLoopBatch:
    """Torques and coordinates of many states: rows as of :func:`.closed_loop_inverse_dynamics`.

    By one compiled function on several threads: planar loops in closed form, others by Newton's method. State
    by state where joints in loops have several coordinates, or loops leave coordinates free. With
    ``parameters`` also of many designs, robots that differ in these numbers: nothing is loaded or compiled
    for each. Designs that these functions do not answer are computed one by one on one thread, by the
    general method; those whose loops can never close are marked without a search for each state.

    Args:
        q, v, vdot: of the independent joints, a row for each state. With n designs: s states of each
            (n, s, independent), or one (n, independent).
        guess: coordinates of all joints for each state (n, nq); or for the first one (nq,): then each state
            starts from one before it, as of a motion, at most BLOCK rows away. The reference by default.
        threads: how many to use; all cores by default. The results do not depend on it.
        errors: "mark": states that cannot be answered have NaN, a status and a reason. "raise": the error of
            the first one, with its row.
        friction: as of ``inverse_dynamics``.
        parameters: columns (n,) by the names of ``graph.parameters``. The assembly mode of each design is
            that of ``guess``, which is one configuration (nq,) of ``graph`` itself: planar loops bend to the
            same sides. Beside a dead point, where the sine is below 1e-3, designs are not answered.

    Raises:
        StateError: a wrong shape, one guess that is not finite, another ``errors``. With "raise", as of
            ``closed_loop_inverse_dynamics``, or ModelError of the first design that no robot can be.
        UnknownNameError: no such parameter; names similar ones.
    """
    if errors not in ("mark", "raise"):
        raise StateError(f'errors is {errors!r}; "mark" or "raise" is needed')
    if parameters is not None:
        return designs_batch(graph, (q, v, vdot), guess, threads, errors, friction, parameters)
    solver, general = workspace_of(graph, ClosedLoopInverseDynamics, friction), solver_of(graph)
    width = len(general.independent_v)
    rows = rows_of_states(q=(q, len(general.independent_q)), v=(v, width), vdot=(vdot, width))
    given = [np.require(x, np.float64, ["C", "A", "W"]) for x in rows]
    starts = _starts(solver, general.reference() if guess is None else guess, given, friction)
    states = new_states(graph, given, starts)
    count, reasons = len(states.q), dict[int, str]()
    if count and workspace_of(graph, thread_arrays, friction) is not None:

        def work(queue: NDArray[np.int64]) -> None:
            if (own := workspace_of(graph, thread_arrays, friction)) is not None:
                planar_batch(own.mechanism, own.workspace, states, None, queue, plan=own.plan)

        run_on_threads(work, count, min(thread_count(threads), 1 + count // THREAD_STATES))
    elif count:
        answer_by_newton(general, friction, states, thread_count(threads))
    statuses = np.zeros(count, np.uint8)
    for row in np.flatnonzero(states.statuses).tolist():
        near = starts[row] if len(starts) == count else _near(states.coordinates, starts, row)
        try:
            state, thorough = (states.q[row], states.v[row], states.vdot[row]), errors == "raise"
            result = solver.solve(*state, near, diagnose=thorough)
        except ModularDynamicsError as error:
            if errors == "raise":
                error.args = (f"row {row}: {error}", *error.args[1:])
                raise
            statuses[row], reasons[row] = status_of(error), str(error)
        else:
            states.tau[row], states.coordinates[row] = result.tau, result.coordinates
            states.tensions[row] = list(result.tensions.values())
    return ClosedLoopBatch(states.tau, states.coordinates, states.tensions, states.sines, statuses, reasons)


def _starts(solver: ClosedLoopInverseDynamics, guess: ArrayLike, states: list[Array], friction: str) -> Array:
    """A closed configuration for each state, or for each block: that of its first state, if this closes."""
    given = np.require(real_numbers("guess", guess), np.float64, ["C", "A", "W"])
    nq, count = solver.graph.nq, len(states[0])
    if given.shape == (count, nq) and count != 1:
        return given
    if given.shape not in ((nq,), (count, nq)):
        raise StateError(f"guess has shape {given.shape}; ({nq},) or ({count}, {nq}) is needed")
    now = finite_guess(solver.graph, given.reshape(nq))
    width = states[1].shape[1]
    starts, rest, tau = np.empty((-(-count // BLOCK), nq)), np.zeros(width), np.empty(width)
    if len(starts) > 1 and (own := workspace_of(solver.graph, thread_arrays, friction)) is not None:
        q, still = states[0][::BLOCK].copy(), np.zeros((len(starts), len(rest)))
        followed = new_states(solver.graph, [q, still, still], now[None])
        planar_batch(own.mechanism, own.workspace, followed, None, new_queue(), len(q), own.plan)
        if not followed.statuses.any():
            return followed.coordinates
    for block, start in enumerate(starts):
        first = states[0][block * BLOCK]
        if solver.call(first, rest, rest, now, tau, now) != 0:
            with suppress(ModularDynamicsError):  # its own row will say so
                now = solver.solve(first, rest, rest, now, diagnose=False).coordinates
        start[:] = now
    return starts


def _near(coordinates: Array, starts: Array, row: int) -> Array:
    """The last answered configuration of the row's block, or the block's start."""
    block = row // BLOCK
    before = coordinates[block * BLOCK : row]
    answered = np.flatnonzero(np.isfinite(before).all(axis=1))
    nearest: Array = before[answered[-1]] if len(answered) else starts[block]
    return nearest
