"""The regressor of inverse dynamics: tau = Y(q, v, vdot) theta, linear in the inertial parameters.

theta holds for each body [m, m c (x y z), Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the origin and in the axes of
its link. By virtual power, the entry of joint j and a parameter of body i is (w, l) . (moment, force): the
wrench about body i's origin that one unit of the parameter takes, and the twist (angular w, linear l) that
joint j gives to body i per unit of velocity, both in the link's axes. So each body's wrenches are written
down once, and only twists, six numbers, go from joint to body.

Motions and poses in work are in the root link's axes. TURN stands in the constants in place of the masses,
which are not read.
"""

from ..drivers import batch_float64, single
from ..layout import FLOATING, GRAVITY, KIND, MASS, MULTIPLIER, PARENT, PRISMATIC, V
from ..math.vectors import cross, crosses, matrix_product, minus, plus, plus_cross, plus_scaled, scaled, times
from ..numba_support.compilation import inlined, kernel, spliced
from ..numba_support.memory import load, store
from ..numba_support.neighbours import load3, load9, row9, store3
from ..placement import composed, load_axis, load_pose, place, place_by_quaternion, place_floating, store_pose
from ..states import turns_by_quaternion

__all__ = ["PARAMETERS", "REGRESSOR_COLUMNS", "TURN", "regressor", "regressor_float64"]

PARAMETERS = 10  # of each body
TURN = MASS  # 9, of constants: link's axes <- aligned frame, row by row

# work, 1-D, n + 1 rows; the last one is the ground's. Pose (R, P), then in the root link's axes:
OMEGA = 12  # 3: angular velocity [rad/s]
ALPHA = 15  # 3: angular acceleration [rad/s^2]
ACCELERATION = 18  # 3: acceleration of the origin minus gravity [m/s^2]
AXIS = 21  # 3: joint's axis times its multiplier; not of floating and spherical joints
REGRESSOR_COLUMNS = 24


@inlined
def _carry(i, pose, topology, work, lanes, like):
    """Store body i's pose; its angular velocity and acceleration and its origin's: by the parent's alone."""
    at, before = i * REGRESSOR_COLUMNS * lanes, topology[i, PARENT] * REGRESSOR_COLUMNS * lanes
    parent = load_pose(work, before, lanes, like)
    pose = composed(parent, pose)
    store_pose(work, at, lanes, pose)
    arm = minus(pose[1], parent[1])
    omega = load3(work, before + OMEGA * lanes, lanes, like)
    alpha = load3(work, before + ALPHA * lanes, lanes, like)
    acceleration = load3(work, before + ACCELERATION * lanes, lanes, like)
    return omega, alpha, plus(acceleration, crosses(alpha, arm, omega, cross(omega, arm)))


@inlined
def _store_motion(i, omega, alpha, acceleration, work, lanes):
    at = i * REGRESSOR_COLUMNS * lanes
    store3(work, at + OMEGA * lanes, lanes, omega)
    store3(work, at + ALPHA * lanes, lanes, alpha)
    store3(work, at + ACCELERATION * lanes, lanes, acceleration)


@inlined
def _outward(i, topology, constants, v, vdot, states, work, lanes, like):
    """Pose, motion and axis of body i."""
    at, iv = i * REGRESSOR_COLUMNS * lanes, topology[i, V] * lanes
    pose = place(i, topology, constants, states, lanes, like)
    omega, alpha, acceleration = _carry(i, pose, topology, work, lanes, like)
    axis = scaled(constants[i, MULTIPLIER], load_axis(work, at, 2, lanes, like))
    rate, push = scaled(load(v, iv, like), axis), scaled(load(vdot, iv, like), axis)
    carried = cross(omega, rate)
    if topology[i, KIND] == PRISMATIC:
        acceleration = plus(plus_scaled(acceleration, 2.0, carried), push)
    else:
        omega = plus(omega, rate)
        alpha = plus(plus(alpha, carried), push)
    _store_motion(i, omega, alpha, acceleration, work, lanes)
    store3(work, at + AXIS * lanes, lanes, axis)


@inlined
def _outward_floating(i, topology, constants, q, v, vdot, work, lanes, like):
    """The same for a floating body on the ground: its twist [linear, angular] is in its own axes."""
    iv = topology[i, V] * lanes
    pose = place_floating(i, topology, constants, q, lanes, like)
    omega, alpha, acceleration = _carry(i, pose, topology, work, lanes, like)
    R = load9(work, i * REGRESSOR_COLUMNS * lanes, lanes, like)
    linear, angular = load3(v, iv, lanes, like), load3(v, iv + 3 * lanes, lanes, like)
    push = plus_cross(load3(vdot, iv, lanes, like), angular, linear)
    alpha = plus(alpha, times(R, load3(vdot, iv + 3 * lanes, lanes, like)))
    omega, acceleration = plus(omega, times(R, angular)), plus(acceleration, times(R, push))
    _store_motion(i, omega, alpha, acceleration, work, lanes)


@inlined
def _outward_by_quaternion(i, topology, constants, q, v, vdot, work, lanes, like):
    """The same of a body on a spherical joint, or on a floating one on a moving body."""
    iv = topology[i, V] * lanes
    pose = place_by_quaternion(i, topology, constants, q, lanes, like)
    omega, alpha, acceleration = _carry(i, pose, topology, work, lanes, like)
    R = load9(work, i * REGRESSOR_COLUMNS * lanes, lanes, like)
    if topology[i, KIND] == FLOATING:
        linear, angular = load3(v, iv, lanes, like), load3(v, iv + 3 * lanes, lanes, like)
        push = times(R, plus_cross(load3(vdot, iv, lanes, like), angular, linear))
        acceleration = plus(acceleration, plus_scaled(push, 2.0, cross(omega, times(R, linear))))
        iv = iv + 3 * lanes
    else:
        angular = load3(v, iv, lanes, like)
    spin = times(R, angular)
    alpha = plus_cross(plus(alpha, times(R, load3(vdot, iv, lanes, like))), omega, spin)
    _store_motion(i, plus(omega, spin), alpha, acceleration, work, lanes)


@inlined
def _link_axes(i, constants, work, lanes, like):
    """Rows of L: the link's axes <- the root link's."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = load9(work, i * REGRESSOR_COLUMNS * lanes, lanes, like)
    return matrix_product(row9(constants, i, TURN), (r0, r3, r6, r1, r4, r7, r2, r5, r8))


@inlined
def _add(out, at, value, lanes, like):
    store(out, at * lanes, load(out, at * lanes, like) + value)


@inlined
def _force_row(out, at, linear, motion, lanes, like):
    """Add l . force to the entries of m and m c. The force is m a + Lambda (m c)."""
    lx, ly, lz = linear
    ux, uy, uz, l00, l01, l02, l10, l11, l12, l20, l21, l22 = motion
    _add(out, at, lx * ux + ly * uy + lz * uz, lanes, like)
    _add(out, at + 1, lx * l00 + ly * l10 + lz * l20, lanes, like)
    _add(out, at + 2, lx * l01 + ly * l11 + lz * l21, lanes, like)
    _add(out, at + 3, lx * l02 + ly * l12 + lz * l22, lanes, like)


@inlined
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


@inlined
def _rows_by_quaternion(j, block, width, origin, axes, motion, spin, topology, work, out, lanes, like):
    """The rows of a floating or spherical joint j: a unit velocity along or about each of its body's axes."""
    at = j * REGRESSOR_COLUMNS * lanes
    arm = minus(origin, load3(work, at + 9 * lanes, lanes, like))
    for k in range(3):
        axis = load_axis(work, at, k, lanes, like)
        about = (topology[j, V] + k) * width + block
        in_link = times(axes, axis)
        if topology[j, KIND] == FLOATING:
            _force_row(out, about, in_link, motion, lanes, like)
            about = about + 3 * width
        _force_row(out, about, times(axes, cross(axis, arm)), motion, lanes, like)
        _moment_row(out, about, in_link, motion, spin, lanes, like)


@inlined
def _columns(i, topology, constants, work, out, lanes, like):
    """Add the ten columns of body i: nonzero in the rows of the joints that carry it."""
    n = topology.shape[0] - 1
    at, block, width = i * REGRESSOR_COLUMNS * lanes, PARAMETERS * i, PARAMETERS * n
    axes = _link_axes(i, constants, work, lanes, like)
    ox, oy, oz = times(axes, load3(work, at + OMEGA * lanes, lanes, like))
    ex, ey, ez = times(axes, load3(work, at + ALPHA * lanes, lanes, like))
    ux, uy, uz = times(axes, load3(work, at + ACCELERATION * lanes, lanes, like))
    origin = load3(work, at + 9 * lanes, lanes, like)
    bx, by, bz = oy * oz, ox * oz, ox * oy
    cx, cy, cz = ox * ox, oy * oy, oz * oz
    # Lambda = [alpha]x + [omega]x [omega]x, row by row
    motion = (ux, uy, uz, -cy - cz, bz - ez, by + ey, bz + ez, -cx - cz, bx - ex, by - ey, bx + ex, -cx - cy)
    spin = ex, ey, ez, bx, by, bz
    j = i
    while j < n:
        if turns_by_quaternion(j, topology):
            _rows_by_quaternion(j, block, width, origin, axes, motion, spin, topology, work, out, lanes, like)
        else:
            row = topology[j, V] * width + block
            before = j * REGRESSOR_COLUMNS * lanes
            axis = load3(work, before + AXIS * lanes, lanes, like)
            if topology[j, KIND] == PRISMATIC:
                _force_row(out, row, times(axes, axis), motion, lanes, like)
            else:
                arm = minus(origin, load3(work, before + 9 * lanes, lanes, like))
                _force_row(out, row, times(axes, cross(axis, arm)), motion, lanes, like)
                _moment_row(out, row, times(axes, axis), motion, spin, lanes, like)
        j = topology[j, PARENT]


@spliced
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
        if topology[i, KIND] == FLOATING and topology[i, PARENT] == n:
            _outward_floating(i, topology, constants, q, v, vdot, work, lanes, like)
        elif turns_by_quaternion(i, topology):
            _outward_by_quaternion(i, topology, constants, q, v, vdot, work, lanes, like)
        else:
            _outward(i, topology, constants, v, vdot, states, work, lanes, like)
        _columns(i, topology, constants, work, out, lanes, like)


@kernel()
def regressor(topology, constants, work, q, v, vdot, out):
    """Y (nv, 10 n) at q, v, vdot. Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    if v.shape[0] != nv or vdot.shape[0] != nv or out.shape[0] != nv or out.shape[1] != PARAMETERS * n:
        return 1
    return single(recursion, REGRESSOR_COLUMNS, topology, constants, work, q, v, vdot, out.reshape(-1))


@kernel(nogil=True)
def regressor_float64(topology, constants, q, v, vdot, out, checked, zeros, queue):
    """Rows of q, v, vdot -> rows of nv times 10 n numbers: see :func:`.drivers.batch_float64`."""
    batch_float64(recursion, REGRESSOR_COLUMNS, topology, constants, q, v, vdot, out, checked, zeros, queue)
