"""The mass matrix by composite bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter 6).

A composite body is a body with everything beyond it: mass, m c and second moment J about its origin, in its
aligned frame. One unit of acceleration of joint i takes the wrench of that composite body; carried down to
the ground, its components along the joints on the way are the entries of column i.
"""

from numba import float64, int64, njit

from ..drivers import batch_float64, single
from ..layout import FLOATING, INERTIA, KIND, MASS, MOMENT, MULTIPLIER, PARENT, PRISMATIC, V
from ..math.matrix_entries import put, sharing, zero_first
from ..numba_support.compilation import kernel
from ..numba_support.lanes import FAST
from ..numba_support.memory import load, load3, store, store3
from ..placement import load_pose, pose_of, store_pose
from ..states import all_finite

__all__ = ["COMPOSITE_COLUMNS", "SIGNATURE", "mass_matrix", "mass_matrix_float64"]

# work, 1-D, n rows: pose as in layout, then the composite body
COMPOSITE = 12  # 10: mass, moment, pseudo-inertia, as in constants from MASS on
COMPOSITE_COLUMNS = 22


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _start(i, topology, constants, q, states, work, lanes, like):
    """Pose of body i, and the body alone as its composite."""
    at = i * COMPOSITE_COLUMNS * lanes
    store_pose(work, at, lanes, pose_of(i, topology, constants, q, states, lanes, like))
    for k in range(10):
        store(work, at + (COMPOSITE + k) * lanes, constants[i, MASS + k] + like)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _join_parent(at, before, work, lanes, like):
    """Add the composite body at ``at`` to its parent's: J' = R J R^T + p (R h)^T + (R h) p^T + m p p^T."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz = load_pose(work, at, lanes, like)
    m = load(work, at + COMPOSITE * lanes, like)
    hx, hy, hz = load3(work, at + (COMPOSITE + MOMENT - MASS) * lanes, lanes, like)
    xx, yy, zz = load3(work, at + (COMPOSITE + INERTIA - MASS) * lanes, lanes, like)
    xy, xz, yz = load3(work, at + (COMPOSITE + INERTIA - MASS + 3) * lanes, lanes, like)
    gx, gy, gz = r0 * hx + r1 * hy + r2 * hz, r3 * hx + r4 * hy + r5 * hz, r6 * hx + r7 * hy + r8 * hz
    a0, a1, a2 = r0 * xx + r1 * xy + r2 * xz, r0 * xy + r1 * yy + r2 * yz, r0 * xz + r1 * yz + r2 * zz
    a3, a4, a5 = r3 * xx + r4 * xy + r5 * xz, r3 * xy + r4 * yy + r5 * yz, r3 * xz + r4 * yz + r5 * zz
    a6, a7, a8 = r6 * xx + r7 * xy + r8 * xz, r6 * xy + r7 * yy + r8 * yz, r6 * xz + r7 * yz + r8 * zz
    ex, ey, ez = gx + m * px, gy + m * py, gz + m * pz
    store(work, before + COMPOSITE * lanes, load(work, before + COMPOSITE * lanes, like) + m)
    moment = before + (COMPOSITE + MOMENT - MASS) * lanes
    ux, uy, uz = load3(work, moment, lanes, like)
    store3(work, moment, lanes, ux + ex, uy + ey, uz + ez)
    inertia = before + (COMPOSITE + INERTIA - MASS) * lanes
    ux, uy, uz = load3(work, inertia, lanes, like)
    ux = ux + (a0 * r0 + a1 * r1 + a2 * r2 + px * gx + ex * px)
    uy = uy + (a3 * r3 + a4 * r4 + a5 * r5 + py * gy + ey * py)
    uz = uz + (a6 * r6 + a7 * r7 + a8 * r8 + pz * gz + ez * pz)
    store3(work, inertia, lanes, ux, uy, uz)
    ux, uy, uz = load3(work, inertia + 3 * lanes, lanes, like)
    ux = ux + (a0 * r3 + a1 * r4 + a2 * r5 + px * gy + ex * py)
    uy = uy + (a0 * r6 + a1 * r7 + a2 * r8 + px * gz + ex * pz)
    uz = uz + (a3 * r6 + a4 * r7 + a5 * r8 + py * gz + ey * pz)
    store3(work, inertia + 3 * lanes, lanes, ux, uy, uz)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _unit_wrench(axis, at, work, lanes, like):
    """Wrench about its origin that accelerates a composite body by one: 0 1 2 along, 3 4 5 about x y z."""
    m = load(work, at + COMPOSITE * lanes, like)
    hx, hy, hz = load3(work, at + (COMPOSITE + MOMENT - MASS) * lanes, lanes, like)
    xx, yy, zz = load3(work, at + (COMPOSITE + INERTIA - MASS) * lanes, lanes, like)
    xy, xz, yz = load3(work, at + (COMPOSITE + INERTIA - MASS + 3) * lanes, lanes, like)
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


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _down(i, topology, constants, work, matrix, scale, iv, wrench, shared, lanes, like):
    """Carry joint i's wrench to the ground; its parts along the joints before are entries on both sides."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    fx, fy, fz, mx, my, mz = wrench
    j = i
    while topology[j, PARENT] < n:
        r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz = load_pose(
            work, j * COMPOSITE_COLUMNS * lanes, lanes, like
        )
        gx, gy, gz = r0 * fx + r1 * fy + r2 * fz, r3 * fx + r4 * fy + r5 * fz, r6 * fx + r7 * fy + r8 * fz
        mx, my, mz = (
            r0 * mx + r1 * my + r2 * mz + py * gz - pz * gy,
            r3 * mx + r4 * my + r5 * mz + pz * gx - px * gz,
            r6 * mx + r7 * my + r8 * mz + px * gy - py * gx,
        )
        fx, fy, fz = gx, gy, gz
        j = topology[j, PARENT]
        jv = topology[j, V]
        if topology[j, KIND] == FLOATING:
            for k, entry in enumerate((fx, fy, fz, mx, my, mz)):
                put(matrix, iv, jv + k, nv, scale * entry, shared, lanes, like)
                put(matrix, jv + k, iv, nv, scale * entry, shared, lanes, like)
        else:
            entry = (scale * constants[j, MULTIPLIER]) * (fz if topology[j, KIND] == PRISMATIC else mz)
            put(matrix, iv, jv, nv, entry, shared, lanes, like)
            put(matrix, jv, iv, nv, entry, shared, lanes, like)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def recursion(topology, constants, q, v, a, states, work, matrix, lanes, like):
    """M row by row; v and a are not read."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    shared = sharing(topology)
    zero_first(matrix, nv * nv, shared, lanes, like)
    for i in range(n):
        _start(i, topology, constants, q, states, work, lanes, like)
    for i in range(n - 1, -1, -1):
        at, iv = i * COMPOSITE_COLUMNS * lanes, topology[i, V]
        if topology[i, KIND] == FLOATING:  # on the ground: nothing is before it
            for axis in range(6):
                wrench = _unit_wrench(axis, at, work, lanes, like)
                for k, entry in enumerate(wrench):
                    put(matrix, iv + k, iv + axis, nv, entry, shared, lanes, like)
        else:
            prismatic = topology[i, KIND] == PRISMATIC
            scale = constants[i, MULTIPLIER]
            wrench = _unit_wrench(2 if prismatic else 5, at, work, lanes, like)
            own = wrench[2] if prismatic else wrench[5]
            put(matrix, iv, iv, nv, scale * scale * own, shared, lanes, like)
            _down(i, topology, constants, work, matrix, scale, iv, wrench, shared, lanes, like)
        if topology[i, PARENT] < n:
            _join_parent(at, topology[i, PARENT] * COMPOSITE_COLUMNS * lanes, work, lanes, like)


#: Of :func:`mass_matrix`, for :func:`.compilation.make_ready`.
SIGNATURE = int64(int64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[:, ::1])


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def mass_matrix_inline(topology, constants, work, q, matrix):
    """M (nv, nv) of a graph at q. Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does."""
    n = topology.shape[0] - 1
    nv = topology[n, V]
    if matrix.shape[0] != nv or matrix.shape[1] != nv:
        return 1
    out, none = matrix.reshape(nv * nv), q[:0]
    if single(recursion, COMPOSITE_COLUMNS, topology, constants, work, q, none, none, out) != 0:
        return 1
    return 0 if all_finite(out) else 2


@kernel(fastmath=FAST, error_model="numpy")
def mass_matrix(topology, constants, work, q, matrix):
    """:func:`mass_matrix_inline`, called from Python."""
    return mass_matrix_inline(topology, constants, work, q, matrix)


@kernel(nogil=True, fastmath=FAST, error_model="numpy")
def mass_matrix_float64(topology, constants, q, v, a, matrices, known, blank, turns):
    """Rows of q -> matrices (count, nv * nv): see :func:`.drivers.batch_float64`; v and a have no columns."""
    batch_float64(recursion, COMPOSITE_COLUMNS, topology, constants, q, v, a, matrices, known, blank, turns)
