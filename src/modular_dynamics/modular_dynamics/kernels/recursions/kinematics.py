"""Where links are: the poses of their frames in the root link's, outward from the ground.

A link's frame is a row of KIND FIXED after all joints: it stands on the body PARENT (or the ground) at the
pose that its constants hold. Joints that carry none of these links may be left out of the topology.
"""

from numba import float64, int64, njit

from ..drivers import batch_float64, single
from ..layout import FIXED, KIND, PARENT, POSITION, ROTATION
from ..numba_support.compilation import kernel
from ..numba_support.lanes import FAST
from ..numba_support.memory import store, store3
from ..placement import load_pose, pose_of, store_pose
from ..states import all_finite

__all__ = [
    "POSE_COLUMNS",
    "SIGNATURE",
    "composed",
    "fixed_pose",
    "frame_poses",
    "frame_poses_float64",
    "place_body",
]

# work, 1-D: the pose of each body in the root link's frame (R row by row, P)
POSE_COLUMNS = 12


@njit(inline="always", fastmath=FAST, error_model="numpy")
def composed(first, second):
    """The pose ``second`` after the pose ``first``: (R S, R p + P)."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz = first
    s0, s1, s2, s3, s4, s5, s6, s7, s8, x, y, z = second
    return (
        r0 * s0 + r1 * s3 + r2 * s6,
        r0 * s1 + r1 * s4 + r2 * s7,
        r0 * s2 + r1 * s5 + r2 * s8,
        r3 * s0 + r4 * s3 + r5 * s6,
        r3 * s1 + r4 * s4 + r5 * s7,
        r3 * s2 + r4 * s5 + r5 * s8,
        r6 * s0 + r7 * s3 + r8 * s6,
        r6 * s1 + r7 * s4 + r8 * s7,
        r6 * s2 + r7 * s5 + r8 * s8,
        px + r0 * x + r1 * y + r2 * z,
        py + r3 * x + r4 * y + r5 * z,
        pz + r6 * x + r7 * y + r8 * z,
    )


@njit(inline="always", fastmath=FAST, error_model="numpy")
def fixed_pose(i, constants, like):
    """(R row by row, P) of row i as its constants have it."""
    return (
        constants[i, ROTATION] + like,
        constants[i, ROTATION + 1] + like,
        constants[i, ROTATION + 2] + like,
        constants[i, ROTATION + 3] + like,
        constants[i, ROTATION + 4] + like,
        constants[i, ROTATION + 5] + like,
        constants[i, ROTATION + 6] + like,
        constants[i, ROTATION + 7] + like,
        constants[i, ROTATION + 8] + like,
        constants[i, POSITION] + like,
        constants[i, POSITION + 1] + like,
        constants[i, POSITION + 2] + like,
    )


@njit(inline="always", fastmath=FAST, error_model="numpy")
def place_body(i, topology, constants, q, states, work, lanes, like):
    """Store body i's pose in the root link's frame; its parent's is known."""
    pose = pose_of(i, topology, constants, q, states, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:
        before = load_pose(work, topology[i, PARENT] * POSE_COLUMNS * lanes, lanes, like)
        pose = composed(before, pose)
    store_pose(work, i * POSE_COLUMNS * lanes, lanes, pose)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _write_frame(i, frame, topology, constants, work, out, lanes, like):
    """The homogeneous matrix of row i, a link's frame, as number ``frame`` of the results."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz = fixed_pose(i, constants, like)
    if topology[i, PARENT] < topology.shape[0] - 1:
        before = load_pose(work, topology[i, PARENT] * POSE_COLUMNS * lanes, lanes, like)
        r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz = composed(
            before, (r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz)
        )
    at = 16 * frame * lanes
    store3(out, at, lanes, r0, r1, r2)
    store(out, at + 3 * lanes, px)
    store3(out, at + 4 * lanes, lanes, r3, r4, r5)
    store(out, at + 7 * lanes, py)
    store3(out, at + 8 * lanes, lanes, r6, r7, r8)
    store(out, at + 11 * lanes, pz)
    store3(out, at + 12 * lanes, lanes, like, like, like)
    store(out, at + 15 * lanes, like + 1.0)


@njit(inline="always", fastmath=FAST, error_model="numpy")
def recursion(topology, constants, q, v, a, states, work, out, lanes, like):
    """The homogeneous matrices of all rows of KIND FIXED, one after another; v and a are not read."""
    frame = 0
    for i in range(topology.shape[0] - 1):
        if topology[i, KIND] == FIXED:
            _write_frame(i, frame, topology, constants, work, out, lanes, like)
            frame += 1
        else:
            place_body(i, topology, constants, q, states, work, lanes, like)


#: Of :func:`frame_poses`, for :func:`.compilation.make_ready`.
SIGNATURE = int64(int64[:, ::1], float64[:, ::1], float64[::1], float64[::1], float64[:, :, ::1])


@kernel(fastmath=FAST, error_model="numpy")
def frame_poses(topology, constants, work, q, out):
    """Matrices (frames, 4, 4) of a graph's links at q.

    Returns 0, 1 or 2 as :func:`.newton_euler.inverse_dynamics` does.
    """
    frames = 0
    for i in range(topology.shape[0] - 1):
        if topology[i, KIND] == FIXED:
            frames += 1
    if out.shape[0] != frames or out.shape[1] != 4 or out.shape[2] != 4:
        return 1
    flat, none = out.reshape(16 * frames), q[:0]
    if single(recursion, POSE_COLUMNS, topology, constants, work, q, none, none, flat) != 0:
        return 1
    return 0 if all_finite(flat) else 2


@kernel(nogil=True, fastmath=FAST, error_model="numpy")
def frame_poses_float64(topology, constants, q, v, a, out, known, blank, turns):
    """Rows of q -> rows of 16 numbers for each frame: see :func:`.drivers.batch_float64`."""
    batch_float64(recursion, POSE_COLUMNS, topology, constants, q, v, a, out, known, blank, turns)
