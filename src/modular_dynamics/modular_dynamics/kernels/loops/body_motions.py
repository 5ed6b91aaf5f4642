"""Poses, velocities and accelerations of bodies, and of anchors on them, in the root link's frame."""

from ..layout import FLOATING, KIND, MULTIPLIER, PARENT, PRISMATIC, V
from ..math.vectors import cross, minus, plus, plus_cross, plus_scaled, times
from ..numba_support.compilation import inlined
from ..numba_support.memory import zero_float64
from ..numba_support.neighbours import load3, store6
from ..placement import composed, load_pose
from ..recursions.kinematics import POSE_COLUMNS, place_body
from ..states import joint_states as compute_joint_states
from ..states import turns_by_quaternion

__all__ = ["MOTION_COLUMNS", "anchor_motion", "body_motions", "vector_at"]

# body_motions, 1-D: n rows of poses (kinematics), behind them n rows of
OMEGA = 0  # 3: angular velocity
LINEAR = 3  # 3: velocity of the origin
ALPHA = 6  # 3: angular acceleration, and ...
DRIFT = 9  # 3: ... acceleration of the origin, both without vdot
MOTION_COLUMNS = POSE_COLUMNS + 12


@inlined
def vector_at(array, at):
    """Three neighbouring numbers."""
    return load3(array, at, 1, zero_float64())


@inlined
def _carried(body, n, arm, work):
    """Velocity and drift of a body's point at ``arm`` from its origin, and the body's omega and alpha."""
    own = n * POSE_COLUMNS + body * 12
    omega, alpha = vector_at(work, own + OMEGA), vector_at(work, own + ALPHA)
    swing = cross(omega, arm)
    velocity = plus(vector_at(work, own + LINEAR), swing)
    drift = plus(plus(vector_at(work, own + DRIFT), cross(alpha, arm)), cross(omega, swing))
    return velocity, drift, omega, alpha


@inlined
def body_motions(tree, q, v, still, states, work):
    """Poses and motions of all bodies at q, v; accelerations with vdot = 0 and without gravity.

    ``still``: v is zero, and motions are left out.
    """
    topology, constants = tree.topology, tree.constants
    compute_joint_states(topology, constants, q, states)
    n = topology.shape[0] - 1
    for i in range(n):
        place_body(i, topology, constants, q, states, work, 1, zero_float64())
        if still:
            continue
        at, own = i * POSE_COLUMNS, n * POSE_COLUMNS + i * 12
        R, origin = load_pose(work, at, 1, zero_float64())
        parent = topology[i, PARENT]
        omega = linear = alpha = drift = (0.0, 0.0, 0.0)
        if parent < n:
            arm = minus(origin, vector_at(work, parent * POSE_COLUMNS + 9))
            linear, drift, omega, alpha = _carried(parent, n, arm, work)
        iv = topology[i, V]
        if turns_by_quaternion(i, topology):
            if topology[i, KIND] == FLOATING:
                along = times(R, vector_at(v, iv))
                iv += 3
                turning = plus_scaled(times(R, vector_at(v, iv)), 2.0, omega)
                linear, drift = plus(linear, along), plus_cross(drift, turning, along)
            spin = times(R, vector_at(v, iv))
            omega, alpha = plus(omega, spin), plus_cross(alpha, omega, spin)
        else:
            axis = R[2], R[5], R[8]
            rate = constants[i, MULTIPLIER] * v[iv]
            swung = cross(omega, axis)
            if topology[i, KIND] == PRISMATIC:
                linear, drift = plus_scaled(linear, rate, axis), plus_scaled(drift, 2.0 * rate, swung)
            else:
                omega, alpha = plus_scaled(omega, rate, axis), plus_scaled(alpha, rate, swung)
        store6(work, own + OMEGA, 1, omega, linear)
        store6(work, own + ALPHA, 1, alpha, drift)


@inlined
def anchor_motion(body, n, anchor, still, work):
    """Of an anchor R, o, omega, velocity, alpha and drift, in the root link's frame; zeros if ``still``."""
    fixed = load_pose(anchor, 0, 1, zero_float64())
    zero = 0.0, 0.0, 0.0
    if body == n:
        return fixed[0], fixed[1], zero, zero, zero, zero
    pose = load_pose(work, body * POSE_COLUMNS, 1, zero_float64())
    rotation, origin = composed(pose, fixed)
    if still:
        return rotation, origin, zero, zero, zero, zero
    velocity, drift, omega, alpha = _carried(body, n, minus(origin, pose[1]), work)
    return rotation, origin, omega, velocity, alpha, drift
