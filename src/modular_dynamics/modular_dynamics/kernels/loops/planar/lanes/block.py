"""A block of a batch: states side by side where that is plain, the others one by one."""

from ....numba_support.compilation import inlined_strictly, spliced
from ....numba_support.memory import zero_float64x8
from ....transposition import lanes_to_columns
from ..one_state import answer_row
from .angles import prepare_turns
from .sections import LANES
from .springs import springs_are_simple
from .states import answer_states

__all__ = ["answer_block"]


@inlined_strictly
def _write(first, rows, source, target, none):
    """The first ``rows`` lanes to rows of ``target`` from ``first`` on."""
    if rows == LANES and target.shape[1] >= LANES:
        lanes_to_columns(source, target, first, none, LANES, zero_float64x8())
        return
    for lane in range(rows):
        for k in range(target.shape[1]):
            target[first + lane, k] = source[k * LANES + lane]


@spliced
def answer_block(mechanism, workspace, rows, first, each, direct, branch, none, work, at):
    """Answer the rows from ``first`` on.

    Args:
        rows: see :class:`..batch.PlanarStates`; up to the end of the block. Written where they are answered.
        each: whether each row follows from its own start; else from the last one before it that was answered,
            the first one from branch[1].
        direct, branch: see :func:`..one_state.answer_row`.
        none: an empty array of booleans. work, at: see :mod:`.sections`; zeros at first, then overwritten.
    """
    like, last = zero_float64x8(), rows.coordinates.shape[0]
    angles = prepare_turns(mechanism.steps, work, at)
    row, fresh, resumed, start = first, True, first, branch[1]
    if not springs_are_simple(mechanism.tree, mechanism.springs):
        resumed = last
    while row < last:
        good = 0
        if row >= resumed:
            good = answer_states(
                mechanism, workspace, rows, row, start, each, fresh, direct, branch[0], angles, work, at, like
            )
            good = min(good, last - row)
            _write(row, good, work[at.here :], rows.coordinates, none)
            _write(row, good, work[at.torques :], rows.tau, none)
            _write(row, good, work[at.tensions :], rows.tensions, none)
            for k in range(good):
                rows.sines[row + k], rows.statuses[row + k] = work[at.sine + k], 0
            if good > 0:
                row, fresh = row + good, each
                start = rows.coordinates[row - 1]
            else:
                resumed = row + LANES  # what is not plain is often followed by more of it
        if row < last and good < LANES:
            if each:
                start = rows.starts[row]
            rows.statuses[row] = answer_row(mechanism, workspace, rows, row, start, direct, branch)
            if rows.statuses[row] == 0:
                start = rows.coordinates[row]
            row, fresh = row + 1, True
