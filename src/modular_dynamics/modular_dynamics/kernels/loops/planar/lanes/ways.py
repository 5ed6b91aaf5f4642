"""The way from each state to the next: closed at its ends and halfway, on one branch.

Where :func:`..walk.walk` would accept the way as one stride, the state on the branch is the one to which the
motion leads.
"""

import math

from ....math.assignment import assign
from ....numba_support.compilation import inlined, spliced
from ....numba_support.lane_functions import absolute, chosen, shifted
from ....numba_support.memory import load, store
from ....states import all_finite
from ....transposition import columns_to_lanes
from ..inverse_dynamics import FARTHEST, LARGEST
from ..steps import GEAR, branch_signs
from ..walk import LARGEST_TURN, NEAR
from .angles import known_angle
from .positions import close
from .sections import CONFIGURATION, COSINES, LANES, SINES

__all__ = ["close_all", "larger", "take_signs", "way_is_plain"]

#: Of a stride, the cosine of the largest rotation of an unknown joint; and how far known ones may move loops.
COSINE, LONGEST = math.cos(LARGEST_TURN), 1.0
#: Configurations that are closed: where the way starts, the states, halfway.
START, HERE, MIDDLE = range(3)


@inlined
def _above(x, limit):
    """0 where x < limit, else 1."""
    return chosen(limit - x, 0.0 * x, 1.0)


@inlined
def larger(x, y):
    """The larger of two numbers in each lane."""
    return chosen(x - y, x, y)


@inlined
def _keep_last(mechanism, nq, work, at):
    """Numbers of the last lane, where the way to the next states starts."""
    for kind in range(CONFIGURATION):
        for k in range(mechanism.moving.shape[0]):
            index = kind * nq + mechanism.moving[k]
            work[at.last + index] = work[at.here + index * LANES + LANES - 1]
        for k in range(mechanism.dependent.shape[0]):
            index = kind * nq + mechanism.dependent[k]
            work[at.last + index] = work[at.here + index * LANES + LANES - 1]
    for index in range(CONFIGURATION * nq, CONFIGURATION * nq + mechanism.steps.steps.shape[0]):
        work[at.last + index] = work[at.here + index * LANES + LANES - 1]


@inlined
def _shift(index, work, at, like):
    here = load(work, at.here + index * LANES, like)
    store(work, at.before + index * LANES, shifted(here, work[at.last + index]))


@inlined
def _place_before(mechanism, nq, work, at, like):
    """Where the way to each state starts: the configuration of the lane before."""
    for kind in range(CONFIGURATION):
        for k in range(mechanism.moving.shape[0]):
            _shift(kind * nq + mechanism.moving[k], work, at, like)
        for k in range(mechanism.dependent.shape[0]):
            _shift(kind * nq + mechanism.dependent[k], work, at, like)
    for index in range(CONFIGURATION * nq, CONFIGURATION * nq + mechanism.steps.steps.shape[0]):
        _shift(index, work, at, like)


@inlined
def _is_near(mechanism, start, nq, work, at):
    """Whether closing changed ``start`` so little that it was on this branch."""
    change = 0.0
    for k in range(mechanism.dependent.shape[0]):
        index = mechanism.dependent[k]
        difference = abs(work[at.here + index * LANES] - start[index])
        change = max(change, mechanism.steps.reach[index] * difference)
        if not difference < LARGEST:
            return False
    for t in range(mechanism.steps.steps.shape[0]):
        c = work[at.here + (CONFIGURATION * nq + t) * LANES]
        if not (change < NEAR and change * change < 1.0 - abs(c)):
            return False
    return True


@inlined
def _are_near(mechanism, nq, work, at, like):
    """Zero where each lane's own start, in ``middle``, was so near; closed it is in ``before``."""
    bad, change = like, like
    for k in range(nq):
        bad = bad + 0.0 * load(work, at.middle + k * LANES, like)  # NaN where it is not finite
    for k in range(mechanism.dependent.shape[0]):
        index = mechanism.dependent[k]
        start = load(work, at.middle + index * LANES, like)
        difference = absolute(load(work, at.before + index * LANES, like) - start)
        bad = bad + _above(difference, LARGEST) + _above(absolute(start), LARGEST)
        change = larger(mechanism.steps.reach[index] * difference, change)
    for t in range(mechanism.steps.steps.shape[0]):
        c = absolute(load(work, at.before + (CONFIGURATION * nq + t) * LANES, like))
        bad = bad + _above(change, NEAR) + _above(change * change, 1.0 - c)
    return bad


@inlined
def take_signs(mechanism, workspace, start, starts, row, each, direct, given, nq, work, at, like):
    """The branch, of ``start`` unless given, and where the way to the first state starts.

    If ``each``, every lane has its own: the branch of its row of ``starts``, from ``row`` on.
    """
    signs = workspace.walk.signs
    for lane in range(LANES if each else 1):
        if each:
            start = starts[min(row + lane, starts.shape[0] - 1)]
        if direct:
            assign(signs, given)
        elif not each or all_finite(start):  # else the row is not answered here
            branch_signs(mechanism.steps, start, signs)
        for t in range(signs.shape[0]):
            if lane == 0:
                store(work, at.signs + t * LANES, like + signs[t])
            else:
                work[at.signs + t * LANES + lane] = signs[t]
    for t in range(signs.shape[0]):
        for base in (at.here, at.before, at.middle):
            store(work, base + (CONFIGURATION * nq + t) * LANES, like)  # gears have no c
    if each:
        columns_to_lanes(starts, row, work[at.before :], LANES, like)
        columns_to_lanes(starts, row, work[at.middle :], LANES, like)
    else:
        for index in range(nq):
            work[at.last + index] = start[index]


@spliced
def close_all(mechanism, start, each, fresh, direct, angles, work, at, like):
    """Close the loops of all states, halfway to them and, if ``fresh``, where the way starts.

    With ``direct`` the way to the first state starts at itself, else at ``start``; if ``each``, that to every
    state at its own start, which is in ``before`` and ``middle``. Returns zero where circles meet; NaN, of
    all or of a state, if the start is not near a closed configuration.
    """
    moving, independent, nq = mechanism.moving, mechanism.independent_q, mechanism.index_in_v.shape[0]
    bad, bases = like, (at.before if each else at.here, at.here, at.middle)
    for stage in range(START if fresh else HERE, MIDDLE + 1):
        if stage != MIDDLE:
            store(work, at.sine, like + 1.0)
        if stage == HERE:
            if each:
                bad = bad + _are_near(mechanism, nq, work, at, like)
            else:
                _keep_last(mechanism, nq, work, at)
            for k in range(independent.shape[0]):
                value = load(work, at.inputs + k * LANES, like)
                store(work, at.here + independent[k] * LANES, value)
        elif stage == START and direct:
            for k in range(independent.shape[0]):
                store(work, at.here + independent[k] * LANES, like + work[at.inputs + k * LANES])
        elif stage == MIDDLE and not each:
            _place_before(mechanism, nq, work, at, like)
        base = bases[stage]
        for k in range(moving.shape[0]):
            value = load(work, at.here + moving[k] * LANES, like)
            if stage == START and each:
                value = load(work, at.before + moving[k] * LANES, like)
            elif stage == START and not direct:
                value = like + start[moving[k]]
            elif stage == MIDDLE:
                value = 0.5 * (value + load(work, at.before + moving[k] * LANES, like))
            bad = bad + known_angle(moving[k], value, base, nq, work)
        full = angles or stage != MIDDLE
        bad = bad + close(mechanism.steps, stage == MIDDLE, each, full, base, nq, work, at, like)
        if stage == START and not (direct or each) and not _is_near(mechanism, start, nq, work, at):
            return bad + math.nan
    return bad


@inlined
def way_is_plain(mechanism, work, at, like):
    """Zero where each state follows from the one before as :func:`..walk.walk` would accept in one stride."""
    steps, _, joints, chain, reach = mechanism.steps
    nq, bad = mechanism.index_in_v.shape[0], like
    for k in range(mechanism.moving.shape[0]):
        index = mechanism.moving[k] * LANES
        change = absolute(load(work, at.here + index, like) - load(work, at.before + index, like))
        bad = bad + _above(change, FARTHEST) + _above(reach[mechanism.moving[k]] * change, LONGEST)
    for k in range(mechanism.dependent.shape[0]):
        index = mechanism.dependent[k] * LANES
        bad = bad + _above(absolute(load(work, at.here + index, like)), LARGEST)
    for t in range(steps.shape[0]):
        if steps[t, 0] == GEAR:
            bad = bad + _turns(steps[t, 3], reach[steps[t, 3]], work, at, like)
            continue
        index = (CONFIGURATION * nq + t) * LANES
        a, c = load(work, at.before + index, like), load(work, at.here + index, like)
        b = load(work, at.middle + index, like)
        most = larger(absolute(a), larger(absolute(b), absolute(c)))
        bad = bad + _above(absolute(a - 2.0 * b + c), 1.0 - most)
        for end in range(3, 5):
            k = steps[t, end]
            if joints[k, 0] == 1:
                continue
            if abs(chain[k, 0]) != 1.0:
                bad = bad + _turns(joints[k, 1], abs(chain[k, 0]), work, at, like)
                continue
            sine, cosine = (SINES * nq + joints[k, 1]) * LANES, (COSINES * nq + joints[k, 1]) * LANES
            s, c = load(work, at.middle + sine, like), load(work, at.middle + cosine, like)
            before = c * load(work, at.before + cosine, like) + s * load(work, at.before + sine, like)
            after = c * load(work, at.here + cosine, like) + s * load(work, at.here + sine, like)
            bad = bad + chosen(before - COSINE, like, 1.0) + chosen(after - COSINE, like, 1.0)
    return bad


@inlined
def _turns(index, scale, work, at, like):
    """0 where a coordinate turns by less than LARGEST_TURN in both halves, else larger."""
    index = index * LANES
    middle = load(work, at.middle + index, like)
    first = scale * absolute(middle - load(work, at.before + index, like))
    second = scale * absolute(middle - load(work, at.here + index, like))
    return _above(first, LARGEST_TURN) + _above(second, LARGEST_TURN)
