"""Measured efforts of joints: the newest of each, and how far they are from the torques of the model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.robot import Robot

__all__ = ["MeasuredEfforts", "ResidualFigures"]

Array = NDArray[np.float64]
NEVER = np.iinfo(np.int64).min


class MeasuredEfforts:
    """Measured efforts of one robot's joints, merged from messages that may hold only some."""

    def __init__(self, robot: Robot) -> None:
        self._index = {name: k for k, name in enumerate(robot.joint_names)}
        self._values = np.full(len(self._index), np.nan)
        self._stamps = np.full(len(self._index), NEVER)

    def add(self, message: Any, stamp: int) -> None:
        """Merge the finite efforts of a joint state with this stamp [ns]; newer ones stay."""
        if len(message.effort) != len(message.name):
            return
        for name, value in zip(message.name, message.effort, strict=True):
            k = self._index.get(name)
            if k is not None and np.isfinite(value) and stamp >= self._stamps[k]:
                self._values[k], self._stamps[k] = value, stamp

    def at(self, stamp: int, valid_for: float) -> Array:
        """Return measured efforts (m,) [N m or N] near a stamp [ns]; NaN if none within `valid_for` [s]."""
        # subtracting NEVER would overflow
        known = self._stamps != NEVER
        near = known & (np.abs(np.where(known, self._stamps, stamp) - stamp) <= valid_for * 1e9)
        return np.where(near, self._values, np.nan)


class ResidualFigures:
    """Residuals, measured less computed torques, of all answers by joint: root mean square, largest."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self._count = np.zeros(len(names), dtype=np.int64)
        self._norm, self._largest = np.zeros(len(names)), np.zeros(len(names))

    def add(self, residual: Array) -> None:
        """Add the residual of one answer; NaN where no effort is known."""
        known = ~np.isnan(residual)
        self._count += known
        self._norm[known] = np.hypot(self._norm[known], residual[known])  # squares may overflow
        self._largest[known] = np.maximum(self._largest[known], np.abs(residual[known]))

    def by_joint(self) -> dict[str, tuple[float, float]]:
        """Return (root mean square, largest) residual [N m or N] of the joints with efforts."""
        return {
            name: (float(self._norm[k] / np.sqrt(self._count[k])), float(self._largest[k]))
            for k, name in enumerate(self.names)
            if self._count[k]
        }
