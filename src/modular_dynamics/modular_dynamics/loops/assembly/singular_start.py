"""Leaving a singular start, from which rounding would choose the assembly mode."""

import numpy as np

from ...dynamics.arguments import Array
from ..constraints import newton
from ..constraints.constraint_system import ConstraintSystem

__all__ = ["nudged"]

#: Motion of the first passive joint [rad or m] that leaves a singular pose.
NUDGE = 0.02


def nudged(system: ConstraintSystem, start: Array) -> Array:
    """Return the start, moved away from a singular pose at which the loops are open, such as bars in line.

    There rounding would choose the assembly mode. All passive joints move a little in their positive
    direction, the first of them most. Other starts are returned as a copy, with gears closed.
    """
    moved = start.copy()
    system.close_gears(moved)
    values = system.evaluate(moved)
    columns = values.J[:, system.dependent_v] @ system.gearing.T
    if np.abs(values.phi).max(initial=0.0) > newton.CLOSED and system.rank(columns) < columns.shape[1]:
        step = np.zeros(len(system.dependent_names))
        step[system.gearing.left] = NUDGE / (1.0 + np.arange(columns.shape[1]))
        system.move(moved, step)
    return moved
