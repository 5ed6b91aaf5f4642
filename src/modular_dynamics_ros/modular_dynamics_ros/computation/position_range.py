"""The positions that a description allows a joint."""

import math

from modular_dynamics.model import Limits

__all__ = ["position_range"]


def position_range(limits: Limits) -> tuple[float, float]:
    """Return lower and upper limit [rad or m], infinite where there are none.

    Both zero, as vendors write for unknown limits, count as none, and so does a lower one above the upper
    one. Unlike in `modular_dynamics.position_limits`, equal ones that are not zero hold the joint there.
    """
    lower = -math.inf if limits.lower is None else limits.lower
    upper = math.inf if limits.upper is None else limits.upper
    if lower > upper or lower == upper == 0.0:
        return -math.inf, math.inf
    return lower, upper
