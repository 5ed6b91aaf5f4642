"""The result of inverse dynamics with closed loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClosedLoopDynamics"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClosedLoopDynamics:
    """What `closed_loop_inverse_dynamics` computes.

    Attributes:
        tau: torques of the independent joints, in the order of ``graph.independent_joint_names`` [N m or N].
        multipliers: of the constraint rows [N or N m]; of the least norm where rows are redundant.
        coordinates, velocities, accelerations: of all joints, in the order of ``graph.joint_names``;
            ``coordinates`` is the next call's guess.
        wrenches: by loop joint, [force N, moment N m] of the predecessor on the successor, at and in the
            successor's anchor frame.
        tensions: by spring [N].
        rank: of the constraint rows. redundant: the number of rows beyond that.
        condition: condition number of the dependent part of the constraint Jacobian, gears in the units of
            their drivers: large near a dead point.
        residual: by loop joint and gear, the largest violation of its rows [m or 1].
        projection: W (nv, independent), v = W v_independent (`constraint_projection`).
    """

    tau: Array
    multipliers: Array
    coordinates: Array
    velocities: Array
    accelerations: Array
    wrenches: Mapping[str, Array]
    tensions: Mapping[str, float]
    rank: int
    redundant: int
    condition: float
    residual: Mapping[str, float]
    projection: Array
