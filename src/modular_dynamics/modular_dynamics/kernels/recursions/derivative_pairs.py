"""Entries of :mod:`.derivatives` for a joint that is no root, with itself and with all joints before it."""

from ..layout import FLOATING, KIND, MULTIPLIER, PARENT, PRISMATIC, SPHERICAL, VELOCITIES, V
from ..math.matrix_entries import put
from ..math.vectors import (
    cross,
    crosses,
    dot,
    minus,
    plus,
    plus_scaled,
    symmetric_times,
    times,
    transposed_times,
)
from ..numba_support.compilation import inlined
from ..numba_support.memory import load
from ..numba_support.neighbours import load3, load6, load9, store6
from ..states import turns_by_quaternion
from .common_frame import (
    ACCELERATION,
    AXIS,
    BODY,
    COMMON_COLUMNS,
    CORIOLIS,
    FIRST,
    MOMENTUM,
    POSE,
    RATE,
    ROTARY,
    SECOND,
    TWIST,
    WRENCH,
)

__all__ = ["load_body", "pairs", "store_axis"]


@inlined
def load_body(at, work, lanes, like):
    """What is summed over a body and all beyond it, but for the wrench: mass, m c, inertia, p, D."""
    return (
        load(work, at + BODY * lanes, like),
        load3(work, at + FIRST * lanes, lanes, like),
        load6(work, at + ROTARY * lanes, lanes, like),
        load3(work, at + MOMENTUM * lanes, lanes, like),
        load9(work, at + CORIOLIS * lanes, lanes, like),
    )


@inlined
def _wrenches(at, work, lanes, like):
    """Of joint i: I S, B^T S (which has no linear part), 2 (B S + I S'), 2 B S' + I S'' + S x* f."""
    mass, h, inertia, p, D = load_body(at, work, lanes, like)
    z, s = load3(work, at + AXIS * lanes, lanes, like), load3(work, at + (AXIS + 3) * lanes, lanes, like)
    a, t = load3(work, at + RATE * lanes, lanes, like), load3(work, at + (RATE + 3) * lanes, lanes, like)
    e, u = load3(work, at + SECOND * lanes, lanes, like), load3(work, at + (SECOND + 3) * lanes, lanes, like)
    f, m = load3(work, at + WRENCH * lanes, lanes, like), load3(work, at + (WRENCH + 3) * lanes, lanes, like)
    mf = plus_scaled(cross(z, h), mass, s)
    mn = plus(cross(h, s), symmetric_times(inertia, z))
    b = plus(cross(p, s), transposed_times(D, z))
    rf = plus_scaled(crosses(z, p, a, h), mass, t)
    rn = plus(cross(h, t), plus(times(D, z), symmetric_times(inertia, a)))
    wf = plus_scaled(plus_scaled(crosses(e, h, z, f), mass, u), 2.0, cross(a, p))
    wn = plus(crosses(h, u, z, m), plus(cross(s, f), symmetric_times(inertia, e)))
    return mf, mn, b, plus(rf, rf), plus(rn, rn), wf, plus_scaled(wn, 2.0, times(D, a))


@inlined
def _one_axis(i, k, topology, work, lanes, like):
    """S of axis k of a floating or spherical joint, two vectors."""
    at = i * COMMON_COLUMNS * lanes
    axis = load3(work, at + (POSE + 3 * (k % 3)) * lanes, lanes, like)
    z, s = axis, cross(load3(work, at + (POSE + 9) * lanes, lanes, like), axis)
    if topology[i, KIND] == FLOATING and k < 3:
        z, s = (like, like, like), axis
    return z, s


@inlined
def _axis_rates(i, z, s, topology, work, lanes, like):
    """S' and S'' of an axis S = (z, s) of such a joint, two vectors each."""
    before = topology[i, PARENT] * COMMON_COLUMNS * lanes
    omega = load3(work, before + TWIST * lanes, lanes, like)
    linear = load3(work, before + (TWIST + 3) * lanes, lanes, like)
    alpha = load3(work, before + ACCELERATION * lanes, lanes, like)
    push = load3(work, before + (ACCELERATION + 3) * lanes, lanes, like)
    a, t = cross(omega, z), crosses(omega, s, linear, z)
    return a, t, crosses(alpha, z, omega, a), plus(crosses(alpha, s, push, z), crosses(omega, t, linear, a))


@inlined
def store_axis(i, k, topology, work, lanes, like):
    """Let axis k of such a joint stand in its row, as the one of a joint of one axis does."""
    at = i * COMMON_COLUMNS * lanes
    z, s = _one_axis(i, k, topology, work, lanes, like)
    a, t, e, u = _axis_rates(i, z, s, topology, work, lanes, like)
    store6(work, at + AXIS * lanes, lanes, z, s)
    store6(work, at + RATE * lanes, lanes, a, t)
    store6(work, at + SECOND * lanes, lanes, e, u)


@inlined
def _by_own_velocity(i, z, s, topology, work, lanes, like):
    """I (w x S) of an axis S = (z, s) that the joint's own twist w carries along: force and moment."""
    at, before = i * COMMON_COLUMNS * lanes, topology[i, PARENT] * COMMON_COLUMNS * lanes
    omega, linear = (
        load3(work, at + TWIST * lanes, lanes, like),
        load3(work, at + (TWIST + 3) * lanes, lanes, like),
    )
    omega = minus(omega, load3(work, before + TWIST * lanes, lanes, like))
    linear = minus(linear, load3(work, before + (TWIST + 3) * lanes, lanes, like))
    a, t = cross(omega, z), crosses(omega, s, linear, z)
    mass, h, inertia, _, _ = load_body(at, work, lanes, like)
    return plus_scaled(cross(a, h), mass, t), plus(cross(h, t), symmetric_times(inertia, a))


@inlined
def _pairs_of_own_axes(i, iv, z, s, mf, mn, rf, rn, wf, wn, topology, work, out, shared, lanes, like):
    """Entries of axis S = (z, s) of joint i, velocity ``iv``, with all axes of the same joint."""
    nv = topology[topology.shape[0] - 1, V]
    dv, dvdot = nv, 2 * nv
    at = i * COMMON_COLUMNS * lanes
    f, m = load3(work, at + WRENCH * lanes, lanes, like), load3(work, at + (WRENCH + 3) * lanes, lanes, like)
    wf, wn = minus(wf, cross(z, f)), minus(wn, crosses(z, m, s, f))
    for k in range(topology[i, VELOCITIES]):
        z, s = _one_axis(i, k, topology, work, lanes, like)
        row = topology[i, V] + k
        put(out, row, iv, nv, dot(z, wn) + dot(s, wf), shared, lanes, like)
        put(out, dv + row, iv, nv, dot(z, rn) + dot(s, rf), shared, lanes, like)
        put(out, dvdot + row, iv, nv, dot(z, mn) + dot(s, mf), shared, lanes, like)


@inlined
def _pairs_by_quaternion(j, iv, mf, mn, b, rf, rn, wf, wn, topology, work, out, shared, lanes, like):
    """Entries of an axis with those of a floating or spherical joint before it, not a root."""
    nv = topology[topology.shape[0] - 1, V]
    dv, dvdot = nv, 2 * nv
    at = j * COMMON_COLUMNS * lanes
    omega, linear = (
        load3(work, at + TWIST * lanes, lanes, like),
        load3(work, at + (TWIST + 3) * lanes, lanes, like),
    )
    for k in range(topology[j, VELOCITIES]):
        jv = topology[j, V] + k
        z, s = _one_axis(j, k, topology, work, lanes, like)
        a, t, e, u = _axis_rates(j, z, s, topology, work, lanes, like)
        inertia, angle = dot(z, mn) + dot(s, mf), dot(a, b)
        # S' + v_j x S
        a, t = plus(a, cross(omega, z)), plus(t, crosses(omega, s, linear, z))
        rate = dot(z, b)
        put(out, iv, jv, nv, angle + angle + dot(e, mn) + dot(u, mf), shared, lanes, like)
        put(out, jv, iv, nv, dot(z, wn) + dot(s, wf), shared, lanes, like)
        put(out, dv + iv, jv, nv, rate + rate + dot(a, mn) + dot(t, mf), shared, lanes, like)
        put(out, dv + jv, iv, nv, dot(z, rn) + dot(s, rf), shared, lanes, like)
        put(out, dvdot + iv, jv, nv, inertia, shared, lanes, like)
        put(out, dvdot + jv, iv, nv, inertia, shared, lanes, like)


@inlined
def pairs(i, iv, topology, constants, work, out, shared, lanes, like):
    """Entries of joint i, not a root, with itself and with all joints before it.

    Of a floating or spherical joint: of the axis that stands in its row, whose velocity is ``iv``.
    """
    n = topology.shape[0] - 1
    nv = topology[n, V]
    dv, dvdot = nv, 2 * nv  # rows of out where these begin
    at = i * COMMON_COLUMNS * lanes
    mf, mn, b, rf, rn, wf, wn = _wrenches(at, work, lanes, like)
    z, s = load3(work, at + AXIS * lanes, lanes, like), load3(work, at + (AXIS + 3) * lanes, lanes, like)
    if turns_by_quaternion(i, topology):
        more_f, more_n = _by_own_velocity(i, z, s, topology, work, lanes, like)
        rf, rn = plus(rf, more_f), plus(rn, more_n)
        _pairs_of_own_axes(i, iv, z, s, mf, mn, rf, rn, wf, wn, topology, work, out, shared, lanes, like)
    else:
        # S^T (S x* f) = 0, so both of the forms above hold
        put(out, iv, iv, nv, dot(z, wn) + dot(s, wf), shared, lanes, like)
        put(out, dv + iv, iv, nv, dot(z, rn) + dot(s, rf), shared, lanes, like)
        put(out, dvdot + iv, iv, nv, dot(z, mn) + dot(s, mf), shared, lanes, like)
    j = topology[i, PARENT]
    while topology[j, PARENT] < n:
        if turns_by_quaternion(j, topology):
            _pairs_by_quaternion(j, iv, mf, mn, b, rf, rn, wf, wn, topology, work, out, shared, lanes, like)
            j = topology[j, PARENT]
            continue
        at, jv = j * COMMON_COLUMNS * lanes, topology[j, V]
        z, s = load3(work, at + AXIS * lanes, lanes, like), load3(work, at + (AXIS + 3) * lanes, lanes, like)
        a, t = load3(work, at + RATE * lanes, lanes, like), load3(work, at + (RATE + 3) * lanes, lanes, like)
        e = load3(work, at + SECOND * lanes, lanes, like)
        u = load3(work, at + (SECOND + 3) * lanes, lanes, like)
        inertia = dot(z, mn) + dot(s, mf)
        rate, angle = dot(z, b) + dot(a, mn) + dot(t, mf), dot(a, b)
        put(out, iv, jv, nv, angle + angle + dot(e, mn) + dot(u, mf), shared, lanes, like)
        put(out, jv, iv, nv, dot(z, wn) + dot(s, wf), shared, lanes, like)
        put(out, dv + iv, jv, nv, rate + rate, shared, lanes, like)
        put(out, dv + jv, iv, nv, dot(z, rn) + dot(s, rf), shared, lanes, like)
        put(out, dvdot + iv, jv, nv, inertia, shared, lanes, like)
        put(out, dvdot + jv, iv, nv, inertia, shared, lanes, like)
        j = topology[j, PARENT]
    at, jv = j * COMMON_COLUMNS * lanes, topology[j, V]
    ground = load3(work, at + SECOND * lanes, lanes, like)
    if topology[j, KIND] == FLOATING:
        omega = load3(work, at + TWIST * lanes, lanes, like)
        linear = load3(work, at + (TWIST + 3) * lanes, lanes, like)
        along, about = cross(mf, omega), plus_scaled(crosses(mn, omega, mf, linear), 2.0, b)
        turned = cross(mf, ground)
        for k in range(3):
            put(out, iv, jv + 3 + k, nv, turned[k], shared, lanes, like)
            put(out, jv + k, iv, nv, wf[k], shared, lanes, like)
            put(out, jv + 3 + k, iv, nv, wn[k], shared, lanes, like)
            put(out, dv + iv, jv + k, nv, along[k], shared, lanes, like)
            put(out, dv + iv, jv + 3 + k, nv, about[k], shared, lanes, like)
            put(out, dv + jv + k, iv, nv, rf[k], shared, lanes, like)
            put(out, dv + jv + 3 + k, iv, nv, rn[k], shared, lanes, like)
            put(out, dvdot + iv, jv + k, nv, mf[k], shared, lanes, like)
            put(out, dvdot + iv, jv + 3 + k, nv, mn[k], shared, lanes, like)
            put(out, dvdot + jv + k, iv, nv, mf[k], shared, lanes, like)
            put(out, dvdot + jv + 3 + k, iv, nv, mn[k], shared, lanes, like)
    elif topology[j, KIND] == SPHERICAL:
        omega = load3(work, at + TWIST * lanes, lanes, like)
        about, turned = plus_scaled(cross(mn, omega), 2.0, b), cross(mf, ground)
        for k in range(3):
            put(out, iv, jv + k, nv, turned[k], shared, lanes, like)
            put(out, jv + k, iv, nv, wn[k], shared, lanes, like)
            put(out, dv + iv, jv + k, nv, about[k], shared, lanes, like)
            put(out, dv + jv + k, iv, nv, rn[k], shared, lanes, like)
            put(out, dvdot + iv, jv + k, nv, mn[k], shared, lanes, like)
            put(out, dvdot + jv + k, iv, nv, mn[k], shared, lanes, like)
    else:
        scale = constants[j, MULTIPLIER]
        inertia, rate, angle = mf[2], rf[2], wf[2]
        if topology[j, KIND] != PRISMATIC:
            inertia, rate, angle = mn[2], rn[2], wn[2]
            own = mf[0] * ground[1] - mf[1] * ground[0]
            put(out, iv, jv, nv, scale * own, shared, lanes, like)
            put(out, dv + iv, jv, nv, (2.0 * scale) * b[2], shared, lanes, like)
        put(out, jv, iv, nv, scale * angle, shared, lanes, like)
        put(out, dv + jv, iv, nv, scale * rate, shared, lanes, like)
        put(out, dvdot + iv, jv, nv, scale * inertia, shared, lanes, like)
        put(out, dvdot + jv, iv, nv, scale * inertia, shared, lanes, like)
