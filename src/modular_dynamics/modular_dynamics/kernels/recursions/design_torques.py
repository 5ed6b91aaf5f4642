"""Inverse dynamics of many designs in one call: trees of one structure, each with constants of its own."""

import numpy as np

from ..drivers import LANES, aligned
from ..layout import STATE_BLOCKS, WORK_COLUMNS
from ..numba_support.compilation import kernel
from ..numba_support.memory import zero_float64x8
from ..row_queue import begin, end, stop, take
from ..states import all_finite, block_rows, joint_states_of_lanes, quaternions_have_direction
from ..transposition import columns_to_lanes, lanes_to_columns
from .newton_euler import recursion

__all__ = ["inverse_dynamics_of_designs"]


@kernel(nogil=True)
def inverse_dynamics_of_designs(topology, constants, designs, q, v, vdot, tau, queue):
    """Rows of q, v, vdot -> rows of tau: as many for each design, one design after the other.

    Args:
        constants (d, n + 1, 35): of each design, or of all (1, n + 1, 35). designs: how many there are.
        queue: of designs (:mod:`..row_queue`), which several threads may share. It ends when none is left, or
            one is bad: an argument is not finite, a quaternion has no direction, or a result is not finite.
    """
    n, like = topology.shape[0] - 1, zero_float64x8()
    work = aligned((n + 1) * WORK_COLUMNS * LANES, np.float64, LANES)
    states = aligned(STATE_BLOCKS * block_rows(n) * LANES, np.float64, LANES)
    states[:] = 0.0
    q_lanes = aligned(q.shape[1] * LANES, np.float64, LANES)
    v_lanes = aligned(v.shape[1] * LANES, np.float64, LANES)
    a_lanes = aligned(v.shape[1] * LANES, np.float64, LANES)
    out_lanes, none = aligned(v.shape[1] * LANES, np.float64, LANES), np.empty(0, np.bool_)
    each = q.shape[0] // max(designs, 1)
    begin(queue)
    while True:
        design = take(queue, 1)
        if design >= designs:
            break
        own, last, good = constants[min(design, constants.shape[0] - 1)], (design + 1) * each, True
        for row in range(design * each, last, LANES):
            columns_to_lanes(q[:last], row, q_lanes, LANES, like)
            columns_to_lanes(v[:last], row, v_lanes, LANES, like)
            columns_to_lanes(vdot[:last], row, a_lanes, LANES, like)
            good = all_finite(q_lanes) and all_finite(v_lanes) and all_finite(a_lanes)
            for k in range(row, min(row + LANES, last)):
                good = good and quaternions_have_direction(topology, q[k])
            if good:
                joint_states_of_lanes(topology, own, q_lanes, states, LANES, like)
                recursion(topology, own, q_lanes, v_lanes, a_lanes, states, work, out_lanes, LANES, like)
                lanes_to_columns(out_lanes, tau[:last], row, none, LANES, like)
                good = all_finite(out_lanes)
            if not good:
                stop(queue, design, designs)
                break
        if not good:
            break
    end(queue)
