"""The three sweeps of :mod:`.articulated_body` for a joint of one axis and its body."""

from numba import njit

from ..layout import KIND, PARENT, PRISMATIC, V
from ..numba_support.lanes import FAST
from ..numba_support.memory import load, load3, store, store3
from .articulated_inertia import shifted, spun, tilted, turned
from .articulated_layout import (
    ARTICULATED,
    CHANGE,
    GAIN,
    GAMMA,
    OMEGA,
    ROW,
    SMALLEST,
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


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _velocities_of_parent(before, work, px, py, pz, lanes, like):
    """Angular velocity of the parent, and GAMMA of its point p: that of its origin + w x (w x p)."""
    wx, wy, wz = load3(work, before + OMEGA * lanes, lanes, like)
    gx, gy, gz = load3(work, before + GAMMA * lanes, lanes, like)
    square, along = wx * wx + wy * wy + wz * wz, wx * px + wy * py + wz * pz
    gx, gy, gz = gx + along * wx - square * px, gy + along * wy - square * py, gz + along * wz - square * pz
    return wx, wy, wz, gx, gy, gz


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def outward_joint(i, topology, constants, v, states, work, lanes, like):
    """Velocities of body i, and its bias by these and gravity."""
    at, before = i * ROW * lanes, topology[i, PARENT] * ROW * lanes
    c, s, px, py, pz = placement(i, topology, constants, states, lanes, like)
    wx, wy, wz, gx, gy, gz = _velocities_of_parent(before, work, px, py, pz, lanes, like)
    ox, oy, oz = to_body(i, topology, constants, c, s, wx, wy, wz)
    ux, uy, uz = to_body(i, topology, constants, c, s, gx, gy, gz)
    rate = load(v, topology[i, V] * lanes, like)
    sx, sy = oy * rate, -(ox * rate)
    if topology[i, KIND] == PRISMATIC:
        ux, uy = ux + 2.0 * sx, uy + 2.0 * sy
    else:
        oz = oz + rate
        store(work, at + SWAY * lanes, sx)
        store(work, at + (SWAY + 1) * lanes, sy)
    store_body(i, ox, oy, oz, ux, uy, uz, constants, work, at, lanes, like)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
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
    store3(work, at + GAIN * lanes, lanes, w0, w1, w2)
    store3(work, at + (GAIN + 3) * lanes, lanes, w3, w4, push)
    inertia = axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz
    return inertia, (nx, ny, nz, fx, fy, fz)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _add3(work, at, lanes, like, x, y, z):
    ux, uy, uz = load3(work, at, lanes, like)
    store3(work, at, lanes, ux + x, uy + y, uz + z)


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def inward_joint(i, topology, constants, states, tau, work, out, lanes, like):
    """Eliminate joint i, and add the remaining inertia and bias to the parent."""
    inertia, bias = _without_joint(i, topology, constants, tau, work, out, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:  # the ground does not move
        c, s, px, py, pz = placement(i, topology, constants, states, lanes, like)
        if topology[i, KIND] != PRISMATIC:
            inertia = spun(c, s, inertia)
        inertia = tilted(topology[i, TILT], constants[i, TILT_COSINE], constants[i, TILT_SINE], inertia)
        inertia = turned(topology[i, TURN], constants[i, TURN_COSINE], constants[i, TURN_SINE], inertia)
        inertia = shifted(px, py, pz, inertia)
        nx, ny, nz = to_parent(i, topology, constants, c, s, bias[0], bias[1], bias[2])
        fx, fy, fz = to_parent(i, topology, constants, c, s, bias[3], bias[4], bias[5])
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
def accelerate_joint(i, topology, constants, states, work, out, lanes, like):
    """The acceleration of joint i, and CHANGE of its body."""
    iv = topology[i, V] * lanes
    at, before = i * ROW * lanes, topology[i, PARENT] * ROW * lanes
    c, s, px, py, pz = placement(i, topology, constants, states, lanes, like)
    dx, dy, dz = load3(work, before + CHANGE * lanes, lanes, like)
    ax, ay, az = load3(work, before + (CHANGE + 3) * lanes, lanes, like)
    ax, ay, az = ax + dy * pz - dz * py, ay + dz * px - dx * pz, az + dx * py - dy * px
    ex, ey, ez = to_body(i, topology, constants, c, s, dx, dy, dz)
    ux, uy, uz = to_body(i, topology, constants, c, s, ax, ay, az)
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
