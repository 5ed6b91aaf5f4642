"""Rows of closed loops: the value of each closing condition, the Jacobian, and its velocity product.

With P and S the anchor frames on a loop's predecessor and successor, r the origin of S in P, and R the
rotation P <- S, a row is one of

    ALONG     d . r               d fixed in P: no displacement along d
    ACROSS    n . R a             n fixed in P, a in S: the two stay perpendicular
    ALIGNED   (n . R a) g         R a lies along its own copy in P, not against it (:mod:`.orientation_rows`)
    ABOUT     2 d . eps           d fixed in P: no rotation about d (:mod:`.orientation_rows`)
    DISTANCE  |r|                 no condition, but the length of a spring
    COUPLING  q_j - c q_k - o     a gear; further drivers k add their own c q_k

Its rate is J v, and its second derivative J vdot + gamma. The multiplier of ALONG is a force along d at the
origin of S, that of an orientation a moment, along (R a) x n or d where it is closed, both on the successor;
the opposite acts on the predecessor.
"""

import math

from ..layout import FLOATING, KIND, MULTIPLIER, PARENT, PRISMATIC, V
from ..math.vectors import cross, dot, minus, plus, plus_scaled, scaled, times
from ..numba_support.compilation import inlined, kernel
from ..numba_support.neighbours import row3
from ..recursions.kinematics import POSE_COLUMNS
from ..states import turns_by_quaternion
from .body_motions import anchor_motion, body_motions, vector_at
from .orientation_rows import orientation_row
from .row_kinds import ABOUT, ACROSS, ALIGNED, ALONG, COUPLING, DISTANCE

__all__ = ["evaluate_rows"]


@inlined
def _common_body(i, j, topology):
    """The body on which the chains below two bodies meet; n is the ground."""
    n = topology.shape[0] - 1
    while i != j:
        if j == n or (i != n and i > j):  # bodies come after those that carry them
            i = topology[i, PARENT]
        else:
            j = topology[j, PARENT]
    return i


@inlined
def _clear_chain(body, end, topology, J, row):
    """Zeros in a row of J for the joints from a body down to ``end``."""
    i = body
    while i != end:
        first, count = topology[i, V], 1
        if turns_by_quaternion(i, topology):
            count = 6 if topology[i, KIND] == FLOATING else 3
        for k in range(first, first + count):
            J[row, k] = 0.0
        i = topology[i, PARENT]


@inlined
def _add_chain(body, end, sign, force, moment, point, tree, work, J, row):
    """Add to a row of J what a force at a point and a moment on a body do at the joints down to ``end``."""
    topology, i = tree.topology, body
    while i != end:
        at, iv = i * POSE_COLUMNS, topology[i, V]
        about = plus(cross(minus(point, vector_at(work, at + 9)), force), moment)
        if turns_by_quaternion(i, topology):
            for k in range(3):
                axis = work[at + k], work[at + 3 + k], work[at + 6 + k]
                column = iv + k
                if topology[i, KIND] == FLOATING:
                    J[row, column] += sign * dot(axis, force)
                    column += 3
                J[row, column] += sign * dot(axis, about)
        else:
            axis = work[at + 2], work[at + 5], work[at + 8]
            power = dot(axis, force) if topology[i, KIND] == PRISMATIC else dot(axis, about)
            J[row, iv] += sign * tree.constants[i, MULTIPLIER] * power
        i = topology[i, PARENT]


@inlined
def _evaluate_gear(row, indices, vectors, q, values):
    """q_j - sum c q_k - o: linear, so gamma is zero."""
    phi, J = values.phi, values.J
    ratio, offset = vectors[row, 0], vectors[row, 1]
    phi[row] = q[indices[row, 1]] - ratio * q[indices[row, 3]] - offset
    for k in range(2, indices.shape[1], 2):
        J[row, indices[row, k]] = 0.0
    J[row, indices[row, 2]] += 1.0
    J[row, indices[row, 4]] -= ratio
    for k in range(5, indices.shape[1], 2):
        ratio = vectors[row, (k - 1) // 2]
        phi[row] -= ratio * q[indices[row, k]]
        J[row, indices[row, k + 1]] -= ratio
    values.gamma[row] = 0.0


@kernel(forceinline=True)
def evaluate_rows(tree, rows, q, v, values):
    """phi, J and gamma of all rows at q, v: fills ``values``."""
    still = True
    for k in range(v.shape[0]):
        still = still and v[k] == 0.0
    body_motions(tree, q, v, still, values.joint_states, values.body_motions)
    indices, vectors, work = rows.indices, rows.vectors, values.body_motions
    phi, J, gamma = values.phi, values.J, values.gamma
    n, last = tree.topology.shape[0] - 1, -1
    P = S = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    op = wp = vp = alpha_p = ap = os = ws = vs = alpha_s = as_ = (0.0, 0.0, 0.0)
    for row in range(indices.shape[0]):
        kind = indices[row, 0]
        if kind == COUPLING:
            _evaluate_gear(row, indices, vectors, q, values)
            continue
        loop = indices[row, 1]
        before, after = rows.ends[loop, 0], rows.ends[loop, 1]
        if loop != last:  # rows of one loop are neighbours
            P, op, wp, vp, alpha_p, ap = anchor_motion(before, n, rows.anchors[loop, 0], still, work)
            S, os, ws, vs, alpha_s, as_ = anchor_motion(after, n, rows.anchors[loop, 1], still, work)
            last = loop
        force = moment = (0.0, 0.0, 0.0)
        if kind in (ACROSS, ALIGNED, ABOUT):
            first, second = row3(vectors, row, 0), row3(vectors, row, 3)
            phi[row], moment, gamma[row] = orientation_row(
                kind, first, second, P, S, minus(alpha_s, alpha_p), wp, ws
            )
        elif kind == ALONG:
            arm = minus(os, op)
            force = times(P, row3(vectors, row, 0))
            phi[row] = dot(force, arm)
            relative = minus(minus(vs, vp), cross(wp, arm))  # rate of r as P sees it
            carried = plus(cross(alpha_p, arm), cross(wp, plus_scaled(cross(wp, arm), 2.0, relative)))
            gamma[row] = dot(force, minus(minus(as_, ap), carried))
        elif kind == DISTANCE:
            arm = minus(os, op)
            length = math.sqrt(dot(arm, arm))
            scale = 1.0 / length if length > 0.0 else 0.0
            force = scaled(scale, arm)
            phi[row] = length
            relative = minus(vs, vp)
            along = dot(force, relative)
            gamma[row] = dot(force, minus(as_, ap)) + scale * (dot(relative, relative) - along * along)
        else:  # no kind of row: shows in every result
            phi[row] = gamma[row] = math.nan
        end = _common_body(before, after, tree.topology)
        _clear_chain(after, end, tree.topology, J, row)
        _clear_chain(before, end, tree.topology, J, row)
        _add_chain(after, end, 1.0, force, moment, os, tree, work, J, row)
        _add_chain(before, end, -1.0, force, moment, os, tree, work, J, row)
