"""The rank of the constraints where a mechanism moves on, and errors where branches of its motion cross."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...exceptions import SingularityError
from ..constraints.constraint_system import ConstraintSystem

__all__ = ["branches_cross", "constraint_rank"]

Array = NDArray[np.float64]
#: Singular values of the constraints as a part of the largest: below the first rows are redundant, from there
#: to the second branches cross nearby.
REDUNDANT, CROSSING = 1e-9, 1e-6
#: Part of the largest singular value with which redundant rows curve for unit velocities, at a crossing.
CURVED = 1e-6


def constraint_rank(system: ConstraintSystem, q: Array) -> int:
    """Rank of the constraints at closed coordinates. Raises SingularityError where it is higher nearby.

    There J has a singular value that is small, but not zero. Or it has none, but with u^T J = 0 and J n = 0
    u^T (d^2 phi / dn^2) is not zero for all n, as it is where rows are redundant all along the motion.
    """
    scale, units = system.row_scale, system.units
    left, sizes, right = np.linalg.svd(scale[:, None] * system.evaluate(q).J * units)
    if not sizes.any():
        return 0
    rank = int((sizes > REDUNDANT * sizes[0]).sum())
    least = sizes[rank - 1] / sizes[0]
    if least > CROSSING and rank < min(len(left), len(right)):
        free = right[rank:].T
        # a quadratic form that is not zero is not zero either in a random direction
        along = units * (free @ np.cos(np.arange(free.shape[1]) ** 2))
        curved = left[:, rank:].T @ (scale * system.evaluate(q, along).gamma)
        if np.abs(curved).max() > CURVED * sizes[0]:
            least = sizes[rank] / sizes[0]
    if least > CROSSING or rank == 0:
        return rank
    raise branches_cross(system, q, 1.0 / least if least > 0.0 else np.inf)


def branches_cross(system: ConstraintSystem, q: Array, condition: float) -> SingularityError:
    """The error for coordinates q at which the accelerations are not unique."""
    return SingularityError(
        f"branches of the motion of '{system.graph.name}' cross at these coordinates, condition number "
        f"{condition:.2g} of its constraints: the accelerations depend on which of them is followed",
        condition,
        q.copy(),
    )
