"""The jacobian of one link: how fast its origin moves and its axes turn at each joint's unit velocity.

The last row but the ground's is the link's frame, of KIND FIXED (see :mod:`.kinematics`); its MODE says in
whose axes the columns are. In the link's own axes they follow on the way from the link to the ground, which
carries the link's pose in the body that has been reached; in the root link's axes from the bodies' poses.
"""

from numba import float64, int64, njit

from ..drivers import batch_float64, single
from ..layout import FLOATING, KIND, MODE, MULTIPLIER, PARENT, POSITION, PRISMATIC, V
from ..numba_support.compilation import kernel
from ..numba_support.lanes import FAST
from ..numba_support.memory import load, load3, store
from ..placement import load_pose, pose_of
from ..states import all_finite
from .kinematics import POSE_COLUMNS, composed, fixed_pose, place_body

__all__ = ["LINK_AXES", "ROOT_AXES", "SIGNATURE", "jacobian", "jacobian_float64"]

ROOT_AXES, LINK_AXES = 0, 1  # MODE of the link's row


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def _add(out, row, column, nv, x, y, z, lanes, like):
    """Add a vector to rows ``row`` ... of a column: mimic joints share it with their driver."""
    at, next_row = (row * nv + column) * lanes, nv * lanes
    store(out, at, load(out, at, like) + x)
    store(out, at + next_row, load(out, at + next_row, like) + y)
    store(out, at + 2 * next_row, load(out, at + 2 * next_row, like) + z)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _in_link_axes(topology, constants, q, states, out, lanes, like):
    n = topology.shape[0] - 1
    nv = topology[n, V]
    pose = fixed_pose(n - 1, constants, like)
    i = topology[n - 1, PARENT]
    while i < n:
        # the link in body i's frame; rows of R are body i's axes in the link's
        r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz = pose
        iv = topology[i, V]
        if topology[i, KIND] == FLOATING:
            _add(out, 0, iv, nv, r0, r1, r2, lanes, like)
            _add(out, 0, iv + 1, nv, r3, r4, r5, lanes, like)
            _add(out, 0, iv + 2, nv, r6, r7, r8, lanes, like)
            _add(out, 0, iv + 3, nv, py * r6 - pz * r3, py * r7 - pz * r4, py * r8 - pz * r5, lanes, like)
            _add(out, 0, iv + 4, nv, pz * r0 - px * r6, pz * r1 - px * r7, pz * r2 - px * r8, lanes, like)
            _add(out, 0, iv + 5, nv, px * r3 - py * r0, px * r4 - py * r1, px * r5 - py * r2, lanes, like)
            _add(out, 3, iv + 3, nv, r0, r1, r2, lanes, like)
            _add(out, 3, iv + 4, nv, r3, r4, r5, lanes, like)
            _add(out, 3, iv + 5, nv, r6, r7, r8, lanes, like)
        else:
            scale = constants[i, MULTIPLIER]
            zx, zy, zz = scale * r6, scale * r7, scale * r8
            if topology[i, KIND] == PRISMATIC:
                _add(out, 0, iv, nv, zx, zy, zz, lanes, like)
            else:
                sx, sy = scale * px, scale * py  # z x P
                _add(out, 0, iv, nv, sx * r3 - sy * r0, sx * r4 - sy * r1, sx * r5 - sy * r2, lanes, like)
                _add(out, 3, iv, nv, zx, zy, zz, lanes, like)
        j = topology[i, PARENT]
        if j < n:
            pose = composed(pose_of(i, topology, constants, q, states, lanes, like), pose)
        i = j


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _in_root_axes(topology, constants, q, states, work, out, lanes, like):
    n = topology.shape[0] - 1
    nv = topology[n, V]
    link = n - 1
    for i in range(link):
        place_body(i, topology, constants, q, states, work, lanes, like)
    i = topology[link, PARENT]
    ox, oy, oz = like, like, like
    if i < n:  # the link's origin
        r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz = load_pose(
            work, i * POSE_COLUMNS * lanes, lanes, like
        )
        cx, cy, cz = constants[link, POSITION], constants[link, POSITION + 1], constants[link, POSITION + 2]
        ox = px + r0 * cx + r1 * cy + r2 * cz
        oy = py + r3 * cx + r4 * cy + r5 * cz
        oz = pz + r6 * cx + r7 * cy + r8 * cz
    while i < n:
        at, iv = i * POSE_COLUMNS * lanes, topology[i, V]
        px, py, pz = load3(work, at + 9 * lanes, lanes, like)
        dx, dy, dz = ox - px, oy - py, oz - pz
        floating = topology[i, KIND] == FLOATING
        for axis in range(0 if floating else 2, 3):
            zx = load(work, at + axis * lanes, like)
            zy = load(work, at + (axis + 3) * lanes, like)
            zz = load(work, at + (axis + 6) * lanes, like)
            column = iv
            if floating:
                _add(out, 0, iv + axis, nv, zx, zy, zz, lanes, like)
                column = iv + 3 + axis
            else:
                scale = constants[i, MULTIPLIER]
                zx, zy, zz = scale * zx, scale * zy, scale * zz
            if topology[i, KIND] == PRISMATIC:
                _add(out, 0, column, nv, zx, zy, zz, lanes, like)
            else:
                lx, ly, lz = zy * dz - zz * dy, zz * dx - zx * dz, zx * dy - zy * dx
                _add(out, 0, column, nv, lx, ly, lz, lanes, like)
                _add(out, 3, column, nv, zx, zy, zz, lanes, like)
        i = topology[i, PARENT]


@njit(inline="always", fastmath=FAST, error_model="numpy")
def recursion(topology, constants, q, v, a, states, work, out, lanes, like):
    """J row by row; v and a are not read."""
    n = topology.shape[0] - 1
    for k in range(6 * topology[n, V]):
        store(out, k * lanes, like)
    if topology[n - 1, MODE] == LINK_AXES:
        _in_link_axes(topology, constants, q, states, out, lanes, like)
    else:
        _in_root_axes(topology, constants, q, states, work, out, lanes, like)


#: Of :func:`jacobian`, for :func:`.compilation.make_ready`.
SIGNATURE = int64(int64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[:, ::1])


@kernel(fastmath=FAST, error_model="numpy")
def jacobian(topology, constants, work, q, out):
    """J (6, nv) of a graph's link at q. Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does."""
    nv = topology[topology.shape[0] - 1, V]
    if out.shape[0] != 6 or out.shape[1] != nv:
        return 1
    flat, none = out.reshape(6 * nv), q[:0]
    if single(recursion, POSE_COLUMNS, topology, constants, work, q, none, none, flat) != 0:
        return 1
    return 0 if all_finite(flat) else 2


@kernel(nogil=True, fastmath=FAST, error_model="numpy")
def jacobian_float64(topology, constants, q, v, a, out, known, blank, turns):
    """Rows of q -> rows of 6 nv numbers: see :func:`.drivers.batch_float64`."""
    batch_float64(recursion, POSE_COLUMNS, topology, constants, q, v, a, out, known, blank, turns)
