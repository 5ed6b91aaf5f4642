"""The three sweeps of :mod:`.articulated_body` for a floating body on the ground."""

from numba import njit

from ..layout import PARENT, V
from ..numba_support.lanes import FAST
from ..numba_support.memory import load, load3, store, store3
from ..placement import place_floating
from .articulated_layout import (
    ARTICULATED,
    CHANGE,
    GAMMA,
    ROW,
    SMALLEST_INERTIA,
    SMALLEST_MASS,
    load_articulated,
    store_body,
)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def outward_floating(i, topology, constants, q, v, work, lanes, like):
    """The same for a floating body, on the ground: its twist (linear l, angular g) is in its own axes."""
    iv = topology[i, V] * lanes
    r0, r1, r2, r3, r4, r5, r6, r7, r8, _px, _py, _pz = place_floating(i, topology, constants, q, lanes, like)
    x, y, z = load3(work, (topology[i, PARENT] * ROW + GAMMA) * lanes, lanes, like)
    lx, ly, lz = load3(v, iv, lanes, like)
    gx, gy, gz = load3(v, iv + 3 * lanes, lanes, like)
    ux = r0 * x + r3 * y + r6 * z + gy * lz - gz * ly
    uy = r1 * x + r4 * y + r7 * z + gz * lx - gx * lz
    uz = r2 * x + r5 * y + r8 * z + gx * ly - gy * lx
    store_body(i, gx, gy, gz, ux, uy, uz, constants, work, i * ROW * lanes, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _factors(xx, yy, zz, xy, xz, yz):
    """L D L^T of a symmetric 3 x 3 matrix: the pivots, and L by rows."""
    l10, l20 = xy / xx, xz / xx
    d1 = yy - l10 * xy
    t = yz - l10 * xz
    l21 = t / d1
    return xx, d1, zz - l20 * xz - l21 * t, l10, l20, l21


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _solved(factors, x, y, z):
    d0, d1, d2, l10, l20, l21 = factors
    y = y - l10 * x
    z = (z - l20 * x - l21 * y) / d2
    y = y / d1 - l21 * z
    return x / d0 - l10 * y - l20 * z, y, z


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def inward_floating(i, topology, constants, tau, work, out, lanes, like):
    """The acceleration of a floating body on the ground: articulated inertia, or torque less bias over it."""
    iv, at = topology[i, V] * lanes, i * ROW * lanes
    nx, ny, nz = load3(work, at + CHANGE * lanes, lanes, like)
    fx, fy, fz = load3(work, at + (CHANGE + 3) * lanes, lanes, like)
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = (
        load_articulated(work, at + ARTICULATED * lanes, lanes, like)
    )
    gx, gy, gz = load3(tau, iv, lanes, like)
    dx, dy, dz = load3(tau, iv + 3 * lanes, lanes, like)
    mass = _factors(mxx, myy, mzz, mxy, mxz, myz)
    x0, x1, x2 = _solved(mass, h0, h1, h2)
    y0, y1, y2 = _solved(mass, h3, h4, h5)
    z0, z1, z2 = _solved(mass, h6, h7, h8)
    ux, uy, uz = _solved(mass, gx - fx, gy - fy, gz - fz)
    # what the body's turning needs when its translation gives way
    axx, axy, axz = (
        axx - h0 * x0 - h1 * x1 - h2 * x2,
        axy - h0 * y0 - h1 * y1 - h2 * y2,
        axz - h0 * z0 - h1 * z1 - h2 * z2,
    )
    ayy, ayz = ayy - h3 * y0 - h4 * y1 - h5 * y2, ayz - h3 * z0 - h4 * z1 - h5 * z2
    azz = azz - h6 * z0 - h7 * z1 - h8 * z2
    turning = _factors(axx, ayy, azz, axy, axz, ayz)
    ex, ey, ez = _solved(
        turning,
        dx - nx - h0 * ux - h1 * uy - h2 * uz,
        dy - ny - h3 * ux - h4 * uy - h5 * uz,
        dz - nz - h6 * ux - h7 * uy - h8 * uz,
    )
    ux = ux - x0 * ex - y0 * ey - z0 * ez
    uy = uy - x1 * ex - y1 * ey - z1 * ez
    uz = uz - x2 * ex - y2 * ey - z2 * ez
    store3(work, at + CHANGE * lanes, lanes, ex, ey, ez)
    store3(work, at + (CHANGE + 3) * lanes, lanes, ux, uy, uz)
    pivots = topology[topology.shape[0] - 1, V] * lanes + iv
    least = constants[i, SMALLEST_MASS]
    store3(out, pivots, lanes, mass[0] - least, mass[1] - least, mass[2] - least)
    least = constants[i, SMALLEST_INERTIA]
    store3(out, pivots + 3 * lanes, lanes, turning[0] - least, turning[1] - least, turning[2] - least)


@njit(forceinline=True)
def accelerate_floating(i, topology, work, out, lanes, like):
    """A floating body's own, already known: the ground does not move."""
    iv, at = topology[i, V] * lanes, (i * ROW + CHANGE) * lanes
    for k in range(3):
        store(out, iv + k * lanes, load(work, at + (3 + k) * lanes, like))
        store(out, iv + (3 + k) * lanes, load(work, at + k * lanes, like))
