"""Planar loops in closed form: gears, circles that meet circles, circles that meet lines, one by one.

Seen from the predecessor of its cut, a planar loop is one chain of joints that ends at the cut on the
successor: T_1 .. T_m S = P, each T a turn about a point or a shift, points where they are with all joints at
zero. Known joints move G = T_(i-1)^-1 .. T_1^-1 P and C = T_(j+1) .. T_m S. What is left, for the unknown
joints i and j with B = T_(i+1) .. T_(j-1) between them, is T_i^-1 G = B T_j C =: X. A turn leaves X on a
circle about its centre (O_i, or B O_j), a shift on a line: X is where the two meet, and the angles or
distances follow.

They meet twice, mirrored; ``signs`` says where. With c the cosine of the angle at which they cross (of the
angle O_i X O_j of a four-bar: the transmission angle), they touch at |c| = 1, a dead point, and miss each
other beyond.

A ``table`` is the tuple (steps, numbers, places, chain, size). ``steps`` (s, 5): a kind; the first of the
step's rows in ``chain`` and the one behind its last; the rows i and j, or, of a gear, the place in q of what
it gives. ``numbers`` (s, 4): P and S, or the offset of a gear. ``places`` (e, 2): PRISMATIC or not, where in
q. ``chain`` (e, 4): scale and shift of the coordinate, then the centre, or the direction; a gear's are added
up. ``size`` (nq,): how far a coordinate moves joints of loops, for one unit of it; not those of gears alone.
"""

import math

from numba import njit

__all__ = ["CIRCLES", "CIRCLE_LINE", "GEAR", "LINES", "LINE_CIRCLE", "solve", "turns", "walk"]

GEAR, CIRCLES, CIRCLE_LINE, LINE_CIRCLE, LINES = range(5)  # kinds of steps

#: Between two samples of a way: the largest turn of an unknown or geared joint, the change of a known one.
LARGEST_TURN, STRIDE = 1.0, 0.5
#: The shortest such stride: a dead point is reached; and one so short that what ends it ends the way.
SHORTEST_STRIDE, NEXT = 1e-7, 1e-3
#: |c| of circles that miss each other, and not by rounding only.
MISSED = 1.0 + 1e-13
#: How far a guess may be from the closed configuration that it stands for [rad or m].
NEAR = 0.3


@njit(inline="always", error_model="numpy")
def _moved(k, sense, x, y, places, chain, q):
    """A point under T_k, or, with sense = -1, under its inverse."""
    amount = sense * (chain[k, 0] * q[places[k, 1]] + chain[k, 1])
    if places[k, 0] == 1:
        return x + amount * chain[k, 2], y + amount * chain[k, 3]
    s, c = math.sin(amount), math.cos(amount)
    x, y = x - chain[k, 2], y - chain[k, 3]
    return chain[k, 2] + c * x - s * y, chain[k, 3] + s * x + c * y


@njit(forceinline=True, error_model="numpy")
def _ends(row, point, places, chain, q):
    """G, C, then B times the centre of j (or C, of a shift), and the angle of B."""
    i, j = row[3], row[4]
    gx, gy, cx, cy, turned = point[0], point[1], point[2], point[3], 0.0
    for k in range(row[1], i):
        gx, gy = _moved(k, -1.0, gx, gy, places, chain, q)
    for k in range(row[2] - 1, j, -1):
        cx, cy = _moved(k, 1.0, cx, cy, places, chain, q)
    bx, by = (cx, cy) if places[j, 0] == 1 else (chain[j, 2], chain[j, 3])
    for k in range(j - 1, i, -1):
        bx, by = _moved(k, 1.0, bx, by, places, chain, q)
        if places[k, 0] == 0:
            turned += chain[k, 0] * q[places[k, 1]] + chain[k, 1]
    return gx, gy, cx, cy, bx, by, turned


@njit(inline="always", error_model="numpy")
def _turned(x, y, angle):
    s, c = math.sin(angle), math.cos(angle)
    return c * x - s * y, s * x + c * y


@njit(inline="always", error_model="numpy")
def _between(x, y, u, v):
    """The angle from (x, y) to (u, v)."""
    return math.atan2(x * v - y * u, x * u + y * v)


@njit(inline="always", error_model="numpy")
def _set(k, value, places, chain, q):
    """The coordinate of an unknown joint; of equal angles, the one next to what it was. How far it turned."""
    place, scale = places[k, 1], chain[k, 0]
    value, old = (value - chain[k, 1]) / scale, q[place]
    if places[k, 0] == 1:
        q[place] = value
        return 0.0
    period = 2.0 * math.pi / abs(scale)
    q[place] = value + period * math.floor((old - value) / period + 0.5)
    return abs(scale * (q[place] - old))


@njit(forceinline=True, error_model="numpy")
def solve_inline(table, signs, q, cosines):
    """Unknown coordinates, in place, the others given. ``cosines`` (s,) takes c of each step.

    Returns (step, gap [m], turn): the first step that has no solution, or the number of steps; by how much
    its circles miss each other; and the largest angle by which an unknown joint turned.
    """
    steps, numbers, places, chain, size = table
    most = 0.0
    for t in range(steps.shape[0]):
        row, kind = steps[t], steps[t, 0]
        cosines[t] = 0.0
        if kind == GEAR:
            total = numbers[t, 0]
            for k in range(row[1], row[2]):
                total += chain[k, 0] * q[places[k, 1]]
            most = max(most, size[row[3]] * abs(total - q[row[3]]))
            q[row[3]] = total
            continue
        i, j, sign = row[3], row[4], signs[t]
        gx, gy, cx, cy, bx, by, turned = _ends(row, numbers[t], places, chain, q)
        if kind == CIRCLES:
            ox, oy = chain[i, 2], chain[i, 3]
            dx, dy = bx - ox, by - oy
            r, p = math.hypot(gx - ox, gy - oy), math.hypot(cx - chain[j, 2], cy - chain[j, 3])
            d = math.hypot(dx, dy)
            near, far = (d - r + p) * (d + r - p), (r + p - d) * (r + p + d)  # 2 r p (1 - c), 2 r p (1 + c)
            cosines[t] = 1.0 - near / (2.0 * r * p) if near < far else far / (2.0 * r * p) - 1.0
            if not (near > 0.0 and far > 0.0):
                return t, max(d - r - p, abs(r - p) - d), most
            along = ((r - p) * (r + p) + d * d) / (2.0 * d * d)
            across = sign * math.sqrt(near * far) / (2.0 * d * d)
            x, y = along * dx - across * dy, along * dy + across * dx  # of X from the first centre
            first = _between(x, y, gx - ox, gy - oy)
            second = _between(cx - chain[j, 2], cy - chain[j, 3], x - dx, y - dy) - turned
        elif kind == CIRCLE_LINE:
            ox, oy = chain[i, 2], chain[i, 3]
            ux, uy = _turned(chain[j, 2], chain[j, 3], turned)
            r = math.hypot(gx - ox, gy - oy)
            along, h = (bx - ox) * ux + (by - oy) * uy, ux * (by - oy) - uy * (bx - ox)
            cosines[t] = h / r
            if not abs(h) < r:
                return t, abs(h) - r, most
            second = sign * math.sqrt((r - h) * (r + h)) - along
            first = _between(bx + second * ux - ox, by + second * uy - oy, gx - ox, gy - oy)
        elif kind == LINE_CIRCLE:
            ux, uy = chain[i, 2], chain[i, 3]
            p = math.hypot(cx - chain[j, 2], cy - chain[j, 3])
            along, h = (gx - bx) * ux + (gy - by) * uy, ux * (gy - by) - uy * (gx - bx)
            cosines[t] = h / p
            if not abs(h) < p:
                return t, abs(h) - p, most
            first = along - sign * math.sqrt((p - h) * (p + h))
            x, y = gx - first * ux - bx, gy - first * uy - by
            second = _between(cx - chain[j, 2], cy - chain[j, 3], x, y) - turned
        else:
            ux, uy = chain[i, 2], chain[i, 3]
            wx, wy = _turned(chain[j, 2], chain[j, 3], turned)
            cosines[t] = ux * wx + uy * wy
            sine = ux * wy - uy * wx
            if sine == 0.0:
                return t, abs(ux * (gy - by) - uy * (gx - bx)), most
            first = ((gx - bx) * wy - (gy - by) * wx) / sine
            second = (ux * (gy - by) - uy * (gx - bx)) / sine
        most = max(most, _set(i, first, places, chain, q), _set(j, second, places, chain, q))
    return steps.shape[0], 0.0, most


@njit(cache=True, error_model="numpy")
def solve(table, signs, q, cosines):
    """:func:`solve_inline`, called from Python."""
    return solve_inline(table, signs, q, cosines)


@njit(forceinline=True, error_model="numpy")
def turns_inline(table, q, signs):
    """Write the signs (s,) of the branch at q; where q is not closed, of the middle of what is to meet."""
    steps, numbers, places, chain, _ = table
    for t in range(steps.shape[0]):
        row, kind = steps[t], steps[t, 0]
        signs[t] = 1.0
        if kind in (GEAR, LINES):
            continue
        i, j = row[3], row[4]
        gx, gy, cx, cy, bx, by, _ = _ends(row, numbers[t], places, chain, q)
        x, y = _moved(i, -1.0, gx, gy, places, chain, q)
        u, v = _moved(j, 1.0, cx, cy, places, chain, q)
        turned = 0.0
        for k in range(j - 1, i, -1):
            u, v = _moved(k, 1.0, u, v, places, chain, q)
            if places[k, 0] == 0:
                turned += chain[k, 0] * q[places[k, 1]] + chain[k, 1]
        x, y = 0.5 * (x + u), 0.5 * (y + v)
        if kind == CIRCLES:
            side = (bx - chain[i, 2]) * (y - chain[i, 3]) - (by - chain[i, 3]) * (x - chain[i, 2])
        elif kind == CIRCLE_LINE:
            ux, uy = _turned(chain[j, 2], chain[j, 3], turned)
            side = (x - chain[i, 2]) * ux + (y - chain[i, 3]) * uy
        else:
            side = (x - bx) * chain[i, 2] + (y - by) * chain[i, 3]
        signs[t] = -1.0 if side < 0.0 else 1.0


@njit(cache=True, error_model="numpy")
def turns(table, q, signs):
    """:func:`turns_inline`, called from Python."""
    return turns_inline(table, q, signs)


@njit(cache=True, error_model="numpy")
def walk(table, q, target, mine, dependent, room):
    """Move the independent coordinates ``mine`` of q to ``target``, on the branch of q, as `follow` does.

    The way is sampled: circles that meet at its end, but not on all of it, would leave the branch. A stride
    is taken where c bends by less than is left to 1, at its ends and in its middle, so that it cannot have
    reached 1 unseen. ``room`` = signs (s,), cosines (3, s), saved (2, nq).

    Returns what part of the way was gone, 1 at the end, or -1: q is not near a closed configuration; and do
    circles miss each other where the way ends? Where they only touch, another method may find on.
    """
    signs, cosines, saved = room
    missed = False
    count = signs.shape[0]
    turns_inline(table, q, signs)
    whole, moved = 0.0, 0.0
    for k in range(q.shape[0]):
        saved[0, k] = q[k]
    for k in range(mine.shape[0]):
        whole = max(whole, abs(target[k] - q[mine[k]]))
        moved = max(moved, table[4][mine[k]] * abs(target[k] - q[mine[k]]))
    step, _, _ = solve_inline(table, signs, q, cosines[0])
    if step < count:
        return -1.0, False
    away = 0.0
    for k in range(dependent.shape[0]):
        away = max(away, table[4][dependent[k]] * abs(q[dependent[k]] - saved[0, dependent[k]]))
    for t in range(count):
        if not (away < NEAR and away * away < 1.0 - abs(cosines[0, t])):
            return -1.0, False
    if whole == 0.0:
        return 1.0, False
    longest = 2.0 * STRIDE / max(moved, 2.0 * STRIDE)
    gone, stride = 0.0, longest
    while gone < 1.0:
        end = gone + stride if gone + stride < 1.0 - 1e-9 else 1.0  # no rest that is rounding only
        for k in range(q.shape[0]):
            saved[1, k] = q[k]
        good = True
        for half in range(1, 3):
            at = end if half == 2 else 0.5 * (gone + end)
            for k in range(mine.shape[0]):
                q[mine[k]] = (
                    target[k] if at == 1.0 else saved[0, mine[k]] + at * (target[k] - saved[0, mine[k]])
                )
            step, _, turn = solve_inline(table, signs, q, cosines[half])
            good = good and step == count and turn < LARGEST_TURN
            if step < count and stride * whole < NEXT and abs(cosines[half, step]) > MISSED:
                missed = True
            if not good:
                break
        if good:
            for t in range(count):
                a, b, c = cosines[0, t], cosines[1, t], cosines[2, t]
                left = 1.0 - max(abs(a), abs(b), abs(c))
                good = good and abs(a - 2.0 * b + c) < left
        if good:
            cosines[0] = cosines[2]
            gone, stride = end, min(2.0 * stride, longest)
            continue
        for k in range(q.shape[0]):
            q[k] = saved[1, k]
        stride *= 0.5
        if stride * whole < SHORTEST_STRIDE:
            return gone, missed
    return 1.0, False
