"""Inverse dynamics with planar loops of LANES states of a motion side by side.

Each state is closed on the branch of one closed configuration (:mod:`.positions`), and the way to it from the
one before is checked (:mod:`.ways`). States for which all is not plain are left to be answered one by one.
"""

import math

from ....layout import FLOATING, KIND, Q
from ....numba_support.compilation import inlined, spliced
from ....numba_support.lane_functions import absolute, any_differs, chosen
from ....numba_support.memory import load, store
from ....recursions.newton_euler import recursion
from ....states import SMALLEST_NORM, joint_states_of_lanes, turns_by_quaternion
from ....transposition import columns_to_lanes
from ...inverse_dynamics import STILL
from .places import complete_rates, transmit
from .sections import LANES
from .springs import add_springs
from .ways import close_all, larger, take_signs, way_is_plain

__all__ = ["answer_states"]


@inlined
def _stop_rounding(mechanism, work, at, like):
    """Zero for velocities of dependent coordinates that are rounding, to which friction would give a sign."""
    dependent, independent, units = mechanism.dependent, mechanism.independent_v, mechanism.units
    largest = like
    for k in range(independent.shape[0]):
        largest = larger(absolute(load(work, at.v + independent[k] * LANES, like)), largest)
    for j in range(dependent.shape[0]):
        rate = absolute(load(work, at.v + mechanism.index_in_v[dependent[j]] * LANES, like))
        largest = larger(rate / units[j], largest)
    for j in range(dependent.shape[0]):
        index = at.v + mechanism.index_in_v[dependent[j]] * LANES
        rate = load(work, index, like)
        store(work, index, chosen(absolute(rate) - STILL * units[j] * largest, rate, like))


@inlined
def _finite(nq, bad, work, at, like):
    """``bad``, and NaN where a coordinate is not finite, which becomes zero.

    For large angles are found by a sum over all lanes.
    """
    for k in range(nq):
        bad = bad + 0.0 * load(work, at.here + k * LANES, like)
    if any_differs(bad, like):
        for k in range(at.here, at.here + nq * LANES):
            if not math.isfinite(work[k]):
                work[k] = 0.0
    return bad


@inlined
def _directions(topology, work, at, like):
    """0 where all quaternions have one, else larger."""
    bad = like
    for i in range(topology.shape[0] - 1):
        if turns_by_quaternion(i, topology):
            first = at.here + (topology[i, Q] + (3 if topology[i, KIND] == FLOATING else 0)) * LANES
            square = like
            for k in range(4):
                x = load(work, first + k * LANES, like)
                square = square + x * x
            bad = bad + chosen(square - SMALLEST_NORM**2, like, 1.0)
    return bad


@spliced
def answer_states(mechanism, workspace, rows, row, start, each, fresh, direct, signs, angles, work, at, like):
    """Torques and coordinates of rows ``row`` ..., as many as there are lanes, left in ``work``.

    Args:
        rows: see :class:`..batch.PlanarStates`. start: a closed configuration from which the way to the first
            one starts, if ``fresh``; else that is the last one of the call before.
        each: whether, instead, the way to every one starts at its row of ``rows.starts``; then it is fresh.
        direct: whether, if ``fresh``, the first one is closed directly, on the branch that ``signs`` give;
            only the whole turns of ``start`` count. angles: see :func:`.angles.prepare_turns`.

    Returns the number of rows, from the first one on, for which all is plain.
    """
    tree, independent, p = mechanism.tree, mechanism.independent_v, mechanism.independent_q.shape[0]
    width, nq = independent.shape[0], mechanism.index_in_v.shape[0]
    columns_to_lanes(rows.q, row, work[at.inputs :], LANES, like)
    if fresh:
        given = rows.starts, row, each
        take_signs(mechanism, workspace, start, *given, direct, signs, nq, work, at, like)
    bad = close_all(mechanism, start, each, fresh, direct, angles, work, at, like)
    bad = bad + way_is_plain(mechanism, work, at, like) + _directions(tree.topology, work, at, like)
    bad = _finite(nq, bad, work, at, like)
    columns_to_lanes(rows.v, row, work[at.inputs + p * LANES :], LANES, like)
    columns_to_lanes(rows.vdot, row, work[at.inputs + (p + width) * LANES :], LANES, like)
    for k in range(width):
        index, source = independent[k] * LANES, at.inputs + (p + k) * LANES
        store(work, at.v + index, load(work, source, like))
        store(work, at.vdot + index, load(work, source + width * LANES, like))
    complete_rates(mechanism.steps, mechanism.index_in_v, work, at, like)
    _stop_rounding(mechanism, work, at, like)
    here, tau, joints = work[at.here :], work[at.tau :], work[at.states :]
    joint_states_of_lanes(tree.topology, tree.constants, here, joints, LANES, like)
    recursion(
        tree.topology,
        tree.constants,
        here,
        work[at.v :],
        work[at.vdot :],
        joints,
        work[at.newton_euler :],
        tau,
        LANES,
        like,
    )
    add_springs(tree, mechanism.springs, joints, work, at, like)
    transmit(mechanism.steps, mechanism.index_in_v, work, at, like)
    for k in range(width):
        torque = load(work, at.tau + independent[k] * LANES, like)
        bad = bad + 0.0 * torque  # NaN where it is not finite
        store(work, at.torques + k * LANES, torque)
    store(work, at.bad, bad)
    good = 0
    while good < LANES and work[at.bad + good] == 0.0:
        good += 1
    return good
