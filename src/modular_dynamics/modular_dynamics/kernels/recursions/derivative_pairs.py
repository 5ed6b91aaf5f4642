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
from ..numba_support.memory import load, load3, load6, load9
from ..states import turns_by_quaternion
from .common_frame import (
    AXIS,
    BODY,
    COMMON_COLUMNS,
    CORIOLIS,
    FIRST,
    MOMENTUM,
    RATE,
    ROTARY,
    SECOND,
    TWIST,
    WRENCH,
    axis_by_quaternion,
)

__all__ = ["load_body", "pairs"]


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
def _axis(i, work, lanes, like):
    """Of a joint of one axis S, S', S'' and again S', two vectors each."""
    at = i * COMMON_COLUMNS * lanes
    a, t = load3(work, at + RATE * lanes, lanes, like), load3(work, at + (RATE + 3) * lanes, lanes, like)
    return (
        load3(work, at + AXIS * lanes, lanes, like),
        load3(work, at + (AXIS + 3) * lanes, lanes, like),
        a,
        t,
        load3(work, at + SECOND * lanes, lanes, like),
        load3(work, at + (SECOND + 3) * lanes, lanes, like),
        a,
        t,
    )


@inlined
def _wrenches(at, axis, work, lanes, like):
    """Of an axis: I S, B^T S (which has no linear part), 2 (B S + I S'), 2 B S' + I S'' + S x* f."""
    mass, h, inertia, p, D = load_body(at, work, lanes, like)
    z, s, a, _, e, u, a_mean, t_mean = axis
    f, m = load3(work, at + WRENCH * lanes, lanes, like), load3(work, at + (WRENCH + 3) * lanes, lanes, like)
    mf = plus_scaled(cross(z, h), mass, s)
    mn = plus(cross(h, s), symmetric_times(inertia, z))
    b = plus(cross(p, s), transposed_times(D, z))
    rf = plus_scaled(crosses(z, p, a_mean, h), mass, t_mean)
    rn = plus(cross(h, t_mean), plus(times(D, z), symmetric_times(inertia, a_mean)))
    wf = plus_scaled(plus_scaled(crosses(e, h, z, f), mass, u), 2.0, cross(a, p))
    wn = plus(crosses(h, u, z, m), plus(cross(s, f), symmetric_times(inertia, e)))
    return mf, mn, b, plus(rf, rf), plus(rn, rn), wf, plus_scaled(wn, 2.0, times(D, a))


@inlined
def pairs(i, topology, constants, work, out, shared, lanes, like):
    """Entries of joint i, not a root, with itself and with all joints before it."""
    nv = topology[topology.shape[0] - 1, V]
    dv, dvdot = nv, 2 * nv  # rows of out where these begin
    at, iv = i * COMMON_COLUMNS * lanes, topology[i, V]
    by_quaternion = turns_by_quaternion(i, topology)
    for k in range(topology[i, VELOCITIES] if by_quaternion else 1):
        if by_quaternion:
            axis = axis_by_quaternion(i, k, topology, work, lanes, like)
        else:
            axis = _axis(i, work, lanes, like)
        mf, mn, _, rf, rn, wf, wn = wrenches = _wrenches(at, axis, work, lanes, like)
        if by_quaternion:
            _pairs_of_own_axes(i, k, axis, wrenches, topology, work, out, shared, lanes, like)
        else:
            z, s, _, _, _, _, _, _ = axis
            # S^T (S x* f) = 0, so both of the forms above hold
            put(out, iv, iv, nv, dot(z, wn) + dot(s, wf), shared, lanes, like)
            put(out, dv + iv, iv, nv, dot(z, rn) + dot(s, rf), shared, lanes, like)
            put(out, dvdot + iv, iv, nv, dot(z, mn) + dot(s, mf), shared, lanes, like)
        _pairs_before(i, iv + k, wrenches, topology, constants, work, out, shared, lanes, like)


@inlined
def _pairs_of_own_axes(i, k, axis, wrenches, topology, work, out, shared, lanes, like):
    """Entries of axis k of joint i with all axes of the same joint."""
    nv, iv = topology[topology.shape[0] - 1, V], topology[i, V]
    dv, dvdot = nv, 2 * nv
    at = i * COMMON_COLUMNS * lanes
    mf, mn, _, rf, rn, wf, wn = wrenches
    z, s, _, _, _, _, _, _ = axis
    f, m = load3(work, at + WRENCH * lanes, lanes, like), load3(work, at + (WRENCH + 3) * lanes, lanes, like)
    wf, wn = minus(wf, cross(z, f)), minus(wn, crosses(z, m, s, f))
    for j in range(topology[i, VELOCITIES]):
        z, s, _, _, _, _, _, _ = axis_by_quaternion(i, j, topology, work, lanes, like)
        row = iv + j
        put(out, row, iv + k, nv, dot(z, wn) + dot(s, wf), shared, lanes, like)
        put(out, dv + row, iv + k, nv, dot(z, rn) + dot(s, rf), shared, lanes, like)
        put(out, dvdot + row, iv + k, nv, dot(z, mn) + dot(s, mf), shared, lanes, like)


@inlined
def _pairs_by_quaternion(j, iv, wrenches, topology, work, out, shared, lanes, like):
    """Entries of an axis with those of a floating or spherical joint before it, not a root."""
    nv = topology[topology.shape[0] - 1, V]
    dv, dvdot = nv, 2 * nv
    mf, mn, b, rf, rn, wf, wn = wrenches
    for k in range(topology[j, VELOCITIES]):
        jv = topology[j, V] + k
        z, s, a, _, e, u, a_mean, t_mean = axis_by_quaternion(j, k, topology, work, lanes, like)
        inertia, angle = dot(z, mn) + dot(s, mf), dot(a, b)
        rate = dot(z, b) + dot(a_mean, mn) + dot(t_mean, mf)
        put(out, iv, jv, nv, angle + angle + dot(e, mn) + dot(u, mf), shared, lanes, like)
        put(out, jv, iv, nv, dot(z, wn) + dot(s, wf), shared, lanes, like)
        put(out, dv + iv, jv, nv, rate + rate, shared, lanes, like)
        put(out, dv + jv, iv, nv, dot(z, rn) + dot(s, rf), shared, lanes, like)
        put(out, dvdot + iv, jv, nv, inertia, shared, lanes, like)
        put(out, dvdot + jv, iv, nv, inertia, shared, lanes, like)


@inlined
def _pairs_before(i, iv, wrenches, topology, constants, work, out, shared, lanes, like):
    """Entries of an axis of joint i, its wrenches and its velocity ``iv``, with all joints before it."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    dv, dvdot = nv, 2 * nv
    mf, mn, b, rf, rn, wf, wn = wrenches
    j = topology[i, PARENT]
    while topology[j, PARENT] < n:
        if turns_by_quaternion(j, topology):
            _pairs_by_quaternion(j, iv, wrenches, topology, work, out, shared, lanes, like)
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
