"""Derivatives of inverse dynamics with respect to q, v and vdot.

The closed forms of Singh, Russell & Wensing (2022), "Efficient analytical derivatives of rigid-body dynamics
using spatial vector algebra". With axes and rates S, S', S'' as in :mod:`.common_frame`, I, B and f summed
over joint i's body and all beyond it, and for each joint j on the way from i to the ground:

    dtau_i/dq_j = S_i^T (2 B S_j' + I S_j'')        dtau_j/dq_i = S_j^T (2 B S_i' + I S_i'' + S_i x* f)
    dtau_i/dv_j = 2 S_i^T (B S_j + I S_j')          dtau_j/dv_i = 2 S_j^T (B S_i + I S_i')
    dtau_i/dvdot_j = dtau_j/dvdot_i = S_i^T I S_j

All is in one frame, so a pair costs dot products of vectors known before. The root, whose S' is zero and
whose S is a unit vector there, costs even less; a floating one has the unit matrix as its S.
"""

from ..drivers import batch_float64, single
from ..layout import FLOATING, KIND, MULTIPLIER, PARENT, PRISMATIC, V
from ..math.matrix_entries import coordinates_are_shared, put, put9, zero_first
from ..math.vectors import (
    cross,
    crosses,
    dot,
    plus,
    plus_scaled,
    scaled,
    skew,
    skew_product,
    symmetric_times,
    times,
    transposed_times,
)
from ..numba_support.compilation import inlined, kernel, spliced
from ..numba_support.memory import load, load3, load6, load9, store
from .common_frame import (
    AXIS,
    BODY,
    BODY_END,
    COMMON_COLUMNS,
    CORIOLIS,
    FIRST,
    MOMENTUM,
    RATE,
    ROTARY,
    SECOND,
    TWIST,
    WRENCH,
    start,
    start_root,
)

__all__ = ["inverse_dynamics_derivatives", "inverse_dynamics_derivatives_float64"]


@inlined
def _body(at, work, lanes, like):
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
    mass, h, inertia, p, D = _body(at, work, lanes, like)
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
def _pairs(i, topology, constants, work, out, shared, lanes, like):
    """Entries of joint i, not a root, with itself and with all joints before it."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    dv, dvdot = nv, 2 * nv  # rows of out where these begin
    at, iv = i * COMMON_COLUMNS * lanes, topology[i, V]
    mf, mn, b, rf, rn, wf, wn = _wrenches(at, work, lanes, like)
    z, s = load3(work, at + AXIS * lanes, lanes, like), load3(work, at + (AXIS + 3) * lanes, lanes, like)
    # S^T (S x* f) = 0, so both of the forms above hold
    put(out, iv, iv, nv, dot(z, wn) + dot(s, wf), shared, lanes, like)
    put(out, dv + iv, iv, nv, dot(z, rn) + dot(s, rf), shared, lanes, like)
    put(out, dvdot + iv, iv, nv, dot(z, mn) + dot(s, mf), shared, lanes, like)
    j = topology[i, PARENT]
    while topology[j, PARENT] < n:
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


@inlined
def _root(i, topology, constants, work, out, shared, lanes, like):
    """Entries of a root of one degree of freedom with itself."""
    nv = topology[topology.shape[0] - 1, V]
    dv, dvdot = nv, 2 * nv
    at, iv = i * COMMON_COLUMNS * lanes, topology[i, V]
    scale = constants[i, MULTIPLIER] * constants[i, MULTIPLIER]
    mass, h, inertia, _, D = _body(at, work, lanes, like)
    if topology[i, KIND] == PRISMATIC:
        put(out, dvdot + iv, iv, nv, scale * mass, shared, lanes, like)
    else:
        ground = load3(work, at + SECOND * lanes, lanes, like)
        put(out, iv, iv, nv, -scale * (h[0] * ground[0] + h[1] * ground[1]), shared, lanes, like)
        put(out, dv + iv, iv, nv, (2.0 * scale) * D[8], shared, lanes, like)
        put(out, dvdot + iv, iv, nv, scale * inertia[2], shared, lanes, like)


@inlined
def _floating_root(i, topology, work, out, shared, lanes, like):
    """Entries of a floating root with itself: I S'', 2 B + I (v x), I, and rows and columns linear first."""
    nv = topology[topology.shape[0] - 1, V]
    dv, dvdot = nv, 2 * nv
    at, iv = i * COMMON_COLUMNS * lanes, topology[i, V]
    iw = iv + 3
    mass, h, inertia, p, D = _body(at, work, lanes, like)
    ground = load3(work, at + SECOND * lanes, lanes, like)
    w, s = load3(work, at + TWIST * lanes, lanes, like), load3(work, at + (TWIST + 3) * lanes, lanes, like)
    xx, yy, zz, xy, xz, yz = inertia
    turned, shifted = skew_product(h, w), skew_product(h, s)
    carried = skew(1.0, plus_scaled(scaled(mass, s), -2.0, p), like)
    put9(out, iv, iw, nv, skew(mass, ground, like), shared, lanes, like)
    put9(out, iw, iw, nv, skew_product(h, ground), shared, lanes, like)
    put9(out, dv + iv, iv, nv, skew(mass, w, like), shared, lanes, like)
    put9(out, dv + iw, iv, nv, turned, shared, lanes, like)
    # inertia times the matrix of w x ..., row by row
    spun = (
        times(skew(-1.0, w, like), (xx, xy, xz))
        + times(skew(-1.0, w, like), (xy, yy, yz))
        + times(skew(-1.0, w, like), (xz, yz, zz))
    )
    for k in range(9):
        row, column = k // 3, k % 3
        put(out, dv + iv + row, iw + column, nv, carried[k] - turned[k], shared, lanes, like)
        moment = 2.0 * D[k] + shifted[k] + spun[k]
        put(out, dv + iw + row, iw + column, nv, moment, shared, lanes, like)
    diagonal = mass, like, like, like, mass, like, like, like, mass
    put9(out, dvdot + iv, iv, nv, diagonal, shared, lanes, like)
    put9(out, dvdot + iv, iw, nv, skew(-1.0, h, like), shared, lanes, like)
    put9(out, dvdot + iw, iv, nv, skew(1.0, h, like), shared, lanes, like)
    put9(out, dvdot + iw, iw, nv, (xx, xy, xz, xy, yy, yz, xz, yz, zz), shared, lanes, like)


@spliced
def recursion(topology, constants, q, v, a, states, work, out, lanes, like):
    """dtau/dq, dtau/dv, dtau/dvdot, each row by row."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    shared = coordinates_are_shared(topology)
    for i in range(n):
        if topology[i, PARENT] == n:
            start_root(i, topology, constants, q, v, a, states, work, lanes, like)
        else:
            start(i, topology, constants, v, a, states, work, lanes, like)
    # q, v and a are not read from here on: out may hold one of them
    zero_first(out, 3 * nv * nv, shared, lanes, like)
    for i in range(n - 1, -1, -1):
        if topology[i, PARENT] < n:
            _pairs(i, topology, constants, work, out, shared, lanes, like)
            at, before = i * COMMON_COLUMNS * lanes, topology[i, PARENT] * COMMON_COLUMNS * lanes
            for k in range(BODY, BODY_END):
                total = load(work, before + k * lanes, like) + load(work, at + k * lanes, like)
                store(work, before + k * lanes, total)
        elif topology[i, KIND] == FLOATING:
            _floating_root(i, topology, work, out, shared, lanes, like)
        else:
            _root(i, topology, constants, work, out, shared, lanes, like)


@kernel()
def inverse_dynamics_derivatives(topology, constants, work, q, v, vdot, out):
    """dtau/dq, dtau/dv, dtau/dvdot in ``out`` (3, nv, nv) of a graph at q, v, vdot.

    Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does.
    """
    n = topology.shape[0] - 1
    nv = topology[n, V]
    if v.shape[0] != nv or vdot.shape[0] != nv:
        return 1
    if out.shape[0] != 3 or out.shape[1] != nv or out.shape[2] != nv:
        return 1
    return single(recursion, COMMON_COLUMNS, topology, constants, work, q, v, vdot, out.reshape(-1))


@kernel(nogil=True)
def inverse_dynamics_derivatives_float64(topology, constants, q, v, vdot, out, checked, zeros, queue):
    """Rows of q, v, vdot -> rows of ``out`` (count, 3 * nv * nv): see :func:`.drivers.batch_float64`."""
    batch_float64(recursion, COMMON_COLUMNS, topology, constants, q, v, vdot, out, checked, zeros, queue)
