"""The poses of bodies in the root link's frame, outward from the ground."""

from ..layout import PARENT
from ..numba_support.compilation import inlined
from ..placement import composed, load_pose, pose_of, store_pose

__all__ = ["POSE_COLUMNS", "place_body"]

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
