"""Compiled algorithms on raw arrays, nothing else: only numpy, numba and math are imported here."""

from .checks import first_not_finite
from .newton_euler import SMALLEST_NORM, inverse_dynamics

__all__ = ["SMALLEST_NORM", "first_not_finite", "inverse_dynamics"]
