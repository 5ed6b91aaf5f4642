"""Poses, velocities and accelerations of bodies and of links on them, in the root link's axes.

Outward from the ground; the acceleration is that of the motion, without gravity. A link's frame is a row of
KIND FIXED after all joints, as in :mod:`.kinematics`.
"""

from ..drivers import batch_float64, single
from ..layout import FIXED, FLOATING, KIND, MULTIPLIER, PARENT, PRISMATIC, REVOLUTE, V
from ..math.vectors import cross, crosses, minus, plus, plus_cross, plus_scaled, scaled, times
from ..numba_support.compilation import inlined, kernel, spliced
from ..numba_support.memory import load, store
from ..numba_support.neighbours import load3, store3
from ..placement import composed, fixed_pose, load_pose, pose_of, store_pose

__all__ = [
    "ACCELERATION",
    "ALPHA",
    "LINEAR",
    "MOTION_COLUMNS",
    "OMEGA",
    "frame_motions",
    "frame_motions_float64",
    "ground_at_rest",
    "move_body",
]

# work, 1-D, n + 1 rows; the last one is the ground's. Pose (R, p), then
OMEGA = 12  # 3: angular velocity [rad/s]
LINEAR = 15  # 3: velocity of the origin [m/s]
ALPHA = 18  # 3: angular acceleration [rad/s^2]
ACCELERATION = 21  # 3: acceleration of the origin [m/s^2]
MOTION_COLUMNS = 24


@inlined
def ground_at_rest(n, work, lanes, like):
    """The ground: the unit pose, and no motion."""
    ground = n * MOTION_COLUMNS * lanes
    for k in range(MOTION_COLUMNS):
        store(work, ground + k * lanes, like)
    for k in range(3):
        store(work, ground + 4 * k * lanes, like + 1.0)


@inlined
def _carried(before, position, work, lanes, like):
    """omega, velocity, alpha and acceleration of a body's point at ``position``."""
    arm = minus(position, load3(work, before + 9 * lanes, lanes, like))
    omega = load3(work, before + OMEGA * lanes, lanes, like)
    alpha = load3(work, before + ALPHA * lanes, lanes, like)
    swing = cross(omega, arm)
    linear = plus(load3(work, before + LINEAR * lanes, lanes, like), swing)
    acceleration = load3(work, before + ACCELERATION * lanes, lanes, like)
    return omega, linear, alpha, plus(acceleration, crosses(alpha, arm, omega, swing))


@inlined
def move_body(i, topology, constants, q, v, vdot, states, work, lanes, like):
    """Store pose and motion of body i; its parent's are known."""
    at, before = i * MOTION_COLUMNS * lanes, topology[i, PARENT] * MOTION_COLUMNS * lanes
    pose = pose_of(i, topology, constants, q, states, lanes, like)
    pose = composed(load_pose(work, before, lanes, like), pose)
    R = pose[0]
    omega, linear, alpha, acceleration = _carried(before, pose[1], work, lanes, like)
    kind, iv = topology[i, KIND], topology[i, V] * lanes
    if kind in (REVOLUTE, PRISMATIC):
        axis = scaled(constants[i, MULTIPLIER], (R[2], R[5], R[8]))
        rate, push = scaled(load(v, iv, like), axis), scaled(load(vdot, iv, like), axis)
        if kind == PRISMATIC:
            linear = plus(linear, rate)
            acceleration = plus(plus_scaled(acceleration, 2.0, cross(omega, rate)), push)
        else:
            alpha = plus(plus_cross(alpha, omega, rate), push)
            omega = plus(omega, rate)
    else:  # the joint's twist is in the body's axes: linear where it floats, and angular
        shift = 3 * lanes if kind == FLOATING else 0
        spin = times(R, load3(v, iv + shift, lanes, like))
        if kind == FLOATING:
            along = times(R, load3(v, iv, lanes, like))
            linear = plus(linear, along)
            acceleration = plus_cross(acceleration, plus_scaled(spin, 2.0, omega), along)
            acceleration = plus(acceleration, times(R, load3(vdot, iv, lanes, like)))
        alpha = plus(plus_cross(alpha, omega, spin), times(R, load3(vdot, iv + shift, lanes, like)))
        omega = plus(omega, spin)
    store_pose(work, at, lanes, pose)
    store3(work, at + OMEGA * lanes, lanes, omega)
    store3(work, at + LINEAR * lanes, lanes, linear)
    store3(work, at + ALPHA * lanes, lanes, alpha)
    store3(work, at + ACCELERATION * lanes, lanes, acceleration)


@inlined
def _write_frame(i, frame, topology, constants, work, out, lanes, like):
    """The 24 numbers of row i, a link's frame, as number ``frame`` of the results."""
    before = topology[i, PARENT] * MOTION_COLUMNS * lanes
    pose = composed(load_pose(work, before, lanes, like), fixed_pose(i, constants, like))
    at = frame * MOTION_COLUMNS * lanes
    store_pose(out, at, lanes, pose)
    for k, vector in enumerate(_carried(before, pose[1], work, lanes, like)):
        store3(out, at + (OMEGA + 3 * k) * lanes, lanes, vector)


@spliced
def recursion(topology, constants, q, v, vdot, states, work, out, lanes, like):
    """Pose and motion of all rows of KIND FIXED, one after another, as bodies have them in ``work``."""
    ground_at_rest(topology.shape[0] - 1, work, lanes, like)
    frame = 0
    for i in range(topology.shape[0] - 1):
        if topology[i, KIND] == FIXED:
            _write_frame(i, frame, topology, constants, work, out, lanes, like)
            frame += 1
        else:
            move_body(i, topology, constants, q, v, vdot, states, work, lanes, like)


@kernel()
def frame_motions(topology, constants, work, q, v, vdot, out):
    """R, p, omega, velocity, alpha, acceleration (frames, 8, 3) of a graph's links at q, v, vdot.

    Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does.
    """
    n = topology.shape[0] - 1
    nv, frames = topology[n, V], 0
    for i in range(n):
        if topology[i, KIND] == FIXED:
            frames += 1
    if v.shape[0] != nv or vdot.shape[0] != nv:
        return 1
    if out.shape[0] != frames or out.shape[1] != 8 or out.shape[2] != 3:
        return 1
    return single(recursion, MOTION_COLUMNS, topology, constants, work, q, v, vdot, out.reshape(-1))


@kernel(nogil=True)
def frame_motions_float64(topology, constants, q, v, vdot, out, checked, zeros, queue):
    """Rows of q, v, vdot -> rows of 24 numbers for each frame: see :func:`.drivers.batch_float64`."""
    batch_float64(recursion, MOTION_COLUMNS, topology, constants, q, v, vdot, out, checked, zeros, queue)
