"""What every algorithm does around its recursion for one state.

A recursion is a function (topology, constants, q, v, a, states, work, out, lanes, like): from the
positions, rates and a third vector (accelerations or torques) of ``lanes`` states side by side, each
quantity in ``lanes`` neighbouring elements, to the results in ``out``.
"""

import numpy as np

from .layout import Q
from .numba_support.compilation import spliced
from .numba_support.memory import zero_float64
from .states import (
    all_finite,
    joint_states,
    quaternions_have_direction,
)

__all__ = ["LANES", "aligned", "single"]

#: States that are computed side by side.
LANES = 8


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
            recursion(topology, constants, q, v, a, states, work, out, 1, zero_float64())
            status = 0 if all_finite(out) else 2
    return status


@spliced
def aligned(size, dtype, lanes):
    """An array that starts at a multiple of 64 bytes: lanes across two cache lines cost twice."""
    memory = np.empty(size + 2 * lanes, dtype)
    beyond = (memory.ctypes.data % 64) // (64 // lanes)
    first = (lanes - beyond) % lanes
    return memory[first : first + size]
