"""What every algorithm does around its recursion: for one state, and for many with a lane each.

A recursion is a function (topology, constants, q, v, a, states, work, out, lanes, like): from the
positions, rates and a third vector (accelerations or torques) of ``lanes`` states side by side, each
quantity in ``lanes`` neighbouring elements, to the results in ``out``. Where the topology carries the
address of machine code, that code stands for the recursion.
"""

import numpy as np
from numba import njit

from .layout import CODE, STATE_BLOCKS, Q
from .numba_support.lanes import FAST
from .numba_support.machine_code import run_code
from .numba_support.memory import store, zero_float32x16, zero_float64, zero_float64x8
from .states import all_finite, all_good, block_rows, joint_states
from .transposition import UNWRITTEN, columns_to_lanes, fetch_ahead, lanes_to_columns
from .turns import begin, end, stop, take

__all__ = ["batch_float32", "batch_float64", "batch_float64_with_pivots", "single"]

#: Results of a state from which on asking for the memory of the next ones takes more than it gives.
WIDEST_FETCHED = 500
#: Rows that a thread takes at a time.
TAKEN = 64


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _evaluate(recursion, topology, constants, q, v, a, states, work, out, lanes, like):
    code = topology[topology.shape[0] - 1, CODE]
    if code != 0:
        run_code(code, states, q, v, a, out)
    else:
        recursion(topology, constants, q, v, a, states, work, out, lanes, like)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def single(recursion, columns, topology, constants, work, q, v, a, out):
    """One state: ``work`` holds (n + 1) rows of ``columns`` and behind them the joint states.

    Returns 0; or 1 and writes nothing where q has the wrong length, a number is not finite, or a quaternion
    is shorter than 1e-6. v, a and out are as long as the caller says.
    """
    n = topology.shape[0] - 1
    if q.shape[0] != topology[n, Q]:
        return 1
    if not (all_finite(q) and all_finite(v) and all_finite(a) and all_good(topology, q)):
        return 1
    states = work[(n + 1) * columns :]
    joint_states(topology, constants, q, states, 1, zero_float64(), 8, zero_float64x8())
    _evaluate(recursion, topology, constants, q, v, a, states, work, out, 1, zero_float64())
    return 0


@njit(inline="always", error_model="numpy")
def _aligned(size, dtype, lanes):
    """An array that starts at a multiple of 64 bytes: lanes across two cache lines cost twice."""
    room = np.empty(size + 2 * lanes, dtype)
    beyond = (room.ctypes.data % 64) // (64 // lanes)
    first = (lanes - beyond) % lanes
    return room[first : first + size]


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _batch(recursion, columns, topology, constants, q, v, a, out, known, blank, turns, pivots, lanes, like):
    n, rows = topology.shape[0] - 1, q.shape[0]
    kind = constants.dtype
    work = _aligned((n + 1) * columns * lanes, kind, lanes)
    states = _aligned(STATE_BLOCKS * block_rows(n) * lanes, kind, lanes)
    states[:] = 0.0
    q_lanes, v_lanes = _aligned(q.shape[1] * lanes, kind, lanes), _aligned(v.shape[1] * lanes, kind, lanes)
    a_lanes = _aligned(a.shape[1] * lanes, kind, lanes)
    width = out.shape[1] * lanes
    out_lanes = _aligned(width + pivots * lanes, kind, lanes)
    out_lanes[:] = 0.0 if blank.shape[0] > 0 else UNWRITTEN  # what is always zero need not be written
    totals = _aligned(lanes, kind, lanes)
    taken = TAKEN if out.shape[1] <= WIDEST_FETCHED else lanes
    first, last = 0, 0
    begin(turns)
    while True:
        if first >= last:
            first = take(turns, taken)
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
            joint_states(topology, constants, q_lanes, states, lanes, like, lanes, like)
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
            store(totals, 0, lanes_to_columns(out_lanes, out, first, blank, lanes, like))
            if not all_finite(totals):  # perhaps only results that need not be
                for k in range(known.shape[0]):
                    if not all_finite(out_lanes[known[k] * lanes : (known[k] + 1) * lanes]):
                        bad = 1
        if bad > 0:
            stop(turns, first, rows)
            break
        first += lanes
    end(turns)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def batch_float64(recursion, columns, topology, constants, q, v, a, out, known, blank, turns):
    """Rows of q, v, a -> rows of ``out``, 8 at a time, in double precision.

    Ends when no rows are left in ``turns``, which several threads may share, or one is bad: then turns.py
    says the first of the 8 rows among which something is not finite, an argument, or one of the results
    ``known``, indices into a row of ``out``. ``blank`` (:func:`.transposition.blank_squares`) says what is
    always zero; where it is empty, UNWRITTEN stands there.
    """
    _batch(recursion, columns, topology, constants, q, v, a, out, known, blank, turns, 0, 8, zero_float64x8())


@njit(inline="always", fastmath=FAST, error_model="numpy")
def batch_float64_with_pivots(recursion, columns, topology, constants, q, v, a, out, known, blank, turns):
    """The same for a recursion that writes as many pivots behind its results: all must be positive."""
    lanes, like = 8, zero_float64x8()
    pivots = out.shape[1]
    _batch(recursion, columns, topology, constants, q, v, a, out, known, blank, turns, pivots, lanes, like)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def batch_float32(recursion, columns, topology, constants, q, v, a, out, known, blank, turns):
    """The same in single precision, 16 rows at a time."""
    _batch(
        recursion, columns, topology, constants, q, v, a, out, known, blank, turns, 0, 16, zero_float32x16()
    )
