"""Closed loops on a tree: what their closing conditions leave open, the Jacobian, and its own motion.

Every condition is a row. With P and S the anchor frames on a loop's predecessor and successor, r the origin
of S in P, and R the rotation P <- S, a row is one of

    ALONG     d . r               d fixed in P: no displacement along d
    ACROSS    n . R a             n fixed in P, a in S: the two stay perpendicular
    DISTANCE  |r|                 no condition, but the length of a spring
    COUPLING  q_j - c q_k - o     a gear; further drivers k add their own c q_k

Its rate is J v, and its second derivative J vdot + gamma. The multiplier of ALONG is a force along d at the
origin of S, that of ACROSS a moment along (R a) x n, both on the successor; the predecessor bears the
opposite.
"""

import math

from numba import njit

from .kinematics import POSE_COLUMNS, place_body
from .lanes import FAST
from .layout import FLOATING, KIND, MULTIPLIER, PARENT, PRISMATIC, V
from .memory import zero_float64
from .vectors import cross, dot, plus, plus_scaled, times, transposed_times

__all__ = ["ACROSS", "ALONG", "COUPLING", "DISTANCE", "MOTION_COLUMNS", "cut_wrenches", "motions", "rows_at"]

ALONG, ACROSS, DISTANCE, COUPLING = range(4)  # kinds of rows

# work, 1-D: n rows of poses (kinematics), behind them n rows of
OMEGA = 0  # 3: angular velocity
LINEAR = 3  # 3: velocity of the origin
ALPHA = 6  # 3: angular acceleration, and ...
PUSH = 9  # 3: ... acceleration of the origin, both without vdot
MOTION_COLUMNS = POSE_COLUMNS + 12


@njit(inline="always")
def _minus(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@njit(inline="always")
def _three(array, at):
    return array[at], array[at + 1], array[at + 2]


@njit(inline="always")
def _put(array, at, a):
    array[at], array[at + 1], array[at + 2] = a


@njit(inline="always")
def _turned(m, at, a):
    """The rotation in work at ``at`` times a."""
    return (
        m[at] * a[0] + m[at + 1] * a[1] + m[at + 2] * a[2],
        m[at + 3] * a[0] + m[at + 4] * a[1] + m[at + 5] * a[2],
        m[at + 6] * a[0] + m[at + 7] * a[1] + m[at + 8] * a[2],
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def motions(topology, constants, q, v, states, work):
    """Poses and motions of all bodies in the root link's frame, outward; vdot = 0, no gravity."""
    n = topology.shape[0] - 1
    for i in range(n):
        place_body(i, topology, constants, q, states, work, 1, zero_float64())
        at, mine = i * POSE_COLUMNS, n * POSE_COLUMNS + i * 12
        origin = _three(work, at + 9)
        parent = topology[i, PARENT]
        omega = linear = alpha = push = (0.0, 0.0, 0.0)
        if parent < n:
            before = n * POSE_COLUMNS + parent * 12
            omega, alpha = _three(work, before + OMEGA), _three(work, before + ALPHA)
            arm = _minus(origin, _three(work, parent * POSE_COLUMNS + 9))
            swing = cross(omega, arm)
            linear = plus(_three(work, before + LINEAR), swing)
            push = plus(plus(_three(work, before + PUSH), cross(alpha, arm)), cross(omega, swing))
        iv = topology[i, V]
        if topology[i, KIND] == FLOATING:  # on the ground
            linear, omega = _turned(work, at, _three(v, iv)), _turned(work, at, _three(v, iv + 3))
            push = cross(omega, linear)
        else:
            axis = work[at + 2], work[at + 5], work[at + 8]
            rate = constants[i, MULTIPLIER] * v[iv]
            swung = cross(omega, axis)
            if topology[i, KIND] == PRISMATIC:
                linear, push = plus_scaled(linear, rate, axis), plus_scaled(push, 2.0 * rate, swung)
            else:
                omega, alpha = plus_scaled(omega, rate, axis), plus_scaled(alpha, rate, swung)
        _put(work, mine + OMEGA, omega)
        _put(work, mine + LINEAR, linear)
        _put(work, mine + ALPHA, alpha)
        _put(work, mine + PUSH, push)


@njit(inline="always")
def _anchor(body, n, frame, work):
    """Rotation and origin of an anchor in the root link's frame, and its body's and its own motion."""
    r = frame[0], frame[1], frame[2], frame[3], frame[4], frame[5], frame[6], frame[7], frame[8]
    origin = frame[9], frame[10], frame[11]
    zero = 0.0, 0.0, 0.0
    if body == n:
        return r, origin, zero, zero, zero, zero
    at, mine = body * POSE_COLUMNS, n * POSE_COLUMNS + body * 12
    x, y, z = (
        _turned(work, at, (r[0], r[3], r[6])),
        _turned(work, at, (r[1], r[4], r[7])),
        _turned(work, at, (r[2], r[5], r[8])),
    )
    arm = _turned(work, at, origin)
    omega, alpha = _three(work, mine + OMEGA), _three(work, mine + ALPHA)
    swing = cross(omega, arm)
    velocity = plus(_three(work, mine + LINEAR), swing)
    push = plus(plus(_three(work, mine + PUSH), cross(alpha, arm)), cross(omega, swing))
    axes = x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]
    return axes, plus(_three(work, at + 9), arm), omega, velocity, alpha, push


@njit(inline="always")
def _meeting(i, j, topology):
    """The body on which the chains below two bodies meet; n is the ground."""
    n = topology.shape[0] - 1
    while i != j:
        if j == n or (i != n and i > j):  # bodies come after those that carry them
            i = topology[i, PARENT]
        else:
            j = topology[j, PARENT]
    return i


@njit(inline="always")
def _add_chain(body, end, sign, force, moment, point, topology, constants, work, J, row):
    """Add to a row of J what a force at a point and a moment on a body do at the joints down to ``end``."""
    i = body
    while i != end:
        at, iv = i * POSE_COLUMNS, topology[i, V]
        about = plus(cross(_minus(point, _three(work, at + 9)), force), moment)
        if topology[i, KIND] == FLOATING:
            for k in range(3):
                axis = work[at + k], work[at + 3 + k], work[at + 6 + k]
                J[row, iv + k] += sign * dot(axis, force)
                J[row, iv + 3 + k] += sign * dot(axis, about)
        else:
            axis = work[at + 2], work[at + 5], work[at + 8]
            works = dot(axis, force) if topology[i, KIND] == PRISMATIC else dot(axis, about)
            J[row, iv] += sign * constants[i, MULTIPLIER] * works
        i = topology[i, PARENT]


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def rows_at(topology, constants, work, ends, anchors, rows, vectors, q, phi, J, gamma):
    """phi (m,), J (m, nv) and gamma (m,) of all rows; ``motions`` has been called.

    ``ends`` (loops, 2) holds the bodies of predecessor and successor (n: the ground), ``anchors``
    (loops, 2, 12) R and P of their anchors in the bodies' aligned frames; ``rows`` (m, 5 + 2 f) a kind and a
    loop; for a gear the places of its joint in q and in v, then those of its driver and of further ones.
    ``vectors`` (m, 6 or more) holds d; or n and a; or a gear's ratio, offset and further ratios, zero where
    it has fewer.
    """
    n = topology.shape[0] - 1
    J[:, :] = 0.0
    for row in range(rows.shape[0]):
        kind = rows[row, 0]
        if kind == COUPLING:
            ratio, offset = vectors[row, 0], vectors[row, 1]
            phi[row] = q[rows[row, 1]] - ratio * q[rows[row, 3]] - offset
            J[row, rows[row, 2]] += 1.0
            J[row, rows[row, 4]] -= ratio
            for k in range(5, rows.shape[1], 2):
                ratio = vectors[row, (k - 1) // 2]
                phi[row] -= ratio * q[rows[row, k]]
                J[row, rows[row, k + 1]] -= ratio
            gamma[row] = 0.0
            continue
        loop = rows[row, 1]
        before, after = ends[loop, 0], ends[loop, 1]
        end = _meeting(before, after, topology)
        P, op, wp, vp, alpha_p, ap = _anchor(before, n, anchors[loop, 0], work)
        S, os, ws, vs, alpha_s, as_ = _anchor(after, n, anchors[loop, 1], work)
        zero = 0.0, 0.0, 0.0
        if kind == ACROSS:
            normal, axis = times(P, _three(vectors[row], 0)), times(S, _three(vectors[row], 3))
            moment = cross(axis, normal)
            phi[row] = dot(normal, axis)
            spin = _minus(ws, wp)
            turned = plus(cross(cross(ws, axis), normal), cross(axis, cross(wp, normal)))
            gamma[row] = dot(_minus(alpha_s, alpha_p), moment) + dot(spin, turned)
            _add_chain(after, end, 1.0, zero, moment, os, topology, constants, work, J, row)
            _add_chain(before, end, -1.0, zero, moment, os, topology, constants, work, J, row)
        else:
            arm = _minus(os, op)
            if kind == ALONG:
                along = times(P, _three(vectors[row], 0))
                phi[row] = dot(along, arm)
                drift = _minus(_minus(vs, vp), cross(wp, arm))  # rate of r as P sees it
                pushed = plus(cross(alpha_p, arm), cross(wp, plus_scaled(cross(wp, arm), 2.0, drift)))
                gamma[row] = dot(along, _minus(_minus(as_, ap), pushed))
            else:
                length = math.sqrt(dot(arm, arm))
                scale = 1.0 / length if length > 0.0 else 0.0
                along = scale * arm[0], scale * arm[1], scale * arm[2]
                phi[row] = length
                drift = _minus(vs, vp)
                slide = dot(along, drift)
                gamma[row] = dot(along, _minus(as_, ap)) + scale * (dot(drift, drift) - slide * slide)
            _add_chain(after, end, 1.0, along, zero, os, topology, constants, work, J, row)
            _add_chain(before, end, -1.0, along, zero, os, topology, constants, work, J, row)


@njit(cache=True, fastmath=FAST, error_model="numpy")
def cut_wrenches(topology, work, ends, anchors, rows, vectors, multipliers, out):
    """out (loops, 6): force and moment of each predecessor on its successor, at and in S; added up."""
    n = topology.shape[0] - 1
    out[:, :] = 0.0
    for row in range(rows.shape[0]):
        kind, loop = rows[row, 0], rows[row, 1]
        if kind in (COUPLING, DISTANCE):
            continue
        P, _, _, _, _, _ = _anchor(ends[loop, 0], n, anchors[loop, 0], work)
        S, _, _, _, _, _ = _anchor(ends[loop, 1], n, anchors[loop, 1], work)
        vector, first = times(P, _three(vectors[row], 0)), 0
        if kind == ACROSS:
            vector, first = cross(times(S, _three(vectors[row], 3)), vector), 3
        mine = transposed_times(S, vector)
        for k in range(3):
            out[loop, first + k] += multipliers[row] * mine[k]
