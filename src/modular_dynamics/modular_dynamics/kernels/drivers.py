"""What every algorithm does around its recursion: for one state, and for many with a lane each.

A recursion is a function (topology, constants, q, v, a, states, work, out, lanes, like): from the
positions, rates and a third vector (accelerations or torques) of ``lanes`` states side by side, each
quantity in ``lanes`` neighbouring elements, to the results in ``out``. Where the topology carries the
address of machine code, that code stands for the recursion.
"""

import numpy as np

from .layout import CODE, STATE_BLOCKS, Q
from .numba_support.compilation import spliced
from .numba_support.memory import run_code, store, zero_float32x16, zero_float64, zero_float64x8
from .row_queue import begin, end, stop, take
from .states import (
    all_finite,
    block_rows,
    joint_states,
    joint_states_of_lanes,
    quaternions_have_direction,
)
from .transposition import UNWRITTEN, columns_to_lanes, fetch_ahead, lanes_to_columns

__all__ = ["LANES", "aligned", "batch_float32", "batch_float64", "single"]

#: States that a batch kernel computes side by side, in double and in single precision.
LANES, LANES_FLOAT32 = 8, 16
#: Results of a state from which on asking for the memory of the next ones takes more than it gives.
WIDEST_FETCHED = 500
#: Rows that a thread takes at a time.
TAKEN = 64


@spliced
def _evaluate(recursion, topology, constants, q, v, a, states, work, out, lanes, like):
    code = topology[topology.shape[0] - 1, CODE]
    if code != 0:
        run_code(code, states, q, v, a, out)
    else:
        recursion(topology, constants, q, v, a, states, work, out, lanes, like)


@spliced
def single(recursion, columns, topology, constants, work, q, v, a, out):
    """One state: ``work`` holds (n + 1) rows of ``columns`` and behind them the joint states.

    Returns 0; 1 and writes nothing where q has the wrong length, a number is not finite, or a quaternion
    is shorter than 1e-6; 2 where a result is not finite. v, a and out are as long as the caller says.
    """
    n = topology.shape[0] - 1
    status = 1
    if q.shape[0] == topology[n, Q] and all_finite(q) and all_finite(v) and all_finite(a):
        if quaternions_have_direction(topology, q):
            states = work[(n + 1) * columns :]
            joint_states(topology, constants, q, states)
            _evaluate(recursion, topology, constants, q, v, a, states, work, out, 1, zero_float64())
            status = 0 if all_finite(out) else 2
    return status


@spliced
def aligned(size, dtype, lanes):
    """An array that starts at a multiple of 64 bytes: lanes across two cache lines cost twice."""
    memory = np.empty(size + 2 * lanes, dtype)
    beyond = (memory.ctypes.data % 64) // (64 // lanes)
    first = (lanes - beyond) % lanes
    return memory[first : first + size]


@spliced
def _batch(recursion, columns, topology, constants, q, v, a, out, checked, zeros, queue, pivots, lanes, like):
    """Rows of q, v, a -> rows of ``out``, as many at a time as ``like`` has ``lanes``.

    Ends when no rows are left in ``queue``, which several threads may share, or one is bad: then
    :func:`.row_queue.first_bad` is the first of the rows among which something is not finite, an argument, or
    one of the results ``checked``, indices into a row of ``out``; or one of the ``pivots``, so many that the
    recursion writes behind its results, is not positive. ``zeros`` (:func:`.transposition.zero_squares`) says
    where results are always zero; where it is empty, UNWRITTEN stands there.
    """
    n, rows = topology.shape[0] - 1, q.shape[0]
    kind = constants.dtype
    work = aligned((n + 1) * columns * lanes, kind, lanes)
    states = aligned(STATE_BLOCKS * block_rows(n) * lanes, kind, lanes)
    states[:] = 0.0
    q_lanes, v_lanes = aligned(q.shape[1] * lanes, kind, lanes), aligned(v.shape[1] * lanes, kind, lanes)
    a_lanes = aligned(a.shape[1] * lanes, kind, lanes)
    width = out.shape[1] * lanes
    out_lanes = aligned(width + pivots * lanes, kind, lanes)
    out_lanes[:] = 0.0 if zeros.shape[0] > 0 else UNWRITTEN  # what is always zero need not be written
    totals = aligned(lanes, kind, lanes)
    taken = TAKEN if out.shape[1] <= WIDEST_FETCHED else lanes
    first, last = 0, 0
    begin(queue)
    while True:
        if first >= last:
            first = take(queue, taken)
            last = min(first + taken, rows)
            if first >= rows:
                break
        columns_to_lanes(q, first, q_lanes, lanes, like)
        fetch_ahead(q, first + lanes, lanes)
        columns_to_lanes(v, first, v_lanes, lanes, like)
        fetch_ahead(v, first + lanes, lanes)
        columns_to_lanes(a, first, a_lanes, lanes, like)
        bad = 0  # counted, for a loop with a way out is not vectorised
        if not (all_finite(q_lanes) and all_finite(v_lanes) and all_finite(a_lanes)):
            bad = 1
        else:
            joint_states_of_lanes(topology, constants, q_lanes, states, lanes, like)
            fetch_ahead(a, first + lanes, lanes)
            if out.shape[1] <= WIDEST_FETCHED:
                fetch_ahead(out, first + lanes, lanes)
            _evaluate(
                recursion,
                topology,
                constants,
                q_lanes,
                v_lanes,
                a_lanes,
                states,
                work,
                out_lanes,
                lanes,
                like,
            )
            for k in range(width, width + pivots * lanes):
                bad += not out_lanes[k] > 0.0
        if bad == 0:
            store(totals, 0, lanes_to_columns(out_lanes, out, first, zeros, lanes, like))
            if not all_finite(totals):  # perhaps only results that need not be
                for k in range(checked.shape[0]):
                    if not all_finite(out_lanes[checked[k] * lanes : (checked[k] + 1) * lanes]):
                        bad = 1
        if bad > 0:
            stop(queue, first, rows)
            break
        first += lanes
    end(queue)


@spliced
def batch_float64(recursion, columns, topology, constants, q, v, a, out, checked, zeros, queue, pivots=0):
    """:func:`_batch` in double precision."""
    like = zero_float64x8()
    _batch(
        recursion,
        columns,
        topology,
        constants,
        q,
        v,
        a,
        out,
        checked,
        zeros,
        queue,
        pivots,
        LANES,
        like,
    )


@spliced
def batch_float32(recursion, columns, topology, constants, q, v, a, out, checked, zeros, queue):
    """:func:`_batch` in single precision."""
    lanes, like = LANES_FLOAT32, zero_float32x16()
    _batch(recursion, columns, topology, constants, q, v, a, out, checked, zeros, queue, 0, lanes, like)
