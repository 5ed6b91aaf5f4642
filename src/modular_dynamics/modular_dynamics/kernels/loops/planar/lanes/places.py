"""Slopes, velocities, accelerations and torques of planar loops, of several states side by side.

The equations are those of :mod:`..rates`, with the sines and cosines that closing the loops has left.
"""

from ....numba_support.compilation import inlined
from ....numba_support.lane_functions import absolute, chosen, square_root
from ....numba_support.memory import load, store
from ..steps import GEAR
from .sections import COSINES, LANES, SINES

__all__ = ["complete_rates", "place", "transmit"]

#: The sine between two slopes below which states are answered one by one: twice as far from a dead point as
#: it must be there.
SINE = 2e-3
#: The largest correction [rad or m] after which slopes need not be computed again.
CORRECTION = 1e-12


@inlined
def _correct(k, change, joints, base, nq, work, like):
    """Subtract a small change from the coordinate of joint k."""
    at = base + joints[k, 1] * LANES
    store(work, at, load(work, at, like) - change)
    if joints[k, 0] == 0:
        sine, cosine = at + SINES * nq * LANES, at + COSINES * nq * LANES
        s, c = load(work, sine, like), load(work, cosine, like)
        store(work, sine, s - change * c)
        store(work, cosine, c + change * s)


@inlined
def place(t, table, base, nq, work, at, like):
    """Slopes of step t and their inverse; its gap, which rounding left, is closed.

    Returns zero, or 1 or NaN where the slopes are nearly parallel or the gap is larger than that.
    """
    steps, points, joints, chain, _ = table
    first_joint, stop = steps[t, 1], steps[t, 2]
    c, s, x, y = like + 1.0, like, like, like  # of T_1 .. T_k: rotation and displacement
    for k in range(first_joint, stop):
        px, py = c * chain[k, 2] - s * chain[k, 3], s * chain[k, 2] + c * chain[k, 3]
        if joints[k, 0] == 1:
            amount = chain[k, 0] * load(work, base + joints[k, 1] * LANES, like) + chain[k, 1]
            store(work, at.slopes + 2 * k * LANES, px)
            store(work, at.slopes + (2 * k + 1) * LANES, py)
            x, y = x + amount * px, y + amount * py
            continue
        x, y = x + px, y + py  # the centre
        store(work, at.slopes + 2 * k * LANES, x)
        store(work, at.slopes + (2 * k + 1) * LANES, y)
        turn_s = load(work, at.turned + 2 * k * LANES, like)
        turn_c = load(work, at.turned + (2 * k + 1) * LANES, like)
        c, s = c * turn_c - s * turn_s, s * turn_c + c * turn_s
        x, y = x - (c * chain[k, 2] - s * chain[k, 3]), y - (s * chain[k, 2] + c * chain[k, 3])
    tip_x, tip_y = c * points[t, 2] - s * points[t, 3] + x, s * points[t, 2] + c * points[t, 3] + y
    for k in range(first_joint, stop):
        first, second = at.slopes + 2 * k * LANES, at.slopes + (2 * k + 1) * LANES
        x, y, scale = load(work, first, like), load(work, second, like), chain[k, 0]
        if joints[k, 0] == 1:
            store(work, first, scale * x)
            store(work, second, scale * y)
        else:
            store(work, first, scale * (y - tip_y))
            store(work, second, scale * (tip_x - x))
    i, j = steps[t, 3], steps[t, 4]
    a, b = load(work, at.slopes + 2 * i * LANES, like), load(work, at.slopes + 2 * j * LANES, like)
    d, e = (
        load(work, at.slopes + (2 * i + 1) * LANES, like),
        load(work, at.slopes + (2 * j + 1) * LANES, like),
    )
    det = a * e - b * d
    scale = 1.0 / det
    a, b, d, e = scale * e, -scale * b, -scale * d, scale * a  # the inverse
    to = at.inverses + 4 * t * LANES
    store(work, to, a)
    store(work, to + LANES, b)
    store(work, to + 2 * LANES, d)
    store(work, to + 3 * LANES, e)
    sine = absolute(scale) / square_root((a * a + b * b) * (d * d + e * e))
    least = load(work, at.sine, like)
    store(work, at.sine, chosen(least - sine, sine, least))
    gap_x, gap_y = tip_x - points[t, 0], tip_y - points[t, 1]
    first, second = a * gap_x + b * gap_y, d * gap_x + e * gap_y
    _correct(i, first, joints, base, nq, work, like)
    _correct(j, second, joints, base, nq, work, like)
    near = chosen(CORRECTION - absolute(first), like, 1.0) + chosen(CORRECTION - absolute(second), like, 1.0)
    return near + chosen(sine - SINE, like, 1.0)


@inlined
def _slope(k, work, at, like):
    return load(work, at.slopes + 2 * k * LANES, like), load(work, at.slopes + (2 * k + 1) * LANES, like)


@inlined
def _inverse(t, work, at, like):
    """The inverse of the two slopes, by rows."""
    at_step = at.inverses + 4 * t * LANES
    return (
        load(work, at_step, like),
        load(work, at_step + LANES, like),
        load(work, at_step + 2 * LANES, like),
        load(work, at_step + 3 * LANES, like),
    )


@inlined
def _bias(t, table, index_in_v, work, at, like):
    """sum of dtheta_k (2 Omega_k + [k rotates] dtheta_k) |_ g_k."""
    steps, _, joints, chain, _ = table
    x, y, turning = like, like, like
    for k in range(steps[t, 1], steps[t, 2]):
        rate = load(work, at.v + index_in_v[joints[k, 1]] * LANES, like)
        slope_x, slope_y = _slope(k, work, at, like)
        if joints[k, 0] == 1:
            factor = rate * (2.0 * turning)
        else:
            own = chain[k, 0] * rate
            factor = rate * (2.0 * turning + own)
            turning = turning + own
        x, y = x - factor * slope_y, y + factor * slope_x
    return x, y


@inlined
def complete_rates(table, index_in_v, work, at, like):
    """The unknown velocities and accelerations, from the known ones; all steps are placed."""
    steps, _, joints, chain, _ = table
    for t in range(steps.shape[0]):
        x, y, ax, ay, i, j = like, like, like, like, steps[t, 3], steps[t, 4]
        if steps[t, 0] == GEAR:
            for k in range(steps[t, 1], steps[t, 2]):
                index = index_in_v[joints[k, 1]] * LANES
                x = x + chain[k, 0] * load(work, at.v + index, like)
                ax = ax + chain[k, 0] * load(work, at.vdot + index, like)
            store(work, at.v + index_in_v[i] * LANES, x)
            store(work, at.vdot + index_in_v[i] * LANES, ax)
            continue
        for k in range(steps[t, 1], steps[t, 2]):
            if k not in (i, j):
                index = index_in_v[joints[k, 1]] * LANES
                rate, change = load(work, at.v + index, like), load(work, at.vdot + index, like)
                slope_x, slope_y = _slope(k, work, at, like)
                x, y = x - slope_x * rate, y - slope_y * rate
                ax, ay = ax - slope_x * change, ay - slope_y * change
        first, second = index_in_v[joints[i, 1]] * LANES, index_in_v[joints[j, 1]] * LANES
        a, b, d, e = _inverse(t, work, at, like)
        store(work, at.v + first, a * x + b * y)
        store(work, at.v + second, d * x + e * y)
        x, y = _bias(t, table, index_in_v, work, at, like)
        ax, ay = ax - x, ay - y
        store(work, at.vdot + first, a * ax + b * ay)
        store(work, at.vdot + second, d * ax + e * ay)


@inlined
def transmit(table, index_in_v, work, at, like):
    """Torques of the tree, in place, to those of the independent joints; zero of all others."""
    steps, _, joints, chain, _ = table
    for t in range(steps.shape[0] - 1, -1, -1):
        i, j = steps[t, 3], steps[t, 4]
        if steps[t, 0] == GEAR:
            index = at.tau + index_in_v[i] * LANES
            held = load(work, index, like)
            store(work, index, like)
            for k in range(steps[t, 1], steps[t, 2]):
                index = at.tau + index_in_v[joints[k, 1]] * LANES
                store(work, index, load(work, index, like) + chain[k, 0] * held)
            continue
        first, second = at.tau + index_in_v[joints[i, 1]] * LANES, at.tau + index_in_v[joints[j, 1]] * LANES
        a, b, d, e = _inverse(t, work, at, like)
        one, two = load(work, first, like), load(work, second, like)
        x, y = a * one + d * two, b * one + e * two
        store(work, first, like)
        store(work, second, like)
        for k in range(steps[t, 1], steps[t, 2]):
            if k not in (i, j):
                index = at.tau + index_in_v[joints[k, 1]] * LANES
                slope_x, slope_y = _slope(k, work, at, like)
                store(work, index, load(work, index, like) - (slope_x * x + slope_y * y))
