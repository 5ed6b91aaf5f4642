"""Coordinates that close planar loops, of several states side by side: the steps of :mod:`..steps`.

What a step finds are sines and cosines: with X the crossing, the rotation of i turns X into G, so that
(X . G, X x G) are cosine and sine of its angle times |G|^2, and likewise of j. An angle itself is needed for
its coordinate only, and the following steps go on with sine and cosine. With r, p and d the radii and the
distance of the centres, and m = r^2 + p^2 - d^2,

    c = m / (2 r p)        X = (r^2 - p^2 + d^2, +- sqrt(4 r^2 p^2 - m^2)) / (2 d^2)    along and across D

which loses digits where circles nearly touch; there, states are not answered side by side.
"""

from ....numba_support.compilation import inlined
from ....numba_support.lane_functions import chosen, square_root
from ....numba_support.memory import load, store
from ..steps import CIRCLE_LINE, CIRCLES, GEAR, LINE_CIRCLE
from .angles import set_angle, set_gear, store_turn, turn_known
from .places import place
from .sections import CONFIGURATION, LANES

__all__ = ["close"]


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

    It is that but for rounding, times ratios of lengths; a step of Newton's method makes up for it.
    """
    s, c = scale * (x * v - y * u), scale * (x * u + y * v)
    correction = 1.5 - 0.5 * (s * s + c * c)
    return correction * s, correction * c


@inlined
def close(table, halfway, each, angles, base, nq, work, at, like):
    """Unknown coordinates of the configuration at ``base`` from the known ones, and its c.

    Args:
        halfway: whether it is that of the middle; ``angles``: if so, whether angles themselves are needed.
        each: whether every lane has a start of its own.

    Returns zero where all circles meet, else larger or NaN. Adds slopes unless halfway (:mod:`.places`), and
    corrects the coordinates by what rounding left open.
    """
    steps, _, joints, chain, _ = table
    bad = like
    for t in range(steps.shape[0]):
        kind = steps[t, 0]
        if kind == GEAR:
            bad = bad + set_gear(t, table, base, nq, work, like)
            continue
        i, j, sign = steps[t, 3], steps[t, 4], load(work, at.signs + t * LANES, like)
        turn_known(t, steps, joints, chain, base, nq, work, at, like)
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
            store_turn(i, s1, c1, work, at)
            s2, c2 = s2 * cosine - c2 * sine, c2 * cosine + s2 * sine
            store_turn(j, s2, c2, work, at)
        elif kind == CIRCLE_LINE:
            ox, oy = chain[i, 2], chain[i, 3]
            dx, dy, gx, gy = bx - ox, by - oy, gx - ox, gy - oy
            ux, uy = cosine * chain[j, 2] - sine * chain[j, 3], sine * chain[j, 2] + cosine * chain[j, 3]
            rr, along, h = gx * gx + gy * gy, dx * ux + dy * uy, ux * dy - uy * dx
            margin, c = rr - h * h, h / square_root(rr)
            second = sign * square_root(margin) - along
            s1, c1 = _between(dx + second * ux, dy + second * uy, gx, gy, 1.0 / rr)
            store_turn(i, s1, c1, work, at)
            store(work, base + joints[j, 1] * LANES, (second - chain[j, 1]) / chain[j, 0])
        elif kind == LINE_CIRCLE:
            px, py, ux, uy = chain[j, 2], chain[j, 3], chain[i, 2], chain[i, 3]
            dx, dy, cx, cy = gx - bx, gy - by, cx - px, cy - py
            pp, along, h = cx * cx + cy * cy, dx * ux + dy * uy, ux * dy - uy * dx
            margin, c = pp - h * h, h / square_root(pp)
            first = along - sign * square_root(margin)
            s2, c2 = _between(cx, cy, dx - first * ux, dy - first * uy, 1.0 / pp)
            s2, c2 = s2 * cosine - c2 * sine, c2 * cosine + s2 * sine
            store_turn(j, s2, c2, work, at)
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
                bad = bad + set_angle(k, joints, chain, halfway or each, angles, base, nq, work, at, like)
        if not halfway:
            bad = bad + place(t, table, base, nq, work, at, like)
    return bad
