"""Inverse dynamics of a whole graph in one call: the composition, unrolled over all joints.

The recursion is that of composition/ (Silva & Adorno, eqs. 1, 5-7). Ad(x) of a unit dual quaternion is
applied as the rotation R(r) and the shift p that it stands for: the same group action with fewer products.
Linear accelerations are those of points (D(xid) + P(xi) x D(xi)), so velocities of origins never enter.

Contract: arrays as in :mod:`.layout`, C-contiguous; nothing is checked and nothing is allocated.
"""

import math

from numba import float64, int64, njit

from .layout import (
    ACCELERATION,
    ALPHA,
    EXTERNAL,
    FLOATING,
    FORCE,
    INERTIA,
    KIND,
    MASS,
    MODE,
    MOMENT,
    MULTIPLIER,
    OFFSET,
    OMEGA,
    PARENT,
    POSITION,
    PRISMATIC,
    ROTATION,
    TORQUE,
    UNKNOWN,
    WHOLE,
    P,
    Q,
    R,
    V,
)

__all__ = ["SMALLEST_NORM", "inverse_dynamics"]

#: Of a floating joint's quaternion; what is shorter has no direction. Longer ones are normalized.
SMALLEST_NORM = 1e-6

#: No nnan, no ninf: torques of black boxes are NaN on purpose.
FAST = {"contract", "reassoc", "arcp", "nsz"}


@njit(cache=True, fastmath=FAST, error_model="numpy", inline="always")
def _place(i, kind, position, iq, q, constants, work):
    """Pose of body i in its parent: R and P of the work row."""
    c0, c1, c2 = constants[i, ROTATION], constants[i, ROTATION + 1], constants[i, ROTATION + 2]
    c3, c4, c5 = constants[i, ROTATION + 3], constants[i, ROTATION + 4], constants[i, ROTATION + 5]
    c6, c7, c8 = constants[i, ROTATION + 6], constants[i, ROTATION + 7], constants[i, ROTATION + 8]
    px, py, pz = constants[i, POSITION], constants[i, POSITION + 1], constants[i, POSITION + 2]
    if kind == FLOATING:
        x, y, z = q[iq], q[iq + 1], q[iq + 2]
        rw, rx, ry, rz = q[iq + 3], q[iq + 4], q[iq + 5], q[iq + 6]
        s = 2.0 / (rw * rw + rx * rx + ry * ry + rz * rz)
        m0, m1, m2 = 1.0 - s * (ry * ry + rz * rz), s * (rx * ry - rw * rz), s * (rx * rz + rw * ry)
        m3, m4, m5 = s * (rx * ry + rw * rz), 1.0 - s * (rx * rx + rz * rz), s * (ry * rz - rw * rx)
        m6, m7, m8 = s * (rx * rz - rw * ry), s * (ry * rz + rw * rx), 1.0 - s * (rx * rx + ry * ry)
        px, py, pz = (
            px + c0 * x + c1 * y + c2 * z,
            py + c3 * x + c4 * y + c5 * z,
            pz + c6 * x + c7 * y + c8 * z,
        )
        c0, c1, c2 = c0 * m0 + c1 * m3 + c2 * m6, c0 * m1 + c1 * m4 + c2 * m7, c0 * m2 + c1 * m5 + c2 * m8
        c3, c4, c5 = c3 * m0 + c4 * m3 + c5 * m6, c3 * m1 + c4 * m4 + c5 * m7, c3 * m2 + c4 * m5 + c5 * m8
        c6, c7, c8 = c6 * m0 + c7 * m3 + c8 * m6, c6 * m1 + c7 * m4 + c8 * m7, c6 * m2 + c7 * m5 + c8 * m8
    elif kind == PRISMATIC:
        px, py, pz = px + c2 * position, py + c5 * position, pz + c8 * position
    else:
        sine, cosine = math.sin(position), math.cos(position)
        c0, c1 = c0 * cosine + c1 * sine, c1 * cosine - c0 * sine
        c3, c4 = c3 * cosine + c4 * sine, c4 * cosine - c3 * sine
        c6, c7 = c6 * cosine + c7 * sine, c7 * cosine - c6 * sine
    work[i, R], work[i, R + 1], work[i, R + 2] = c0, c1, c2
    work[i, R + 3], work[i, R + 4], work[i, R + 5] = c3, c4, c5
    work[i, R + 6], work[i, R + 7], work[i, R + 8] = c6, c7, c8
    work[i, P], work[i, P + 1], work[i, P + 2] = px, py, pz


@njit(cache=True, fastmath=FAST, error_model="numpy", inline="always")
def _move(i, parent, kind, iv, rate, push, v, vdot, work):
    """Motion of body i from its parent's and its joint's: OMEGA, ALPHA, ACCELERATION of the work row."""
    r0, r1, r2 = work[i, R], work[i, R + 1], work[i, R + 2]
    r3, r4, r5 = work[i, R + 3], work[i, R + 4], work[i, R + 5]
    r6, r7, r8 = work[i, R + 6], work[i, R + 7], work[i, R + 8]
    px, py, pz = work[i, P], work[i, P + 1], work[i, P + 2]
    wx, wy, wz = work[parent, OMEGA], work[parent, OMEGA + 1], work[parent, OMEGA + 2]
    dx, dy, dz = work[parent, ALPHA], work[parent, ALPHA + 1], work[parent, ALPHA + 2]
    # the parent's point under the joint's origin: a + alpha x p + omega x (omega x p)
    tx, ty, tz = wy * pz - wz * py, wz * px - wx * pz, wx * py - wy * px
    ax = work[parent, ACCELERATION] + dy * pz - dz * py + wy * tz - wz * ty
    ay = work[parent, ACCELERATION + 1] + dz * px - dx * pz + wz * tx - wx * tz
    az = work[parent, ACCELERATION + 2] + dx * py - dy * px + wx * ty - wy * tx
    ox, oy, oz = r0 * wx + r3 * wy + r6 * wz, r1 * wx + r4 * wy + r7 * wz, r2 * wx + r5 * wy + r8 * wz
    ex, ey, ez = r0 * dx + r3 * dy + r6 * dz, r1 * dx + r4 * dy + r7 * dz, r2 * dx + r5 * dy + r8 * dz
    ux, uy, uz = r0 * ax + r3 * ay + r6 * az, r1 * ax + r4 * ay + r7 * az, r2 * ax + r5 * ay + r8 * az
    if kind == FLOATING:
        # relative twist (n, l) in the body's own axes; the ground below it does not turn
        lx, ly, lz, nx, ny, nz = v[iv], v[iv + 1], v[iv + 2], v[iv + 3], v[iv + 4], v[iv + 5]
        ox, oy, oz = ox + nx, oy + ny, oz + nz
        ex, ey, ez = ex + vdot[iv + 3], ey + vdot[iv + 4], ez + vdot[iv + 5]
        ux += vdot[iv] + ny * lz - nz * ly
        uy += vdot[iv + 1] + nz * lx - nx * lz
        uz += vdot[iv + 2] + nx * ly - ny * lx
    elif kind == PRISMATIC:
        # Coriolis term 2 omega x (z rate)
        ux, uy, uz = ux + 2.0 * oy * rate, uy - 2.0 * ox * rate, uz + push
    else:
        ex, ey, ez = ex + oy * rate, ey - ox * rate, ez + push
        oz += rate
    work[i, OMEGA], work[i, OMEGA + 1], work[i, OMEGA + 2] = ox, oy, oz
    work[i, ALPHA], work[i, ALPHA + 1], work[i, ALPHA + 2] = ex, ey, ez
    work[i, ACCELERATION], work[i, ACCELERATION + 1], work[i, ACCELERATION + 2] = ux, uy, uz


@njit(cache=True, fastmath=FAST, error_model="numpy", inline="always")
def _load(i, constants, work):
    """Force and moment about the origin that the motion of body i needs: FORCE, TORQUE of the work row.

    With L = [alpha]x + [omega]x [omega]x: force m a + L (m c), moment vee(L J - (L J)^T) + m c x a, where
    J is the pseudo-inertia, the second moment of the mass about the origin.
    """
    wx, wy, wz = work[i, OMEGA], work[i, OMEGA + 1], work[i, OMEGA + 2]
    ex, ey, ez = work[i, ALPHA], work[i, ALPHA + 1], work[i, ALPHA + 2]
    ux, uy, uz = work[i, ACCELERATION], work[i, ACCELERATION + 1], work[i, ACCELERATION + 2]
    l00, l11, l22 = -wy * wy - wz * wz, -wx * wx - wz * wz, -wx * wx - wy * wy
    l01, l10 = wx * wy - ez, wx * wy + ez
    l02, l20 = wx * wz + ey, wx * wz - ey
    l12, l21 = wy * wz - ex, wy * wz + ex
    mass = constants[i, MASS]
    mx, my, mz = constants[i, MOMENT], constants[i, MOMENT + 1], constants[i, MOMENT + 2]
    xx, yy, zz = constants[i, INERTIA], constants[i, INERTIA + 1], constants[i, INERTIA + 2]
    xy, xz, yz = constants[i, INERTIA + 3], constants[i, INERTIA + 4], constants[i, INERTIA + 5]
    work[i, FORCE] = mass * ux + l00 * mx + l01 * my + l02 * mz - work[i, EXTERNAL]
    work[i, FORCE + 1] = mass * uy + l10 * mx + l11 * my + l12 * mz - work[i, EXTERNAL + 1]
    work[i, FORCE + 2] = mass * uz + l20 * mx + l21 * my + l22 * mz - work[i, EXTERNAL + 2]
    nx = (l20 * xy + l21 * yy + l22 * yz) - (l10 * xz + l11 * yz + l12 * zz) + my * uz - mz * uy
    ny = (l00 * xz + l01 * yz + l02 * zz) - (l20 * xx + l21 * xy + l22 * xz) + mz * ux - mx * uz
    nz = (l10 * xx + l11 * xy + l12 * xz) - (l00 * xy + l01 * yy + l02 * yz) + mx * uy - my * ux
    work[i, TORQUE] = nx - work[i, EXTERNAL + 3]
    work[i, TORQUE + 1] = ny - work[i, EXTERNAL + 4]
    work[i, TORQUE + 2] = nz - work[i, EXTERNAL + 5]


@njit(cache=True, fastmath=FAST, error_model="numpy", inline="always")
def _hand_down(i, parent, work):
    """Add Ad(x) of body i's wrench to its parent's: f = R f_i, m = R m_i + p x f."""
    r0, r1, r2 = work[i, R], work[i, R + 1], work[i, R + 2]
    r3, r4, r5 = work[i, R + 3], work[i, R + 4], work[i, R + 5]
    r6, r7, r8 = work[i, R + 6], work[i, R + 7], work[i, R + 8]
    px, py, pz = work[i, P], work[i, P + 1], work[i, P + 2]
    fx, fy, fz = work[i, FORCE], work[i, FORCE + 1], work[i, FORCE + 2]
    mx, my, mz = work[i, TORQUE], work[i, TORQUE + 1], work[i, TORQUE + 2]
    gx, gy, gz = r0 * fx + r1 * fy + r2 * fz, r3 * fx + r4 * fy + r5 * fz, r6 * fx + r7 * fy + r8 * fz
    work[parent, FORCE] += gx
    work[parent, FORCE + 1] += gy
    work[parent, FORCE + 2] += gz
    work[parent, TORQUE] += r0 * mx + r1 * my + r2 * mz + py * gz - pz * gy
    work[parent, TORQUE + 1] += r3 * mx + r4 * my + r5 * mz + pz * gx - px * gz
    work[parent, TORQUE + 2] += r6 * mx + r7 * my + r8 * mz + px * gy - py * gx


#: Declared, so that arrays of another kind are refused at once instead of compiled for.
SIGNATURE = int64(
    int64[:, ::1],
    float64[:, ::1],
    float64[:, ::1],
    float64[::1],
    float64[::1],
    float64[::1],
    float64[::1],
)


@njit(SIGNATURE, cache=True, fastmath=FAST, error_model="numpy")
def inverse_dynamics(topology, constants, work, q, v, vdot, tau):
    """tau (nv,) of a graph at q, v, vdot; leaves every body's motion and wrench in ``work``.

    The ground's row of ``work`` holds minus gravity as ACCELERATION on entry, and the wrench that the
    ground bears as FORCE, TORQUE on return. Torques inside black boxes are NaN.

    Returns 0; or 1 and writes nothing where an array has the wrong length, a number that is not finite, or
    a quaternion of norm below 1e-6.
    """
    n = topology.shape[0] - 1
    nq, nv = topology[n, Q], topology[n, V]
    if q.shape[0] != nq or v.shape[0] != nv or vdot.shape[0] != nv or tau.shape[0] != nv:
        return 1
    for k in range(nq):
        if not math.isfinite(q[k]):
            return 1
    for k in range(nv):
        if not (math.isfinite(v[k]) and math.isfinite(vdot[k])):
            return 1
    for i in range(n):
        if topology[i, KIND] == FLOATING:
            w = topology[i, Q] + 3
            if q[w] ** 2 + q[w + 1] ** 2 + q[w + 2] ** 2 + q[w + 3] ** 2 < SMALLEST_NORM**2:
                return 1
    tau[:] = 0.0
    work[n, FORCE : TORQUE + 3] = 0.0
    for i in range(n):
        parent, kind, iq, iv = topology[i, PARENT], topology[i, KIND], topology[i, Q], topology[i, V]
        multiplier = constants[i, MULTIPLIER]
        _place(i, kind, multiplier * q[iq] + constants[i, OFFSET], iq, q, constants, work)
        _move(i, parent, kind, iv, multiplier * v[iv], multiplier * vdot[iv], v, vdot, work)
        _load(i, constants, work)
    for i in range(n - 1, -1, -1):
        kind, iv, mode = topology[i, KIND], topology[i, V], topology[i, MODE]
        if mode == UNKNOWN:
            for k in range(FORCE, TORQUE + 3):
                work[i, k] = math.nan
        if kind == FLOATING:
            for k in range(6):
                tau[iv + k] = work[i, FORCE + k]
        else:
            along = FORCE + 2 if kind == PRISMATIC else TORQUE + 2
            tau[iv] += constants[i, MULTIPLIER] * work[i, along]
        if mode == WHOLE:
            _hand_down(i, topology[i, PARENT], work)
    return 0
