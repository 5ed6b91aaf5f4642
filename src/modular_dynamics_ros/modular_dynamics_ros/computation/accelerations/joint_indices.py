"""Carry values of joints over to a changed robot, whose joints differ in number or order."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.values import Array

__all__ = ["joint_indices", "values_at"]


def joint_indices(names: Sequence[str], before: Sequence[str]) -> NDArray[np.intp]:
    """Return the index of each joint of ``names`` in ``before``; -1 for a new joint."""
    index = {name: k for k, name in enumerate(before)}
    return np.array([index.get(name, -1) for name in names], dtype=np.intp)


def values_at(where: NDArray[np.intp], values: NDArray[np.generic], new: "float | Array" = 0.0) -> Array:
    """Return values (..., n) at these indices of the last axis; ``new`` for new joints."""
    if not values.shape[-1]:
        return np.zeros((*values.shape[:-1], len(where))) + new
    return np.where(where >= 0, values[..., where], new)
