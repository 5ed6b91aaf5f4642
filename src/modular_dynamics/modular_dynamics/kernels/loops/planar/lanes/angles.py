"""Angles of joints and their sines and cosines, of several states side by side.

The angle of a joint in a chain is that of its coordinate but for offset, sign and scale. With a scale of 1 or
-1, sine and cosine are turned by the constant angle, else computed anew.
"""

import math

from ....math.arctangent import arctangent
from ....math.trigonometry import sincos
from ....numba_support.compilation import inlined
from ....numba_support.lane_functions import absolute, any_differs, chosen, nearest_whole, shifted
from ....numba_support.memory import load, store
from ..steps import GEAR
from .sections import COSINES, LANES, SINES, TURN_COLUMNS

__all__ = ["FAR", "known_angle", "prepare_turns", "set_angle", "set_gear", "store_turn", "turn_known"]

#: The largest angle [rad] whose sine is taken as it is.
FAR = 1e3


@inlined
def prepare_turns(table, work, at):
    """Write ``turns``: for each joint of the chains, with its offset o and the sign of its scale,

    sign cos o, sin o, cos o, sign sin o, and 1 where the scale is another than 1 or -1, else 0. Returns
    whether angles themselves are needed halfway, not only their sines.
    """
    steps, _, joints, chain, _ = table
    angles = False
    for k in range(joints.shape[0]):
        to = at.turns + TURN_COLUMNS * k
        sign = 1.0 if chain[k, 0] > 0.0 else -1.0
        sine, cosine = 0.0, 1.0
        if joints[k, 0] == 0 and chain[k, 1] != 0.0:
            sine, cosine = math.sin(chain[k, 1]), math.cos(chain[k, 1])
        work[to], work[to + 1], work[to + 2], work[to + 3] = sign * cosine, sine, cosine, sign * sine
        work[to + 4] = 0.0 if abs(chain[k, 0]) == 1.0 else 1.0
    for t in range(steps.shape[0]):
        for k in range(steps[t, 1], steps[t, 2]):
            if steps[t, 0] != GEAR:
                angles = angles or (joints[k, 0] == 0 and work[at.turns + TURN_COLUMNS * k + 4] == 1.0)
            else:
                for s in range(t):
                    if steps[s, 0] != GEAR:
                        i, j, index = joints[steps[s, 3], 1], joints[steps[s, 4], 1], joints[k, 1]
                        angles = angles or index in (i, j)
    return angles


@inlined
def known_angle(index, value, base, nq, work):
    """Store a known coordinate with sine and cosine. Returns 1 where it is too large for them, else 0."""
    store(work, base + index * LANES, value)
    far = chosen(FAR - absolute(value), 0.0 * value, 1.0)
    sine, cosine = sincos(chosen(FAR - absolute(value), value, 0.0))
    store(work, base + (SINES * nq + index) * LANES, sine)
    store(work, base + (COSINES * nq + index) * LANES, cosine)
    return far


@inlined
def store_turn(k, sine, cosine, work, at):
    """Sine and cosine of a joint's rotation."""
    store(work, at.turned + 2 * k * LANES, sine)
    store(work, at.turned + (2 * k + 1) * LANES, cosine)


@inlined
def turn_known(t, steps, joints, chain, base, nq, work, at, like):
    """Sine and cosine of the joints that a step knows."""
    for k in range(steps[t, 1], steps[t, 2]):
        if joints[k, 0] == 1 or k == steps[t, 3] or k == steps[t, 4]:
            continue
        index, turn = joints[k, 1], at.turns + TURN_COLUMNS * k
        sine = load(work, base + (SINES * nq + index) * LANES, like)
        cosine = load(work, base + (COSINES * nq + index) * LANES, like)
        if work[turn + 4] == 0.0:
            x = work[turn + 2] * cosine - work[turn + 3] * sine
            y = work[turn] * sine + work[turn + 1] * cosine
        else:
            y, x = sincos(chain[k, 0] * load(work, base + index * LANES, like) + chain[k, 1])
        store_turn(k, y, x, work, at)


@inlined
def set_angle(k, joints, chain, own, angles, base, nq, work, at, like):
    """The coordinate of an unknown hinge, from sine and cosine of its rotation; with its own sine and cosine.

    Of equal angles that nearest to where the way starts, if that is the lane's own; else to the lane before.
    Returns 1 where it is too large for its sine, else 0.
    """
    index, turn, period = joints[k, 1], at.turns + TURN_COLUMNS * k, 2.0 * math.pi / abs(chain[k, 0])
    sine = load(work, at.turned + 2 * k * LANES, like)
    cosine = load(work, at.turned + (2 * k + 1) * LANES, like)
    if work[turn + 4] == 0.0:
        sine, cosine = (
            work[turn] * sine - work[turn + 3] * cosine,
            work[turn + 2] * cosine + work[turn + 1] * sine,
        )
        store(work, base + (SINES * nq + index) * LANES, sine)
        store(work, base + (COSINES * nq + index) * LANES, cosine)
    if not angles:
        return like
    value = arctangent(sine, cosine)
    if work[turn + 4] != 0.0:
        value = (value - chain[k, 1]) / chain[k, 0]
    if own:
        before = load(work, at.before + index * LANES, like)
        value = value + period * nearest_whole((before - value) / period)
    else:
        turns = nearest_whole((shifted(value, work[at.last + index]) - value) / period)
        if any_differs(turns, like):
            store(work, at.scratch, turns)
            for lane in range(1, LANES):
                work[at.scratch + lane] += work[at.scratch + lane - 1]
            value = value + period * load(work, at.scratch, like)
    if work[turn + 4] == 0.0:
        store(work, base + index * LANES, value)
        return like
    return known_angle(index, value, base, nq, work)


@inlined
def set_gear(t, table, base, nq, work, like):
    """The coordinate of a gear. Returns 1 where it is too large for its sine, else 0."""
    steps, points, joints, chain, _ = table
    total = like + points[t, 0]
    for k in range(steps[t, 1], steps[t, 2]):
        total = total + chain[k, 0] * load(work, base + joints[k, 1] * LANES, like)
    return known_angle(steps[t, 3], total, base, nq, work)
