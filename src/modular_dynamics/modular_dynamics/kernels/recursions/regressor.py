"""The regressor of inverse dynamics: tau = Y(q, v, vdot) theta, linear in the inertial parameters.

theta holds for each body [m, m c (x y z), Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the origin and in the axes of
its link. By virtual power, the entry of joint j and a parameter of body i is (w, l) . (moment, force): the
wrench about body i's origin that one unit of the parameter takes, and the twist (angular w, linear l) that
joint j gives to body i per unit of velocity, both in the link's axes. So each body's wrenches are written
down once, and only twists, six numbers, go from joint to body.

Motions and poses in work are in the root link's axes. TURN stands in the constants in place of the masses,
which are not read.
"""

from numba import float64, int64, njit

from ..drivers import batch_float64, single
from ..layout import FLOATING, GRAVITY, KIND, MASS, MULTIPLIER, PARENT, PRISMATIC, V
from ..numba_support.compilation import kernel
from ..numba_support.lanes import FAST
from ..numba_support.memory import load, load3, store, store3
from ..placement import load_pose, place, place_floating, store_pose
from ..states import all_finite
from .kinematics import composed

__all__ = ["PARAMETERS", "REGRESSOR_COLUMNS", "SIGNATURE", "TURN", "regressor", "regressor_float64"]

PARAMETERS = 10  # of each body
TURN = MASS  # 9, of constants: link's axes <- aligned frame, row by row

# work, 1-D, n + 1 rows; the last one is the ground's. Pose (R, P), then in the root link's axes:
OMEGA = 12  # 3: angular velocity [rad/s]
ALPHA = 15  # 3: angular acceleration [rad/s^2]
ACCELERATION = 18  # 3: acceleration of the origin minus gravity [m/s^2]
AXIS = 21  # 3: joint's axis times its multiplier; not of floating joints
REGRESSOR_COLUMNS = 24


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _turned(rows, x, y, z):
    """R (x, y, z) of a matrix or of the R of a pose, row by row."""
    return (
        rows[0] * x + rows[1] * y + rows[2] * z,
        rows[3] * x + rows[4] * y + rows[5] * z,
        rows[6] * x + rows[7] * y + rows[8] * z,
    )


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _carry(i, pose, topology, work, lanes, like):
    """Store body i's pose; its angular velocity and acceleration and its origin's: by the parent's alone."""
    at, before = i * REGRESSOR_COLUMNS * lanes, topology[i, PARENT] * REGRESSOR_COLUMNS * lanes
    above = load_pose(work, before, lanes, like)
    pose = composed(above, pose)
    store_pose(work, at, lanes, pose)
    px, py, pz = pose[9] - above[9], pose[10] - above[10], pose[11] - above[11]
    wx, wy, wz = load3(work, before + OMEGA * lanes, lanes, like)
    ex, ey, ez = load3(work, before + ALPHA * lanes, lanes, like)
    ux, uy, uz = load3(work, before + ACCELERATION * lanes, lanes, like)
    tx, ty, tz = wy * pz - wz * py, wz * px - wx * pz, wx * py - wy * px
    ux = ux + ey * pz - ez * py + wy * tz - wz * ty
    uy = uy + ez * px - ex * pz + wz * tx - wx * tz
    uz = uz + ex * py - ey * px + wx * ty - wy * tx
    return wx, wy, wz, ex, ey, ez, ux, uy, uz


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _outward(i, topology, constants, v, vdot, states, work, lanes, like):
    """Pose, motion and axis of body i."""
    at, iv = i * REGRESSOR_COLUMNS * lanes, topology[i, V] * lanes
    pose = place(i, topology, constants, states, lanes, like)
    wx, wy, wz, ex, ey, ez, ux, uy, uz = _carry(i, pose, topology, work, lanes, like)
    scale = constants[i, MULTIPLIER]
    zx = scale * load(work, at + 2 * lanes, like)
    zy = scale * load(work, at + 5 * lanes, like)
    zz = scale * load(work, at + 8 * lanes, like)
    rate, push = load(v, iv, like), load(vdot, iv, like)
    sx, sy, sz = zx * rate, zy * rate, zz * rate
    tx, ty, tz = wy * sz - wz * sy, wz * sx - wx * sz, wx * sy - wy * sx  # omega x (z rate)
    if topology[i, KIND] == PRISMATIC:
        ux, uy, uz = ux + 2.0 * tx + zx * push, uy + 2.0 * ty + zy * push, uz + 2.0 * tz + zz * push
    else:
        wx, wy, wz = wx + sx, wy + sy, wz + sz
        ex, ey, ez = ex + tx + zx * push, ey + ty + zy * push, ez + tz + zz * push
    store3(work, at + OMEGA * lanes, lanes, wx, wy, wz)
    store3(work, at + ALPHA * lanes, lanes, ex, ey, ez)
    store3(work, at + ACCELERATION * lanes, lanes, ux, uy, uz)
    store3(work, at + AXIS * lanes, lanes, zx, zy, zz)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _outward_floating(i, topology, constants, q, v, vdot, work, lanes, like):
    """The same for a floating body on the ground: its twist (linear l, angular g) is in its own axes."""
    at, iv = i * REGRESSOR_COLUMNS * lanes, topology[i, V] * lanes
    pose = place_floating(i, topology, constants, q, lanes, like)
    wx, wy, wz, ex, ey, ez, ux, uy, uz = _carry(i, pose, topology, work, lanes, like)
    turned = load_pose(work, at, lanes, like)
    lx, ly, lz = load3(v, iv, lanes, like)
    gx, gy, gz = load3(v, iv + 3 * lanes, lanes, like)
    sx, sy, sz = load3(vdot, iv, lanes, like)
    hx, hy, hz = load3(vdot, iv + 3 * lanes, lanes, like)
    sx, sy, sz = sx + gy * lz - gz * ly, sy + gz * lx - gx * lz, sz + gx * ly - gy * lx
    sx, sy, sz = _turned(turned, sx, sy, sz)
    hx, hy, hz = _turned(turned, hx, hy, hz)
    gx, gy, gz = _turned(turned, gx, gy, gz)
    store3(work, at + OMEGA * lanes, lanes, wx + gx, wy + gy, wz + gz)
    store3(work, at + ALPHA * lanes, lanes, ex + hx, ey + hy, ez + hz)
    store3(work, at + ACCELERATION * lanes, lanes, ux + sx, uy + sy, uz + sz)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _link_axes(i, constants, work, lanes, like):
    """Rows of L: the link's axes <- the root link's."""
    at = i * REGRESSOR_COLUMNS * lanes
    r0, r1, r2 = load3(work, at, lanes, like)
    r3, r4, r5 = load3(work, at + 3 * lanes, lanes, like)
    r6, r7, r8 = load3(work, at + 6 * lanes, lanes, like)
    t0, t1, t2 = constants[i, TURN], constants[i, TURN + 1], constants[i, TURN + 2]
    t3, t4, t5 = constants[i, TURN + 3], constants[i, TURN + 4], constants[i, TURN + 5]
    t6, t7, t8 = constants[i, TURN + 6], constants[i, TURN + 7], constants[i, TURN + 8]
    return (
        t0 * r0 + t1 * r1 + t2 * r2,
        t0 * r3 + t1 * r4 + t2 * r5,
        t0 * r6 + t1 * r7 + t2 * r8,
        t3 * r0 + t4 * r1 + t5 * r2,
        t3 * r3 + t4 * r4 + t5 * r5,
        t3 * r6 + t4 * r7 + t5 * r8,
        t6 * r0 + t7 * r1 + t8 * r2,
        t6 * r3 + t7 * r4 + t8 * r5,
        t6 * r6 + t7 * r7 + t8 * r8,
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _add(out, at, value, lanes, like):
    store(out, at * lanes, load(out, at * lanes, like) + value)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _force_row(out, at, linear, motion, lanes, like):
    """Add l . force to the entries of m and m c. The force is m a + Lambda (m c)."""
    lx, ly, lz = linear
    ux, uy, uz, l00, l01, l02, l10, l11, l12, l20, l21, l22 = motion
    _add(out, at, lx * ux + ly * uy + lz * uz, lanes, like)
    _add(out, at + 1, lx * l00 + ly * l10 + lz * l20, lanes, like)
    _add(out, at + 2, lx * l01 + ly * l11 + lz * l21, lanes, like)
    _add(out, at + 3, lx * l02 + ly * l12 + lz * l22, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _moment_row(out, at, angular, motion, spin, lanes, like):
    """Add w . moment to the entries of m c and I. The moment is m c x a + I alpha + omega x (I omega)."""
    wx, wy, wz = angular
    ux, uy, uz, l00, l01, l02, l10, l11, l12, l20, l21, l22 = motion
    ex, ey, ez, bx, by, bz = spin
    _add(out, at + 1, wz * uy - wy * uz, lanes, like)
    _add(out, at + 2, wx * uz - wz * ux, lanes, like)
    _add(out, at + 3, wy * ux - wx * uy, lanes, like)
    # l11 - l22 is oy^2 - oz^2, and so on
    _add(out, at + 4, wx * ex + wy * by - wz * bz, lanes, like)
    _add(out, at + 5, wy * l21 - wx * l20 + wz * (l00 - l11), lanes, like)
    _add(out, at + 6, wy * ey + wz * bz - wx * bx, lanes, like)
    _add(out, at + 7, wx * l10 - wz * l12 + wy * (l22 - l00), lanes, like)
    _add(out, at + 8, wz * l02 - wy * l01 + wx * (l11 - l22), lanes, like)
    _add(out, at + 9, wz * ez + wx * bx - wy * by, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _floating_rows(j, block, width, origin, axes, motion, spin, topology, work, out, lanes, like):
    """The six rows of floating joint j, one for each unit velocity along and about its body's axes."""
    at = j * REGRESSOR_COLUMNS * lanes
    px, py, pz = load3(work, at + 9 * lanes, lanes, like)
    dx, dy, dz = origin[0] - px, origin[1] - py, origin[2] - pz
    for k in range(3):
        x = load(work, at + k * lanes, like)
        y = load(work, at + (k + 3) * lanes, like)
        z = load(work, at + (k + 6) * lanes, like)
        along = (topology[j, V] + k) * width + block
        about = along + 3 * width
        turned = _turned(axes, x, y, z)
        _force_row(out, along, turned, motion, lanes, like)
        linear = _turned(axes, y * dz - z * dy, z * dx - x * dz, x * dy - y * dx)
        _force_row(out, about, linear, motion, lanes, like)
        _moment_row(out, about, turned, motion, spin, lanes, like)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _columns(i, topology, constants, work, out, lanes, like):
    """Add the ten columns of body i: nonzero in the rows of the joints that carry it."""
    n = topology.shape[0] - 1
    at, block, width = i * REGRESSOR_COLUMNS * lanes, PARAMETERS * i, PARAMETERS * n
    axes = _link_axes(i, constants, work, lanes, like)
    ox, oy, oz = load3(work, at + OMEGA * lanes, lanes, like)
    ex, ey, ez = load3(work, at + ALPHA * lanes, lanes, like)
    ux, uy, uz = load3(work, at + ACCELERATION * lanes, lanes, like)
    ox, oy, oz = _turned(axes, ox, oy, oz)
    ex, ey, ez = _turned(axes, ex, ey, ez)
    ux, uy, uz = _turned(axes, ux, uy, uz)
    origin = load3(work, at + 9 * lanes, lanes, like)
    bx, by, bz = oy * oz, ox * oz, ox * oy
    cx, cy, cz = ox * ox, oy * oy, oz * oz
    # Lambda = [alpha]x + [omega]x [omega]x, row by row
    motion = (ux, uy, uz, -cy - cz, bz - ez, by + ey, bz + ez, -cx - cz, bx - ex, by - ey, bx + ex, -cx - cy)
    spin = ex, ey, ez, bx, by, bz
    j = i
    while j < n:
        if topology[j, KIND] == FLOATING:
            _floating_rows(j, block, width, origin, axes, motion, spin, topology, work, out, lanes, like)
        else:
            row = topology[j, V] * width + block
            before = j * REGRESSOR_COLUMNS * lanes
            zx, zy, zz = load3(work, before + AXIS * lanes, lanes, like)
            if topology[j, KIND] == PRISMATIC:
                _force_row(out, row, _turned(axes, zx, zy, zz), motion, lanes, like)
            else:
                px, py, pz = load3(work, before + 9 * lanes, lanes, like)
                dx, dy, dz = origin[0] - px, origin[1] - py, origin[2] - pz
                linear = _turned(axes, zy * dz - zz * dy, zz * dx - zx * dz, zx * dy - zy * dx)
                _force_row(out, row, linear, motion, lanes, like)
                _moment_row(out, row, _turned(axes, zx, zy, zz), motion, spin, lanes, like)
        j = topology[j, PARENT]


@njit(inline="always", fastmath=FAST, error_model="numpy")
def recursion(topology, constants, q, v, vdot, states, work, out, lanes, like):
    """Y row by row."""
    n = topology.shape[0] - 1
    for k in range(topology[n, V] * PARAMETERS * n):
        store(out, k * lanes, like)
    ground = n * REGRESSOR_COLUMNS * lanes
    for k in range(AXIS):
        store(work, ground + k * lanes, like)
    for k in range(3):
        store(work, ground + 4 * k * lanes, like + 1.0)
        store(work, ground + (ACCELERATION + k) * lanes, like - constants[n, GRAVITY + k])
    for i in range(n):
        if topology[i, KIND] == FLOATING:
            _outward_floating(i, topology, constants, q, v, vdot, work, lanes, like)
        else:
            _outward(i, topology, constants, v, vdot, states, work, lanes, like)
        _columns(i, topology, constants, work, out, lanes, like)


#: Of :func:`regressor`, for :func:`.compilation.make_ready`.
SIGNATURE = int64(
    int64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[:, ::1]
)


@kernel(fastmath=FAST, error_model="numpy")
def regressor(topology, constants, work, q, v, vdot, out):
    """Y (nv, 10 n) at q, v, vdot. Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    if v.shape[0] != nv or vdot.shape[0] != nv or out.shape[0] != nv or out.shape[1] != PARAMETERS * n:
        return 1
    flat = out.reshape(nv * PARAMETERS * n)
    if single(recursion, REGRESSOR_COLUMNS, topology, constants, work, q, v, vdot, flat) != 0:
        return 1
    return 0 if all_finite(flat) else 2


@kernel(nogil=True, fastmath=FAST, error_model="numpy")
def regressor_float64(topology, constants, q, v, vdot, out, known, blank, turns):
    """Rows of q, v, vdot -> rows of nv times 10 n numbers: see :func:`.drivers.batch_float64`."""
    batch_float64(recursion, REGRESSOR_COLUMNS, topology, constants, q, v, vdot, out, known, blank, turns)
