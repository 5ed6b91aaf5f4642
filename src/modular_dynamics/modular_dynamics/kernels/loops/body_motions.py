"""Poses, velocities and accelerations of bodies, and of anchors on them, in the root link's frame."""

from numba import njit

from ..layout import FLOATING, KIND, MULTIPLIER, PARENT, PRISMATIC, V
from ..math.vectors import cross, plus, plus_scaled
from ..numba_support.lanes import FAST
from ..numba_support.memory import zero_float64, zero_float64x8
from ..recursions.kinematics import POSE_COLUMNS, place_body
from ..states import joint_states as compute_joint_states

__all__ = ["MOTION_COLUMNS", "anchor_motion", "body_motions", "minus", "vector_at"]

# body_motions, 1-D: n rows of poses (kinematics), behind them n rows of
OMEGA = 0  # 3: angular velocity
LINEAR = 3  # 3: velocity of the origin
ALPHA = 6  # 3: angular acceleration, and ...
DRIFT = 9  # 3: ... acceleration of the origin, both without vdot
MOTION_COLUMNS = POSE_COLUMNS + 12


@njit(inline="always")
def minus(a, b):
    """a - b"""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@njit(inline="always")
def vector_at(array, at):
    """Three neighbouring numbers."""
    return array[at], array[at + 1], array[at + 2]


@njit(inline="always")
def _store(array, at, a):
    array[at], array[at + 1], array[at + 2] = a


@njit(inline="always")
def _rotated(R, at, a):
    """R a, with R row by row at ``at``."""
    return (
        R[at] * a[0] + R[at + 1] * a[1] + R[at + 2] * a[2],
        R[at + 3] * a[0] + R[at + 4] * a[1] + R[at + 5] * a[2],
        R[at + 6] * a[0] + R[at + 7] * a[1] + R[at + 8] * a[2],
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def body_motions(tree, q, v, states, work):
    """Poses and motions of all bodies at q, v; accelerations with vdot = 0 and without gravity."""
    topology, constants = tree.topology, tree.constants
    compute_joint_states(topology, constants, q, states, 1, zero_float64(), 8, zero_float64x8())
    n = topology.shape[0] - 1
    for i in range(n):
        place_body(i, topology, constants, q, states, work, 1, zero_float64())
        at, own = i * POSE_COLUMNS, n * POSE_COLUMNS + i * 12
        origin = vector_at(work, at + 9)
        parent = topology[i, PARENT]
        omega = linear = alpha = drift = (0.0, 0.0, 0.0)
        if parent < n:
            before = n * POSE_COLUMNS + parent * 12
            omega, alpha = vector_at(work, before + OMEGA), vector_at(work, before + ALPHA)
            arm = minus(origin, vector_at(work, parent * POSE_COLUMNS + 9))
            swing = cross(omega, arm)
            linear = plus(vector_at(work, before + LINEAR), swing)
            drift = plus(plus(vector_at(work, before + DRIFT), cross(alpha, arm)), cross(omega, swing))
        iv = topology[i, V]
        if topology[i, KIND] == FLOATING:  # on the ground
            linear, omega = _rotated(work, at, vector_at(v, iv)), _rotated(work, at, vector_at(v, iv + 3))
            drift = cross(omega, linear)
        else:
            axis = work[at + 2], work[at + 5], work[at + 8]
            rate = constants[i, MULTIPLIER] * v[iv]
            swung = cross(omega, axis)
            if topology[i, KIND] == PRISMATIC:
                linear, drift = plus_scaled(linear, rate, axis), plus_scaled(drift, 2.0 * rate, swung)
            else:
                omega, alpha = plus_scaled(omega, rate, axis), plus_scaled(alpha, rate, swung)
        _store(work, own + OMEGA, omega)
        _store(work, own + LINEAR, linear)
        _store(work, own + ALPHA, alpha)
        _store(work, own + DRIFT, drift)


@njit(inline="always")
def anchor_motion(body, n, frame, work):
    """Of an anchor R, o, omega, velocity, alpha and drift, in the root link's frame."""
    r = frame[0], frame[1], frame[2], frame[3], frame[4], frame[5], frame[6], frame[7], frame[8]
    origin = frame[9], frame[10], frame[11]
    zero = 0.0, 0.0, 0.0
    if body == n:
        return r, origin, zero, zero, zero, zero
    at, own = body * POSE_COLUMNS, n * POSE_COLUMNS + body * 12
    x, y, z = (
        _rotated(work, at, (r[0], r[3], r[6])),
        _rotated(work, at, (r[1], r[4], r[7])),
        _rotated(work, at, (r[2], r[5], r[8])),
    )
    arm = _rotated(work, at, origin)
    omega, alpha = vector_at(work, own + OMEGA), vector_at(work, own + ALPHA)
    swing = cross(omega, arm)
    velocity = plus(vector_at(work, own + LINEAR), swing)
    drift = plus(plus(vector_at(work, own + DRIFT), cross(alpha, arm)), cross(omega, swing))
    axes = x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]
    return axes, plus(vector_at(work, at + 9), arm), omega, velocity, alpha, drift
