"""The mass matrix by composite bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter 6).

A composite body is a body with everything beyond it: mass, m c and second moment J about its origin, in its
aligned frame. One unit of acceleration of joint i takes the wrench of that composite body; carried down to
the ground, its components along the joints on the way are the entries of column i.
"""

from ..drivers import single
from ..layout import (
    ARMATURE,
    ARMATURES,
    FLOATING,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    MULTIPLIER,
    PARENT,
    PRISMATIC,
    SPHERICAL,
    TERMS,
    VELOCITIES,
    V,
)
from ..math.matrix_entries import add_on_diagonal, coordinates_are_shared, put, zero_first
from ..math.vectors import dot, matrix_product, plus_cross, plus_scaled, times
from ..numba_support.compilation import inlined, kernel, spliced
from ..numba_support.memory import load, store
from ..numba_support.neighbours import add3, load3, load6
from ..placement import load_pose, pose_of, store_pose
from ..states import turns_by_quaternion

__all__ = ["COMPOSITE_COLUMNS", "mass_matrix"]

# work, 1-D, n rows: pose as in layout, then the composite body
COMPOSITE = 12  # 10: mass, moment, pseudo-inertia, as in constants from MASS on
COMPOSITE_COLUMNS = 22


@inlined
def _start(i, topology, constants, q, states, work, lanes, like):
    """Pose of body i, and the body alone as its composite."""
    at = i * COMPOSITE_COLUMNS * lanes
    store_pose(work, at, lanes, pose_of(i, topology, constants, q, states, lanes, like))
    for k in range(10):
        store(work, at + (COMPOSITE + k) * lanes, constants[i, MASS + k] + like)


@inlined
def _load_composite(at, work, lanes, like):
    """Mass, m c and second moment (xx yy zz xy xz yz)."""
    return (
        load(work, at + COMPOSITE * lanes, like),
        load3(work, at + (COMPOSITE + MOMENT - MASS) * lanes, lanes, like),
        load6(work, at + (COMPOSITE + INERTIA - MASS) * lanes, lanes, like),
    )


@inlined
def _join_parent(at, before, work, lanes, like):
    """Add the composite body at ``at`` to its parent's: J' = R J R^T + p (R h)^T + (R h) p^T + m p p^T."""
    R, p = load_pose(work, at, lanes, like)
    m, h, J = _load_composite(at, work, lanes, like)
    g = times(R, h)
    xx, yy, zz, xy, xz, yz = J
    a = matrix_product(R, (xx, xy, xz, xy, yy, yz, xz, yz, zz))
    e = plus_scaled(g, m, p)
    store(work, before + COMPOSITE * lanes, load(work, before + COMPOSITE * lanes, like) + m)
    add3(work, before + (COMPOSITE + MOMENT - MASS) * lanes, lanes, like, e)
    inertia = before + (COMPOSITE + INERTIA - MASS) * lanes
    diagonal = (
        dot(a[:3], R[:3]) + p[0] * g[0] + e[0] * p[0],
        dot(a[3:6], R[3:6]) + p[1] * g[1] + e[1] * p[1],
        dot(a[6:], R[6:]) + p[2] * g[2] + e[2] * p[2],
    )
    others = (
        dot(a[:3], R[3:6]) + p[0] * g[1] + e[0] * p[1],
        dot(a[:3], R[6:]) + p[0] * g[2] + e[0] * p[2],
        dot(a[3:6], R[6:]) + p[1] * g[2] + e[1] * p[2],
    )
    add3(work, inertia, lanes, like, diagonal)
    add3(work, inertia + 3 * lanes, lanes, like, others)


@inlined
def _unit_wrench(axis, at, work, lanes, like):
    """Wrench about its origin that accelerates a composite body by one: 0 1 2 along, 3 4 5 about x y z."""
    m, (hx, hy, hz), (xx, yy, zz, xy, xz, yz) = _load_composite(at, work, lanes, like)
    if axis == 0:
        return m, like, like, like, hz, -hy
    if axis == 1:
        return like, m, like, -hz, like, hx
    if axis == 2:
        return like, like, m, hy, -hx, like
    if axis == 3:
        return like, -hz, hy, yy + zz, -xy, -xz
    if axis == 4:
        return hz, like, -hx, -xy, xx + zz, -yz
    return -hy, hx, like, -xz, -yz, xx + yy


@inlined
def _add_entries_before(i, iv, topology, constants, work, matrix, scale, wrench, shared, lanes, like):
    """Carry a wrench of joint i to the ground; its parts along the joints before are entries on both sides.

    ``iv``: the velocity that it belongs to.
    """
    n = topology.shape[0] - 1
    nv = topology[n, V]
    force, moment = wrench[:3], wrench[3:]
    j = i
    while topology[j, PARENT] < n:
        R, p = load_pose(work, j * COMPOSITE_COLUMNS * lanes, lanes, like)
        force, moment = times(R, force), times(R, moment)
        moment = plus_cross(moment, p, force)
        j = topology[j, PARENT]
        jv = topology[j, V]
        if topology[j, KIND] == FLOATING:
            for k, entry in enumerate(force + moment):
                put(matrix, iv, jv + k, nv, scale * entry, shared, lanes, like)
                put(matrix, jv + k, iv, nv, scale * entry, shared, lanes, like)
        elif topology[j, KIND] == SPHERICAL:
            for k, entry in enumerate(moment):
                put(matrix, iv, jv + k, nv, scale * entry, shared, lanes, like)
                put(matrix, jv + k, iv, nv, scale * entry, shared, lanes, like)
        else:
            entry = (scale * constants[j, MULTIPLIER]) * (
                force[2] if topology[j, KIND] == PRISMATIC else moment[2]
            )
            put(matrix, iv, jv, nv, entry, shared, lanes, like)
            put(matrix, jv, iv, nv, entry, shared, lanes, like)


@spliced
def recursion(topology, constants, q, v, a, states, work, matrix, lanes, like):
    """M row by row; v and a are not read."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    shared = coordinates_are_shared(topology)
    zero_first(matrix, nv * nv, shared, lanes, like)
    for i in range(n):
        _start(i, topology, constants, q, states, work, lanes, like)
    for i in range(n - 1, -1, -1):
        at, iv = i * COMPOSITE_COLUMNS * lanes, topology[i, V]
        if turns_by_quaternion(i, topology):
            first = 6 - topology[i, VELOCITIES]
            for axis in range(first, 6):
                wrench = _unit_wrench(axis, at, work, lanes, like)
                for k, entry in enumerate(wrench):
                    if k >= first:
                        put(matrix, iv + k - first, iv + axis - first, nv, entry, shared, lanes, like)
                column = iv + axis - first
                _add_entries_before(
                    i, column, topology, constants, work, matrix, 1.0, wrench, shared, lanes, like
                )
        else:
            prismatic = topology[i, KIND] == PRISMATIC
            scale = constants[i, MULTIPLIER]
            wrench = _unit_wrench(2 if prismatic else 5, at, work, lanes, like)
            own = wrench[2] if prismatic else wrench[5]
            put(matrix, iv, iv, nv, scale * scale * own, shared, lanes, like)
            _add_entries_before(i, iv, topology, constants, work, matrix, scale, wrench, shared, lanes, like)
        if topology[i, PARENT] < n:
            _join_parent(at, topology[i, PARENT] * COMPOSITE_COLUMNS * lanes, work, lanes, like)
    if topology[n, TERMS] & ARMATURES:
        add_on_diagonal(matrix, 0, topology, constants, ARMATURE, lanes, like)


@kernel(forceinline=True)
def mass_matrix(topology, constants, work, q, matrix):
    """M (nv, nv) of a graph at q. Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    if matrix.shape[0] != nv or matrix.shape[1] != nv:
        return 1
    unused = q[:0]
    return single(
        recursion, COMPOSITE_COLUMNS, topology, constants, work, q, unused, unused, matrix.reshape(-1)
    )
