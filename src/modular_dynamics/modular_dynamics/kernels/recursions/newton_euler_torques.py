"""Inverse dynamics without wrenches: the recursion of :mod:`.newton_euler` in frames of few operations.

Generated code is made from it. Frames are those of dynamics/arrays/body_frames: against its parent a body is
placed by P, Rz(turn) Rx(tilt) Rz(q), so that a vector turns by two or three planes instead of nine products;
and masses are regrouped as in dynamics/arrays/regrouping, so that torques alone are those of the bodies.
With Lambda = [alpha]x + [omega]x [omega]x, a point p of a body has the acceleration a + Lambda p: the same
matrix serves the body's first moment and the origins of its successors (Khalil & Kleinfinger 1987).
"""

from ..joint_terms import write_joint_terms
from ..layout import (
    ACCELERATION,
    ALPHA,
    FLOATING,
    FORCE,
    GRAVITY,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    MULTIPLIER,
    OMEGA,
    PARENT,
    PRISMATIC,
    SPHERICAL,
    TERMS,
    TORQUE,
    V,
)
from ..math.vectors import cross, plus, plus_cross, plus_scaled, times, transposed_times
from ..numba_support.compilation import inlined, spliced
from ..numba_support.memory import load, store
from ..numba_support.neighbours import add3, load3, load9, row3, row6, store3
from ..placement import place_by_quaternion, place_floating, place_spherical
from .articulated_layout import placement, to_body, to_parent

__all__ = ["TORQUE_COLUMNS", "recursion"]

LAMBDA = 15  # 9: behind the columns of inverse dynamics
TORQUE_COLUMNS = 24


@inlined
def _at_joint(p, before, work, lanes, like):
    """Angular velocity, angular acceleration, and the acceleration of the point p, in the parent's axes."""
    return (
        load3(work, before + OMEGA * lanes, lanes, like),
        load3(work, before + ALPHA * lanes, lanes, like),
        plus(
            load3(work, before + ACCELERATION * lanes, lanes, like),
            times(load9(work, before + LAMBDA * lanes, lanes, like), p),
        ),
    )


@inlined
def _outward(i, topology, constants, v, vdot, states, work, lanes, like):
    """Motion and wrench of body i on a joint of one axis."""
    iv, before = topology[i, V] * lanes, topology[i, PARENT] * TORQUE_COLUMNS * lanes
    c, s, p = placement(i, topology, constants, states, lanes, like)
    omega, alpha, acceleration = _at_joint(p, before, work, lanes, like)
    ox, oy, oz = to_body(i, topology, constants, c, s, omega)
    ex, ey, ez = to_body(i, topology, constants, c, s, alpha)
    ux, uy, uz = to_body(i, topology, constants, c, s, acceleration)
    rate = constants[i, MULTIPLIER] * load(v, iv, like)
    push = constants[i, MULTIPLIER] * load(vdot, iv, like)
    if topology[i, KIND] == PRISMATIC:
        # Coriolis term 2 omega x (z rate)
        ux, uy, uz = ux + 2.0 * (oy * rate), uy - 2.0 * (ox * rate), uz + push
    else:
        ex, ey, ez = ex + oy * rate, ey - ox * rate, ez + push
        oz = oz + rate
    _store_motion_and_wrench(i, (ox, oy, oz), (ex, ey, ez), (ux, uy, uz), constants, work, lanes)


@inlined
def _outward_by_quaternion(i, topology, constants, q, v, vdot, work, lanes, like):
    """The same of a body on a floating or spherical joint, whose twist is in the body's own axes."""
    iv, before = topology[i, V] * lanes, topology[i, PARENT] * TORQUE_COLUMNS * lanes
    if topology[i, KIND] == FLOATING:
        rotation, p = place_floating(i, topology, constants, q, lanes, like)
    else:
        rotation, p = place_spherical(i, topology, constants, q, lanes, like)
    omega, alpha, acceleration = _at_joint(p, before, work, lanes, like)
    omega, alpha = transposed_times(rotation, omega), transposed_times(rotation, alpha)
    acceleration = transposed_times(rotation, acceleration)
    if topology[i, KIND] == FLOATING:
        linear, angular = load3(v, iv, lanes, like), load3(v, iv + 3 * lanes, lanes, like)
        push = plus_cross(load3(vdot, iv, lanes, like), angular, linear)
        acceleration = plus(acceleration, plus_scaled(push, 2.0, cross(omega, linear)))
        iv = iv + 3 * lanes
    angular = load3(v, iv, lanes, like)
    alpha = plus_cross(plus(alpha, load3(vdot, iv, lanes, like)), omega, angular)
    _store_motion_and_wrench(i, plus(omega, angular), alpha, acceleration, constants, work, lanes)


@inlined
def _store_motion_and_wrench(i, omega, alpha, acceleration, constants, work, lanes):
    """Store the motion of body i, Lambda, and the wrench about its origin that it needs for this motion.

    Force m a + Lambda (m c), moment vee(Lambda J - (Lambda J)^T) + m c x a, where J is the pseudo-inertia.
    """
    at = i * TORQUE_COLUMNS * lanes
    ox, oy, oz = omega
    ex, ey, ez = alpha
    ux, uy, uz = acceleration
    x2, y2, z2, yz2, xz2, xy2 = ox * ox, oy * oy, oz * oz, oy * oz, ox * oz, ox * oy
    l01, l10 = xy2 - ez, xy2 + ez
    l02, l20 = xz2 + ey, xz2 - ey
    l12, l21 = yz2 - ex, yz2 + ex
    matrix = -(y2 + z2), l01, l02, l10, -(x2 + z2), l12, l20, l21, -(x2 + y2)
    hx, hy, hz = row3(constants, i, MOMENT)
    xx, yy, zz, xy, xz, yz = row6(constants, i, INERTIA)
    force = plus_scaled(times(matrix, (hx, hy, hz)), constants[i, MASS], acceleration)
    moment = (
        l20 * xy + l21 * yy + (z2 - y2) * yz - l10 * xz - l12 * zz + hy * uz - hz * uy,
        l01 * yz + l02 * zz + (x2 - z2) * xz - l20 * xx - l21 * xy + hz * ux - hx * uz,
        l10 * xx + l12 * xz + (y2 - x2) * xy - l01 * yy - l02 * yz + hx * uy - hy * ux,
    )
    store3(work, at + OMEGA * lanes, lanes, omega)
    store3(work, at + ALPHA * lanes, lanes, alpha)
    store3(work, at + ACCELERATION * lanes, lanes, acceleration)
    store3(work, at + LAMBDA * lanes, lanes, matrix[:3])
    store3(work, at + (LAMBDA + 3) * lanes, lanes, matrix[3:6])
    store3(work, at + (LAMBDA + 6) * lanes, lanes, matrix[6:])
    store3(work, at + FORCE * lanes, lanes, force)
    store3(work, at + TORQUE * lanes, lanes, moment)


@inlined
def _inward(i, topology, constants, states, work, tau, lanes, like):
    """The torque of joint i of one axis; its wrench is added to its parent's."""
    at, iv = i * TORQUE_COLUMNS * lanes, topology[i, V] * lanes
    along = FORCE + 2 if topology[i, KIND] == PRISMATIC else TORQUE + 2
    own = constants[i, MULTIPLIER] * load(work, at + along * lanes, like)
    store(tau, iv, load(tau, iv, like) + own)
    if topology[i, PARENT] < topology.shape[0] - 1:  # nobody asks what the ground bears
        c, s, p = placement(i, topology, constants, states, lanes, like)
        force = to_parent(i, topology, constants, c, s, load3(work, at + FORCE * lanes, lanes, like))
        moment = to_parent(i, topology, constants, c, s, load3(work, at + TORQUE * lanes, lanes, like))
        _add_to_parent(i, force, plus_cross(moment, p, force), topology, work, lanes, like)


@inlined
def _inward_by_quaternion(i, topology, constants, q, work, tau, lanes, like):
    """The same of a floating or spherical joint."""
    at, iv = i * TORQUE_COLUMNS * lanes, topology[i, V] * lanes
    force = load3(work, at + FORCE * lanes, lanes, like)
    moment = load3(work, at + TORQUE * lanes, lanes, like)
    if topology[i, KIND] == FLOATING:
        add3(tau, iv, lanes, like, force)
        iv = iv + 3 * lanes
    add3(tau, iv, lanes, like, moment)
    if topology[i, PARENT] < topology.shape[0] - 1:
        rotation, p = place_by_quaternion(i, topology, constants, q, lanes, like)
        force = times(rotation, force)
        moment = plus_cross(times(rotation, moment), p, force)
        _add_to_parent(i, force, moment, topology, work, lanes, like)


@inlined
def _add_to_parent(i, force, moment, topology, work, lanes, like):
    before = topology[i, PARENT] * TORQUE_COLUMNS * lanes
    add3(work, before + FORCE * lanes, lanes, like, force)
    add3(work, before + TORQUE * lanes, lanes, like, moment)


@spliced
def recursion(topology, constants, q, v, vdot, states, work, tau, lanes, like):
    """tau: outward over all bodies, then inward. Of external wrenches and black boxes it knows nothing."""
    n = topology.shape[0] - 1
    ground = n * TORQUE_COLUMNS * lanes
    for k in range(TORQUE_COLUMNS):
        store(work, ground + k * lanes, like)
    for k in range(3):
        store(work, ground + (ACCELERATION + k) * lanes, like - constants[n, GRAVITY + k])
    for i in range(n):
        if topology[i, KIND] == FLOATING or topology[i, KIND] == SPHERICAL:
            _outward_by_quaternion(i, topology, constants, q, v, vdot, work, lanes, like)
        else:
            _outward(i, topology, constants, v, vdot, states, work, lanes, like)
    if topology[n, TERMS] == 0:
        for k in range(topology[n, V]):
            store(tau, k * lanes, like)
    else:
        write_joint_terms(topology[n, TERMS], topology, constants, q, v, vdot, tau, 0, lanes)
    for i in range(n - 1, -1, -1):
        if topology[i, KIND] == FLOATING or topology[i, KIND] == SPHERICAL:
            _inward_by_quaternion(i, topology, constants, q, work, tau, lanes, like)
        else:
            _inward(i, topology, constants, states, work, tau, lanes, like)
