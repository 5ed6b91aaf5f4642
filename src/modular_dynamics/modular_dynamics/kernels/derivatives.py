"""Derivatives of inverse dynamics with respect to q, v and vdot.

The closed forms of Singh, Russell & Wensing (2022), "Efficient analytical derivatives of rigid-body dynamics
using spatial vector algebra", in one frame for each tree: its root body's aligned frame, taken as at rest.
There every pair of a joint and one of its ancestors costs five dot products.

With S a joint's axis, v and a twist and acceleration (minus gravity) of its parent, the axis as carried by
the parent changes at the rate S' = v x S and S'' = a x S + v x S'. Let I be the inertia of the composite
body beyond joint i, B its Coriolis matrix and f the wrench that it needs. Then for each ancestor j of i:

    dtau_i/dq_j = S_i^T (2 B S_j' + I S_j'')        dtau_j/dq_i = S_j^T (2 B S_i' + I S_i'' + S_i x* f)
    dtau_i/dv_j = 2 S_i^T (B S_j + I S_j')          dtau_j/dv_i = 2 S_j^T (B S_i + I S_i')
    dtau_i/dvdot_j = dtau_j/dvdot_i = S_i^T I S_j

For mass points m at x, I w sums the momenta that a twist w gives them, and B w the forces m (angular part of
w) x (velocity): B takes nothing from linear motion, and has as its parts the momentum p = sum m xdot and
D = sum m (x . xdot - xdot x^T). Twists here are [angular, linear], wrenches [force, moment], about the
tree's origin. Masses must be regrouped (dynamics/regrouping.py).
"""

from numba import float64, int64, njit

from .drivers import batch_float64, single
from .lanes import FAST
from .layout import (
    COSINE,
    EXTERNAL,
    FLOATING,
    GRAVITY,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    MULTIPLIER,
    PARENT,
    POSITION,
    PRISMATIC,
    ROTATION,
    SHIFT,
    SINE,
    V,
)
from .memory import load, load3, store, store3
from .placement import pose_of
from .states import all_finite, block_rows

__all__ = [
    "DERIVATIVE_COLUMNS",
    "SIGNATURE",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_derivatives_float64",
]

# work, 1-D, n rows
AXIS = 0  # 6: S, times the multiplier
RATE = 6  # 6: S'
SECOND = 12  # 6: S''
BODY = 18  # composite body: 1 mass, ...
FIRST = 19  # 3: mass times centre of mass, ...
ROTARY = 22  # 6: rotational inertia xx yy zz xy xz yz, ...
MOMENTUM = 28  # 3: p, ...
CORIOLIS = 31  # 9: D row by row, ...
WRENCH = 40  # 6: force and moment that its motion needs
POSE = 46  # 12: R row by row, origin
TWIST = 58  # 6
ACCELERATION = 64  # 6: of the origin of the tree's frame as carried along, minus gravity
DERIVATIVE_COLUMNS = 70


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _crosses(a, b, c, d):
    """a x b + c x d"""
    return (
        a[1] * b[2] - a[2] * b[1] + c[1] * d[2] - c[2] * d[1],
        a[2] * b[0] - a[0] * b[2] + c[2] * d[0] - c[0] * d[2],
        a[0] * b[1] - a[1] * b[0] + c[0] * d[1] - c[1] * d[0],
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _store6(work, at, lanes, a, b):
    store3(work, at, lanes, a[0], a[1], a[2])
    store3(work, at + 3 * lanes, lanes, b[0], b[1], b[2])


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _start_root(i, topology, constants, q, v, a, states, work, lanes, like):
    """Pose and motion of a body that the ground carries: its frame is the tree's."""
    n = topology.shape[0] - 1
    at, iv = i * DERIVATIVE_COLUMNS * lanes, topology[i, V] * lanes
    r0, r1, r2, r3, r4, r5, r6, r7, r8, _, _, _ = pose_of(i, topology, constants, q, states, lanes, like)
    gx, gy, gz = constants[n, GRAVITY], constants[n, GRAVITY + 1], constants[n, GRAVITY + 2]
    ux, uy, uz = (
        -(r0 * gx + r3 * gy + r6 * gz),
        -(r1 * gx + r4 * gy + r7 * gz),
        -(r2 * gx + r5 * gy + r8 * gz),
    )
    one = like + 1.0
    store3(work, at + POSE * lanes, lanes, one, like, like)
    store3(work, at + (POSE + 3) * lanes, lanes, like, one, like)
    store3(work, at + (POSE + 6) * lanes, lanes, like, like, one)
    store3(work, at + (POSE + 9) * lanes, lanes, like, like, like)
    # for the joint's own derivatives: of a motionless parent's acceleration only gravity is left
    store3(work, at + SECOND * lanes, lanes, ux, uy, uz)
    if topology[i, KIND] == FLOATING:
        omega, linear = load3(v, iv + 3 * lanes, lanes, like), load3(v, iv, lanes, like)
        alpha = load3(a, iv + 3 * lanes, lanes, like)
        sx, sy, sz = load3(a, iv, lanes, like)
        push = ux + sx, uy + sy, uz + sz
    else:
        rate = constants[i, MULTIPLIER] * load(v, iv, like)
        gain = constants[i, MULTIPLIER] * load(a, iv, like)
        if topology[i, KIND] == PRISMATIC:
            omega, linear = (like, like, like), (like, like, rate)
            alpha, push = (like, like, like), (ux, uy, uz + gain)
        else:
            omega, linear = (like, like, rate), (like, like, like)
            alpha, push = (like, like, gain), (ux, uy, uz)
    _store6(work, at + TWIST * lanes, lanes, omega, linear)
    _store6(work, at + ACCELERATION * lanes, lanes, alpha, push)
    mass = constants[i, MASS]
    h = (
        constants[i, MOMENT] + like,
        constants[i, MOMENT + 1] + like,
        constants[i, MOMENT + 2] + like,
    )
    xx, yy, zz = (
        constants[i, INERTIA] + like,
        constants[i, INERTIA + 1] + like,
        constants[i, INERTIA + 2] + like,
    )
    xy, xz, yz = (
        constants[i, INERTIA + 3] + like,
        constants[i, INERTIA + 4] + like,
        constants[i, INERTIA + 5] + like,
    )
    _bear(at, mass, h, xx, yy, zz, xy, xz, yz, omega, linear, alpha, push, work, lanes, like)
    for k in range(6):
        place = at + (WRENCH + k) * lanes
        store(work, place, load(work, place, like) - constants[i, EXTERNAL + k])


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _start(i, topology, constants, v, a, states, work, lanes, like):
    """Pose, axis with its rates, motion and wrench of a body that another carries."""
    at, iv = i * DERIVATIVE_COLUMNS * lanes, topology[i, V] * lanes
    before = topology[i, PARENT] * DERIVATIVE_COLUMNS * lanes
    k0, k1, k2 = constants[i, ROTATION], constants[i, ROTATION + 1], constants[i, ROTATION + 2]
    k3, k4, k5 = constants[i, ROTATION + 3], constants[i, ROTATION + 4], constants[i, ROTATION + 5]
    k6, k7, k8 = constants[i, ROTATION + 6], constants[i, ROTATION + 7], constants[i, ROTATION + 8]
    px, py, pz = constants[i, POSITION], constants[i, POSITION + 1], constants[i, POSITION + 2]
    m = block_rows(topology.shape[0] - 1)
    sine = load(states, (SINE * m + i) * lanes, like)
    cosine = load(states, (COSINE * m + i) * lanes, like)
    shift = load(states, (SHIFT * m + i) * lanes, like)
    r0, r1, r2 = load3(work, before + POSE * lanes, lanes, like)
    r3, r4, r5 = load3(work, before + (POSE + 3) * lanes, lanes, like)
    r6, r7, r8 = load3(work, before + (POSE + 6) * lanes, lanes, like)
    ox, oy, oz = load3(work, before + (POSE + 9) * lanes, lanes, like)
    ux, uy, uz = r0 * k0 + r1 * k3 + r2 * k6, r3 * k0 + r4 * k3 + r5 * k6, r6 * k0 + r7 * k3 + r8 * k6
    wx, wy, wz = r0 * k1 + r1 * k4 + r2 * k7, r3 * k1 + r4 * k4 + r5 * k7, r6 * k1 + r7 * k4 + r8 * k7
    z = r0 * k2 + r1 * k5 + r2 * k8, r3 * k2 + r4 * k5 + r5 * k8, r6 * k2 + r7 * k5 + r8 * k8
    x = ux * cosine + wx * sine, uy * cosine + wy * sine, uz * cosine + wz * sine
    y = wx * cosine - ux * sine, wy * cosine - uy * sine, wz * cosine - uz * sine
    o = (
        ox + r0 * px + r1 * py + r2 * pz + z[0] * shift,
        oy + r3 * px + r4 * py + r5 * pz + z[1] * shift,
        oz + r6 * px + r7 * py + r8 * pz + z[2] * shift,
    )
    store3(work, at + POSE * lanes, lanes, x[0], y[0], z[0])
    store3(work, at + (POSE + 3) * lanes, lanes, x[1], y[1], z[1])
    store3(work, at + (POSE + 6) * lanes, lanes, x[2], y[2], z[2])
    store3(work, at + (POSE + 9) * lanes, lanes, o[0], o[1], o[2])

    scale = constants[i, MULTIPLIER]
    axis = scale * z[0], scale * z[1], scale * z[2]
    omega, linear = (
        load3(work, before + TWIST * lanes, lanes, like),
        load3(work, before + (TWIST + 3) * lanes, lanes, like),
    )
    alpha, push = (
        load3(work, before + ACCELERATION * lanes, lanes, like),
        load3(work, before + (ACCELERATION + 3) * lanes, lanes, like),
    )
    rate, gain = load(v, iv, like), load(a, iv, like)
    if topology[i, KIND] == PRISMATIC:
        zero = like, like, like
        turned = _cross(omega, axis)
        again = _crosses(alpha, axis, omega, turned)
        _store6(work, at + AXIS * lanes, lanes, zero, axis)
        _store6(work, at + RATE * lanes, lanes, zero, turned)
        _store6(work, at + SECOND * lanes, lanes, zero, again)
    else:
        moment = _cross(o, axis)
        swung = _cross(omega, axis)
        turned = _crosses(omega, moment, linear, axis)
        bent = _crosses(alpha, axis, omega, swung)
        again = _crosses(alpha, moment, push, axis)
        more = _crosses(omega, turned, linear, swung)
        again = again[0] + more[0], again[1] + more[1], again[2] + more[2]
        _store6(work, at + AXIS * lanes, lanes, axis, moment)
        _store6(work, at + RATE * lanes, lanes, swung, turned)
        _store6(work, at + SECOND * lanes, lanes, bent, again)
        omega = omega[0] + axis[0] * rate, omega[1] + axis[1] * rate, omega[2] + axis[2] * rate
        alpha = (
            alpha[0] + axis[0] * gain + swung[0] * rate,
            alpha[1] + axis[1] * gain + swung[1] * rate,
            alpha[2] + axis[2] * gain + swung[2] * rate,
        )
        axis = moment
    linear = linear[0] + axis[0] * rate, linear[1] + axis[1] * rate, linear[2] + axis[2] * rate
    push = (
        push[0] + axis[0] * gain + turned[0] * rate,
        push[1] + axis[1] * gain + turned[1] * rate,
        push[2] + axis[2] * gain + turned[2] * rate,
    )
    _store6(work, at + TWIST * lanes, lanes, omega, linear)
    _store6(work, at + ACCELERATION * lanes, lanes, alpha, push)

    mass = constants[i, MASS]
    hx, hy, hz = constants[i, MOMENT], constants[i, MOMENT + 1], constants[i, MOMENT + 2]
    jx, jy = 0.5 * constants[i, INERTIA], 0.5 * constants[i, INERTIA + 1]
    jxy, jxz, jyz = constants[i, INERTIA + 3], constants[i, INERTIA + 4], constants[i, INERTIA + 5]
    # J = x b^T + y c^T + o d^T + transposed; regrouped, there is no zz
    b = (
        jx * x[0] + jxy * y[0] + jxz * z[0],
        jx * x[1] + jxy * y[1] + jxz * z[1],
        jx * x[2] + jxy * y[2] + jxz * z[2],
    )
    c = jy * y[0] + jyz * z[0], jy * y[1] + jyz * z[1], jy * y[2] + jyz * z[2]
    g = (
        hx * x[0] + hy * y[0] + hz * z[0],
        hx * x[1] + hy * y[1] + hz * z[1],
        hx * x[2] + hy * y[2] + hz * z[2],
    )
    half = 0.5 * mass
    d = g[0] + half * o[0], g[1] + half * o[1], g[2] + half * o[2]
    h = d[0] + half * o[0], d[1] + half * o[1], d[2] + half * o[2]
    xx = x[0] * b[0] + y[0] * c[0] + o[0] * d[0]
    yy = x[1] * b[1] + y[1] * c[1] + o[1] * d[1]
    zz = x[2] * b[2] + y[2] * c[2] + o[2] * d[2]
    xy = x[0] * b[1] + b[0] * x[1] + y[0] * c[1] + c[0] * y[1] + o[0] * d[1] + d[0] * o[1]
    xz = x[0] * b[2] + b[0] * x[2] + y[0] * c[2] + c[0] * y[2] + o[0] * d[2] + d[0] * o[2]
    yz = x[1] * b[2] + b[1] * x[2] + y[1] * c[2] + c[1] * y[2] + o[1] * d[2] + d[1] * o[2]
    _bear(at, mass, h, xx + xx, yy + yy, zz + zz, xy, xz, yz, omega, linear, alpha, push, work, lanes, like)
    ex, ey, ez = constants[i, EXTERNAL], constants[i, EXTERNAL + 1], constants[i, EXTERNAL + 2]
    tx, ty, tz = constants[i, EXTERNAL + 3], constants[i, EXTERNAL + 4], constants[i, EXTERNAL + 5]
    e = (
        ex * x[0] + ey * y[0] + ez * z[0],
        ex * x[1] + ey * y[1] + ez * z[1],
        ex * x[2] + ey * y[2] + ez * z[2],
    )
    t = _cross(o, e)
    fx, fy, fz = load3(work, at + WRENCH * lanes, lanes, like)
    nx, ny, nz = load3(work, at + (WRENCH + 3) * lanes, lanes, like)
    store3(work, at + WRENCH * lanes, lanes, fx - e[0], fy - e[1], fz - e[2])
    store3(
        work,
        at + (WRENCH + 3) * lanes,
        lanes,
        nx - t[0] - (tx * x[0] + ty * y[0] + tz * z[0]),
        ny - t[1] - (tx * x[1] + ty * y[1] + tz * z[1]),
        nz - t[2] - (tx * x[2] + ty * y[2] + tz * z[2]),
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _bear(at, mass, h, xx, yy, zz, xy, xz, yz, omega, linear, alpha, push, work, lanes, like):
    """The body alone as its composite: from mass, m c and second moment to inertia, p, D and wrench."""
    wx, wy, wz = omega
    lx, ly, lz = linear
    # C = sum m x xdot^T; D = tr(C) - C^T
    c00, c01, c02 = (
        h[0] * lx + xz * wy - xy * wz,
        h[0] * ly + xx * wz - xz * wx,
        h[0] * lz + xy * wx - xx * wy,
    )
    c10, c11, c12 = (
        h[1] * lx + yz * wy - yy * wz,
        h[1] * ly + xy * wz - yz * wx,
        h[1] * lz + yy * wx - xy * wy,
    )
    c20, c21, c22 = (
        h[2] * lx + zz * wy - yz * wz,
        h[2] * ly + xz * wz - zz * wx,
        h[2] * lz + yz * wx - xz * wy,
    )
    d0, d4, d8 = c11 + c22, c00 + c22, c00 + c11
    p = _cross(omega, h)
    p = p[0] + mass * lx, p[1] + mass * ly, p[2] + mass * lz
    rx, ry, rz = yy + zz, xx + zz, xx + yy
    f = _crosses(alpha, h, omega, p)
    n = _cross(h, push)
    store(work, at + BODY * lanes, mass + like)
    store3(work, at + FIRST * lanes, lanes, h[0], h[1], h[2])
    store3(work, at + ROTARY * lanes, lanes, rx, ry, rz)
    store3(work, at + (ROTARY + 3) * lanes, lanes, -xy, -xz, -yz)
    store3(work, at + MOMENTUM * lanes, lanes, p[0], p[1], p[2])
    store3(work, at + CORIOLIS * lanes, lanes, d0, -c10, -c20)
    store3(work, at + (CORIOLIS + 3) * lanes, lanes, -c01, d4, -c21)
    store3(work, at + (CORIOLIS + 6) * lanes, lanes, -c02, -c12, d8)
    ax, ay, az = alpha
    store3(
        work, at + WRENCH * lanes, lanes, f[0] + mass * push[0], f[1] + mass * push[1], f[2] + mass * push[2]
    )
    store3(
        work,
        at + (WRENCH + 3) * lanes,
        lanes,
        n[0] + rx * ax - xy * ay - xz * az + d0 * wx - c10 * wy - c20 * wz,
        n[1] + ry * ay - xy * ax - yz * az + d4 * wy - c01 * wx - c21 * wz,
        n[2] + rz * az - xz * ax - yz * ay + d8 * wz - c02 * wx - c12 * wy,
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _put(out, row, column, nv, value, shared, lanes, like):
    """Write an entry; where several joints share coordinates, add it."""
    at = (row * nv + column) * lanes
    if shared:
        value = load(out, at, like) + value
    store(out, at, value)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _pairs(i, topology, constants, work, out, shared, lanes, like):
    """Entries of joint i with itself and with all its ancestors; its composite body is complete."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    dv, dvdot = nv, 2 * nv  # rows of out where these begin
    at, iv = i * DERIVATIVE_COLUMNS * lanes, topology[i, V]
    mass = load(work, at + BODY * lanes, like)
    h = load3(work, at + FIRST * lanes, lanes, like)
    rx, ry, rz = load3(work, at + ROTARY * lanes, lanes, like)
    rxy, rxz, ryz = load3(work, at + (ROTARY + 3) * lanes, lanes, like)
    p = load3(work, at + MOMENTUM * lanes, lanes, like)
    d0, d1, d2 = load3(work, at + CORIOLIS * lanes, lanes, like)
    d3, d4, d5 = load3(work, at + (CORIOLIS + 3) * lanes, lanes, like)
    d6, d7, d8 = load3(work, at + (CORIOLIS + 6) * lanes, lanes, like)
    z, s = load3(work, at + AXIS * lanes, lanes, like), load3(work, at + (AXIS + 3) * lanes, lanes, like)
    # m = I S
    mf = _cross(z, h)
    mf = mf[0] + mass * s[0], mf[1] + mass * s[1], mf[2] + mass * s[2]
    mn = _cross(h, s)
    mn = (
        mn[0] + rx * z[0] + rxy * z[1] + rxz * z[2],
        mn[1] + rxy * z[0] + ry * z[1] + ryz * z[2],
        mn[2] + rxz * z[0] + ryz * z[1] + rz * z[2],
    )
    # b = B^T S, which has no linear part
    b = _cross(p, s)
    b = (
        b[0] + d0 * z[0] + d3 * z[1] + d6 * z[2],
        b[1] + d1 * z[0] + d4 * z[1] + d7 * z[2],
        b[2] + d2 * z[0] + d5 * z[1] + d8 * z[2],
    )
    # r = 2 (B S + I S')
    a, t = load3(work, at + RATE * lanes, lanes, like), load3(work, at + (RATE + 3) * lanes, lanes, like)
    rf = _crosses(z, p, a, h)
    rf = rf[0] + mass * t[0], rf[1] + mass * t[1], rf[2] + mass * t[2]
    rf = rf[0] + rf[0], rf[1] + rf[1], rf[2] + rf[2]
    rn = _cross(h, t)
    rn = (
        rn[0] + d0 * z[0] + d1 * z[1] + d2 * z[2] + rx * a[0] + rxy * a[1] + rxz * a[2],
        rn[1] + d3 * z[0] + d4 * z[1] + d5 * z[2] + rxy * a[0] + ry * a[1] + ryz * a[2],
        rn[2] + d6 * z[0] + d7 * z[1] + d8 * z[2] + rxz * a[0] + ryz * a[1] + rz * a[2],
    )
    rn = rn[0] + rn[0], rn[1] + rn[1], rn[2] + rn[2]
    # w = 2 B S' + I S'' + S x* f
    e, u = load3(work, at + SECOND * lanes, lanes, like), load3(work, at + (SECOND + 3) * lanes, lanes, like)
    f, m = load3(work, at + WRENCH * lanes, lanes, like), load3(work, at + (WRENCH + 3) * lanes, lanes, like)
    wf = _crosses(e, h, z, f)
    c = _cross(a, p)
    wf = (
        wf[0] + mass * u[0] + 2.0 * c[0],
        wf[1] + mass * u[1] + 2.0 * c[1],
        wf[2] + mass * u[2] + 2.0 * c[2],
    )
    wn = _crosses(h, u, z, m)
    c = _cross(s, f)
    wn = (
        wn[0] + c[0] + rx * e[0] + rxy * e[1] + rxz * e[2] + 2.0 * (d0 * a[0] + d1 * a[1] + d2 * a[2]),
        wn[1] + c[1] + rxy * e[0] + ry * e[1] + ryz * e[2] + 2.0 * (d3 * a[0] + d4 * a[1] + d5 * a[2]),
        wn[2] + c[2] + rxz * e[0] + ryz * e[1] + rz * e[2] + 2.0 * (d6 * a[0] + d7 * a[1] + d8 * a[2]),
    )
    # S^T (S x* f) = 0
    _put(out, iv, iv, nv, _dot(z, wn) + _dot(s, wf), shared, lanes, like)
    _put(out, dv + iv, iv, nv, _dot(z, rn) + _dot(s, rf), shared, lanes, like)
    _put(out, dvdot + iv, iv, nv, _dot(z, mn) + _dot(s, mf), shared, lanes, like)
    j = topology[i, PARENT]
    while topology[j, PARENT] < n:
        at, jv = j * DERIVATIVE_COLUMNS * lanes, topology[j, V]
        z, s = load3(work, at + AXIS * lanes, lanes, like), load3(work, at + (AXIS + 3) * lanes, lanes, like)
        inertia = _dot(z, mn) + _dot(s, mf)
        _put(out, dvdot + iv, jv, nv, inertia, shared, lanes, like)
        _put(out, dvdot + jv, iv, nv, inertia, shared, lanes, like)
        _put(out, dv + jv, iv, nv, _dot(z, rn) + _dot(s, rf), shared, lanes, like)
        _put(out, jv, iv, nv, _dot(z, wn) + _dot(s, wf), shared, lanes, like)
        a, t = load3(work, at + RATE * lanes, lanes, like), load3(work, at + (RATE + 3) * lanes, lanes, like)
        half = _dot(z, b) + _dot(a, mn) + _dot(t, mf)
        _put(out, dv + iv, jv, nv, half + half, shared, lanes, like)
        e, u = (
            load3(work, at + SECOND * lanes, lanes, like),
            load3(work, at + (SECOND + 3) * lanes, lanes, like),
        )
        whole = _dot(a, b)
        whole = whole + whole + _dot(e, mn) + _dot(u, mf)
        _put(out, iv, jv, nv, whole, shared, lanes, like)
        j = topology[j, PARENT]
    # the root
    at, jv = j * DERIVATIVE_COLUMNS * lanes, topology[j, V]
    gravity = load3(work, at + SECOND * lanes, lanes, like)
    if topology[j, KIND] == FLOATING:
        omega = load3(work, at + TWIST * lanes, lanes, like)
        linear = load3(work, at + (TWIST + 3) * lanes, lanes, like)
        along, about = _cross(mf, omega), _crosses(mn, omega, mf, linear)
        turned = _cross(mf, gravity)
        for k in range(3):
            _put(out, dvdot + iv, jv + k, nv, mf[k], shared, lanes, like)
            _put(out, dvdot + iv, jv + 3 + k, nv, mn[k], shared, lanes, like)
            _put(out, dvdot + jv + k, iv, nv, mf[k], shared, lanes, like)
            _put(out, dvdot + jv + 3 + k, iv, nv, mn[k], shared, lanes, like)
            _put(out, dv + jv + k, iv, nv, rf[k], shared, lanes, like)
            _put(out, dv + jv + 3 + k, iv, nv, rn[k], shared, lanes, like)
            _put(out, jv + k, iv, nv, wf[k], shared, lanes, like)
            _put(out, jv + 3 + k, iv, nv, wn[k], shared, lanes, like)
            _put(out, dv + iv, jv + k, nv, along[k], shared, lanes, like)
            _put(out, dv + iv, jv + 3 + k, nv, about[k] + 2.0 * b[k], shared, lanes, like)
            _put(out, iv, jv + 3 + k, nv, turned[k], shared, lanes, like)
    else:
        scale = constants[j, MULTIPLIER]
        if topology[j, KIND] == PRISMATIC:
            inertia, rate, angle = mf[2], rf[2], wf[2]
        else:
            inertia, rate, angle = mn[2], rn[2], wn[2]
            _put(out, dv + iv, jv, nv, (2.0 * scale) * b[2], shared, lanes, like)
            lever = mf[0] * gravity[1] - mf[1] * gravity[0]
            _put(out, iv, jv, nv, scale * lever, shared, lanes, like)
        _put(out, dvdot + iv, jv, nv, scale * inertia, shared, lanes, like)
        _put(out, dvdot + jv, iv, nv, scale * inertia, shared, lanes, like)
        _put(out, dv + jv, iv, nv, scale * rate, shared, lanes, like)
        _put(out, jv, iv, nv, scale * angle, shared, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _skew(a, like):
    return like, -a[2], a[1], a[2], like, -a[0], -a[1], a[0], like


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _skews(a, b):
    """The matrix of x -> a x (b x x): b a^T - a^T b, row by row."""
    xx, yy, zz = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    return (
        -yy - zz,
        a[1] * b[0],
        a[2] * b[0],
        a[0] * b[1],
        -xx - zz,
        a[2] * b[1],
        a[0] * b[2],
        a[1] * b[2],
        -xx - yy,
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _put9(out, row, column, nv, block, shared, lanes, like):
    for k in range(9):
        _put(out, row + k // 3, column + k % 3, nv, block[k], shared, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _root_floating(i, topology, work, out, shared, lanes, like):
    """Entries of a floating joint with itself: S is the unit matrix."""
    nv = topology[topology.shape[0] - 1, V]
    dv, dvdot = nv, 2 * nv
    at, iv = i * DERIVATIVE_COLUMNS * lanes, topology[i, V]
    iw = iv + 3  # angular
    mass = load(work, at + BODY * lanes, like)
    h = load3(work, at + FIRST * lanes, lanes, like)
    rx, ry, rz = load3(work, at + ROTARY * lanes, lanes, like)
    rxy, rxz, ryz = load3(work, at + (ROTARY + 3) * lanes, lanes, like)
    p = load3(work, at + MOMENTUM * lanes, lanes, like)
    d0, d1, d2 = load3(work, at + CORIOLIS * lanes, lanes, like)
    d3, d4, d5 = load3(work, at + (CORIOLIS + 3) * lanes, lanes, like)
    d6, d7, d8 = load3(work, at + (CORIOLIS + 6) * lanes, lanes, like)
    u = load3(work, at + SECOND * lanes, lanes, like)
    w = load3(work, at + TWIST * lanes, lanes, like)
    s = load3(work, at + (TWIST + 3) * lanes, lanes, like)
    wx, wy, wz = w
    along = mass * s[0], mass * s[1], mass * s[2]

    _put9(
        out, dvdot + iv, iv, nv, (mass, like, like, like, mass, like, like, like, mass), shared, lanes, like
    )
    _put9(out, dvdot + iv, iw, nv, _skew((-h[0], -h[1], -h[2]), like), shared, lanes, like)
    _put9(out, dvdot + iw, iv, nv, _skew(h, like), shared, lanes, like)
    inertia = rx, rxy, rxz, rxy, ry, ryz, rxz, ryz, rz
    _put9(out, dvdot + iw, iw, nv, inertia, shared, lanes, like)

    weight = mass * u[0], mass * u[1], mass * u[2]
    _put9(out, iv, iw, nv, _skew(weight, like), shared, lanes, like)
    _put9(out, iw, iw, nv, _skews(h, u), shared, lanes, like)

    turned = _skews(h, w)
    carried = _skew((mass * wx, mass * wy, mass * wz), like)
    _put9(out, dv + iv, iv, nv, carried, shared, lanes, like)
    _put9(out, dv + iw, iv, nv, turned, shared, lanes, like)
    t = _skew((along[0] - 2.0 * p[0], along[1] - 2.0 * p[1], along[2] - 2.0 * p[2]), like)
    force = (
        t[0] - turned[0],
        t[1] - turned[1],
        t[2] - turned[2],
        t[3] - turned[3],
        t[4] - turned[4],
        t[5] - turned[5],
        t[6] - turned[6],
        t[7] - turned[7],
        t[8] - turned[8],
    )
    _put9(out, dv + iv, iw, nv, force, shared, lanes, like)
    t = _skews(h, s)
    # 2 D + [h]x [s]x + inertia [w]x
    moment = (
        2.0 * d0 + t[0] + rxy * wz - rxz * wy,
        2.0 * d1 + t[1] + rxz * wx - rx * wz,
        2.0 * d2 + t[2] + rx * wy - rxy * wx,
        2.0 * d3 + t[3] + ry * wz - ryz * wy,
        2.0 * d4 + t[4] + ryz * wx - rxy * wz,
        2.0 * d5 + t[5] + rxy * wy - ry * wx,
        2.0 * d6 + t[6] + ryz * wz - rz * wy,
        2.0 * d7 + t[7] + rz * wx - rxz * wz,
        2.0 * d8 + t[8] + rxz * wy - ryz * wx,
    )
    _put9(out, dv + iw, iw, nv, moment, shared, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _root(i, topology, constants, work, out, shared, lanes, like):
    """Entries of a joint of one degree of freedom on the ground with itself: S is z or a shift along z."""
    nv = topology[topology.shape[0] - 1, V]
    dv, dvdot = nv, 2 * nv
    at, iv = i * DERIVATIVE_COLUMNS * lanes, topology[i, V]
    scale = constants[i, MULTIPLIER] * constants[i, MULTIPLIER]
    if topology[i, KIND] == PRISMATIC:
        _put(out, dvdot + iv, iv, nv, scale * load(work, at + BODY * lanes, like), shared, lanes, like)
    else:
        hx, hy, _ = load3(work, at + FIRST * lanes, lanes, like)
        ux, uy, _ = load3(work, at + SECOND * lanes, lanes, like)
        about = load(work, at + (ROTARY + 2) * lanes, like)
        coriolis = load(work, at + (CORIOLIS + 8) * lanes, like)
        _put(out, iv, iv, nv, -scale * (hx * ux + hy * uy), shared, lanes, like)
        _put(out, dv + iv, iv, nv, (2.0 * scale) * coriolis, shared, lanes, like)
        _put(out, dvdot + iv, iv, nv, scale * about, shared, lanes, like)


@njit(forceinline=True, error_model="numpy")
def _shares(topology):
    """Do joints share coordinates (mimic joints)?"""
    n = topology.shape[0] - 1
    count = 0
    for i in range(n):
        count += 6 if topology[i, KIND] == FLOATING else 1
    return count > topology[n, V]


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def recursion(topology, constants, q, v, a, states, work, out, lanes, like):
    """dtau/dq, dtau/dv, dtau/dvdot, each row by row. Of many lanes, ``out`` is zero where all robots' is."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    shared = _shares(topology)
    if lanes == 1 or shared:
        for k in range(3 * nv * nv):
            store(out, k * lanes, like)
    for i in range(n):
        if topology[i, PARENT] == n:
            _start_root(i, topology, constants, q, v, a, states, work, lanes, like)
        else:
            _start(i, topology, constants, v, a, states, work, lanes, like)
    for i in range(n - 1, -1, -1):
        if topology[i, PARENT] < n:
            _pairs(i, topology, constants, work, out, shared, lanes, like)
            at, before = i * DERIVATIVE_COLUMNS * lanes, topology[i, PARENT] * DERIVATIVE_COLUMNS * lanes
            for k in range(BODY, WRENCH + 6):
                total = load(work, before + k * lanes, like) + load(work, at + k * lanes, like)
                store(work, before + k * lanes, total)
        elif topology[i, KIND] == FLOATING:
            _root_floating(i, topology, work, out, shared, lanes, like)
        else:
            _root(i, topology, constants, work, out, shared, lanes, like)


#: Of :func:`inverse_dynamics_derivatives`, for :func:`.compilation.make_ready`.
SIGNATURE = int64(
    int64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[:, :, ::1]
)


@njit(cache=True, fastmath=FAST, error_model="numpy")
def inverse_dynamics_derivatives(topology, constants, work, q, v, vdot, out):
    """dtau/dq, dtau/dv, dtau/dvdot in ``out`` (3, nv, nv) of a graph at q, v, vdot.

    Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does.
    """
    n = topology.shape[0] - 1
    nv = topology[n, V]
    if v.shape[0] != nv or vdot.shape[0] != nv:
        return 1
    if out.shape[0] != 3 or out.shape[1] != nv or out.shape[2] != nv:
        return 1
    flat = out.reshape(3 * nv * nv)
    if single(recursion, DERIVATIVE_COLUMNS, topology, constants, work, q, v, vdot, flat) != 0:
        return 1
    return 0 if all_finite(flat) else 2


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def inverse_dynamics_derivatives_float64(topology, constants, q, v, vdot, out, known):
    """Rows of q, v, vdot -> rows of ``out`` (count, 3 * nv * nv): see :func:`.drivers.batch_float64`."""
    return batch_float64(recursion, DERIVATIVE_COLUMNS, topology, constants, q, v, vdot, out, known)
