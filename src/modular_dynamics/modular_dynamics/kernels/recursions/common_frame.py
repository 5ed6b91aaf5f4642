"""Axes, motions, inertias and wrenches of all bodies of a tree in one frame, for derivatives.

The frame is the aligned frame of the tree's root body, taken as at rest. Twists are [angular, linear],
wrenches [force, moment], both about its origin. Joints are seen as by Featherstone: an axis S, and its rates
as its parent carries it along, S' = v x S and S'' = a x S + v x S', v and a the parent's twist and
acceleration; for the ground's acceleration stands minus gravity.

Of a body counts what sums over bodies: its inertia I, its Coriolis matrix B and the wrench f that it needs.
For mass points m at x and a twist w, I w are the momenta m (w at x), and B w the forces m (angular w) x xdot.
So B takes nothing from linear motion, and its parts are p = sum m xdot and D = sum m (x . xdot - xdot x^T).
Bodies on joints of one axis, other than roots, must be regrouped (dynamics/regrouping.py): no zz in their
second moments.
"""

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
    PARENT,
    POSITION,
    PRISMATIC,
    ROTATION,
    SHIFT,
    SINE,
    SPHERICAL,
    V,
)
from ..math.vectors import (
    combined,
    cross,
    crosses,
    minus,
    plus,
    plus_cross,
    plus_scaled,
    scaled,
    symmetric_times,
    times,
    transposed_times,
)
from ..numba_support.compilation import inlined
from ..numba_support.memory import load, store
from ..numba_support.neighbours import load3, row3, row6, row9, store3, store6
from ..placement import pose_of
from ..states import block_rows

__all__ = ["COMMON_COLUMNS", "start", "start_by_quaternion", "start_root"]

# work, 1-D, n rows
AXIS = 0  # 6: S, times the multiplier; of a root nothing up to SECOND
RATE = 6  # 6: S'
SECOND = 12  # 6: S''; of a root the acceleration of the ground in its first 3
BODY = 18  # 1: mass; from here on what sums over bodies
FIRST = 19  # 3: mass times centre of mass
ROTARY = 22  # 6: rotational inertia xx yy zz xy xz yz
MOMENTUM = 28  # 3: p
CORIOLIS = 31  # 9: D row by row
WRENCH = 40  # 6
BODY_END = 46
POSE = 46  # 12: axes x, y, z of the aligned frame, and its origin
TWIST = 58  # 6
ACCELERATION = 64  # 6
COMMON_COLUMNS = 70


@inlined
def start_root(i, topology, constants, q, v, a, states, work, lanes, like):
    """What there is of a body that the ground carries."""
    n = topology.shape[0] - 1
    at, iv = i * COMMON_COLUMNS * lanes, topology[i, V] * lanes
    zero, one = (like, like, like), like + 1.0
    R, _ = pose_of(i, topology, constants, q, states, lanes, like)
    ground = minus(zero, transposed_times(R, row3(constants, n, GRAVITY)))
    store3(work, at + SECOND * lanes, lanes, ground)
    store6(work, at + POSE * lanes, lanes, (one, like, like), (like, one, like))
    store6(work, at + (POSE + 6) * lanes, lanes, (like, like, one), zero)
    if topology[i, KIND] == FLOATING:
        omega, linear = load3(v, iv + 3 * lanes, lanes, like), load3(v, iv, lanes, like)
        alpha, push = load3(a, iv + 3 * lanes, lanes, like), plus(ground, load3(a, iv, lanes, like))
    elif topology[i, KIND] == SPHERICAL:
        omega, linear, alpha, push = load3(v, iv, lanes, like), zero, load3(a, iv, lanes, like), ground
    else:
        rate = like, like, constants[i, MULTIPLIER] * load(v, iv, like)
        gain = like, like, constants[i, MULTIPLIER] * load(a, iv, like)
        if topology[i, KIND] == PRISMATIC:
            omega, linear, alpha, push = zero, rate, zero, plus(ground, gain)
        else:
            omega, linear, alpha, push = rate, zero, gain, ground
    store6(work, at + TWIST * lanes, lanes, omega, linear)
    store6(work, at + ACCELERATION * lanes, lanes, alpha, push)
    mass = constants[i, MASS] + like
    h = plus(zero, row3(constants, i, MOMENT))
    J = plus(zero, row3(constants, i, INERTIA)) + plus(zero, row3(constants, i, INERTIA + 3))
    force, moment = minus(zero, row3(constants, i, EXTERNAL)), minus(zero, row3(constants, i, EXTERNAL + 3))
    _start_body(at, mass, h, J, omega, linear, alpha, push, force, moment, work, lanes)


@inlined
def start(i, topology, constants, v, a, states, work, lanes, like):
    """What there is of a body on a joint of one axis that another body carries."""
    at, iv = i * COMMON_COLUMNS * lanes, topology[i, V] * lanes
    before = topology[i, PARENT] * COMMON_COLUMNS * lanes
    x, y, z, o = _pose(i, before, constants, states, block_rows(topology.shape[0] - 1), work, lanes, like)
    store6(work, at + POSE * lanes, lanes, x, y)
    store6(work, at + (POSE + 6) * lanes, lanes, z, o)
    scale = constants[i, MULTIPLIER]
    axis = scaled(scale, z)
    omega = load3(work, before + TWIST * lanes, lanes, like)
    linear = load3(work, before + (TWIST + 3) * lanes, lanes, like)
    alpha = load3(work, before + ACCELERATION * lanes, lanes, like)
    push = load3(work, before + (ACCELERATION + 3) * lanes, lanes, like)
    rate, gain = load(v, iv, like), load(a, iv, like)
    if topology[i, KIND] == PRISMATIC:
        zero = like, like, like
        along, turned = axis, cross(omega, axis)
        store6(work, at + AXIS * lanes, lanes, zero, along)
        store6(work, at + RATE * lanes, lanes, zero, turned)
        store6(work, at + SECOND * lanes, lanes, zero, crosses(alpha, along, omega, turned))
    else:
        along, swung = cross(o, axis), cross(omega, axis)
        turned = crosses(omega, along, linear, axis)
        second = plus(crosses(alpha, along, push, axis), crosses(omega, turned, linear, swung))
        store6(work, at + AXIS * lanes, lanes, axis, along)
        store6(work, at + RATE * lanes, lanes, swung, turned)
        store6(work, at + SECOND * lanes, lanes, crosses(alpha, axis, omega, swung), second)
        omega = plus_scaled(omega, rate, axis)
        alpha = plus_scaled(plus_scaled(alpha, gain, axis), rate, swung)
    linear = plus_scaled(linear, rate, along)
    push = plus_scaled(plus_scaled(push, gain, along), rate, turned)
    store6(work, at + TWIST * lanes, lanes, omega, linear)
    store6(work, at + ACCELERATION * lanes, lanes, alpha, push)
    e0, e1, e2, e3, e4, e5 = row6(constants, i, EXTERNAL)
    force = combined(-e0, x, -e1, y, -e2, z)
    moment = plus(cross(o, force), combined(-e3, x, -e4, y, -e5, z))
    h, J = _placed(i, constants, x, y, z, o)
    mass = constants[i, MASS] + like
    _start_body(at, mass, h, J, omega, linear, alpha, push, force, moment, work, lanes)


@inlined
def start_by_quaternion(i, topology, constants, q, v, a, states, work, lanes, like):
    """What there is of a body on a floating or spherical joint that another body carries."""
    at, iv = i * COMMON_COLUMNS * lanes, topology[i, V] * lanes
    before = topology[i, PARENT] * COMMON_COLUMNS * lanes
    (r0, r1, r2, r3, r4, r5, r6, r7, r8), p = pose_of(i, topology, constants, q, states, lanes, like)
    x = load3(work, before + POSE * lanes, lanes, like)
    y = load3(work, before + (POSE + 3) * lanes, lanes, like)
    z = load3(work, before + (POSE + 6) * lanes, lanes, like)
    o = plus(load3(work, before + (POSE + 9) * lanes, lanes, like), combined(p[0], x, p[1], y, p[2], z))
    x, y, z = combined(r0, x, r3, y, r6, z), combined(r1, x, r4, y, r7, z), combined(r2, x, r5, y, r8, z)
    store6(work, at + POSE * lanes, lanes, x, y)
    store6(work, at + (POSE + 6) * lanes, lanes, z, o)
    along = gained = like, like, like
    if topology[i, KIND] == FLOATING:
        along, gained = load3(v, iv, lanes, like), load3(a, iv, lanes, like)
        along, gained = (
            combined(along[0], x, along[1], y, along[2], z),
            combined(gained[0], x, gained[1], y, gained[2], z),
        )
        iv = iv + 3 * lanes
    rate, gain = load3(v, iv, lanes, like), load3(a, iv, lanes, like)
    rate, gain = combined(rate[0], x, rate[1], y, rate[2], z), combined(gain[0], x, gain[1], y, gain[2], z)
    # the joint's twist S qdot, and S qddot
    along, gained = plus_cross(along, o, rate), plus_cross(gained, o, gain)
    omega = load3(work, before + TWIST * lanes, lanes, like)
    linear = load3(work, before + (TWIST + 3) * lanes, lanes, like)
    alpha = load3(work, before + ACCELERATION * lanes, lanes, like)
    push = load3(work, before + (ACCELERATION + 3) * lanes, lanes, like)
    alpha = plus(alpha, plus_cross(gain, omega, rate))
    push = plus(push, plus(gained, crosses(omega, along, linear, rate)))
    omega, linear = plus(omega, rate), plus(linear, along)
    store6(work, at + TWIST * lanes, lanes, omega, linear)
    store6(work, at + ACCELERATION * lanes, lanes, alpha, push)
    e0, e1, e2, e3, e4, e5 = row6(constants, i, EXTERNAL)
    force = combined(-e0, x, -e1, y, -e2, z)
    moment = plus(cross(o, force), combined(-e3, x, -e4, y, -e5, z))
    h, (xx, yy, zz, xy, xz, yz) = _placed(i, constants, x, y, z, o)
    along_z = scaled(constants[i, INERTIA + 2], z)
    J = (
        xx + along_z[0] * z[0],
        yy + along_z[1] * z[1],
        zz + along_z[2] * z[2],
        xy + along_z[0] * z[1],
        xz + along_z[0] * z[2],
        yz + along_z[1] * z[2],
    )
    _start_body(at, constants[i, MASS] + like, h, J, omega, linear, alpha, push, force, moment, work, lanes)


@inlined
def _pose(i, before, constants, states, block, work, lanes, like):
    """Axes and origin of body i, not a root: Rz(q) or a shift along z after the constant pose."""
    k0, k1, k2, k3, k4, k5, k6, k7, k8 = row9(constants, i, ROTATION)
    px, py, pz = row3(constants, i, POSITION)
    sine = load(states, (SINE * block + i) * lanes, like)
    cosine = load(states, (COSINE * block + i) * lanes, like)
    shift = load(states, (SHIFT * block + i) * lanes, like)
    x = load3(work, before + POSE * lanes, lanes, like)
    y = load3(work, before + (POSE + 3) * lanes, lanes, like)
    z = load3(work, before + (POSE + 6) * lanes, lanes, like)
    o = load3(work, before + (POSE + 9) * lanes, lanes, like)
    o = plus(o, combined(px, x, py, y, pz, z))
    s, t, z = (
        combined(k0, x, k3, y, k6, z),
        combined(k1, x, k4, y, k7, z),
        combined(k2, x, k5, y, k8, z),
    )
    x = s[0] * cosine + t[0] * sine, s[1] * cosine + t[1] * sine, s[2] * cosine + t[2] * sine
    y = t[0] * cosine - s[0] * sine, t[1] * cosine - s[1] * sine, t[2] * cosine - s[2] * sine
    return x, y, z, plus_scaled(o, shift, z)


@inlined
def _placed(i, constants, x, y, z, o):
    """m c and second moment of body i in the tree's frame: J = x b^T + y c^T + o d^T + its transpose."""
    half = 0.5 * constants[i, MASS]
    b = combined(0.5 * constants[i, INERTIA], x, constants[i, INERTIA + 3], y, constants[i, INERTIA + 4], z)
    jy, jyz = 0.5 * constants[i, INERTIA + 1], constants[i, INERTIA + 5]
    c = jy * y[0] + jyz * z[0], jy * y[1] + jyz * z[1], jy * y[2] + jyz * z[2]
    h = combined(constants[i, MOMENT], x, constants[i, MOMENT + 1], y, constants[i, MOMENT + 2], z)
    d = plus_scaled(h, half, o)
    xx = x[0] * b[0] + y[0] * c[0] + o[0] * d[0]
    yy = x[1] * b[1] + y[1] * c[1] + o[1] * d[1]
    zz = x[2] * b[2] + y[2] * c[2] + o[2] * d[2]
    J = (
        xx + xx,
        yy + yy,
        zz + zz,
        x[0] * b[1] + b[0] * x[1] + y[0] * c[1] + c[0] * y[1] + o[0] * d[1] + d[0] * o[1],
        x[0] * b[2] + b[0] * x[2] + y[0] * c[2] + c[0] * y[2] + o[0] * d[2] + d[0] * o[2],
        x[1] * b[2] + b[1] * x[2] + y[1] * c[2] + c[1] * y[2] + o[1] * d[2] + d[1] * o[2],
    )
    return plus_scaled(d, half, o), J


@inlined
def _start_body(at, mass, h, J, omega, linear, alpha, push, force, moment, work, lanes):
    """Store what sums over bodies; (force, moment) is what acts from outside, with its sign changed."""
    xx, yy, zz, xy, xz, yz = J
    # C = sum m x xdot^T, xdot = linear + omega x x; D = tr(C) - C^T
    c00, c01, c02 = plus_cross(scaled(h[0], linear), omega, (xx, xy, xz))
    c10, c11, c12 = plus_cross(scaled(h[1], linear), omega, (xy, yy, yz))
    c20, c21, c22 = plus_cross(scaled(h[2], linear), omega, (xz, yz, zz))
    D = c11 + c22, -c10, -c20, -c01, c00 + c22, -c21, -c02, -c12, c00 + c11
    p = plus_scaled(cross(omega, h), mass, linear)
    inertia = yy + zz, xx + zz, xx + yy, -xy, -xz, -yz
    # f = I a + B v
    force = plus(plus_scaled(force, mass, push), crosses(alpha, h, omega, p))
    moment = plus(plus(moment, cross(h, push)), plus(symmetric_times(inertia, alpha), times(D, omega)))
    store(work, at + BODY * lanes, mass)
    store3(work, at + FIRST * lanes, lanes, h)
    store6(work, at + ROTARY * lanes, lanes, inertia[:3], inertia[3:])
    store3(work, at + MOMENTUM * lanes, lanes, p)
    store3(work, at + CORIOLIS * lanes, lanes, D[:3])
    store6(work, at + (CORIOLIS + 3) * lanes, lanes, D[3:6], D[6:])
    store6(work, at + WRENCH * lanes, lanes, force, moment)
