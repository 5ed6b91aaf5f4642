"""Inverse dynamics of a whole graph in one call: the composition, unrolled over all joints.

The recursion is that of composition/ (Silva & Adorno, eqs. 1, 5-7). Ad(x) of a unit dual quaternion is
applied as the rotation R(r) and the shift p that it stands for: the same group action with fewer products.
Linear accelerations are those of points (D(xid) + P(xi) x D(xi)), so velocities of origins never enter.

Contract: arrays as in :mod:`.layout`, C-contiguous; nothing is allocated by the single call.
"""

import math

from numba import float64, int64, njit

from ..drivers import batch_float32, batch_float64, single
from ..layout import (
    ACCELERATION,
    ALPHA,
    CODE,
    EXTERNAL,
    FLOATING,
    FORCE,
    GRAVITY,
    INERTIA,
    KIND,
    MASS,
    MODE,
    MOMENT,
    MULTIPLIER,
    OMEGA,
    PARENT,
    PRISMATIC,
    TORQUE,
    UNKNOWN,
    WHOLE,
    WORK_COLUMNS,
    V,
)
from ..numba_support.compilation import kernel
from ..numba_support.lanes import FAST
from ..numba_support.memory import load, load3, store, store3
from ..placement import place, place_floating, pose_of
from ..states import all_finite

__all__ = ["SIGNATURE", "inverse_dynamics", "inverse_dynamics_float32", "inverse_dynamics_float64"]


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _carried(pose, before, work, lanes, like):
    """Angular velocity, angular acceleration, acceleration of the origin: by the parent's motion alone."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz = pose
    wx, wy, wz = load3(work, before + OMEGA * lanes, lanes, like)
    dx, dy, dz = load3(work, before + ALPHA * lanes, lanes, like)
    ax, ay, az = load3(work, before + ACCELERATION * lanes, lanes, like)
    # the parent's point under the joint's origin: a + alpha x p + omega x (omega x p)
    tx, ty, tz = wy * pz - wz * py, wz * px - wx * pz, wx * py - wy * px
    ax = ax + dy * pz - dz * py + wy * tz - wz * ty
    ay = ay + dz * px - dx * pz + wz * tx - wx * tz
    az = az + dx * py - dy * px + wx * ty - wy * tx
    return (
        r0 * wx + r3 * wy + r6 * wz,
        r1 * wx + r4 * wy + r7 * wz,
        r2 * wx + r5 * wy + r8 * wz,
        r0 * dx + r3 * dy + r6 * dz,
        r1 * dx + r4 * dy + r7 * dz,
        r2 * dx + r5 * dy + r8 * dz,
        r0 * ax + r3 * ay + r6 * az,
        r1 * ax + r4 * ay + r7 * az,
        r2 * ax + r5 * ay + r8 * az,
    )


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _outward(i, topology, constants, v, vdot, states, work, lanes, like):
    """Pose, motion and wrench of body i."""
    iv = topology[i, V] * lanes
    at, before = i * WORK_COLUMNS * lanes, topology[i, PARENT] * WORK_COLUMNS * lanes
    pose = place(i, topology, constants, states, lanes, like)
    ox, oy, oz, ex, ey, ez, ux, uy, uz = _carried(pose, before, work, lanes, like)
    rate = constants[i, MULTIPLIER] * load(v, iv, like)
    push = constants[i, MULTIPLIER] * load(vdot, iv, like)
    if topology[i, KIND] == PRISMATIC:
        # Coriolis term 2 omega x (z rate)
        ux, uy, uz = ux + 2.0 * (oy * rate), uy - 2.0 * (ox * rate), uz + push
    else:
        ex, ey, ez = ex + oy * rate, ey - ox * rate, ez + push
        oz = oz + rate
    store3(work, at + OMEGA * lanes, lanes, ox, oy, oz)
    store3(work, at + ALPHA * lanes, lanes, ex, ey, ez)
    store3(work, at + ACCELERATION * lanes, lanes, ux, uy, uz)
    _bear(i, ox, oy, oz, ex, ey, ez, ux, uy, uz, constants, work, at, lanes)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _outward_floating(i, topology, constants, q, v, vdot, work, lanes, like):
    """The same for a floating body: its twist (linear l, angular g) against the ground is in its own axes."""
    iv = topology[i, V] * lanes
    at, before = i * WORK_COLUMNS * lanes, topology[i, PARENT] * WORK_COLUMNS * lanes
    pose = place_floating(i, topology, constants, q, lanes, like)
    ox, oy, oz, ex, ey, ez, ux, uy, uz = _carried(pose, before, work, lanes, like)
    lx, ly, lz = load3(v, iv, lanes, like)
    gx, gy, gz = load3(v, iv + 3 * lanes, lanes, like)
    sx, sy, sz = load3(vdot, iv, lanes, like)
    hx, hy, hz = load3(vdot, iv + 3 * lanes, lanes, like)
    ox, oy, oz = ox + gx, oy + gy, oz + gz
    ex, ey, ez = ex + hx, ey + hy, ez + hz
    ux = ux + sx + gy * lz - gz * ly
    uy = uy + sy + gz * lx - gx * lz
    uz = uz + sz + gx * ly - gy * lx
    store3(work, at + OMEGA * lanes, lanes, ox, oy, oz)
    store3(work, at + ALPHA * lanes, lanes, ex, ey, ez)
    store3(work, at + ACCELERATION * lanes, lanes, ux, uy, uz)
    _bear(i, ox, oy, oz, ex, ey, ez, ux, uy, uz, constants, work, at, lanes)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _bear(i, ox, oy, oz, ex, ey, ez, ux, uy, uz, constants, work, at, lanes):
    """Store the wrench about its origin that body i needs for the motion (o, e, u).

    With Lambda = [alpha]x + [omega]x [omega]x: force m a + Lambda (m c), moment vee(Lambda J - (Lambda
    J)^T) + m c x a, where J is the pseudo-inertia, the second moment of the mass about the origin.
    """
    l00, l11, l22 = -oy * oy - oz * oz, -ox * ox - oz * oz, -ox * ox - oy * oy
    l01, l10 = ox * oy - ez, ox * oy + ez
    l02, l20 = ox * oz + ey, ox * oz - ey
    l12, l21 = oy * oz - ex, oy * oz + ex
    mass = constants[i, MASS]
    mx, my, mz = constants[i, MOMENT], constants[i, MOMENT + 1], constants[i, MOMENT + 2]
    xx, yy, zz = constants[i, INERTIA], constants[i, INERTIA + 1], constants[i, INERTIA + 2]
    xy, xz, yz = constants[i, INERTIA + 3], constants[i, INERTIA + 4], constants[i, INERTIA + 5]
    fx = mass * ux + l00 * mx + l01 * my + l02 * mz
    fy = mass * uy + l10 * mx + l11 * my + l12 * mz
    fz = mass * uz + l20 * mx + l21 * my + l22 * mz
    nx = (l20 * xy + l21 * yy + l22 * yz) - (l10 * xz + l11 * yz + l12 * zz) + my * uz - mz * uy
    ny = (l00 * xz + l01 * yz + l02 * zz) - (l20 * xx + l21 * xy + l22 * xz) + mz * ux - mx * uz
    nz = (l10 * xx + l11 * xy + l12 * xz) - (l00 * xy + l01 * yy + l02 * yz) + mx * uy - my * ux
    gx, gy, gz = constants[i, EXTERNAL], constants[i, EXTERNAL + 1], constants[i, EXTERNAL + 2]
    hx, hy, hz = constants[i, EXTERNAL + 3], constants[i, EXTERNAL + 4], constants[i, EXTERNAL + 5]
    store3(work, at + FORCE * lanes, lanes, fx - gx, fy - gy, fz - gz)
    store3(work, at + TORQUE * lanes, lanes, nx - hx, ny - hy, nz - hz)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _inward(i, topology, constants, q, states, work, tau, lanes, like):
    """The torque of joint i, and Ad(x) of its wrench added to its parent's: f = R f_i, m = R m_i + p x f."""
    kind, iv, mode = topology[i, KIND], topology[i, V], topology[i, MODE]
    at, before = i * WORK_COLUMNS * lanes, topology[i, PARENT] * WORK_COLUMNS * lanes
    if mode == UNKNOWN:
        for k in range(FORCE, TORQUE + 3):
            store(work, at + k * lanes, like + math.nan)
    if kind == FLOATING:
        for k in range(6):
            store(tau, (iv + k) * lanes, load(work, at + (FORCE + k) * lanes, like))
    else:
        along = FORCE + 2 if kind == PRISMATIC else TORQUE + 2
        own = constants[i, MULTIPLIER] * load(work, at + along * lanes, like)
        store(tau, iv * lanes, load(tau, iv * lanes, like) + own)
    if mode == WHOLE:
        r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz = pose_of(
            i, topology, constants, q, states, lanes, like
        )
        fx, fy, fz = load3(work, at + FORCE * lanes, lanes, like)
        mx, my, mz = load3(work, at + TORQUE * lanes, lanes, like)
        gx, gy, gz = r0 * fx + r1 * fy + r2 * fz, r3 * fx + r4 * fy + r5 * fz, r6 * fx + r7 * fy + r8 * fz
        ux, uy, uz = load3(work, before + FORCE * lanes, lanes, like)
        vx, vy, vz = load3(work, before + TORQUE * lanes, lanes, like)
        vx = vx + (r0 * mx + r1 * my + r2 * mz + py * gz - pz * gy)
        vy = vy + (r3 * mx + r4 * my + r5 * mz + pz * gx - px * gz)
        vz = vz + (r6 * mx + r7 * my + r8 * mz + px * gy - py * gx)
        store3(work, before + FORCE * lanes, lanes, ux + gx, uy + gy, uz + gz)
        store3(work, before + TORQUE * lanes, lanes, vx, vy, vz)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def outward(first, stop, topology, constants, q, v, vdot, states, work, lanes, like):
    """Motion and wrench of bodies first ... stop - 1 of one subsystem; their parents' motions are known."""
    for i in range(first, stop):
        if topology[i, KIND] == FLOATING:
            _outward_floating(i, topology, constants, q, v, vdot, work, lanes, like)
        else:
            _outward(i, topology, constants, v, vdot, states, work, lanes, like)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def inward(first, stop, topology, constants, q, states, work, tau, lanes, like):
    """Add to tau the torques of joints first ... stop - 1; their successors' wrenches are in.

    Leaves the subsystem's wrench added to that of the body which carries it.
    """
    for i in range(stop - 1, first - 1, -1):
        _inward(i, topology, constants, q, states, work, tau, lanes, like)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def start(topology, constants, work, lanes, like):
    """The ground at rest, accelerating against gravity, and bearing nothing yet."""
    n = topology.shape[0] - 1
    ground = n * WORK_COLUMNS * lanes
    for k in range(WORK_COLUMNS):
        store(work, ground + k * lanes, like)
    for k in range(3):
        store(work, ground + (ACCELERATION + k) * lanes, like - constants[n, GRAVITY + k])


@njit(inline="always", fastmath=FAST, error_model="numpy")
def recursion(topology, constants, q, v, vdot, states, work, tau, lanes, like):
    """tau: outward over all bodies, then inward."""
    n = topology.shape[0] - 1
    start(topology, constants, work, lanes, like)
    outward(0, n, topology, constants, q, v, vdot, states, work, lanes, like)
    # v and vdot are not read from here on: tau may be one of them
    for k in range(topology[n, V]):
        store(tau, k * lanes, like)
    inward(0, n, topology, constants, q, states, work, tau, lanes, like)


#: Of :func:`inverse_dynamics`, for :func:`.compilation.make_ready`.
SIGNATURE = int64(
    int64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1]
)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def inverse_dynamics_inline(topology, constants, work, q, v, vdot, tau):
    """tau (nv,) of a graph at q, v, vdot; leaves every body's motion and wrench in ``work``.

    The ground's row holds the wrench that it bears as FORCE, TORQUE on return. Torques inside black boxes
    are NaN. Generated code leaves nothing in ``work``.

    Returns 0; 1 and writes nothing where an array has the wrong length, a number that is not finite, or a
    quaternion of norm below 1e-6; 2 where the numbers are so large that the torques overflow.
    """
    n = topology.shape[0] - 1
    nv = topology[n, V]
    if v.shape[0] != nv or vdot.shape[0] != nv or tau.shape[0] != nv:
        return 1
    if single(recursion, WORK_COLUMNS, topology, constants, work, q, v, vdot, tau) != 0:
        return 1
    if all_finite(tau):
        return 0
    if topology[n, CODE] != 0:  # generated code knows no black boxes
        return 2
    for i in range(n):
        if topology[i, MODE] != UNKNOWN:  # of the others NaN is the true answer
            row = i * WORK_COLUMNS
            if not all_finite(work[row + FORCE : row + TORQUE + 3]):
                return 2
    return 0


@kernel(fastmath=FAST, error_model="numpy")
def inverse_dynamics(topology, constants, work, q, v, vdot, tau):
    """:func:`inverse_dynamics_inline`, called from Python."""
    return inverse_dynamics_inline(topology, constants, work, q, v, vdot, tau)


@kernel(nogil=True, fastmath=FAST, error_model="numpy")
def inverse_dynamics_float64(topology, constants, q, v, vdot, tau, known, blank, turns):
    """Rows of q, v, vdot -> rows of tau, in double precision: see :func:`.drivers.batch_float64`."""
    batch_float64(recursion, WORK_COLUMNS, topology, constants, q, v, vdot, tau, known, blank, turns)


@kernel(nogil=True, fastmath=FAST, error_model="numpy")
def inverse_dynamics_float32(topology, constants, q, v, vdot, tau, known, blank, turns):
    """The same in single precision."""
    batch_float32(recursion, WORK_COLUMNS, topology, constants, q, v, vdot, tau, known, blank, turns)
