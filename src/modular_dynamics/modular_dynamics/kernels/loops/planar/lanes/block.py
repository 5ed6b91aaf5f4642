"""A block of a batch: states side by side where that is plain, the others one by one."""

from ....numba_support.compilation import inlined_strictly, spliced
from ....numba_support.memory import zero_float64x8
from ....transposition import lanes_to_columns
from ..inverse_dynamics import planar_inverse_dynamics
from .positions import prepare_turns
from .sections import LANES
from .springs import springs_are_simple
from .states import answer_states

__all__ = ["BLOCK", "answer_block"]

#: States of a batch that follow each other from one closed configuration, whatever the number of threads.
BLOCK = 64


@inlined_strictly
def _write(first, rows, source, target, none):
    """The first ``rows`` lanes to rows of ``target`` from ``first`` on."""
    if rows == LANES and first + LANES <= target.shape[0]:
        lanes_to_columns(source, target, first, none, LANES, zero_float64x8())
        return
    for lane in range(min(rows, target.shape[0] - first)):
        for k in range(target.shape[1]):
            target[first + lane, k] = source[k * LANES + lane]


@spliced
def answer_block(mechanism, workspace, states, starts, each, first, results, statuses, none, work, at):
    """Answer the states from ``first`` on.

    Args:
        states: q (n, p), v and vdot (n, w), up to the end of the block. starts: a closed configuration (nq,) of each
            block, or, with ``each``, of each row.
        results: coordinates (n, nq) and tau (n, w), written where a state is answered. statuses (n,): written,
            see :func:`..inverse_dynamics.planar_inverse_dynamics`.
        none: an empty array of booleans. work, at: see :mod:`.sections`; zeros at first, then overwritten.

    A row follows from its own start, or from the last one before it in its block that was answered.
    """
    coordinates, tau = results
    like, last = zero_float64x8(), coordinates.shape[0]
    angles = prepare_turns(mechanism.steps, work, at)
    row, fresh, resumed, start = first, True, first, starts[first if each else first // BLOCK]
    if each or not springs_are_simple(mechanism.tree, mechanism.springs):
        resumed = last
    while row < last:
        good = 0
        if row >= resumed:
            good = answer_states(mechanism, workspace, states, row, start, fresh, angles, work, at, like)
            good = min(good, last - row)
            _write(row, good, work[at.here :], coordinates, none)
            _write(row, good, work[at.torques :], tau, none)
            for k in range(row, row + good):
                statuses[k] = 0
            fresh = False
            if good > 0:
                row += good
                start = coordinates[row - 1]
            else:
                resumed = row + LANES  # what is not plain is often followed by more of it
        if row < last and good < LANES:
            if each:
                start = starts[row]
            q, v, vdot = states
            own = coordinates[row], tau[row]
            statuses[row] = planar_inverse_dynamics(
                mechanism, workspace, q[row], v[row], vdot[row], start, own[0], own[1]
            )
            if statuses[row] == 0:
                start = coordinates[row]
            row, fresh = row + 1, True
