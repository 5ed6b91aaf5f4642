"""Forward dynamics by articulated bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter 7).

Seen from its parent, a body with everything beyond it answers accelerations with a wrench that is linear in
them: articulated inertia times acceleration plus a bias. These two are all that a predecessor needs of a
successor, at the point where it is connected; so the three parts below work on a range of joints, one
subsystem or all: ``outward`` (velocities, and what they and gravity call for), ``inward`` (articulated
inertias and biases) and ``accelerate`` (accelerations). A graph is outward over its subsystems, inward over
them in reverse, and accelerate over them.

Motion is [angular, linear], wrenches are [moment, force], in the body's own frame at its origin. Linear
accelerations are those of points, as in :mod:`.newton_euler`: they split into one that velocities and
gravity alone give the origin (GAMMA), and the change by what joints do (CHANGE).

Frames are those of dynamics/body_frames: against its parent a body is placed by P, Rz(turn) Rx(tilt) Rz(q),
where turn and tilt are constants, mostly zero or quarters. Beside the result stand the pivots of the
elimination, less the smallest that counts as an inertia: all must be positive.
"""

from numba import float64, int64, njit

from ..drivers import batch_float64_with_pivots, single
from ..layout import (
    COSINE,
    EXTERNAL,
    FLOATING,
    GRAVITY,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    MULTIPLIER,
    OFFSET,
    PARENT,
    POSITION,
    PRISMATIC,
    SHIFT,
    SINE,
    TOPOLOGY_COLUMNS,
    V,
)
from ..numba_support.lanes import FAST
from ..numba_support.memory import load, load3, store, store3
from ..placement import place_floating
from ..states import all_finite, block_rows
from .articulated_inertia import ANY, shifted, spun, tilted, turned, turned_back, turned_on

__all__ = ["ARTICULATED_COLUMNS", "SIGNATURE", "forward_dynamics", "forward_dynamics_float64"]

# topology: two columns more
TURN = TOPOLOGY_COLUMNS  # kind of rotation, as in articulated_inertia
TILT = TURN + 1
ARTICULATED_TOPOLOGY = TILT + 1

# constants of joints that do not float: what stands where other algorithms have ROTATION
TURN_COSINE, TURN_SINE, TILT_COSINE, TILT_SINE = 0, 1, 2, 3
AXIS = 4  # 3: the joint's axis in the parent's frame
SMALLEST = 7  # pivot
# of floating joints, which have neither multiplier nor offset
SMALLEST_MASS, SMALLEST_INERTIA = MULTIPLIER, OFFSET

# work, 1-D, n + 1 rows; the last one is the ground's
OMEGA = 0  # 3
GAMMA = 3  # 3
CHANGE = 6  # 6: angular, linear; before, there is the bias: moment, force
ARTICULATED = 12  # 21; afterwards GAIN and PUSH
GAIN = 12  # 5: inertia against the joint over pivot, its column but for the pivot itself
PUSH = 17  # what of the torque is left, over the pivot
SWAY = 33  # 2: angular acceleration across a revolute joint's axis by velocities
ROW = 35
ARTICULATED_COLUMNS = ROW + 12  # behind all rows there is room for results and pivots

ROUNDING = 1e-14  # of the smallest pivots, relative to what is added up to them


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _out(i, topology, constants, c, s, x, y, z):
    """A vector from the parent's axes to those of body i."""
    x, y = turned_back(topology[i, TURN], constants[i, TURN_COSINE], constants[i, TURN_SINE], x, y)
    y, z = turned_back(topology[i, TILT], constants[i, TILT_COSINE], constants[i, TILT_SINE], y, z)
    x, y = turned_back(ANY, c, s, x, y)
    return x, y, z


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _in(i, topology, constants, c, s, x, y, z):
    """A vector from the axes of body i to its parent's."""
    x, y = turned_on(ANY, c, s, x, y)
    y, z = turned_on(topology[i, TILT], constants[i, TILT_COSINE], constants[i, TILT_SINE], y, z)
    x, y = turned_on(topology[i, TURN], constants[i, TURN_COSINE], constants[i, TURN_SINE], x, y)
    return x, y, z


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _state(i, topology, constants, states, lanes, like):
    """Cosine, sine, and the origin in the parent's frame, of a body that does not float."""
    m = block_rows(topology.shape[0] - 1)
    shift = load(states, (SHIFT * m + i) * lanes, like)
    return (
        load(states, (COSINE * m + i) * lanes, like),
        load(states, (SINE * m + i) * lanes, like),
        constants[i, POSITION] + constants[i, AXIS] * shift,
        constants[i, POSITION + 1] + constants[i, AXIS + 1] * shift,
        constants[i, POSITION + 2] + constants[i, AXIS + 2] * shift,
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _bear(i, ox, oy, oz, ux, uy, uz, constants, work, at, lanes, like):
    """Store what body i is and needs alone, at angular velocity o and acceleration u of its origin.

    Force m u + o x (o x m c) = m u + (o . m c) o - |o|^2 m c; moment o x (I o) + m c x u, where I o =
    tr(J) o - J o of the pseudo-inertia J.
    """
    mass = constants[i, MASS]
    hx, hy, hz = constants[i, MOMENT], constants[i, MOMENT + 1], constants[i, MOMENT + 2]
    xx, yy, zz = constants[i, INERTIA], constants[i, INERTIA + 1], constants[i, INERTIA + 2]
    xy, xz, yz = constants[i, INERTIA + 3], constants[i, INERTIA + 4], constants[i, INERTIA + 5]
    ex, ey, ez = constants[i, EXTERNAL], constants[i, EXTERNAL + 1], constants[i, EXTERNAL + 2]
    dx, dy, dz = constants[i, EXTERNAL + 3], constants[i, EXTERNAL + 4], constants[i, EXTERNAL + 5]
    square, along = ox * ox + oy * oy + oz * oz, hx * ox + hy * oy + hz * oz
    kx, ky, kz = xx * ox + xy * oy + xz * oz, xy * ox + yy * oy + yz * oz, xz * ox + yz * oy + zz * oz
    nx = ky * oz - kz * oy + hy * uz - hz * uy - dx
    ny = kz * ox - kx * oz + hz * ux - hx * uz - dy
    nz = kx * oy - ky * ox + hx * uy - hy * ux - dz
    store3(work, at + OMEGA * lanes, lanes, ox, oy, oz)
    store3(work, at + GAMMA * lanes, lanes, ux, uy, uz)
    store3(work, at + CHANGE * lanes, lanes, nx, ny, nz)
    fx = mass * ux + along * ox - square * hx - ex
    fy = mass * uy + along * oy - square * hy - ey
    fz = mass * uz + along * oz - square * hz - ez
    store3(work, at + (CHANGE + 3) * lanes, lanes, fx, fy, fz)
    at = at + ARTICULATED * lanes
    store3(work, at, lanes, yy + zz + like, xx + zz + like, xx + yy + like)
    store3(work, at + 3 * lanes, lanes, like - xy, like - xz, like - yz)
    store3(work, at + 6 * lanes, lanes, like, like - hz, hy + like)
    store3(work, at + 9 * lanes, lanes, hz + like, like, like - hx)
    store3(work, at + 12 * lanes, lanes, like - hy, hx + like, like)
    store3(work, at + 15 * lanes, lanes, mass + like, mass + like, mass + like)
    store3(work, at + 18 * lanes, lanes, like, like, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _under(before, work, px, py, pz, lanes, like):
    """Angular velocity of the parent, and GAMMA of its point p: that of its origin + w x (w x p)."""
    wx, wy, wz = load3(work, before + OMEGA * lanes, lanes, like)
    gx, gy, gz = load3(work, before + GAMMA * lanes, lanes, like)
    square, along = wx * wx + wy * wy + wz * wz, wx * px + wy * py + wz * pz
    gx, gy, gz = gx + along * wx - square * px, gy + along * wy - square * py, gz + along * wz - square * pz
    return wx, wy, wz, gx, gy, gz


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _outward(i, topology, constants, v, states, work, lanes, like):
    """What velocities and gravity do to body i."""
    at, before = i * ROW * lanes, topology[i, PARENT] * ROW * lanes
    c, s, px, py, pz = _state(i, topology, constants, states, lanes, like)
    wx, wy, wz, gx, gy, gz = _under(before, work, px, py, pz, lanes, like)
    ox, oy, oz = _out(i, topology, constants, c, s, wx, wy, wz)
    ux, uy, uz = _out(i, topology, constants, c, s, gx, gy, gz)
    rate = load(v, topology[i, V] * lanes, like)
    sx, sy = oy * rate, -(ox * rate)
    if topology[i, KIND] == PRISMATIC:
        ux, uy = ux + 2.0 * sx, uy + 2.0 * sy
    else:
        oz = oz + rate
        store(work, at + SWAY * lanes, sx)
        store(work, at + (SWAY + 1) * lanes, sy)
    _bear(i, ox, oy, oz, ux, uy, uz, constants, work, at, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _outward_floating(i, topology, constants, q, v, work, lanes, like):
    """The same for a floating body, on the ground: its twist (linear l, angular g) is in its own axes."""
    iv = topology[i, V] * lanes
    r0, r1, r2, r3, r4, r5, r6, r7, r8, _px, _py, _pz = place_floating(i, topology, constants, q, lanes, like)
    x, y, z = load3(work, (topology[i, PARENT] * ROW + GAMMA) * lanes, lanes, like)
    lx, ly, lz = load3(v, iv, lanes, like)
    gx, gy, gz = load3(v, iv + 3 * lanes, lanes, like)
    ux = r0 * x + r3 * y + r6 * z + gy * lz - gz * ly
    uy = r1 * x + r4 * y + r7 * z + gz * lx - gx * lz
    uz = r2 * x + r5 * y + r8 * z + gx * ly - gy * lx
    _bear(i, gx, gy, gz, ux, uy, uz, constants, work, i * ROW * lanes, lanes, like)


@njit(forceinline=True)
def _load_articulated(work, at, lanes, like):
    return (
        load3(work, at, lanes, like)
        + load3(work, at + 3 * lanes, lanes, like)
        + load3(work, at + 6 * lanes, lanes, like)
        + load3(work, at + 9 * lanes, lanes, like)
        + load3(work, at + 12 * lanes, lanes, like)
        + load3(work, at + 15 * lanes, lanes, like)
        + load3(work, at + 18 * lanes, lanes, like)
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _without_joint(i, topology, constants, tau, work, out, lanes, like):
    """Articulated inertia and bias of body i as the joint passes them on: it gives way but for its torque.

    Both in the body's own frame, the inertia of a revolute one before its spin.
    """
    iv, at = topology[i, V], i * ROW * lanes
    nx, ny, nz = load3(work, at + CHANGE * lanes, lanes, like)
    fx, fy, fz = load3(work, at + (CHANGE + 3) * lanes, lanes, like)
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = (
        _load_articulated(work, at + ARTICULATED * lanes, lanes, like)
    )
    torque = load(tau, iv * lanes, like)
    if topology[i, KIND] == PRISMATIC:
        pivot = mzz
        inverse = 1.0 / pivot
        push = (torque - fz) * inverse
        w0, w1, w2, w3, w4 = h2 * inverse, h5 * inverse, h8 * inverse, mxz * inverse, myz * inverse
        nx, ny, nz = nx + h2 * push, ny + h5 * push, nz + h8 * push
        fx, fy, fz = fx + mxz * push, fy + myz * push, torque
        axx, axy, axz = axx - w0 * h2, axy - w0 * h5, axz - w0 * h8
        ayy, ayz, azz = ayy - w1 * h5, ayz - w1 * h8, azz - w2 * h8
        h0, h1, h3, h4 = h0 - w0 * mxz, h1 - w0 * myz, h3 - w1 * mxz, h4 - w1 * myz
        h6, h7 = h6 - w2 * mxz, h7 - w2 * myz
        mxx, mxy, myy = mxx - w3 * mxz, mxy - w3 * myz, myy - w4 * myz
        h2, h5, h8, mxz, myz, mzz = like, like, like, like, like, like
    else:
        pivot = azz
        inverse = 1.0 / pivot
        push = (torque - nz) * inverse
        w0, w1, w2, w3, w4 = axz * inverse, ayz * inverse, h6 * inverse, h7 * inverse, h8 * inverse
        sx, sy = load(work, at + SWAY * lanes, like), load(work, at + (SWAY + 1) * lanes, like)
        axx, axy, ayy = axx - w0 * axz, axy - w0 * ayz, ayy - w1 * ayz
        nx, ny, nz = nx + axz * push, ny + ayz * push, torque
        nx, ny = nx + axx * sx + axy * sy, ny + axy * sx + ayy * sy
        h0, h1, h2 = h0 - w0 * h6, h1 - w0 * h7, h2 - w0 * h8
        h3, h4, h5 = h3 - w1 * h6, h4 - w1 * h7, h5 - w1 * h8
        fx, fy, fz = fx + h6 * push, fy + h7 * push, fz + h8 * push
        fx, fy, fz = fx + h0 * sx + h3 * sy, fy + h1 * sx + h4 * sy, fz + h2 * sx + h5 * sy
        mxx, mxy, mxz = mxx - w2 * h6, mxy - w2 * h7, mxz - w2 * h8
        myy, myz, mzz = myy - w3 * h7, myz - w3 * h8, mzz - w4 * h8
        azz, axz, ayz, h6, h7, h8 = like, like, like, like, like, like
    store(out, (topology[topology.shape[0] - 1, V] + iv) * lanes, pivot - constants[i, SMALLEST])
    store3(work, at + GAIN * lanes, lanes, w0, w1, w2)
    store3(work, at + (GAIN + 3) * lanes, lanes, w3, w4, push)
    inertia = axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz
    return inertia, (nx, ny, nz, fx, fy, fz)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _add3(work, at, lanes, like, x, y, z):
    ux, uy, uz = load3(work, at, lanes, like)
    store3(work, at, lanes, ux + x, uy + y, uz + z)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _inward(i, topology, constants, states, tau, work, out, lanes, like):
    """Give way along joint i, and add what is left to the parent."""
    inertia, bias = _without_joint(i, topology, constants, tau, work, out, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:  # the ground does not move
        c, s, px, py, pz = _state(i, topology, constants, states, lanes, like)
        if topology[i, KIND] != PRISMATIC:
            inertia = spun(c, s, inertia)
        inertia = tilted(topology[i, TILT], constants[i, TILT_COSINE], constants[i, TILT_SINE], inertia)
        inertia = turned(topology[i, TURN], constants[i, TURN_COSINE], constants[i, TURN_SINE], inertia)
        inertia = shifted(px, py, pz, inertia)
        nx, ny, nz = _in(i, topology, constants, c, s, bias[0], bias[1], bias[2])
        fx, fy, fz = _in(i, topology, constants, c, s, bias[3], bias[4], bias[5])
        before = topology[i, PARENT] * ROW * lanes
        nx, ny, nz = nx + py * fz - pz * fy, ny + pz * fx - px * fz, nz + px * fy - py * fx
        _add3(work, before + CHANGE * lanes, lanes, like, nx, ny, nz)
        _add3(work, before + (CHANGE + 3) * lanes, lanes, like, fx, fy, fz)
        before = before + ARTICULATED * lanes
        _add3(work, before, lanes, like, inertia[0], inertia[1], inertia[2])
        _add3(work, before + 3 * lanes, lanes, like, inertia[3], inertia[4], inertia[5])
        _add3(work, before + 6 * lanes, lanes, like, inertia[6], inertia[7], inertia[8])
        _add3(work, before + 9 * lanes, lanes, like, inertia[9], inertia[10], inertia[11])
        _add3(work, before + 12 * lanes, lanes, like, inertia[12], inertia[13], inertia[14])
        _add3(work, before + 15 * lanes, lanes, like, inertia[15], inertia[16], inertia[17])
        _add3(work, before + 18 * lanes, lanes, like, inertia[18], inertia[19], inertia[20])


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
def _inward_floating(i, topology, constants, tau, work, out, lanes, like):
    """The acceleration of a floating body on the ground: articulated inertia, or torque less bias over it."""
    iv, at = topology[i, V] * lanes, i * ROW * lanes
    nx, ny, nz = load3(work, at + CHANGE * lanes, lanes, like)
    fx, fy, fz = load3(work, at + (CHANGE + 3) * lanes, lanes, like)
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = (
        _load_articulated(work, at + ARTICULATED * lanes, lanes, like)
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


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _accelerate(i, topology, constants, states, work, out, lanes, like):
    """The acceleration of joint i, and CHANGE of its body."""
    iv = topology[i, V] * lanes
    at, before = i * ROW * lanes, topology[i, PARENT] * ROW * lanes
    c, s, px, py, pz = _state(i, topology, constants, states, lanes, like)
    dx, dy, dz = load3(work, before + CHANGE * lanes, lanes, like)
    ax, ay, az = load3(work, before + (CHANGE + 3) * lanes, lanes, like)
    ax, ay, az = ax + dy * pz - dz * py, ay + dz * px - dx * pz, az + dx * py - dy * px
    ex, ey, ez = _out(i, topology, constants, c, s, dx, dy, dz)
    ux, uy, uz = _out(i, topology, constants, c, s, ax, ay, az)
    w0, w1, w2 = load3(work, at + GAIN * lanes, lanes, like)
    w3, w4, push = load3(work, at + (GAIN + 3) * lanes, lanes, like)
    if topology[i, KIND] == PRISMATIC:
        total = push - w0 * ex - w1 * ey - w2 * ez - w3 * ux - w4 * uy
        store(out, iv, total - uz)
        uz = total
    else:
        ex = ex + load(work, at + SWAY * lanes, like)
        ey = ey + load(work, at + (SWAY + 1) * lanes, like)
        total = push - w0 * ex - w1 * ey - w2 * ux - w3 * uy - w4 * uz
        store(out, iv, total - ez)
        ez = total
    store3(work, at + CHANGE * lanes, lanes, ex, ey, ez)
    store3(work, at + (CHANGE + 3) * lanes, lanes, ux, uy, uz)


@njit(forceinline=True)
def _accelerate_floating(i, topology, work, out, lanes, like):
    """A floating body's own, already known: the ground does not move."""
    iv, at = topology[i, V] * lanes, (i * ROW + CHANGE) * lanes
    for k in range(3):
        store(out, iv + k * lanes, load(work, at + (3 + k) * lanes, like))
        store(out, iv + (3 + k) * lanes, load(work, at + k * lanes, like))


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def start(topology, constants, work, lanes, like):
    """The ground at rest, accelerating against gravity."""
    n = topology.shape[0] - 1
    ground = n * ROW * lanes
    store3(work, ground + OMEGA * lanes, lanes, like, like, like)
    for k in range(3):
        store(work, ground + (GAMMA + k) * lanes, like - constants[n, GRAVITY + k])
    for k in range(6):
        store(work, ground + (CHANGE + k) * lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def outward(first, stop, topology, constants, q, v, states, work, lanes, like):
    """Velocities and what they call for, of bodies first ... stop - 1; those of their parents are known."""
    for i in range(first, stop):
        if topology[i, KIND] == FLOATING:
            _outward_floating(i, topology, constants, q, v, work, lanes, like)
        else:
            _outward(i, topology, constants, v, states, work, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def inward(first, stop, topology, constants, tau, states, work, out, lanes, like):
    """Articulated inertias and biases of bodies first ... stop - 1; their successors' are in.

    Leaves those of the subsystem added to the body which carries it, and in ``out`` the pivots.
    """
    for i in range(stop - 1, first - 1, -1):
        if topology[i, KIND] == FLOATING:
            _inward_floating(i, topology, constants, tau, work, out, lanes, like)
        else:
            _inward(i, topology, constants, states, tau, work, out, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def accelerate(first, stop, topology, constants, states, work, out, lanes, like):
    """Accelerations of joints first ... stop - 1; the change of what carries them is known."""
    for i in range(first, stop):
        if topology[i, KIND] == FLOATING:
            _accelerate_floating(i, topology, work, out, lanes, like)
        else:
            _accelerate(i, topology, constants, states, work, out, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def recursion(topology, constants, q, v, tau, states, work, out, lanes, like):
    """vdot, and behind it as many pivots."""
    n = topology.shape[0] - 1
    start(topology, constants, work, lanes, like)
    outward(0, n, topology, constants, q, v, states, work, lanes, like)
    inward(0, n, topology, constants, tau, states, work, out, lanes, like)
    accelerate(0, n, topology, constants, states, work, out, lanes, like)


#: Of :func:`forward_dynamics`, for :func:`.compilation.make_ready`.
SIGNATURE = int64(
    int64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1]
)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def forward_dynamics_inline(topology, constants, work, q, v, tau, vdot):
    """vdot (nv,) of a graph at q, v, tau; leaves vdot and the pivots (2 nv,) in ``work``, behind the rows.

    Returns 0; or writes nothing and returns 1 where an array has the wrong length, a number that is not
    finite, or a quaternion of norm below 1e-6; 2 where the numbers are so large that vdot overflows; 3 where
    a pivot is not positive.
    """
    n = topology.shape[0] - 1
    nv = topology[n, V]
    if v.shape[0] != nv or tau.shape[0] != nv or vdot.shape[0] != nv:
        return 1
    out = work[(n + 1) * ROW : (n + 1) * ROW + 2 * nv]
    if single(recursion, ARTICULATED_COLUMNS, topology, constants, work, q, v, tau, out) != 0:
        return 1
    for k in range(nv, 2 * nv):
        if not out[k] > 0.0:
            return 3
    if not all_finite(out):
        return 2
    for k in range(nv):
        vdot[k] = out[k]
    return 0


@njit(cache=True, fastmath=FAST, error_model="numpy")
def forward_dynamics(topology, constants, work, q, v, tau, vdot):
    """:func:`forward_dynamics_inline`, called from Python."""
    return forward_dynamics_inline(topology, constants, work, q, v, tau, vdot)


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def forward_dynamics_float64(topology, constants, q, v, tau, vdot, known, blank, turns):
    """Rows of q, v, tau -> rows of vdot: see :func:`.drivers.batch_float64_with_pivots`."""
    batch_float64_with_pivots(recursion, ROW, topology, constants, q, v, tau, vdot, known, blank, turns)
