"""The spline through a trajectory's points: what the points leave out, and the pieces between them.

As joint_trajectory_controller interpolates: positions alone are joined by straight lines, positions and
velocities by cubics, with accelerations by quintics (computation/accelerations/reference_trajectory.py).
"""

import numpy as np

from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.values import Array, Instants


def completed(instants: Instants, q: Array, v: Array | None, a: Array | None) -> tuple[Array, Array, Array]:
    """Return positions, velocities, accelerations (m, n) at increasing instants (m,) [ns].

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


def pieces(instants: Instants, q: Array, v: Array, a: Array | None) -> tuple[Array, Array]:
    """Return one joint's positions and velocities between points, as Bernstein coefficients.

    They are functions of the share of the time from a point to the next.

    Args:
        instants: (m,) [ns], strictly increasing. q, v, a: (m,); without a cubics, else quintics.

    Returns:
        Positions (4, m - 1) and velocities (3, m - 1) of cubics; (6, m - 1) and (5, m - 1) of quintics.
    """
    h = 1e-9 * np.diff(instants)  # [s]
    q0, q1, v0, v1 = q[:-1], q[1:], v[:-1], v[1:]
    mean = (q1 - q0) / h
    # velocities from the values of the points: differences of the positions' coefficients would round them
    if a is None:
        return (
            np.array([q0, q0 + h * v0 / 3.0, q1 - h * v1 / 3.0, q1]),
            np.array([v0, 3.0 * mean - v0 - v1, v1]),
        )
    a0, a1 = h * a[:-1], h * a[1:]  # as changes of velocity
    return (
        np.array(
            [
                q0,
                q0 + h * v0 / 5.0,
                q0 + h * (2.0 * v0 / 5.0 + a0 / 20.0),
                q1 - h * (2.0 * v1 / 5.0 - a1 / 20.0),
                q1 - h * v1 / 5.0,
                q1,
            ]
        ),
        np.array(
            [
                v0,
                v0 + a0 / 4.0,
                5.0 * mean - 2.0 * (v0 + v1) + (a1 - a0) / 4.0,
                v1 - a1 / 4.0,
                v1,
            ]
        ),
    )
