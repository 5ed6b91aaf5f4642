"""Coordinates that close planar loops, of several states side by side: the steps of :mod:`..steps`.

What a step finds are sines and cosines: with X the crossing, the rotation of i turns X into G, so that
(X . G, X x G) are cosine and sine of its angle times |G|^2, and likewise of j. An angle itself is needed for
its coordinate only, and the following steps go on with sine and cosine. With r, p and d the radii and the
distance of the centres, and m = r^2 + p^2 - d^2,

    c = m / (2 r p)        X = (r^2 - p^2 + d^2, +- sqrt(4 r^2 p^2 - m^2)) / (2 d^2)    along and across D

which loses digits where circles nearly touch; there, states are not answered side by side.

Angles of coordinates are those of chains but for offset, sign and scale: with a scale of 1 or -1, sine and
cosine are turned by the constant angle, else computed anew.
"""

import math

from ....math.arctangent import arctangent
from ....math.trigonometry import sincos
from ....numba_support.compilation import inlined
from ....numba_support.lane_functions import (
    absolute,
    any_differs,
    chosen,
    nearest_whole,
    shifted,
    square_root,
)
from ....numba_support.memory import load, store
from ..steps import CIRCLE_LINE, CIRCLES, GEAR, LINE_CIRCLE
from .places import place
from .sections import CONFIGURATION, COSINES, LANES, SINES, TURN_COLUMNS

__all__ = ["FAR", "close", "known_angle", "prepare_turns"]

#: The largest angle [rad] whose sine is taken as it is.
FAR = 1e3


@inlined
def prepare_turns(table, work, at):
    """For each joint k of the chains: sign cos o, sin o, cos o, sign sin o with its offset o, and whether its
    scale is another than 1 or -1. Returns whether angles themselves are needed halfway, not only sines.
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
def _turn_known(t, steps, joints, chain, base, nq, work, at, like):
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
        _store_turn(k, y, x, work, at)


@inlined
def _store_turn(k, sine, cosine, work, at):
    """Sine and cosine of a joint's rotation."""
    store(work, at.turned + 2 * k * LANES, sine)
    store(work, at.turned + (2 * k + 1) * LANES, cosine)


@inlined
def _displaced(k, sense, x, y, joints, chain, base, work, at, like):
    """A point under T_k, or, with sense = -1, under its inverse."""
    px, py = chain[k, 2], chain[k, 3]
    if joints[k, 0] == 1:
        amount = sense * (chain[k, 0] * load(work, base + joints[k, 1] * LANES, like) + chain[k, 1])
        return x + amount * px, y + amount * py
    s = sense * load(work, at.turned + 2 * k * LANES, like)
    c = load(work, at.turned + (2 * k + 1) * LANES, like)
    x, y = x - px, y - py
    return px + c * x - s * y, py + s * x + c * y


@inlined
def _known_ends(t, table, base, work, at, like):
    """G, C, B times the centre of j (times C where j is prismatic), cosine and sine of the angle of B."""
    steps, points, joints, chain, _ = table
    i, j = steps[t, 3], steps[t, 4]
    gx, gy, cx, cy = like + points[t, 0], like + points[t, 1], like + points[t, 2], like + points[t, 3]
    for k in range(steps[t, 1], i):
        gx, gy = _displaced(k, -1.0, gx, gy, joints, chain, base, work, at, like)
    for k in range(steps[t, 2] - 1, j, -1):
        cx, cy = _displaced(k, 1.0, cx, cy, joints, chain, base, work, at, like)
    bx, by = (cx, cy) if joints[j, 0] == 1 else (like + chain[j, 2], like + chain[j, 3])
    cosine, sine = like + 1.0, like
    for k in range(j - 1, i, -1):
        bx, by = _displaced(k, 1.0, bx, by, joints, chain, base, work, at, like)
        if joints[k, 0] == 0:
            s = load(work, at.turned + 2 * k * LANES, like)
            c = load(work, at.turned + (2 * k + 1) * LANES, like)
            cosine, sine = cosine * c - sine * s, sine * c + cosine * s
    return gx, gy, cx, cy, bx, by, cosine, sine


@inlined
def _between(x, y, u, v, scale):
    """Sine and cosine of the angle from (x, y) to (u, v); ``scale`` is 1 over the square of their length.

    Which is so to rounding times the ratio of lengths: one step of Newton's method for the root makes it exact.
    """
    s, c = scale * (x * v - y * u), scale * (x * u + y * v)
    correction = 1.5 - 0.5 * (s * s + c * c)
    return correction * s, correction * c


@inlined
def _set_angle(k, joints, chain, halfway, angles, base, nq, work, at, like):
    """The coordinate of an unknown hinge, from sine and cosine of its rotation; with its own sine and cosine.

    Of equal angles that nearest to where the way starts; or, if not halfway, nearest to the lane before.
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
    if halfway:
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
def _gear(t, table, base, nq, work, like):
    """The coordinate of a gear. Returns 1 where it is too large for its sine, else 0."""
    steps, points, joints, chain, _ = table
    total = like + points[t, 0]
    for k in range(steps[t, 1], steps[t, 2]):
        total = total + chain[k, 0] * load(work, base + joints[k, 1] * LANES, like)
    return known_angle(steps[t, 3], total, base, nq, work)


@inlined
def close(table, halfway, angles, base, nq, work, at, like):
    """Unknown coordinates of the configuration at ``base`` from the known ones, and its c.

    Args:
        halfway: whether it is that of the middle; ``angles``: if so, whether angles themselves are needed.

    Returns zero where all circles meet, else larger or NaN. Adds slopes unless halfway (:mod:`.places`), and
    corrects the coordinates by what rounding left open.
    """
    steps, _, joints, chain, _ = table
    bad = like
    for t in range(steps.shape[0]):
        kind = steps[t, 0]
        if kind == GEAR:
            bad = bad + _gear(t, table, base, nq, work, like)
            continue
        i, j, sign = steps[t, 3], steps[t, 4], load(work, at.signs + t * LANES, like)
        _turn_known(t, steps, joints, chain, base, nq, work, at, like)
        gx, gy, cx, cy, bx, by, cosine, sine = _known_ends(t, table, base, work, at, like)
        if kind == CIRCLES:
            ox, oy, px, py = chain[i, 2], chain[i, 3], chain[j, 2], chain[j, 3]
            dx, dy, gx, gy, cx, cy = bx - ox, by - oy, gx - ox, gy - oy, cx - px, cy - py
            rr, pp, dd = gx * gx + gy * gy, cx * cx + cy * cy, dx * dx + dy * dy
            m, scale = rr + pp - dd, 0.5 / dd
            margin = 4.0 * rr * pp - m * m
            c = 0.5 * m / square_root(rr * pp)
            along, across = scale * (rr - pp + dd), scale * sign * square_root(margin)
            x, y = along * dx - across * dy, along * dy + across * dx
            s1, c1 = _between(x, y, gx, gy, 1.0 / rr)
            s2, c2 = _between(cx, cy, x - dx, y - dy, 1.0 / pp)
            _store_turn(i, s1, c1, work, at)
            s2, c2 = s2 * cosine - c2 * sine, c2 * cosine + s2 * sine
            _store_turn(j, s2, c2, work, at)
        elif kind == CIRCLE_LINE:
            ox, oy = chain[i, 2], chain[i, 3]
            dx, dy, gx, gy = bx - ox, by - oy, gx - ox, gy - oy
            ux, uy = cosine * chain[j, 2] - sine * chain[j, 3], sine * chain[j, 2] + cosine * chain[j, 3]
            rr, along, h = gx * gx + gy * gy, dx * ux + dy * uy, ux * dy - uy * dx
            margin, c = rr - h * h, h / square_root(rr)
            second = sign * square_root(margin) - along
            s1, c1 = _between(dx + second * ux, dy + second * uy, gx, gy, 1.0 / rr)
            _store_turn(i, s1, c1, work, at)
            store(work, base + joints[j, 1] * LANES, (second - chain[j, 1]) / chain[j, 0])
        elif kind == LINE_CIRCLE:
            px, py, ux, uy = chain[j, 2], chain[j, 3], chain[i, 2], chain[i, 3]
            dx, dy, cx, cy = gx - bx, gy - by, cx - px, cy - py
            pp, along, h = cx * cx + cy * cy, dx * ux + dy * uy, ux * dy - uy * dx
            margin, c = pp - h * h, h / square_root(pp)
            first = along - sign * square_root(margin)
            s2, c2 = _between(cx, cy, dx - first * ux, dy - first * uy, 1.0 / pp)
            s2, c2 = s2 * cosine - c2 * sine, c2 * cosine + s2 * sine
            _store_turn(j, s2, c2, work, at)
            store(work, base + joints[i, 1] * LANES, (first - chain[i, 1]) / chain[i, 0])
        else:
            dx, dy, ux, uy = gx - bx, gy - by, chain[i, 2], chain[i, 3]
            wx, wy = cosine * chain[j, 2] - sine * chain[j, 3], sine * chain[j, 2] + cosine * chain[j, 3]
            c, sine = ux * wx + uy * wy, ux * wy - uy * wx
            margin, scale = sine * sine, 1.0 / sine
            first, second = scale * (dx * wy - dy * wx), scale * (ux * dy - uy * dx)
            store(work, base + joints[i, 1] * LANES, (first - chain[i, 1]) / chain[i, 0])
            store(work, base + joints[j, 1] * LANES, (second - chain[j, 1]) / chain[j, 0])
        store(work, base + (CONFIGURATION * nq + t) * LANES, c)
        bad = bad + chosen(margin, like, 1.0)
        for end in range(3, 5):
            k = steps[t, end]
            if joints[k, 0] == 0:
                bad = bad + _set_angle(k, joints, chain, halfway, angles, base, nq, work, at, like)
        if not halfway:
            bad = bad + place(t, table, base, nq, work, at, like)
    return bad
