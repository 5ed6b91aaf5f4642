"""Closing loops, and inverse dynamics of a tree whose loops are closed.

Coordinates are split into independent ones and the others, the dependent ones, which the rows of
:mod:`.loops` determine: J_d v_d = -J_i v_i. W = [1; -J_d^+ J_i] gives all velocities of the independent ones
(Schappler et al., section 3.4, W = [E; -J2^-1 J1]). Rows may be more than dependent coordinates: least
squares, and multipliers of the least norm.

Arguments that belong together come as tuples: ``tree`` = (topology, constants); ``loops`` = (ends, anchors,
rows, vectors), see :func:`.loops.rows_at`; ``split`` = what :data:`SPLIT` lists; ``room`` = what :data:`ROOM`
lists, to be overwritten.
"""

import math

import numpy as np
from numba import njit

from .lanes import FAST
from .loops import COUPLING, motions, rows_at
from .memory import zero_float64, zero_float64x8
from .newton_euler import inverse_dynamics_inline
from .orthogonal import factor, least_squares, minimum_norm
from .states import joint_states

__all__ = ["ROOM", "SPLIT", "closed_dynamics", "correct", "follow", "projection", "rows_of", "settle"]

#: The arrays of ``room``: see closure/mechanism.py.
ROOM = ("states", "work", "phi", "J", "gamma", "A", "heads", "order", "b", "x", "rest", "saved", "before")
ROOM += ("A_T", "heads_T", "order_T", "y")
#: Places of independent joints of one coordinate in q and in v, of dependent ones in q and in v, and of all
#: independent velocities. How far independent and dependent coordinates move loops, for one unit of them: by
#: gears alone not at all. T (d, r): motions of the dependent coordinates that keep gears met; -meeting
#: (d, gears) times what is open of them, the last rows, meets them. By what rows (m,) and dependent columns
#: (d,) are multiplied before ranks and condition numbers are told: one but for gears, whose ratio is no
#: dead point.
SPLIT = ("q_i", "v_i", "q_d", "v_d", "independent_v", "size_i", "size_d", "T", "meeting", "rows", "columns")

#: What is smaller than this part of the largest is no direction: see :func:`.orthogonal.factor`.
RANK_TOLERANCE = 1e-11
#: Newton's steps [rad or m]: the largest that is taken at once, and the one with which it ends.
LARGEST_STEP, LAST_STEP = 0.3, 1e-10
#: Residual [m or 1] of a closed loop, and of a gear as a part of its coordinates.
CLOSED = 1e-10
#: Change of independent coordinates [rad or m] that is followed in one stride at first, and the shortest.
STRIDE, SHORTEST_STRIDE = 0.2, 1e-7


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def rows_of_inline(tree, loops, q, v, room):
    """phi, J and gamma at q, v."""
    topology, constants = tree
    ends, anchors, rows, vectors = loops
    states, work, phi, J, gamma = room[0], room[1], room[2], room[3], room[4]
    joint_states(topology, constants, q, states, 1, zero_float64(), 8, zero_float64x8())
    motions(topology, constants, q, v, states, work)
    rows_at(topology, constants, work, ends, anchors, rows, vectors, q, phi, J, gamma)


@njit(cache=True, fastmath=FAST, error_model="numpy")
def rows_of(tree, loops, q, v, room):
    """:func:`rows_of_inline`, called from Python."""
    return rows_of_inline(tree, loops, q, v, room)


@njit(forceinline=True, error_model="numpy")
def _factored(tree, loops, split, q, room):
    """Rows at q at rest; their dependent columns, scaled, are triangularized in A. Returns the rank."""
    J, A, dependent, rows, columns = room[3], room[5], split[3], split[9], split[10]
    rows_of_inline(tree, loops, q, room[10], room)
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            A[i, k] = rows[i] * J[i, dependent[k]] * columns[k]
    return factor(A, room[6], room[7], RANK_TOLERANCE)


@njit(inline="always", error_model="numpy")
def _largest(values):
    most = 0.0
    for k in range(values.shape[0]):
        most = max(most, abs(values[k]))
    return most


@njit(inline="always", error_model="numpy")
def _residual(loops, q, phi):
    """The largest of what is open; of gears as a part of the coordinates, which may be many turns."""
    rows, vectors, most = loops[2], loops[3], 0.0
    for i in range(phi.shape[0]):
        size = 1.0
        if rows[i, 0] == COUPLING:
            size = max(1.0, abs(q[rows[i, 1]]), abs(vectors[i, 0] * q[rows[i, 3]]))
        most = max(most, abs(phi[i]) / size)
    return most


@njit(inline="always", error_model="numpy")
def _motion(x, size):
    """How far a step of the dependent coordinates moves loops at most [rad or m]."""
    most = 0.0
    for k in range(size.shape[0]):
        most = max(most, size[k] * abs(x[k]))
    return most


@njit(forceinline=True, error_model="numpy")
def _factored_with_gears(split, room):
    """J_d T, J being known, is triangularized in A_T. Returns the rank."""
    dependent, T, J, A = split[3], split[7], room[3], room[13]
    A[:, :] = 0.0
    for k in range(T.shape[1]):
        for j in range(T.shape[0]):
            if T[j, k] != 0.0:
                for i in range(A.shape[0]):
                    A[i, k] += J[i, dependent[j]] * T[j, k]
    return factor(A, room[14], room[15], RANK_TOLERANCE)


@njit(forceinline=True, error_model="numpy")
def _newton_step(split, room):
    """x with phi + J_d x = 0, at known phi and J: first what meets the gears, then T y. Returns the rank."""
    dependent, T, meeting = split[3], split[7], split[8]
    phi, J, b, x, y = room[2], room[3], room[8], room[9], room[16]
    m, gears = phi.shape[0], meeting.shape[1]
    for j in range(T.shape[0]):
        x[j] = 0.0
        for g in range(gears):
            x[j] -= meeting[j, g] * phi[m - gears + g]
    for i in range(m):
        b[i] = -phi[i]
    for j in range(T.shape[0]):
        if x[j] != 0.0:
            for i in range(m):
                b[i] -= J[i, dependent[j]] * x[j]
    rank = _factored_with_gears(split, room)
    least_squares(room[13], room[14], room[15], rank, b, y)
    for j in range(T.shape[0]):
        for k in range(T.shape[1]):
            x[j] += T[j, k] * y[k]
    return rank


@njit(forceinline=True, error_model="numpy")
def correct_inline(tree, loops, split, q, room, allowed):
    """Newton's method from a good start, in place. Is it closed, by a first step of at most ``allowed``?"""
    x, places = room[9], split[2]
    before = np.inf
    rows_of_inline(tree, loops, q, room[10], room)
    for _ in range(8):
        _newton_step(split, room)
        step = _motion(x, split[6])
        if not step <= allowed or not step <= 0.5 * before + LAST_STEP:  # another branch, or none
            return False
        for k in range(places.shape[0]):
            q[places[k]] += x[k]
        rows_of_inline(tree, loops, q, room[10], room)
        if step < LAST_STEP:
            return _residual(loops, q, room[2]) < CLOSED
        before, allowed = step, step
    return False


@njit(cache=True, error_model="numpy")
def correct(tree, loops, split, q, room, allowed):
    """:func:`correct_inline`, called from Python."""
    return correct_inline(tree, loops, split, q, room, allowed)


@njit(cache=True, error_model="numpy")
def settle(tree, loops, split, q, room):
    """Newton's method from afar: short steps, only such as close the loops further. Returns the residual."""
    phi, x, places, saved = room[2], room[9], split[2], room[11]
    rows_of_inline(tree, loops, q, room[10], room)
    for _ in range(200):
        _newton_step(split, room)
        residual = 0.0
        for i in range(phi.shape[0]):
            residual += phi[i] ** 2
        step = _motion(x, split[6])
        scale = min(1.0, LARGEST_STEP / max(step, 1e-300))
        for k in range(places.shape[0]):
            saved[k] = q[places[k]]
        better = False
        for _ in range(12):
            for k in range(places.shape[0]):
                q[places[k]] = saved[k] + scale * x[k]
            rows_of_inline(tree, loops, q, room[10], room)
            now = 0.0
            for i in range(phi.shape[0]):
                now += phi[i] ** 2
            if now < residual:
                better = True
                break
            scale *= 0.5
        if not better:
            for k in range(places.shape[0]):
                q[places[k]] = saved[k]
            rows_of_inline(tree, loops, q, room[10], room)
            break
        if scale * step < LAST_STEP:
            break
    return _residual(loops, q, phi)


@njit(inline="always", error_model="numpy")
def _change(J, dependent, T, before):
    """Frobenius norm of J_d T less what it was."""
    total = 0.0
    for i in range(before.shape[0]):
        for k in range(T.shape[1]):
            one = 0.0
            for j in range(T.shape[0]):
                if T[j, k] != 0.0:
                    one += (J[i, dependent[j]] - before[i, j]) * T[j, k]
            total += one * one
    return math.sqrt(total)


@njit(cache=True, error_model="numpy")
def follow(tree, loops, split, q, target, room, jumped):
    """Move the independent coordinates to ``target`` and keep the loops closed, on the branch of q.

    By strides: along the tangent, then back onto the constraints, by less than the stride. One that changes
    J_d T by more than half of its smallest pivot is halved, for a dead point might lie in it, where branches
    meet (Weyl: a matrix does not become singular by less than its smallest singular value). ``jumped``: did
    a floating base move a little, which opens loops at the start? Returns what part of the way was gone, 1 at
    the end; q is closed there.
    """
    mine, mine_v, places, size, T = split[0], split[1], split[2], split[5], split[7]
    phi, J, x, saved, before = room[2], room[3], room[9], room[11], room[12]
    count, last = places.shape[0], T.shape[1] - 1
    whole, moved = 0.0, 0.0
    for k in range(mine.shape[0]):
        saved[count + k] = q[mine[k]]
        whole = max(whole, abs(target[k] - q[mine[k]]))
        moved = max(moved, size[k] * abs(target[k] - q[mine[k]]))
    if whole == 0.0:
        return 1.0 if correct_inline(tree, loops, split, q, room, LARGEST_STEP) else 0.0
    gone, stride = 0.0, min(1.0, STRIDE / whole)
    while gone < 1.0:
        end = gone + stride if gone + stride < 1.0 - 1e-9 else 1.0  # no rest that is rounding only
        stride = end - gone
        rows_of_inline(tree, loops, q, room[10], room)
        for i in range(phi.shape[0]):
            for k in range(count):
                before[i, k] = J[i, split[3][k]]
            phi[i] = 0.0
            for k in range(mine.shape[0]):
                phi[i] += J[i, mine_v[k]] * stride * (target[k] - saved[count + k])
        rank = _newton_step(split, room)
        reach = 0.5 * abs(room[13][last, last]) if rank == last + 1 and rank > 0 else np.inf
        step = max(_motion(x, split[6]), stride * moved)
        for k in range(count):
            saved[k] = q[places[k]]
            q[places[k]] += x[k]
        for k in range(mine.shape[0]):
            q[mine[k]] = target[k] if end == 1.0 else saved[count + k] + end * (target[k] - saved[count + k])
        allowed = LARGEST_STEP if jumped and gone == 0.0 else 0.3 * step + LAST_STEP
        near = step < 2.0 * LARGEST_STEP and correct_inline(tree, loops, split, q, room, allowed)
        if near and _change(J, split[3], T, before) <= reach:
            gone, stride = end, 2.0 * stride
            continue
        for k in range(count):
            q[places[k]] = saved[k]
        for k in range(mine.shape[0]):
            q[mine[k]] = saved[count + k] + gone * (target[k] - saved[count + k])
        stride *= 0.5
        if stride * whole < SHORTEST_STRIDE:
            return gone
    return 1.0


@njit(cache=True, error_model="numpy")
def projection(tree, loops, split, q, room, W):
    """W (nv, independent) at q, rows of coordinates in no split aside. Returns the condition number of J_d.

    It is infinite where J_d lacks rank: at a dead point.
    """
    mine, dependent, rows, columns = split[4], split[3], split[9], split[10]
    J, A, b, x = room[3], room[5], room[8], room[9]
    rank = _factored(tree, loops, split, q, room)
    W[:, :] = 0.0
    for k in range(mine.shape[0]):
        W[mine[k], k] = 1.0
        for i in range(b.shape[0]):
            b[i] = -rows[i] * J[i, mine[k]]
        least_squares(A, room[6], room[7], rank, b, x)
        for j in range(dependent.shape[0]):
            W[dependent[j], k] = columns[j] * x[j]
    return _condition(A, rank)


@njit(inline="always", error_model="numpy")
def _condition(A, rank):
    count = A.shape[1]
    if count == 0:
        return 1.0
    return np.inf if rank < count else abs(A[0, 0] / A[count - 1, count - 1])


@njit(cache=True, error_model="numpy")
def closed_dynamics(tree, loops, springs, laws, split, q, v, vdot, room, stretch, buffer, tau, multipliers):
    """Inverse dynamics at a closed q; the independent entries of v and vdot are given.

    Completes v and vdot, writes ``tau`` (nv,): torques of the independent coordinates, all others carry none;
    and ``multipliers`` (m,). ``springs`` is like ``loops``, ``laws`` (s, 4) stiffness, free length, initial
    force and damping, ``stretch`` a room of its own whose b takes the springs' tensions.

    Returns (status of the tree's inverse dynamics, condition number of J_d, rank, what an independent
    coordinate's own motion tears open at most: zero unless they are too many).
    """
    topology, constants = tree
    mine, rows, columns, dependent = split[4], split[9], split[10], split[3]
    J, gamma, A, heads, order, b, x = room[3], room[4], room[5], room[6], room[7], room[8], room[9]
    rank = _factored(tree, loops, split, q, room)
    condition, torn = _condition(A, rank), 0.0
    for k in range(mine.shape[0] if rank < b.shape[0] else 0):
        for i in range(b.shape[0]):
            b[i] = rows[i] * J[i, mine[k]]
        least_squares(A, heads, order, rank, b, x)
        torn = max(torn, _largest(b[rank:]))
    for j in range(dependent.shape[0]):
        v[dependent[j]] = vdot[dependent[j]] = 0.0
    _complete(J, gamma, A, heads, order, rank, b, x, v, split, False)
    rows_of_inline(tree, loops, q, v, room)
    _complete(J, gamma, A, heads, order, rank, b, x, vdot, split, True)
    status = inverse_dynamics_inline(topology, constants, buffer, q, v, vdot, tau)
    if springs[2].shape[0] > 0:
        rows_of_inline(tree, springs, q, v, stretch)
        length, pull, tension = stretch[2], stretch[3], stretch[8]
        for s in range(length.shape[0]):
            rate = 0.0
            for k in range(v.shape[0]):
                rate += pull[s, k] * v[k]
            tension[s] = laws[s, 2] + laws[s, 0] * (length[s] - laws[s, 1]) + laws[s, 3] * rate
            for k in range(v.shape[0]):
                tau[k] += pull[s, k] * tension[s]
    for j in range(dependent.shape[0]):
        x[j] = columns[j] * tau[dependent[j]]
        tau[dependent[j]] = 0.0
    minimum_norm(A, heads, order, rank, x, multipliers)
    for i in range(multipliers.shape[0]):
        multipliers[i] *= rows[i]
    for k in range(mine.shape[0]):
        for i in range(multipliers.shape[0]):
            tau[mine[k]] -= J[i, mine[k]] * multipliers[i]
    return status, condition, rank, torn


@njit(inline="always", error_model="numpy")
def _complete(J, gamma, A, heads, order, rank, b, x, rates, split, moving):
    """The dependent entries of velocities, or of accelerations, which bear gamma."""
    dependent, rows, columns = split[3], split[9], split[10]
    for i in range(b.shape[0]):
        b[i] = -gamma[i] if moving else 0.0
        for k in range(rates.shape[0]):
            b[i] -= J[i, k] * rates[k]
        b[i] *= rows[i]
    least_squares(A, heads, order, rank, b, x)
    for j in range(dependent.shape[0]):
        rates[dependent[j]] = columns[j] * x[j]
