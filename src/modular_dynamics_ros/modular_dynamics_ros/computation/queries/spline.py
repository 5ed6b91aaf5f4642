"""What a trajectory's points leave out, from the spline through them.

As joint_trajectory_controller interpolates: positions alone are joined by straight lines, positions and
velocities by cubics (computation/accelerations/reference_trajectory.py).
"""

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.values import Array

__all__ = ["completed"]


def completed(
    instants: NDArray[np.int64], q: Array, v: Array | None, a: Array | None
) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations (m, n) at instants (m,) [ns], strictly increasing.

    Where a spline turns or jumps at a point, the value is that of the piece which begins there; at the last
    point of the piece which ends there. A single point without velocities stands still. Not finite where
    points are too far apart for their times.

    Args:
        a: only with velocities.
    """
    if a is None:
        a = ReferenceTrajectory.through(instants, q, v).powers[:, 0]
    if v is None:
        v = np.zeros_like(q)
        if len(q) > 1:
            with np.errstate(over="ignore"):
                v[:-1] = np.diff(q, axis=0) / (1e-9 * np.diff(instants)[:, np.newaxis])
            v[-1] = v[-2]
    return q, v, a
