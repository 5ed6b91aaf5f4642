"""The centroidal momentum matrix A: [linear; angular] momentum about the centre of mass = A v.

Composite bodies in the root link's frame (Orin, Goswami & Lee, Centroidal dynamics of a humanoid robot,
2013): column j is the momentum of everything beyond joint j when it moves with unit velocity,

    l = m (u - o x w) + w x h,  k = I w + h x (u - o x w) - c x l,   h = sum m x,  I = sum m (x.x 1 - x x^T),

with the joint's twist (w about o, u along) and c the centre of mass of all.
"""

from ..drivers import batch_float64, single
from ..layout import FLOATING, INERTIA, KIND, MASS, MOMENT, MULTIPLIER, PARENT, PRISMATIC, REVOLUTE, V
from ..math.matrix_entries import coordinates_are_shared, put, zero_first
from ..math.vectors import (
    cross,
    crosses,
    dot,
    matrix_product,
    plus,
    plus_scaled,
    scaled,
    symmetric_times,
    times,
)
from ..numba_support.compilation import inlined, kernel, spliced
from ..numba_support.memory import load, store
from ..numba_support.neighbours import add3, load3, load6, row3, row6
from ..placement import composed, load_axis, load_pose, pose_of, store_pose

__all__ = ["MOMENTUM_COLUMNS", "momentum_matrix", "momentum_matrix_float64"]

# work, 1-D, n + 1 rows: pose (R, p), then the composite body about the root's origin; the ground's is of all
COMPOSITE = 12  # 10: mass, first moment, second moment xx yy zz xy xz yz
MOMENTUM_COLUMNS = 22


@inlined
def _start(i, topology, constants, q, states, work, lanes, like):
    """Pose of body i, and the body alone as its composite: J' = R J R^T + p (R h)^T + e p^T."""
    at = i * MOMENTUM_COLUMNS * lanes
    pose = pose_of(i, topology, constants, q, states, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:
        before = topology[i, PARENT] * MOMENTUM_COLUMNS * lanes
        pose = composed(load_pose(work, before, lanes, like), pose)
    store_pose(work, at, lanes, pose)
    R, p = pose
    mass, g = constants[i, MASS], times(R, row3(constants, i, MOMENT))
    e = plus_scaled(g, mass, p)
    xx, yy, zz, xy, xz, yz = row6(constants, i, INERTIA)
    a = matrix_product(R, (xx, xy, xz, xy, yy, yz, xz, yz, zz))
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
    first = at + COMPOSITE * lanes
    store(work, first, mass + like)
    for k in range(3):
        store(work, first + (1 + k) * lanes, e[k])
        store(work, first + (4 + k) * lanes, diagonal[k])
        store(work, first + (7 + k) * lanes, others[k])


@inlined
def _join_parent(i, topology, work, lanes, like):
    at = (i * MOMENTUM_COLUMNS + COMPOSITE) * lanes
    before = (topology[i, PARENT] * MOMENTUM_COLUMNS + COMPOSITE) * lanes
    store(work, before, load(work, before, like) + load(work, at, like))
    for k in range(1, 10, 3):
        add3(work, before + k * lanes, lanes, like, load3(work, at + k * lanes, lanes, like))


@inlined
def _column(column, linear, omega, at, centre, nv, work, out, shared, lanes, like):
    """Momentum of the composite body at ``at`` for the twist (omega, velocity at the root's origin)."""
    first = at + COMPOSITE * lanes
    mass, h = load(work, first, like), load3(work, first + lanes, lanes, like)
    xx, yy, zz, xy, xz, yz = load6(work, first + 4 * lanes, lanes, like)
    inertia = yy + zz, xx + zz, xx + yy, -xy, -xz, -yz
    momentum = plus_scaled(cross(omega, h), mass, linear)
    about = plus(symmetric_times(inertia, omega), crosses(h, linear, momentum, centre))
    for k in range(3):
        put(out, k, column, nv, momentum[k], shared, lanes, like)
        put(out, 3 + k, column, nv, about[k], shared, lanes, like)


@inlined
def _columns(i, topology, constants, centre, work, out, shared, lanes, like):
    """The columns of joint i."""
    at, iv, nv = i * MOMENTUM_COLUMNS * lanes, topology[i, V], topology[topology.shape[0] - 1, V]
    zero, origin = (like, like, like), load3(work, at + 9 * lanes, lanes, like)
    kind = topology[i, KIND]
    if kind in (REVOLUTE, PRISMATIC):
        axis = scaled(constants[i, MULTIPLIER], load_axis(work, at, 2, lanes, like))
        if kind == PRISMATIC:
            _column(iv, axis, zero, at, centre, nv, work, out, shared, lanes, like)
        else:
            _column(iv, cross(origin, axis), axis, at, centre, nv, work, out, shared, lanes, like)
    else:
        about = iv + 3 if kind == FLOATING else iv
        for k in range(3):
            axis = load_axis(work, at, k, lanes, like)
            if kind == FLOATING:
                _column(iv + k, axis, zero, at, centre, nv, work, out, shared, lanes, like)
            _column(about + k, cross(origin, axis), axis, at, centre, nv, work, out, shared, lanes, like)


@spliced
def recursion(topology, constants, q, v, a, states, work, out, lanes, like):
    """A row by row; v and a are not read."""
    n = topology.shape[0] - 1
    shared = coordinates_are_shared(topology)
    zero_first(out, 6 * topology[n, V], shared, lanes, like)
    ground = (n * MOMENTUM_COLUMNS + COMPOSITE) * lanes
    for k in range(10):
        store(work, ground + k * lanes, like)
    for i in range(n):
        _start(i, topology, constants, q, states, work, lanes, like)
    for i in range(n - 1, -1, -1):
        _join_parent(i, topology, work, lanes, like)
    centre = scaled(1.0 / load(work, ground, like), load3(work, ground + lanes, lanes, like))
    for i in range(n):
        _columns(i, topology, constants, centre, work, out, shared, lanes, like)


@kernel()
def momentum_matrix(topology, constants, work, q, out):
    """A (6, nv) of a graph at q. Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does."""
    nv = topology[topology.shape[0] - 1, V]
    if out.shape[0] != 6 or out.shape[1] != nv:
        return 1
    unused = q[:0]
    return single(recursion, MOMENTUM_COLUMNS, topology, constants, work, q, unused, unused, out.reshape(-1))


@kernel(nogil=True)
def momentum_matrix_float64(topology, constants, q, v, a, out, checked, zeros, queue):
    """Rows of q -> rows of 6 nv numbers: see :func:`.drivers.batch_float64`."""
    batch_float64(recursion, MOMENTUM_COLUMNS, topology, constants, q, v, a, out, checked, zeros, queue)
