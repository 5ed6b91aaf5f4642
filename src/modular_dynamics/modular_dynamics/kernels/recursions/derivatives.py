"""Derivatives of inverse dynamics with respect to q, v and vdot.

The closed forms of Singh, Russell & Wensing (2022), "Efficient analytical derivatives of rigid-body dynamics
using spatial vector algebra". With axes and rates S, S', S'' as in :mod:`.common_frame`, I, B and f summed
over joint i's body and all beyond it, and for each joint j on the way from i to the ground:

    dtau_i/dq_j = S_i^T (2 B S_j' + I S_j'')        dtau_j/dq_i = S_j^T (2 B S_i' + I S_i'' + S_i x* f)
    dtau_i/dv_j = 2 S_i^T (B S_j + I S_j')          dtau_j/dv_i = 2 S_j^T (B S_i + I S_i')
    dtau_i/dvdot_j = dtau_j/dvdot_i = S_i^T I S_j

Where joint i has several axes, the first form holds for each pair of them, without S_i x* f; and as its
axes are carried along by its own velocity, too, in derivatives with respect to v stands the mean of S' and
v_i x S for S'.

All is in one frame, so a pair costs dot products of vectors known before. The root, whose S' is zero and
whose S is a unit vector there, costs even less; a floating one has the unit matrix as its S, a spherical
one half of it.
"""

from ..layout import (
    ARMATURE,
    ARMATURES,
    DAMPING,
    FLOATING,
    FRICTIONS,
    KIND,
    MULTIPLIER,
    PARENT,
    PRISMATIC,
    SPHERICAL,
    SPRINGS,
    STIFFNESS,
    TERMS,
    VELOCITIES,
    V,
)
from ..math.matrix_entries import add_on_diagonal, coordinates_are_shared, put, put9, zero_first
from ..math.vectors import matrix_product, plus_scaled, scaled, skew, skew_product, times
from ..numba_support.compilation import inlined, spliced
from ..numba_support.memory import load, store
from ..numba_support.neighbours import load3
from ..states import turns_by_quaternion
from .common_frame import (
    BODY,
    BODY_END,
    COMMON_COLUMNS,
    SECOND,
    TWIST,
    start,
    start_by_quaternion,
    start_root,
)
from .derivative_pairs import load_body, pairs, store_axis

__all__ = ["recursion"]


@inlined
def _root(i, topology, constants, work, out, shared, lanes, like):
    """Entries of a root of one degree of freedom with itself."""
    nv = topology[topology.shape[0] - 1, V]
    dv, dvdot = nv, 2 * nv
    at, iv = i * COMMON_COLUMNS * lanes, topology[i, V]
    scale = constants[i, MULTIPLIER] * constants[i, MULTIPLIER]
    mass, h, inertia, _, D = load_body(at, work, lanes, like)
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
    mass, h, inertia, p, D = load_body(at, work, lanes, like)
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


@inlined
def _spherical_root(i, topology, work, out, shared, lanes, like):
    """Entries of a spherical root with itself: the angular ones of a floating root that does not shift."""
    nv = topology[topology.shape[0] - 1, V]
    at, iv = i * COMMON_COLUMNS * lanes, topology[i, V]
    _, h, (xx, yy, zz, xy, xz, yz), _, D = load_body(at, work, lanes, like)
    ground, w = load3(work, at + SECOND * lanes, lanes, like), load3(work, at + TWIST * lanes, lanes, like)
    inertia = xx, xy, xz, xy, yy, yz, xz, yz, zz
    spun = matrix_product(inertia, skew(1.0, w, like))
    put9(out, iv, iv, nv, skew_product(h, ground), shared, lanes, like)
    for k in range(9):
        put(out, nv + iv + k // 3, iv + k % 3, nv, 2.0 * D[k] + spun[k], shared, lanes, like)
    put9(out, 2 * nv + iv, iv, nv, inertia, shared, lanes, like)


@spliced
def recursion(topology, constants, q, v, a, states, work, out, lanes, like):
    """dtau/dq, dtau/dv, dtau/dvdot, each row by row."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    shared = coordinates_are_shared(topology)
    for i in range(n):
        if topology[i, PARENT] == n:
            start_root(i, topology, constants, q, v, a, states, work, lanes, like)
        elif turns_by_quaternion(i, topology):
            start_by_quaternion(i, topology, constants, q, v, a, states, work, lanes, like)
        else:
            start(i, topology, constants, v, a, states, work, lanes, like)
    # q, v and a are not read from here on: out may hold one of them
    zero_first(out, 3 * nv * nv, shared, lanes, like)
    if topology[n, TERMS] != 0:
        for k in range(2 * nv):  # of prismatic roots nothing else writes them
            store(out, (k * nv + k % nv) * lanes, like)
    for i in range(n - 1, -1, -1):
        if topology[i, PARENT] < n:
            by_quaternion = turns_by_quaternion(i, topology)
            for k in range(topology[i, VELOCITIES] if by_quaternion else 1):
                if by_quaternion:
                    store_axis(i, k, topology, work, lanes, like)
                pairs(i, topology[i, V] + k, topology, constants, work, out, shared, lanes, like)
            at, before = i * COMMON_COLUMNS * lanes, topology[i, PARENT] * COMMON_COLUMNS * lanes
            for k in range(BODY, BODY_END):
                total = load(work, before + k * lanes, like) + load(work, at + k * lanes, like)
                store(work, before + k * lanes, total)
        elif topology[i, KIND] == FLOATING:
            _floating_root(i, topology, work, out, shared, lanes, like)
        elif topology[i, KIND] == SPHERICAL:
            _spherical_root(i, topology, work, out, shared, lanes, like)
        else:
            _root(i, topology, constants, work, out, shared, lanes, like)
    if topology[n, TERMS] & SPRINGS:
        add_on_diagonal(out, 0, topology, constants, STIFFNESS, lanes, like)
    if topology[n, TERMS] & FRICTIONS:
        add_on_diagonal(out, nv, topology, constants, DAMPING, lanes, like)
    if topology[n, TERMS] & ARMATURES:
        add_on_diagonal(out, 2 * nv, topology, constants, ARMATURE, lanes, like)
