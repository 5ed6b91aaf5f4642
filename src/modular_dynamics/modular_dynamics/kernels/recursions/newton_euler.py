"""Inverse dynamics of a whole graph in one call: the composition, unrolled over all joints.

The recursion is that of composition/ (Silva & Adorno, eqs. 1, 5-7). Ad(x) of a unit dual quaternion is
applied as the rotation R(r) and the shift p that it stands for: the same group action with fewer products.
Linear accelerations are those of points (D(xid) + P(xi) x D(xi)), so velocities of origins never enter.

Contract: arrays as in :mod:`.layout`, C-contiguous; nothing is allocated by the single call.
"""

import math

from ..drivers import single
from ..joint_terms import write_joint_terms
from ..layout import (
    ACCELERATION,
    ALPHA,
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
    SPHERICAL,
    TERMS,
    TORQUE,
    UNKNOWN,
    WHOLE,
    WORK_COLUMNS,
    V,
)
from ..math.vectors import cross, crosses, minus, plus, plus_cross, plus_scaled, times, transposed_times
from ..numba_support.compilation import inlined, kernel, spliced
from ..numba_support.memory import load, store
from ..numba_support.neighbours import add3, load3, row3, row6, store3
from ..placement import place, place_by_quaternion, place_floating, place_spherical
from ..states import all_finite

__all__ = ["inverse_dynamics"]


@inlined
def _carried(pose, before, work, lanes, like):
    """Angular velocity, angular acceleration, acceleration of the origin: by the parent's motion alone."""
    rotation, p = pose
    omega = load3(work, before + OMEGA * lanes, lanes, like)
    alpha = load3(work, before + ALPHA * lanes, lanes, like)
    # the parent's point under the joint's origin: a + alpha x p + omega x (omega x p)
    at_parent = load3(work, before + ACCELERATION * lanes, lanes, like)
    at_joint = plus(at_parent, crosses(alpha, p, omega, cross(omega, p)))
    return (
        transposed_times(rotation, omega),
        transposed_times(rotation, alpha),
        transposed_times(rotation, at_joint),
    )


@inlined
def _outward(i, topology, constants, v, vdot, states, work, lanes, like):
    """Pose, motion and wrench of body i."""
    iv, before = topology[i, V] * lanes, topology[i, PARENT] * WORK_COLUMNS * lanes
    pose = place(i, topology, constants, states, lanes, like)
    (ox, oy, oz), (ex, ey, ez), (ux, uy, uz) = _carried(pose, before, work, lanes, like)
    rate = constants[i, MULTIPLIER] * load(v, iv, like)
    push = constants[i, MULTIPLIER] * load(vdot, iv, like)
    if topology[i, KIND] == PRISMATIC:
        # Coriolis term 2 omega x (z rate)
        ux, uy, uz = ux + 2.0 * (oy * rate), uy - 2.0 * (ox * rate), uz + push
    else:
        ex, ey, ez = ex + oy * rate, ey - ox * rate, ez + push
        oz = oz + rate
    _store_motion_and_wrench(i, (ox, oy, oz), (ex, ey, ez), (ux, uy, uz), constants, work, lanes)


# one function for each type of joint: with a branch inside, or with a call, all lanes would be slower
@inlined
def _outward_floating(i, topology, constants, q, v, vdot, work, lanes, like):
    """The same of a body on a floating joint: its twist [linear, angular] is in its own axes."""
    iv, before = topology[i, V] * lanes, topology[i, PARENT] * WORK_COLUMNS * lanes
    pose = place_floating(i, topology, constants, q, lanes, like)
    omega, alpha, acceleration = _carried(pose, before, work, lanes, like)
    linear, angular = load3(v, iv, lanes, like), load3(v, iv + 3 * lanes, lanes, like)
    push = plus_cross(load3(vdot, iv, lanes, like), angular, linear)
    acceleration = plus(acceleration, plus_scaled(push, 2.0, cross(omega, linear)))
    alpha = plus_cross(plus(alpha, load3(vdot, iv + 3 * lanes, lanes, like)), omega, angular)
    _store_motion_and_wrench(i, plus(omega, angular), alpha, acceleration, constants, work, lanes)


@inlined
def _outward_spherical(i, topology, constants, q, v, vdot, work, lanes, like):
    """The same of a body on a spherical joint: its angular velocity is in its own axes."""
    iv, before = topology[i, V] * lanes, topology[i, PARENT] * WORK_COLUMNS * lanes
    pose = place_spherical(i, topology, constants, q, lanes, like)
    omega, alpha, acceleration = _carried(pose, before, work, lanes, like)
    angular = load3(v, iv, lanes, like)
    alpha = plus_cross(plus(alpha, load3(vdot, iv, lanes, like)), omega, angular)
    _store_motion_and_wrench(i, plus(omega, angular), alpha, acceleration, constants, work, lanes)


@inlined
def _store_motion_and_wrench(i, omega, alpha, acceleration, constants, work, lanes):
    """Store the motion of body i, and the wrench about its origin that it needs for this motion.

    With Lambda = [alpha]x + [omega]x [omega]x: force m a + Lambda (m c), moment vee(Lambda J - (Lambda
    J)^T) + m c x a, where J is the pseudo-inertia, the second moment of the mass about the origin.
    """
    at = i * WORK_COLUMNS * lanes
    store3(work, at + OMEGA * lanes, lanes, omega)
    store3(work, at + ALPHA * lanes, lanes, alpha)
    store3(work, at + ACCELERATION * lanes, lanes, acceleration)
    ox, oy, oz = omega
    ex, ey, ez = alpha
    l00, l11, l22 = -oy * oy - oz * oz, -ox * ox - oz * oz, -ox * ox - oy * oy
    l01, l10 = ox * oy - ez, ox * oy + ez
    l02, l20 = ox * oz + ey, ox * oz - ey
    l12, l21 = oy * oz - ex, oy * oz + ex
    m_c = row3(constants, i, MOMENT)
    xx, yy, zz, xy, xz, yz = row6(constants, i, INERTIA)
    force = plus_scaled(
        times((l00, l01, l02, l10, l11, l12, l20, l21, l22), m_c), constants[i, MASS], acceleration
    )
    moment = (
        (l20 * xy + l21 * yy + l22 * yz) - (l10 * xz + l11 * yz + l12 * zz),
        (l00 * xz + l01 * yz + l02 * zz) - (l20 * xx + l21 * xy + l22 * xz),
        (l10 * xx + l11 * xy + l12 * xz) - (l00 * xy + l01 * yy + l02 * yz),
    )
    moment = plus(moment, cross(m_c, acceleration))
    store3(work, at + FORCE * lanes, lanes, minus(force, row3(constants, i, EXTERNAL)))
    store3(work, at + TORQUE * lanes, lanes, minus(moment, row3(constants, i, EXTERNAL + 3)))


@inlined
def _inward(i, topology, constants, states, work, tau, lanes, like):
    """The torque of joint i of one axis; its wrench is added to its parent's."""
    at, iv = i * WORK_COLUMNS * lanes, topology[i, V] * lanes
    _mark_unknown(i, topology, work, lanes, like)
    along = FORCE + 2 if topology[i, KIND] == PRISMATIC else TORQUE + 2
    own = constants[i, MULTIPLIER] * load(work, at + along * lanes, like)
    store(tau, iv, load(tau, iv, like) + own)
    if topology[i, MODE] == WHOLE:
        _add_to_parent(i, place(i, topology, constants, states, lanes, like), topology, work, lanes, like)


@inlined
def _inward_by_quaternion(i, topology, constants, q, work, tau, lanes, like):
    """The same of a floating or spherical joint."""
    at, iv = i * WORK_COLUMNS * lanes, topology[i, V] * lanes
    _mark_unknown(i, topology, work, lanes, like)
    if topology[i, KIND] == FLOATING:
        add3(tau, iv, lanes, like, load3(work, at + FORCE * lanes, lanes, like))
        iv = iv + 3 * lanes
    add3(tau, iv, lanes, like, load3(work, at + TORQUE * lanes, lanes, like))
    if topology[i, MODE] == WHOLE:
        pose = place_by_quaternion(i, topology, constants, q, lanes, like)
        _add_to_parent(i, pose, topology, work, lanes, like)


@inlined
def _mark_unknown(i, topology, work, lanes, like):
    """NaN for the wrench of joint i, if it is inside a black box."""
    if topology[i, MODE] == UNKNOWN:
        for k in range(FORCE, TORQUE + 3):
            store(work, (i * WORK_COLUMNS + k) * lanes, like + math.nan)


@inlined
def _add_to_parent(i, pose, topology, work, lanes, like):
    """Ad(x) of the wrench of joint i, added to its parent's: f = R f_i, m = R m_i + p x f."""
    rotation, p = pose
    at, before = i * WORK_COLUMNS * lanes, topology[i, PARENT] * WORK_COLUMNS * lanes
    force = times(rotation, load3(work, at + FORCE * lanes, lanes, like))
    moment = times(rotation, load3(work, at + TORQUE * lanes, lanes, like))
    add3(work, before + FORCE * lanes, lanes, like, force)
    add3(work, before + TORQUE * lanes, lanes, like, plus_cross(moment, p, force))


@spliced
def outward(first, stop, topology, constants, q, v, vdot, states, work, lanes, like):
    """Motion and wrench of bodies first ... stop - 1 of one subsystem; their parents' motions are known."""
    for i in range(first, stop):
        if topology[i, KIND] == FLOATING:
            _outward_floating(i, topology, constants, q, v, vdot, work, lanes, like)
        elif topology[i, KIND] == SPHERICAL:
            _outward_spherical(i, topology, constants, q, v, vdot, work, lanes, like)
        else:
            _outward(i, topology, constants, v, vdot, states, work, lanes, like)


@spliced
def inward(first, stop, topology, constants, q, states, work, tau, lanes, like):
    """Add to tau the torques of joints first ... stop - 1; their successors' wrenches are in.

    Leaves the subsystem's wrench added to that of the body which carries it.
    """
    for i in range(stop - 1, first - 1, -1):
        if topology[i, KIND] >= FLOATING:
            _inward_by_quaternion(i, topology, constants, q, work, tau, lanes, like)
        else:
            _inward(i, topology, constants, states, work, tau, lanes, like)


@inlined
def start(topology, constants, work, lanes, like):
    """The ground at rest, accelerating against gravity, and bearing nothing yet."""
    n = topology.shape[0] - 1
    ground = n * WORK_COLUMNS * lanes
    for k in range(WORK_COLUMNS):
        store(work, ground + k * lanes, like)
    for k in range(3):
        store(work, ground + (ACCELERATION + k) * lanes, like - constants[n, GRAVITY + k])


@spliced
def recursion(topology, constants, q, v, vdot, states, work, tau, lanes, like):
    """tau: outward over all bodies, then inward."""
    n = topology.shape[0] - 1
    start(topology, constants, work, lanes, like)
    outward(0, n, topology, constants, q, v, vdot, states, work, lanes, like)
    # v and vdot are not read from here on, but for the element that is written: tau may be one of them
    if topology[n, TERMS] == 0:
        for k in range(topology[n, V]):
            store(tau, k * lanes, like)
    else:
        write_joint_terms(topology[n, TERMS], topology, constants, q, v, vdot, tau, 0, lanes)
    inward(0, n, topology, constants, q, states, work, tau, lanes, like)


@kernel(forceinline=True)
def inverse_dynamics(topology, constants, work, q, v, vdot, tau):
    """tau (nv,) of a graph at q, v, vdot; leaves every body's motion and wrench in ``work``.

    The ground's row holds the wrench that it bears as FORCE, TORQUE on return. Torques inside black boxes
    are NaN.

    Returns 0; 1 and writes nothing where an array has the wrong length, a number that is not finite, or a
    quaternion of norm below 1e-6; 2 where the numbers are so large that the torques overflow.
    """
    n = topology.shape[0] - 1
    nv = topology[n, V]
    if v.shape[0] != nv or vdot.shape[0] != nv or tau.shape[0] != nv:
        return 1
    status = single(recursion, WORK_COLUMNS, topology, constants, work, q, v, vdot, tau)
    if status != 2:
        return status
    for i in range(n):
        if topology[i, MODE] != UNKNOWN:  # of the others NaN is the true answer
            row = i * WORK_COLUMNS
            if not all_finite(work[row + FORCE : row + TORQUE + 3]):
                return 2
    return 0
