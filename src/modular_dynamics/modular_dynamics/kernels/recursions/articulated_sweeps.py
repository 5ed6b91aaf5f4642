"""The three sweeps of :mod:`.articulated_body` for one body on a joint of one axis."""

from ..layout import ARMATURE, FRICTIONS, KIND, PARENT, PRISMATIC, SHIFT, SPRINGS, TERMS, V
from ..math.vectors import dot, minus, plus_cross, plus_scaled, scaled
from ..numba_support.compilation import inlined
from ..numba_support.memory import load, store
from ..numba_support.neighbours import load3, load6, store6
from ..states import block_rows
from .articulated_inertia import ANY, shifted, spun, tilted, turned, turned_on
from .articulated_layout import (
    ARTICULATED,
    CHANGE,
    GAIN,
    GAMMA,
    KEPT,
    OMEGA,
    ROW,
    SLID,
    SLIDE,
    SMALLEST,
    SWAY,
    TILT,
    TILT_COSINE,
    TILT_SINE,
    TURN,
    TURN_COSINE,
    TURN_SINE,
    add_articulated,
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
    ox, oy, oz = to_body(topology[i, TURN], topology[i, TILT], i, constants, c, s, omega)
    ux, uy, uz = to_body(topology[i, TURN], topology[i, TILT], i, constants, c, s, gamma)
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

    Both in the body's own frame, the inertia of a revolute one before its spin. Of an axis along which the
    body has the inertia d and the drive the armature a, the part a / (a + d) is passed on.
    """
    n = topology.shape[0] - 1
    iv, at = topology[i, V], i * ROW * lanes
    pivots = (topology[n, V] + iv) * lanes
    nx, ny, nz = load3(work, at + CHANGE * lanes, lanes, like)
    fx, fy, fz = load3(work, at + (CHANGE + 3) * lanes, lanes, like)
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = (
        load_articulated(work, at + ARTICULATED * lanes, lanes, like)
    )
    torque = load(tau, iv * lanes, like)
    armature = constants[i, ARMATURE]
    if topology[n, TERMS] & (SPRINGS | FRICTIONS):
        torque = torque - load(out, pivots, like)
    if topology[i, KIND] == PRISMATIC:
        pivot = mzz + armature
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
        if armature != 0.0:
            kept = armature * inverse
            fz = torque - armature * push
            h2, h5, h8, mxz, myz, mzz = kept * h2, kept * h5, kept * h8, kept * mxz, kept * myz, kept * mzz
            store(work, at + KEPT * lanes, kept)
        else:
            h2, h5, h8, mxz, myz, mzz = like, like, like, like, like, like
    else:
        pivot = azz + armature
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
        if armature != 0.0:
            kept = armature * inverse
            nz = torque - armature * push + kept * (axz * sx + ayz * sy)
            azz, axz, ayz, h6, h7, h8 = kept * azz, kept * axz, kept * ayz, kept * h6, kept * h7, kept * h8
            store(work, at + KEPT * lanes, kept)
        else:
            azz, axz, ayz, h6, h7, h8 = like, like, like, like, like, like
    least = constants[i, SMALLEST]
    if topology[i, KIND] == PRISMATIC:
        store(out, pivots, pivot - least)
    else:
        store(out, pivots, pivot - least - load(work, at + SLID * lanes, like))
    store6(work, at + GAIN * lanes, lanes, (w0, w1, w2), (w3, w4, push))
    inertia = axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz
    return inertia, (nx, ny, nz), (fx, fy, fz)


@inlined
def _spun_about_z(c, s, inertia):
    """The other entries about z, which :func:`.spun` leaves: those of an armature."""
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = inertia
    axz, ayz = turned_on(ANY, c, s, axz, ayz)
    h6, h7 = turned_on(ANY, c, s, h6, h7)
    return axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz


@inlined
def inward_joint(i, topology, constants, states, tau, work, out, lanes, like):
    """Eliminate joint i, and add the remaining inertia and bias to the parent."""
    inertia, moment, force = _without_joint(i, topology, constants, tau, work, out, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:  # the ground does not move
        c, s, p = placement(i, topology, constants, states, lanes, like)
        if topology[i, KIND] != PRISMATIC:
            inertia = spun(c, s, inertia)
            if constants[i, ARMATURE] != 0.0:
                inertia = _spun_about_z(c, s, inertia)
        inertia = tilted(topology[i, TILT], constants[i, TILT_COSINE], constants[i, TILT_SINE], inertia)
        inertia = turned(topology[i, TURN], constants[i, TURN_COSINE], constants[i, TURN_SINE], inertia)
        inertia = shifted(p, inertia)
        force = to_parent(topology[i, TURN], topology[i, TILT], i, constants, c, s, force)
        moment = plus_cross(
            to_parent(topology[i, TURN], topology[i, TILT], i, constants, c, s, moment), p, force
        )
        before = topology[i, PARENT] * ROW * lanes
        add_articulated(work, before, lanes, like, inertia, moment, force)
        _add_slid(i, constants, topology, states, work, lanes, like)


@inlined
def _add_slid(i, constants, topology, states, work, lanes, like):
    """Add to the parent's smallest pivot what slides from joint i on may add to the inertia there."""
    slid = load(work, (i * ROW + SLID) * lanes, like)
    if topology[i, KIND] == PRISMATIC:
        shift = load(states, (SHIFT * block_rows(topology.shape[0] - 1) + i) * lanes, like)
        slid = slid + constants[i, SLIDE] * (shift * shift)
    at = (topology[i, PARENT] * ROW + SLID) * lanes
    store(work, at, load(work, at, like) + slid)


@inlined
def accelerate_joint(i, topology, constants, states, work, out, lanes, like):
    """The acceleration of joint i, and CHANGE of its body."""
    iv = topology[i, V] * lanes
    at, before = i * ROW * lanes, topology[i, PARENT] * ROW * lanes
    c, s, p = placement(i, topology, constants, states, lanes, like)
    angular = load3(work, before + CHANGE * lanes, lanes, like)
    linear = plus_cross(load3(work, before + (CHANGE + 3) * lanes, lanes, like), angular, p)
    ex, ey, ez = to_body(topology[i, TURN], topology[i, TILT], i, constants, c, s, angular)
    ux, uy, uz = to_body(topology[i, TURN], topology[i, TILT], i, constants, c, s, linear)
    w0, w1, w2, w3, w4, push = load6(work, at + GAIN * lanes, lanes, like)
    if topology[i, KIND] == PRISMATIC:
        total = push - w0 * ex - w1 * ey - w2 * ez - w3 * ux - w4 * uy
        if constants[i, ARMATURE] != 0.0:
            total = total + load(work, at + KEPT * lanes, like) * uz
        store(out, iv, total - uz)
        uz = total
    else:
        ex = ex + load(work, at + SWAY * lanes, like)
        ey = ey + load(work, at + (SWAY + 1) * lanes, like)
        total = push - w0 * ex - w1 * ey - w2 * ux - w3 * uy - w4 * uz
        if constants[i, ARMATURE] != 0.0:
            total = total + load(work, at + KEPT * lanes, like) * ez
        store(out, iv, total - ez)
        ez = total
    store6(work, at + CHANGE * lanes, lanes, (ex, ey, ez), (ux, uy, uz))
