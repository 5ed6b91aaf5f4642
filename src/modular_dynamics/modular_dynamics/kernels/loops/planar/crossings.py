"""Where circles and lines of planar loops cross, and the coordinates of the two joints that follow from it.

The notation is that of :mod:`.steps`: joints i and j are unknown, G, C, B O_j (or B C, where j is
prismatic) and the angle of B are known. Each kind of step has two functions without branches: how far its
circles or lines are from touching, and the solution, which exists where that is positive. Code that is
generated for one robot is recorded from the same functions.
"""

import math

from ...numba_support.compilation import inlined_strictly

__all__ = [
    "angle_between",
    "circle_gaps",
    "circle_line",
    "circles",
    "crossing_lines",
    "line_circle",
    "line_distance",
    "near_turn",
    "rotate",
]


@inlined_strictly
def rotate(x, y, angle):
    """A vector turned by an angle."""
    s, c = math.sin(angle), math.cos(angle)
    return c * x - s * y, s * x + c * y


@inlined_strictly
def angle_between(x, y, u, v):
    """The angle from (x, y) to (u, v)."""
    return math.atan2(x * v - y * u, x * u + y * v)


@inlined_strictly
def near_turn(value, old, scale):
    """Of the coordinates value + k 2 pi / scale, which place a joint alike, the one nearest to ``old``."""
    period = 2.0 * math.pi / abs(scale)
    return value + period * math.floor((old - value) / period + 0.5)


@inlined_strictly
def circle_gaps(dx, dy, gx, gy, cx, cy):
    """Radii r = |G - O_i|, p = |C - O_j|, distance d of the centres, 2 r p (1 - c) and 2 r p (1 + c).

    The circles cross where the last two are positive; c is the cosine of the angle between their radii.
    """
    r, p = math.hypot(gx, gy), math.hypot(cx, cy)
    d = math.hypot(dx, dy)
    return r, p, d, (d - r + p) * (d + r - p), (r + p - d) * (r + p + d)


@inlined_strictly
def circles(dx, dy, gx, gy, cx, cy, angle, sign):
    """Angles of i and j, both rotations; B O_j, G and C as seen from O_i, O_i and O_j."""
    r, p, d, near, far = circle_gaps(dx, dy, gx, gy, cx, cy)
    along = ((r - p) * (r + p) + d * d) / (2.0 * d * d)
    across = sign * math.sqrt(near * far) / (2.0 * d * d)
    x, y = along * dx - across * dy, along * dy + across * dx  # of X from the first centre
    return angle_between(x, y, gx, gy), angle_between(cx, cy, x - dx, y - dy) - angle


@inlined_strictly
def line_distance(dx, dy, ux, uy):
    """Of a line through (dx, dy) along u: this point's place along it, and the origin's distance from it."""
    return dx * ux + dy * uy, ux * dy - uy * dx


@inlined_strictly
def circle_line(dx, dy, ux, uy, gx, gy, sign):
    """Angle of i, displacement of j along u; B C and G as seen from O_i."""
    r = math.hypot(gx, gy)
    along, h = line_distance(dx, dy, ux, uy)
    second = sign * math.sqrt((r - h) * (r + h)) - along
    return angle_between(dx + second * ux, dy + second * uy, gx, gy), second


@inlined_strictly
def line_circle(dx, dy, ux, uy, cx, cy, angle, sign):
    """Displacement of i along u, angle of j; G and C as seen from B O_j and O_j."""
    p = math.hypot(cx, cy)
    along, h = line_distance(dx, dy, ux, uy)
    first = along - sign * math.sqrt((p - h) * (p + h))
    return first, angle_between(cx, cy, dx - first * ux, dy - first * uy) - angle


@inlined_strictly
def crossing_lines(dx, dy, ux, uy, wx, wy, sine):
    """Displacements of i along u and of j along w; G as seen from B C; ``sine`` of the angle from u to w."""
    return (dx * wy - dy * wx) / sine, (ux * dy - uy * dx) / sine
