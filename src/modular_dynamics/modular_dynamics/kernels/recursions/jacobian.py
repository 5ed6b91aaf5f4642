"""The jacobian of one link: how fast its origin moves and its axes turn at each joint's unit velocity.

The last row but the ground's is the link's frame, of KIND FIXED (see :mod:`.kinematics`); its MODE says in
whose axes the columns are. In the link's own axes they follow on the way from the link to the ground, which
carries the link's pose in the body that has been reached; in the root link's axes from the bodies' poses.
"""

from ..layout import FLOATING, KIND, MODE, MULTIPLIER, PARENT, POSITION, PRISMATIC, SPHERICAL, V
from ..math.vectors import cross, minus, plus, scaled, times
from ..numba_support.compilation import inlined, spliced
from ..numba_support.memory import load, store
from ..numba_support.neighbours import load3, row3
from ..placement import composed, fixed_pose, load_axis, load_pose, pose_of
from ..states import turns_by_quaternion
from .kinematics import POSE_COLUMNS, place_body

__all__ = ["LINK_AXES", "ROOT_AXES", "recursion"]

ROOT_AXES, LINK_AXES = 0, 1  # MODE of the link's row


@inlined
def _add(out, row, column, nv, vector, lanes, like):
    """Add a vector to rows ``row`` ... of a column: mimic joints share it with their driver."""
    at, next_row = (row * nv + column) * lanes, nv * lanes
    store(out, at, load(out, at, like) + vector[0])
    store(out, at + next_row, load(out, at + next_row, like) + vector[1])
    store(out, at + 2 * next_row, load(out, at + 2 * next_row, like) + vector[2])


@inlined
def _in_link_axes(topology, constants, q, states, out, lanes, like):
    n = topology.shape[0] - 1
    nv = topology[n, V]
    pose = fixed_pose(n - 1, constants, like)
    i = topology[n - 1, PARENT]
    while i < n:
        # the link in body i's frame; rows of R are body i's axes in the link's
        R, (px, py, pz) = pose
        x, y, z = R[:3], R[3:6], R[6:]
        iv = topology[i, V]
        if turns_by_quaternion(i, topology):
            about = iv
            if topology[i, KIND] == FLOATING:
                for k, axis in enumerate((x, y, z)):
                    _add(out, 0, iv + k, nv, axis, lanes, like)
                about = iv + 3
            for k, axis in enumerate((x, y, z)):
                _add(out, 3, about + k, nv, axis, lanes, like)
            # each axis x P
            _add(out, 0, about, nv, minus(scaled(py, z), scaled(pz, y)), lanes, like)
            _add(out, 0, about + 1, nv, minus(scaled(pz, x), scaled(px, z)), lanes, like)
            _add(out, 0, about + 2, nv, minus(scaled(px, y), scaled(py, x)), lanes, like)
        else:
            scale = constants[i, MULTIPLIER]
            axis = scaled(scale, z)
            if topology[i, KIND] == PRISMATIC:
                _add(out, 0, iv, nv, axis, lanes, like)
            else:
                _add(out, 0, iv, nv, minus(scaled(scale * px, y), scaled(scale * py, x)), lanes, like)
                _add(out, 3, iv, nv, axis, lanes, like)
        j = topology[i, PARENT]
        if j < n:
            pose = composed(pose_of(i, topology, constants, q, states, lanes, like), pose)
        i = j


@inlined
def _in_root_axes(topology, constants, q, states, work, out, lanes, like):
    n = topology.shape[0] - 1
    nv = topology[n, V]
    link = n - 1
    for i in range(link):
        place_body(i, topology, constants, q, states, work, lanes, like)
    i = topology[link, PARENT]
    origin = like, like, like  # of the link
    if i < n:
        R, p = load_pose(work, i * POSE_COLUMNS * lanes, lanes, like)
        origin = plus(p, times(R, row3(constants, link, POSITION)))
    while i < n:
        at, iv = i * POSE_COLUMNS * lanes, topology[i, V]
        arm = minus(origin, load3(work, at + 9 * lanes, lanes, like))
        floating, spherical = topology[i, KIND] == FLOATING, topology[i, KIND] == SPHERICAL
        for k in range(0 if floating or spherical else 2, 3):
            axis = load_axis(work, at, k, lanes, like)
            column = iv
            if floating:
                _add(out, 0, iv + k, nv, axis, lanes, like)
                column = iv + 3 + k
            elif spherical:
                column = iv + k
            else:
                axis = scaled(constants[i, MULTIPLIER], axis)
            if topology[i, KIND] == PRISMATIC:
                _add(out, 0, column, nv, axis, lanes, like)
            else:
                _add(out, 0, column, nv, cross(axis, arm), lanes, like)
                _add(out, 3, column, nv, axis, lanes, like)
        i = topology[i, PARENT]


@spliced
def recursion(topology, constants, q, v, a, states, work, out, lanes, like):
    """J row by row; v and a are not read."""
    n = topology.shape[0] - 1
    for k in range(6 * topology[n, V]):
        store(out, k * lanes, like)
    if topology[n - 1, MODE] == LINK_AXES:
        _in_link_axes(topology, constants, q, states, out, lanes, like)
    else:
        _in_root_axes(topology, constants, q, states, work, out, lanes, like)
