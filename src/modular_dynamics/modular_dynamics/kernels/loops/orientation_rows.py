"""Rows that a loop joint's orientation must fulfil: value, moment (its Jacobian), velocity product.

With P and S the anchors' axes in the root link's frame, as rotation matrices, n, p and d fixed in P, and a
fixed in S:

    ACROSS   f = n . a                  the two stay perpendicular
    ALIGNED  f sqrt(2 / (1 + p . a))    p is a's copy in P, n is perpendicular to it: a lies along p
    ABOUT    2 d . eps                  eps is the vector part, with a scalar part eta >= 0, of the quaternion
                                        that turns P into S: no rotation about d

ALIGNED is the azimuthal projection of a on the plane across p that keeps areas (Lambert): two rows, of two
normals, have the norm 2 sin(angle / 2). Three rows ABOUT have the same norm. So both are zero only where the
frames agree, largest where they are reversed, and f alone would be zero there as well. Where the loop is
closed, ALIGNED has value, Jacobian and velocity product of ACROSS, and ABOUT that of a moment along d.
Exactly reversed frames have no gradient: within about 1e-4 rad of that, rows are those of a frame that is
turned a little, so that Newton's method can leave this point.

The Jacobian is the moment's: d phi/dt = (omega_S - omega_P) . moment. With eps' = (eta omega + omega x eps)/2
(Diebel 2006, eq. 110, with the angular velocity in the fixed frame), ABOUT has the moment eta d + eps x d and
the velocity product omega' . moment - |omega|^2 phi / 4.
"""

import math

from ..math.vectors import cross, dot, minus, plus, plus_scaled, scaled, times
from ..numba_support.compilation import inlined
from .row_kinds import ACROSS, ALIGNED

__all__ = ["orientation_row"]

#: Angle [rad] from the reversed frame below which it is replaced by one that is turned by about as much.
NEAREST = 1e-4


@inlined
def _across(normal, axis, turning, alpha, wp, ws):
    """n . a, its moment, rate and velocity product; ``turning`` and ``alpha`` of S against P."""
    moment = cross(axis, normal)
    change = plus(cross(cross(ws, axis), normal), cross(axis, cross(wp, normal)))
    return dot(normal, axis), moment, dot(turning, moment), dot(alpha, moment) + dot(turning, change)


@inlined
def _turned_away(axis, copy, local, P):
    """The axis, or, where it is opposite to its copy in P, one that is turned a little."""
    sine = cross(axis, copy)
    if dot(axis, copy) > 0.0 or dot(sine, sine) > NEAREST * NEAREST:
        return axis
    x, y, z = abs(local[0]), abs(local[1]), abs(local[2])
    column = 0 if x <= y and x <= z else (1 if y <= z else 2)
    side = P[column], P[3 + column], P[6 + column]  # the axis of P that is farthest from the copy
    side = plus_scaled(side, -dot(side, copy), copy)
    return plus_scaled(axis, NEAREST / math.sqrt(dot(side, side)), side)


@inlined
def _aligned(normal, axis, copy, turning, alpha, wp, ws):
    """Value, moment, rate and velocity product of a row ALIGNED."""
    f, moment, rate, gamma = _across(normal, axis, turning, alpha, wp, ws)
    c, moment_c, rate_c, gamma_c = _across(copy, axis, turning, alpha, wp, ws)
    half = 1.0 + c if c > 0.0 else dot(moment_c, moment_c) / (1.0 - c)  # 1 + c without cancellation
    g = math.sqrt(2.0 / half)
    g1 = -0.5 * g / half  # derivatives by c
    g2 = -1.5 * g1 / half
    moment = plus_scaled(scaled(g, moment), f * g1, moment_c)
    gamma = g * gamma + 2.0 * g1 * rate_c * rate + f * (g1 * gamma_c + g2 * rate_c * rate_c)
    return f * g, moment, gamma


@inlined
def _quaternion(P, S):
    """eta >= 0 and eps of the rotation that turns P into S, in the root link's frame."""
    p0, p1, p2 = (P[0], P[3], P[6]), (P[1], P[4], P[7]), (P[2], P[5], P[8])
    s0, s1, s2 = (S[0], S[3], S[6]), (S[1], S[4], S[7]), (S[2], S[5], S[8])
    trace = dot(p0, s0) + dot(p1, s1) + dot(p2, s2)
    skew = plus(plus(cross(p0, s0), cross(p1, s1)), cross(p2, s2))  # 4 eta eps
    if trace > 0.0:
        eta = 0.5 * math.sqrt(1.0 + trace)
        return eta, scaled(0.25 / eta, skew)
    # beyond 90 degrees eta may be small: eps from its squares, the largest first (Shepperd 1978)
    xx = 1.0 - trace + 2.0 * (S[0] * P[0] + S[1] * P[1] + S[2] * P[2])
    yy = 1.0 - trace + 2.0 * (S[3] * P[3] + S[4] * P[4] + S[5] * P[5])
    zz = 1.0 - trace + 2.0 * (S[6] * P[6] + S[7] * P[7] + S[8] * P[8])
    xy = S[0] * P[3] + S[1] * P[4] + S[2] * P[5] + S[3] * P[0] + S[4] * P[1] + S[5] * P[2]
    xz = S[0] * P[6] + S[1] * P[7] + S[2] * P[8] + S[6] * P[0] + S[7] * P[1] + S[8] * P[2]
    yz = S[3] * P[6] + S[4] * P[7] + S[5] * P[8] + S[6] * P[3] + S[7] * P[4] + S[8] * P[5]
    if xx >= yy and xx >= zz:
        eps = scaled(0.5 / math.sqrt(xx), (xx, xy, xz))
    elif yy >= zz:
        eps = scaled(0.5 / math.sqrt(yy), (xy, yy, yz))
    else:
        eps = scaled(0.5 / math.sqrt(zz), (xz, yz, zz))
    eta = 0.25 * dot(skew, eps) / dot(eps, eps)
    return (eta, eps) if eta >= 0.0 else (-eta, scaled(-1.0, eps))


@inlined
def orientation_row(kind, first, second, P, S, alpha, wp, ws):
    """Value, moment and velocity product of a row ACROSS, ALIGNED or ABOUT.

    ``first`` and ``second``: n and a in P's and in S's frame; d and nothing of ABOUT. ``alpha``: angular
    acceleration of S less that of P, both without vdot.
    """
    direction, turning = times(P, first), minus(ws, wp)
    if kind == ACROSS:
        value, moment, _, gamma = _across(direction, times(S, second), turning, alpha, wp, ws)
        return value, moment, gamma
    if kind == ALIGNED:
        copy = times(P, second)
        axis = _turned_away(times(S, second), copy, second, P)
        return _aligned(direction, axis, copy, turning, alpha, wp, ws)
    eta, eps = _quaternion(P, S)
    eta = max(eta, 0.5 * NEAREST)
    moment = plus_scaled(cross(eps, direction), eta, direction)
    value = 2.0 * dot(direction, eps)
    gamma = dot(minus(alpha, cross(wp, ws)), moment) - 0.25 * dot(turning, turning) * value
    return value, moment, gamma
