"""Articulated inertias: symmetric 6 x 6 matrices as 21 numbers; how they turn and shift.

[moment, force] = [A H; H^T M] [angular, linear], as (A, H, M): A and M as xx yy zz xy xz yz, H row by row.

To turn a square block by an angle of cosine c and sine s, R X R^T, two numbers are added and taken away
instead of two products of matrices: with d = xx - yy and t = xy + yx it becomes

    xx - e, yy + e, xy + g, yx + g    where    e = s^2 d + c s t,    g = c s d - s^2 t.
"""

from ..numba_support.compilation import inlined

__all__ = ["ANY", "NONE", "QUARTER", "shifted", "spun", "tilted", "turned", "turned_back", "turned_on"]

NONE, QUARTER, ANY = 0, 1, 2  # kinds of constant rotations; a quarter turn has cosine 0 and sine 1 or -1


@inlined
def turned_on(kind, c, s, x, y):
    """Two components by an angle: from the axes of what was turned to those that it was turned from."""
    if kind == NONE:
        return x, y
    if kind == QUARTER:
        return -(s * y), s * x
    return c * x - s * y, s * x + c * y


@inlined
def turned_back(kind, c, s, x, y):
    """The way back."""
    if kind == NONE:
        return x, y
    if kind == QUARTER:
        return s * y, -(s * x)
    return c * x + s * y, c * y - s * x


@inlined
def _plane(kind, c, s, xx, xy, yx, yy):
    """R X R^T of a square block."""
    if kind == QUARTER:
        return yy, -yx, -xy, xx
    d, t, ss, cs = xx - yy, xy + yx, s * s, c * s
    e, g = ss * d + cs * t, cs * d - ss * t
    return xx - e, xy + g, yx + g, yy + e


@inlined
def _symmetric_plane(kind, c, s, xx, xy, yy):
    """The same of a symmetric one."""
    if kind == QUARTER:
        return yy, -xy, xx
    d, t, ss, cs = xx - yy, xy + xy, s * s, c * s
    e = ss * d + cs * t
    return xx - e, xy + cs * d - ss * t, yy + e


@inlined
def spun(c, s, inertia):
    """An inertia that bears nothing about z (the last row of A and that of H are zero), turned about z."""
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = inertia
    axx, axy, ayy = _symmetric_plane(ANY, c, s, axx, axy, ayy)
    h0, h1, h3, h4 = _plane(ANY, c, s, h0, h1, h3, h4)
    h2, h5 = turned_on(ANY, c, s, h2, h5)
    mxx, mxy, myy = _symmetric_plane(ANY, c, s, mxx, mxy, myy)
    mxz, myz = turned_on(ANY, c, s, mxz, myz)
    return axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz


@inlined
def turned(kind, c, s, inertia):
    """Any inertia turned about z."""
    if kind == NONE:
        return inertia
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = inertia
    axx, axy, ayy = _symmetric_plane(kind, c, s, axx, axy, ayy)
    axz, ayz = turned_on(kind, c, s, axz, ayz)
    h0, h1, h3, h4 = _plane(kind, c, s, h0, h1, h3, h4)
    h2, h5 = turned_on(kind, c, s, h2, h5)
    h6, h7 = turned_on(kind, c, s, h6, h7)
    mxx, mxy, myy = _symmetric_plane(kind, c, s, mxx, mxy, myy)
    mxz, myz = turned_on(kind, c, s, mxz, myz)
    return axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz


@inlined
def tilted(kind, c, s, inertia):
    """Any inertia turned about x."""
    if kind == NONE:
        return inertia
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = inertia
    ayy, ayz, azz = _symmetric_plane(kind, c, s, ayy, ayz, azz)
    axy, axz = turned_on(kind, c, s, axy, axz)
    h4, h5, h7, h8 = _plane(kind, c, s, h4, h5, h7, h8)
    h1, h2 = turned_on(kind, c, s, h1, h2)
    h3, h6 = turned_on(kind, c, s, h3, h6)
    myy, myz, mzz = _symmetric_plane(kind, c, s, myy, myz, mzz)
    mxy, mxz = turned_on(kind, c, s, mxy, mxz)
    return axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz


@inlined
def shifted(p, inertia):
    """An inertia about a point from which its own is at p: H' = H + [p] M, A' = A - H [p] + [p] H'^T."""
    px, py, pz = p
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = inertia
    g0, g1, g2 = h0 - pz * mxy + py * mxz, h1 - pz * myy + py * myz, h2 - pz * myz + py * mzz
    g3, g4, g5 = h3 + pz * mxx - px * mxz, h4 + pz * mxy - px * myz, h5 + pz * mxz - px * mzz
    g6, g7, g8 = h6 - py * mxx + px * mxy, h7 - py * mxy + px * myy, h8 - py * mxz + px * myz
    axx = axx - pz * h1 + py * h2 - pz * g1 + py * g2
    ayy = ayy + pz * h3 - px * h5 + pz * g3 - px * g5
    azz = azz - py * h6 + px * h7 - py * g6 + px * g7
    axy = axy + pz * h0 - px * h2 - pz * g4 + py * g5
    axz = axz - py * h0 + px * h1 - pz * g7 + py * g8
    ayz = ayz - py * h3 + px * h4 + pz * g6 - px * g8
    return axx, ayy, azz, axy, axz, ayz, g0, g1, g2, g3, g4, g5, g6, g7, g8, mxx, myy, mzz, mxy, mxz, myz
