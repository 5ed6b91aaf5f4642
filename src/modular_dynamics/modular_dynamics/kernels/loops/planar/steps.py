"""Planar loops in closed form: gears, circles that meet circles, circles that meet lines, one by one.

Seen from the predecessor of its cut, a planar loop is one chain of joints that ends at the cut on the
successor: T_1 .. T_m S = P, each T a rotation about a point or a translation, points where they are with all
joints at zero. Known joints move G = T_(i-1)^-1 .. T_1^-1 P and C = T_(j+1) .. T_m S. For the unknown joints
i and j with B = T_(i+1) .. T_(j-1) between them remains T_i^-1 G = B T_j C =: X. A rotation leaves X on a
circle about its centre (O_i, or B O_j), a translation on a line: X is an intersection of the two, and the
angles or distances follow.

There are two intersections, mirrored; ``signs`` selects one. With c the cosine of the angle at which the
circles cross (of the angle O_i X O_j of a four-bar: the transmission angle), they touch at |c| = 1, a dead
point, and do not meet beyond.
"""

import math
from typing import NamedTuple

from numpy import float64, int64
from numpy.typing import NDArray

from ...numba_support.compilation import inlined_strictly, kernel
from .crossings import (
    circle_gaps,
    circle_line,
    circles,
    crossing_lines,
    line_circle,
    line_distance,
    near_turn,
    rotate,
)

__all__ = [
    "CIRCLES",
    "CIRCLE_LINE",
    "GEAR",
    "LINES",
    "LINE_CIRCLE",
    "PlanarSteps",
    "branch_signs",
    "displaced",
    "known_ends",
    "solve",
]

GEAR, CIRCLES, CIRCLE_LINE, LINE_CIRCLE, LINES = range(5)  # kinds of steps
_KIND, _FIRST, _STOP, _I, _J = range(5)  # columns of PlanarSteps.steps
_SCALE, _OFFSET = range(2)  # first columns of PlanarSteps.chain
_PRISMATIC, _Q = range(2)  # columns of PlanarSteps.joints


class PlanarSteps(NamedTuple):
    """Steps (s) that give all dependent coordinates, one after the other, and the chains (e joints) they use.

    Attributes:
        steps (s, 5): kind; first row of its chain and the one behind its last; rows i and j of the unknown
            joints, or, of a gear, the index in q of what it gives.
        points (s, 4): P and S [m]; or the offset of a gear.
        joints (e, 2): prismatic or not, index in q.
        chain (e, 4): scale and offset of the coordinate, then the centre of rotation [m], or the direction; a
            gear's terms are added up.
        reach (nq,): by how much one unit of a coordinate moves joints of loops; 0: gears only.
    """

    steps: NDArray[int64]
    points: NDArray[float64]
    joints: NDArray[int64]
    chain: NDArray[float64]
    reach: NDArray[float64]


@inlined_strictly
def displaced(k, sense, x, y, joints, chain, q):
    """A point under T_k, or, with sense = -1, under its inverse."""
    amount = sense * (chain[k, _SCALE] * q[joints[k, _Q]] + chain[k, _OFFSET])
    if joints[k, _PRISMATIC] == 1:
        return x + amount * chain[k, 2], y + amount * chain[k, 3]
    s, c = math.sin(amount), math.cos(amount)
    x, y = x - chain[k, 2], y - chain[k, 3]
    return chain[k, 2] + c * x - s * y, chain[k, 3] + s * x + c * y


@inlined_strictly
def known_ends(row, point, joints, chain, q):
    """G, C, B times the centre of j (times C where j is prismatic), and the angle of B."""
    i, j = row[_I], row[_J]
    gx, gy, cx, cy, angle = point[0], point[1], point[2], point[3], 0.0
    for k in range(row[_FIRST], i):
        gx, gy = displaced(k, -1.0, gx, gy, joints, chain, q)
    for k in range(row[_STOP] - 1, j, -1):
        cx, cy = displaced(k, 1.0, cx, cy, joints, chain, q)
    bx, by = (cx, cy) if joints[j, _PRISMATIC] == 1 else (chain[j, 2], chain[j, 3])
    for k in range(j - 1, i, -1):
        bx, by = displaced(k, 1.0, bx, by, joints, chain, q)
        if joints[k, _PRISMATIC] == 0:
            angle += chain[k, _SCALE] * q[joints[k, _Q]] + chain[k, _OFFSET]
    return gx, gy, cx, cy, bx, by, angle


@inlined_strictly
def _set_coordinate(k, value, joints, chain, q):
    """Set the coordinate of an unknown joint, of equal angles the nearest to before; returns its rotation."""
    index, scale = joints[k, _Q], chain[k, _SCALE]
    value, old = (value - chain[k, _OFFSET]) / scale, q[index]
    if joints[k, _PRISMATIC] == 1:
        q[index] = value
        return 0.0
    q[index] = near_turn(value, old, scale)
    return abs(scale * (q[index] - old))


@kernel(fastmath=False, forceinline=True)
def solve(table, signs, q, cosines):
    """Unknown coordinates, in place, from the known ones. ``cosines`` (s,) receives c of each step.

    Returns (step, gap [m], turn): the first step that has no solution, or the number of steps; the
    distance by which its circles miss each other; and the largest angle by which an unknown joint turned.
    """
    steps, points, joints, chain, reach = table
    largest = 0.0
    for t in range(steps.shape[0]):
        row, kind = steps[t], steps[t, _KIND]
        cosines[t] = 0.0
        if kind == GEAR:
            total = points[t, 0]
            for k in range(row[_FIRST], row[_STOP]):
                total += chain[k, _SCALE] * q[joints[k, _Q]]
            largest = max(largest, reach[row[_I]] * abs(total - q[row[_I]]))
            q[row[_I]] = total
            continue
        i, j, sign = row[_I], row[_J], signs[t]
        gx, gy, cx, cy, bx, by, angle = known_ends(row, points[t], joints, chain, q)
        if kind == CIRCLES:
            ox, oy, px, py = chain[i, 2], chain[i, 3], chain[j, 2], chain[j, 3]
            dx, dy, gx, gy, cx, cy = bx - ox, by - oy, gx - ox, gy - oy, cx - px, cy - py
            r, p, d, near, far = circle_gaps(dx, dy, gx, gy, cx, cy)
            cosines[t] = 1.0 - near / (2.0 * r * p) if near < far else far / (2.0 * r * p) - 1.0
            if not (near > 0.0 and far > 0.0):
                return t, max(d - r - p, abs(r - p) - d), largest
            first, second = circles(dx, dy, gx, gy, cx, cy, angle, sign)
        elif kind == CIRCLE_LINE:
            ox, oy = chain[i, 2], chain[i, 3]
            dx, dy, gx, gy = bx - ox, by - oy, gx - ox, gy - oy
            ux, uy = rotate(chain[j, 2], chain[j, 3], angle)
            r = math.hypot(gx, gy)
            _, h = line_distance(dx, dy, ux, uy)
            cosines[t] = h / r
            if not abs(h) < r:
                return t, abs(h) - r, largest
            first, second = circle_line(dx, dy, ux, uy, gx, gy, sign)
        elif kind == LINE_CIRCLE:
            px, py, ux, uy = chain[j, 2], chain[j, 3], chain[i, 2], chain[i, 3]
            dx, dy, cx, cy = gx - bx, gy - by, cx - px, cy - py
            p = math.hypot(cx, cy)
            _, h = line_distance(dx, dy, ux, uy)
            cosines[t] = h / p
            if not abs(h) < p:
                return t, abs(h) - p, largest
            first, second = line_circle(dx, dy, ux, uy, cx, cy, angle, sign)
        else:
            dx, dy, ux, uy = gx - bx, gy - by, chain[i, 2], chain[i, 3]
            wx, wy = rotate(chain[j, 2], chain[j, 3], angle)
            cosines[t] = ux * wx + uy * wy
            sine = ux * wy - uy * wx
            if sine == 0.0:
                return t, abs(ux * dy - uy * dx), largest
            first, second = crossing_lines(dx, dy, ux, uy, wx, wy, sine)
        first = _set_coordinate(i, first, joints, chain, q)
        second = _set_coordinate(j, second, joints, chain, q)
        largest = max(largest, first, second)
    return steps.shape[0], 0.0, largest


@kernel(fastmath=False, forceinline=True)
def branch_signs(table, q, signs):
    """Write the signs (s,) of the branch at q; where q is not closed, for the middle of the two ends."""
    steps, points, joints, chain, _ = table
    for t in range(steps.shape[0]):
        row, kind = steps[t], steps[t, _KIND]
        signs[t] = 1.0
        if kind in (GEAR, LINES):
            continue
        i, j = row[_I], row[_J]
        gx, gy, cx, cy, bx, by, _ = known_ends(row, points[t], joints, chain, q)
        x, y = displaced(i, -1.0, gx, gy, joints, chain, q)
        u, v = displaced(j, 1.0, cx, cy, joints, chain, q)
        angle = 0.0
        for k in range(j - 1, i, -1):
            u, v = displaced(k, 1.0, u, v, joints, chain, q)
            if joints[k, _PRISMATIC] == 0:
                angle += chain[k, _SCALE] * q[joints[k, _Q]] + chain[k, _OFFSET]
        x, y = 0.5 * (x + u), 0.5 * (y + v)
        if kind == CIRCLES:
            side = (bx - chain[i, 2]) * (y - chain[i, 3]) - (by - chain[i, 3]) * (x - chain[i, 2])
        elif kind == CIRCLE_LINE:
            ux, uy = rotate(chain[j, 2], chain[j, 3], angle)
            side = (x - chain[i, 2]) * ux + (y - chain[i, 3]) * uy
        else:
            side = (x - bx) * chain[i, 2] + (y - by) * chain[i, 3]
        signs[t] = -1.0 if side < 0.0 else 1.0
