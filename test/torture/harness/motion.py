"""The motion that every attack sends: a state is a function of its stamp.

So every answer can be checked, whichever process sent its state.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["PERIOD", "accelerations_at", "state_at"]

Array = NDArray[np.float64]
#: [ns] After which the motion begins again, without a step.
PERIOD = 10**12


def _phases(count: int, stamp: int) -> tuple[Array, Array]:
    joints = np.arange(count)
    rates = 2.0 * np.pi * (60.0 + 11.0 * (joints % 17)) / (PERIOD * 1e-9)
    return rates, rates * (stamp % PERIOD * 1e-9) + joints


def state_at(count: int, stamp: int) -> tuple[Array, Array]:
    """Positions [rad or m] and velocities of ``count`` joints at a stamp [ns]."""
    rates, phases = _phases(count, stamp)
    return 0.5 * np.sin(phases), 0.5 * rates * np.cos(phases)


def accelerations_at(count: int, stamp: int) -> Array:
    """The derivative of the velocities."""
    rates, phases = _phases(count, stamp)
    return -0.5 * rates**2 * np.sin(phases)
