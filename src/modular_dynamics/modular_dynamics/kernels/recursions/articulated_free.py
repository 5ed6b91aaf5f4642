"""The three sweeps of :mod:`.articulated_body` for one body on a floating or spherical joint.

A twist [linear, angular] is in the body's own axes. A floating joint passes nothing on but its torque, a
spherical one no moment but its torque: against the ground, where nothing is passed on, they may have an
armature.
"""

from ..layout import (
    ARMATURE,
    FLOATING,
    FRICTIONS,
    KIND,
    PARENT,
    SPHERICAL,
    SPRINGS,
    TERMS,
    V,
)
from ..math.vectors import (
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    plus,
    plus_cross,
    plus_scaled,
    scaled,
    times,
    transposed_times,
)
from ..numba_support.compilation import inlined
from ..numba_support.memory import load
from ..numba_support.neighbours import add3, load3, load9, store3, store6
from ..placement import place_by_quaternion
from .articulated_inertia import shifted
from .articulated_layout import (
    ARTICULATED,
    CHANGE,
    GAMMA,
    LINEAR_GAIN,
    OMEGA,
    PUSHED,
    ROW,
    SLID,
    SMALLEST_INERTIA,
    SMALLEST_MASS,
    add_articulated,
    load_articulated,
    store_body,
)

__all__ = [
    "accelerate_by_quaternion",
    "inward_by_quaternion",
    "outward_by_quaternion",
]


@inlined
def outward_by_quaternion(i, topology, constants, q, v, work, lanes, like):
    """Velocities of body i, and its bias by these and gravity."""
    iv, before = topology[i, V] * lanes, topology[i, PARENT] * ROW * lanes
    R, p = place_by_quaternion(i, topology, constants, q, lanes, like)
    gamma = load3(work, before + GAMMA * lanes, lanes, like)
    if topology[i, KIND] == FLOATING:
        linear, angular = load3(v, iv, lanes, like), load3(v, iv + 3 * lanes, lanes, like)
    else:
        linear, angular = (like, like, like), load3(v, iv, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:
        omega = load3(work, before + OMEGA * lanes, lanes, like)
        gamma = minus(plus_scaled(gamma, dot(omega, p), omega), scaled(dot(omega, omega), p))
        carried = transposed_times(R, omega)
        gamma = plus_cross(transposed_times(R, gamma), angular, linear)
        gamma = plus_scaled(gamma, 2.0, cross(carried, linear))
        angular = plus(carried, angular)
    else:
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
def _torque(iv, at, topology, tau, out, lanes, like):
    """Three elements of tau, without what springs and friction take: that stands where pivots will."""
    torque = load3(tau, (iv + at) * lanes, lanes, like)
    n = topology.shape[0] - 1
    if topology[n, TERMS] & (SPRINGS | FRICTIONS):
        torque = minus(torque, load3(out, (topology[n, V] + iv + at) * lanes, lanes, like))
    return torque


@inlined
def inward_by_quaternion(i, topology, constants, q, tau, work, out, lanes, like):
    """Eliminate a floating or spherical joint, and add what remains to the parent."""
    R, p = place_by_quaternion(i, topology, constants, q, lanes, like)
    if topology[i, KIND] == FLOATING:
        _inward_floating(i, R, p, topology, constants, tau, work, out, lanes, like)
    else:
        _inward_spherical(i, R, p, topology, constants, tau, work, out, lanes, like)


@inlined
def _inward_floating(i, R, p, topology, constants, tau, work, out, lanes, like):
    """The acceleration of a floating body: articulated inertia, or torque less bias over it.

    What carries it feels the joint's torque.
    """
    iv, at = topology[i, V], i * ROW * lanes
    force = _torque(iv, 0, topology, tau, out, lanes, like)
    moment = _torque(iv, 3, topology, tau, out, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:
        before = topology[i, PARENT] * ROW * lanes
        carried = times(R, force)
        add3(work, before + CHANGE * lanes, lanes, like, plus_cross(times(R, moment), p, carried))
        add3(work, before + (CHANGE + 3) * lanes, lanes, like, carried)
    inertia = load_articulated(work, at + ARTICULATED * lanes, lanes, like)
    H0, H1, H2 = inertia[6:9], inertia[9:12], inertia[12:15]
    moment = minus(moment, load3(work, at + CHANGE * lanes, lanes, like))
    force = minus(force, load3(work, at + (CHANGE + 3) * lanes, lanes, like))
    armature = constants[i, ARMATURE]
    mxx, myy, mzz, mxy, mxz, myz = inertia[15:]
    mass = _factors((mxx + armature, myy + armature, mzz + armature, mxy, mxz, myz))
    X0, X1, X2 = _solved(mass, H0), _solved(mass, H1), _solved(mass, H2)
    linear = _solved(mass, force)
    # what the body's turning needs while its translation is free
    axx, ayy, azz, axy, axz, ayz = inertia[:6]
    turning = _factors(
        (
            axx + armature - dot(H0, X0),
            ayy + armature - dot(H1, X1),
            azz + armature - dot(H2, X2),
            axy - dot(H0, X1),
            axz - dot(H0, X2),
            ayz - dot(H1, X2),
        )
    )
    angular = _solved(turning, minus(moment, (dot(H0, linear), dot(H1, linear), dot(H2, linear))))
    linear = minus(linear, combined(angular[0], X0, angular[1], X1, angular[2], X2))
    store6(work, at + CHANGE * lanes, lanes, angular, linear)
    pivots = (topology[topology.shape[0] - 1, V] + iv) * lanes
    least = constants[i, SMALLEST_MASS]
    store3(out, pivots, lanes, (mass[0] - least, mass[1] - least, mass[2] - least))
    least = constants[i, SMALLEST_INERTIA] + load(work, at + SLID * lanes, like)
    store3(out, pivots + 3 * lanes, lanes, (turning[0] - least, turning[1] - least, turning[2] - least))


@inlined
def _columns(solved, rows):
    """D^-1 X of a matrix by rows: its columns solved; by rows."""
    a, b, c, d, e, f, g, h, k = rows
    x, y, z = _solved(solved, (a, d, g)), _solved(solved, (b, e, h)), _solved(solved, (c, f, k))
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


@inlined
def _transposed(a):
    return a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]


@inlined
def _inward_spherical(i, R, p, topology, constants, tau, work, out, lanes, like):
    """Eliminate a spherical joint, and add the remaining inertia and bias to the parent."""
    iv, at = topology[i, V], i * ROW * lanes
    axx, ayy, azz, axy, axz, ayz, h0, h1, h2, h3, h4, h5, h6, h7, h8, mxx, myy, mzz, mxy, mxz, myz = (
        load_articulated(work, at + ARTICULATED * lanes, lanes, like)
    )
    H = h0, h1, h2, h3, h4, h5, h6, h7, h8
    moment = load3(work, at + CHANGE * lanes, lanes, like)
    force = load3(work, at + (CHANGE + 3) * lanes, lanes, like)
    torque = _torque(iv, 0, topology, tau, out, lanes, like)
    armature = constants[i, ARMATURE]
    pivots = _factors((axx + armature, ayy + armature, azz + armature, axy, axz, ayz))
    push = _solved(pivots, minus(torque, moment))
    Y = _columns(pivots, H)
    least = constants[i, SMALLEST_INERTIA] + load(work, at + SLID * lanes, like)
    at_pivots = (topology[topology.shape[0] - 1, V] + iv) * lanes
    store3(out, at_pivots, lanes, (pivots[0] - least, pivots[1] - least, pivots[2] - least))
    if topology[i, PARENT] < topology.shape[0] - 1:
        before = topology[i, PARENT] * ROW * lanes
        M = matrix_product(_transposed(H), Y)
        M = minus((mxx, mxy, mxz), M[:3]) + minus((mxy, myy, myz), M[3:6]) + minus((mxz, myz, mzz), M[6:])
        M = matrix_product(matrix_product(R, M), _transposed(R))
        none = like, like, like
        coupled = none + none + none
        inertia = shifted(p, none + none + coupled + (M[0], M[4], M[8], M[1], M[2], M[5]))
        force = times(R, plus(force, transposed_times(H, push)))
        moment = plus_cross(times(R, torque), p, force)
        add_articulated(work, before, lanes, like, inertia, moment, force)
    store3(work, at + PUSHED * lanes, lanes, push)
    store6(work, at + LINEAR_GAIN * lanes, lanes, Y[:3], Y[3:6])
    store3(work, at + (LINEAR_GAIN + 6) * lanes, lanes, Y[6:])


@inlined
def accelerate_by_quaternion(i, topology, constants, q, work, out, lanes, like):
    """The acceleration of a floating or spherical joint, and CHANGE of its body.

    That of a floating body is known already: the acceleration of what carries it is taken off.
    """
    iv, at, before = topology[i, V] * lanes, i * ROW * lanes, topology[i, PARENT] * ROW * lanes
    angular, linear = (
        load3(work, at + CHANGE * lanes, lanes, like),
        load3(work, at + (CHANGE + 3) * lanes, lanes, like),
    )
    if topology[i, KIND] == SPHERICAL or topology[i, PARENT] < topology.shape[0] - 1:
        R, p = place_by_quaternion(i, topology, constants, q, lanes, like)
        turned = load3(work, before + CHANGE * lanes, lanes, like)
        pushed = plus_cross(load3(work, before + (CHANGE + 3) * lanes, lanes, like), turned, p)
        omega = transposed_times(R, load3(work, before + OMEGA * lanes, lanes, like))
        pushed = transposed_times(R, pushed)
        turned = plus_cross(transposed_times(R, turned), omega, load3(work, at + OMEGA * lanes, lanes, like))
        if topology[i, KIND] == SPHERICAL:
            gain = load9(work, at + LINEAR_GAIN * lanes, lanes, like)
            angular, linear = load3(work, at + PUSHED * lanes, lanes, like), pushed
            angular = minus(angular, times(gain, pushed))
            store6(work, at + CHANGE * lanes, lanes, angular, linear)
        angular, linear = minus(angular, turned), minus(linear, pushed)
    if topology[i, KIND] == FLOATING:
        store3(out, iv, lanes, linear)
        iv = iv + 3 * lanes
    store3(out, iv, lanes, angular)
