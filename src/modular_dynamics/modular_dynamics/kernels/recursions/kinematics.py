"""Where links are: the poses of their frames in the root link's, outward from the ground.

A link's frame is a row of KIND FIXED after all joints: it stands on the body PARENT (or the ground) at the
pose that its constants hold. Joints that carry none of these links may be left out of the topology.
"""

from ..layout import FIXED, KIND, PARENT
from ..numba_support.compilation import inlined, spliced
from ..numba_support.memory import store
from ..numba_support.neighbours import store3
from ..placement import composed, fixed_pose, load_pose, pose_of, store_pose

__all__ = ["POSE_COLUMNS", "place_body", "recursion"]

# work, 1-D: the pose of each body in the root link's frame (R row by row, P)
POSE_COLUMNS = 12


@inlined
def place_body(i, topology, constants, q, states, work, lanes, like):
    """Store body i's pose in the root link's frame; its parent's is known."""
    pose = pose_of(i, topology, constants, q, states, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:
        before = load_pose(work, topology[i, PARENT] * POSE_COLUMNS * lanes, lanes, like)
        pose = composed(before, pose)
    store_pose(work, i * POSE_COLUMNS * lanes, lanes, pose)


@inlined
def _write_frame(i, frame, topology, constants, work, out, lanes, like):
    """The homogeneous matrix of row i, a link's frame, as number ``frame`` of the results."""
    pose = fixed_pose(i, constants, like)
    if topology[i, PARENT] < topology.shape[0] - 1:
        pose = composed(load_pose(work, topology[i, PARENT] * POSE_COLUMNS * lanes, lanes, like), pose)
    (r0, r1, r2, r3, r4, r5, r6, r7, r8), (x, y, z) = pose
    at = 16 * frame * lanes
    for row in ((r0, r1, r2, x), (r3, r4, r5, y), (r6, r7, r8, z), (like, like, like, like + 1.0)):
        store3(out, at, lanes, row)
        store(out, at + 3 * lanes, row[3])
        at += 4 * lanes


@spliced
def recursion(topology, constants, q, v, a, states, work, out, lanes, like):
    """The homogeneous matrices of all rows of KIND FIXED, one after another; v and a are not read."""
    frame = 0
    for i in range(topology.shape[0] - 1):
        if topology[i, KIND] == FIXED:
            _write_frame(i, frame, topology, constants, work, out, lanes, like)
            frame += 1
        else:
            place_body(i, topology, constants, q, states, work, lanes, like)
