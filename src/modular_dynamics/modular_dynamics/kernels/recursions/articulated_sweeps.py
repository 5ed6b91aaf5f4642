"""The three sweeps of :mod:`.articulated_body` for one body: on a joint of one axis, or floating."""

from ..layout import KIND, PARENT, PRISMATIC, V
from ..math.vectors import combined, dot, minus, plus_cross, plus_scaled, scaled, transposed_times
from ..numba_support.compilation import inlined
from ..numba_support.memory import add3, load, load3, load6, store, store3, store6
from ..placement import place_floating
from .articulated_inertia import shifted, spun, tilted, turned
from .articulated_layout import (
    ARTICULATED,
    CHANGE,
    GAIN,
    GAMMA,
    OMEGA,
    ROW,
    SMALLEST,
    SMALLEST_INERTIA,
    SMALLEST_MASS,
    SWAY,
    TILT,
    TILT_COSINE,
    TILT_SINE,
    TURN,
    TURN_COSINE,
    TURN_SINE,
    load_articulated,
    placement,
    store_body,
    to_body,
    to_parent,
)


@inlined
def outward_joint(i, topology, constants, v, states, work, lanes, like):
    """Velocities of body i, and its bias by these and gravity."""
    at, before = i * ROW * lanes, topology[i, PARENT] * ROW * lanes
    c, s, p = placement(i, topology, constants, states, lanes, like)
    omega = load3(work, before + OMEGA * lanes, lanes, like)
    gamma = load3(work, before + GAMMA * lanes, lanes, like)
    # of the parent's point p: that of its origin + omega x (omega x p)
    gamma = minus(plus_scaled(gamma, dot(omega, p), omega), scaled(dot(omega, omega), p))
    ox, oy, oz = to_body(i, topology, constants, c, s, omega)
    ux, uy, uz = to_body(i, topology, constants, c, s, gamma)
    rate = load(v, topology[i, V] * lanes, like)
    sx, sy = oy * rate, -(ox * rate)
    if topology[i, KIND] == PRISMATIC:
        ux, uy = ux + 2.0 * sx, uy + 2.0 * sy
    else:
        oz = oz + rate
        store(work, at + SWAY * lanes, sx)
        store(work, at + (SWAY + 1) * lanes, sy)
    store_body(i, (ox, oy, oz), (ux, uy, uz), constants, work, lanes, like)


@inlined
def _without_joint(i, topology, constants, tau, work, out, lanes, like):
    """Articulated inertia and bias of body i as the joint passes them on, free except for its torque.

    Both in the body's own frame, the inertia of a revolute one before its spin.
    """
    iv, at = topology[i, V], i * ROW * lanes
    nx, ny, nz = load3(work, at + CHANGE * lanes, lanes, like)
    fx, fy, fz = load3(work, at + (CHANGE + 3) * lanes, lanes, like)
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = (
        load_articulated(work, at + ARTICULATED * lanes, lanes, like)
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
    store6(work, at + GAIN * lanes, lanes, (w0, w1, w2), (w3, w4, push))
    inertia = axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz
    return inertia, (nx, ny, nz), (fx, fy, fz)


@inlined
def inward_joint(i, topology, constants, states, tau, work, out, lanes, like):
    """Eliminate joint i, and add the remaining inertia and bias to the parent."""
    inertia, moment, force = _without_joint(i, topology, constants, tau, work, out, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:  # the ground does not move
        c, s, p = placement(i, topology, constants, states, lanes, like)
        if topology[i, KIND] != PRISMATIC:
            inertia = spun(c, s, inertia)
        inertia = tilted(topology[i, TILT], constants[i, TILT_COSINE], constants[i, TILT_SINE], inertia)
        inertia = turned(topology[i, TURN], constants[i, TURN_COSINE], constants[i, TURN_SINE], inertia)
        inertia = shifted(p, inertia)
        force = to_parent(i, topology, constants, c, s, force)
        moment = plus_cross(to_parent(i, topology, constants, c, s, moment), p, force)
        before = topology[i, PARENT] * ROW * lanes
        add3(work, before + CHANGE * lanes, lanes, like, moment)
        add3(work, before + (CHANGE + 3) * lanes, lanes, like, force)
        before = before + ARTICULATED * lanes
        add3(work, before, lanes, like, inertia[:3])
        add3(work, before + 3 * lanes, lanes, like, inertia[3:6])
        add3(work, before + 6 * lanes, lanes, like, inertia[6:9])
        add3(work, before + 9 * lanes, lanes, like, inertia[9:12])
        add3(work, before + 12 * lanes, lanes, like, inertia[12:15])
        add3(work, before + 15 * lanes, lanes, like, inertia[15:18])
        add3(work, before + 18 * lanes, lanes, like, inertia[18:])


@inlined
def accelerate_joint(i, topology, constants, states, work, out, lanes, like):
    """The acceleration of joint i, and CHANGE of its body."""
    iv = topology[i, V] * lanes
    at, before = i * ROW * lanes, topology[i, PARENT] * ROW * lanes
    c, s, p = placement(i, topology, constants, states, lanes, like)
    angular = load3(work, before + CHANGE * lanes, lanes, like)
    linear = plus_cross(load3(work, before + (CHANGE + 3) * lanes, lanes, like), angular, p)
    ex, ey, ez = to_body(i, topology, constants, c, s, angular)
    ux, uy, uz = to_body(i, topology, constants, c, s, linear)
    w0, w1, w2, w3, w4, push = load6(work, at + GAIN * lanes, lanes, like)
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
    store6(work, at + CHANGE * lanes, lanes, (ex, ey, ez), (ux, uy, uz))


@inlined
def outward_floating(i, topology, constants, q, v, work, lanes, like):
    """The same of a floating body on the ground: its twist [linear, angular] is in its own axes."""
    iv = topology[i, V] * lanes
    R, _ = place_floating(i, topology, constants, q, lanes, like)
    gamma = load3(work, (topology[i, PARENT] * ROW + GAMMA) * lanes, lanes, like)
    linear, angular = load3(v, iv, lanes, like), load3(v, iv + 3 * lanes, lanes, like)
    gamma = plus_cross(transposed_times(R, gamma), angular, linear)
    store_body(i, angular, gamma, constants, work, lanes, like)


@inlined
def _factors(matrix):
    """L D L^T of a symmetric 3 x 3 matrix (xx yy zz xy xz yz): the pivots, and L by rows."""
    xx, yy, zz, xy, xz, yz = matrix
    l10, l20 = xy / xx, xz / xx
    d1 = yy - l10 * xy
    t = yz - l10 * xz
    l21 = t / d1
    return xx, d1, zz - l20 * xz - l21 * t, l10, l20, l21


@inlined
def _solved(factors, vector):
    d0, d1, d2, l10, l20, l21 = factors
    x, y, z = vector
    y = y - l10 * x
    z = (z - l20 * x - l21 * y) / d2
    y = y / d1 - l21 * z
    return x / d0 - l10 * y - l20 * z, y, z


@inlined
def inward_floating(i, topology, constants, tau, work, out, lanes, like):
    """The acceleration of a floating body on the ground: articulated inertia, or torque less bias over it."""
    iv, at = topology[i, V] * lanes, i * ROW * lanes
    inertia = load_articulated(work, at + ARTICULATED * lanes, lanes, like)
    H0, H1, H2 = inertia[6:9], inertia[9:12], inertia[12:15]
    moment = minus(load3(tau, iv + 3 * lanes, lanes, like), load3(work, at + CHANGE * lanes, lanes, like))
    force = minus(load3(tau, iv, lanes, like), load3(work, at + (CHANGE + 3) * lanes, lanes, like))
    mass = _factors(inertia[15:])
    X0, X1, X2 = _solved(mass, H0), _solved(mass, H1), _solved(mass, H2)
    linear = _solved(mass, force)
    # what the body's turning needs while its translation is free
    axx, ayy, azz, axy, axz, ayz = inertia[:6]
    turning = _factors(
        (
            axx - dot(H0, X0),
            ayy - dot(H1, X1),
            azz - dot(H2, X2),
            axy - dot(H0, X1),
            axz - dot(H0, X2),
            ayz - dot(H1, X2),
        )
    )
    angular = _solved(turning, minus(moment, (dot(H0, linear), dot(H1, linear), dot(H2, linear))))
    linear = minus(linear, combined(angular[0], X0, angular[1], X1, angular[2], X2))
    store6(work, at + CHANGE * lanes, lanes, angular, linear)
    pivots = topology[topology.shape[0] - 1, V] * lanes + iv
    least = constants[i, SMALLEST_MASS]
    store3(out, pivots, lanes, (mass[0] - least, mass[1] - least, mass[2] - least))
    least = constants[i, SMALLEST_INERTIA]
    store3(out, pivots + 3 * lanes, lanes, (turning[0] - least, turning[1] - least, turning[2] - least))


@inlined
def accelerate_floating(i, topology, work, out, lanes, like):
    """A floating body's own, already known: the ground does not move."""
    iv, at = topology[i, V] * lanes, (i * ROW + CHANGE) * lanes
    store3(out, iv, lanes, load3(work, at + 3 * lanes, lanes, like))
    store3(out, iv + 3 * lanes, lanes, load3(work, at, lanes, like))
