"""Work of the torques' recursion: a wrench for each body, and behind these the motions of a few.

A body's motion is needed until its last successor's is known, so that motions share memory: they then stay in
the processor's nearest cache. Which place a body's motion has, dynamics/arrays/motion_places says.
"""

from ...layout import V
from ...numba_support.compilation import inlined
from ..articulated_layout import ARTICULATED_TOPOLOGY

__all__ = [
    "ACCELERATION",
    "ALPHA",
    "FORCE",
    "LAMBDA",
    "MOTION_COLUMNS",
    "OMEGA",
    "PLACE",
    "TORQUE",
    "TORQUES_TOPOLOGY",
    "TORQUE_COLUMNS",
    "WRENCH_COLUMNS",
    "motion_at",
    "velocity_at",
    "wrench_at",
]

# topology: one column more
PLACE = ARTICULATED_TOPOLOGY  # of the body's motion; the ground's row has the ground's
TORQUES_TOPOLOGY = PLACE + 1

# of a wrench
FORCE = 0  # 3: force [N] and ...
TORQUE = 3  # 3: ... moment [N m] about the body's origin
WRENCH_COLUMNS = 6

# of a motion
OMEGA = 0  # 3: angular velocity [rad/s]
ALPHA = 3  # 3: angular acceleration [rad/s^2]
ACCELERATION = 6  # 3: of the origin, minus gravity [m/s^2]
LAMBDA = 9  # 9: [alpha]x + [omega]x [omega]x, whose diagonal is never positive: of it the negatives
MOTION_COLUMNS = 18

#: For each body and the ground, as if none shared its memory.
TORQUE_COLUMNS = WRENCH_COLUMNS + MOTION_COLUMNS


@inlined
def wrench_at(i, lanes):
    """Where the wrench of body i begins in ``work``."""
    return i * WRENCH_COLUMNS * lanes


@inlined
def motion_at(i, topology, lanes):
    """Where the motion of body i, or of the ground, begins."""
    bodies = topology.shape[0] - 1
    return (bodies * WRENCH_COLUMNS + topology[i, PLACE] * MOTION_COLUMNS) * lanes


@inlined
def velocity_at(i, topology, lanes):
    """Where the velocities of joint i begin in v, vdot and tau."""
    return topology[i, V] * lanes
