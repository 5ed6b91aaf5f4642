"""Inputs of a study: what a designer chooses, and the robot's parameters that follow from it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["VALUE", "Input", "Target"]

Array = NDArray[np.float64]
#: The column of an input that is one number.
VALUE = "value"


@dataclass(frozen=True)
class Target:
    """A parameter of the robot that an input sets: factor * value + offset."""

    parameter: str
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Input:
    """A list, a catalogue, a range, or a choice of trajectories. In a design it is one number.

    That number is a range's value itself; of all others the number of the row, from 0.

    Attributes:
        labels: names of the rows; none of a range.
        columns: of a list or a catalogue, the rows' values by column; a list's column is VALUE.
        low, high, steps: of a range; steps: how many values the grid has of it, ends included.
        targets: by column, what it sets. A column may set nothing, and only be a limit.
        is_trajectory: whether the rows are trajectories.
    """

    name: str
    labels: tuple[str, ...] = ()
    columns: tuple[tuple[str, tuple[float, ...]], ...] = ()
    low: float = 0.0
    high: float = 0.0
    steps: int = 0
    targets: tuple[tuple[str, tuple[Target, ...]], ...] = ()
    is_trajectory: bool = False

    @property
    def is_range(self) -> bool:
        """Whether every number between two values is possible."""
        return not self.labels

    @property
    def count(self) -> int:
        """Number of values on the grid."""
        return len(self.labels) or self.steps

    def on_grid(self, levels: NDArray[np.int64]) -> Array:
        """Return the designs' numbers at levels 0 ... count - 1 of the grid."""
        if not self.is_range:
            return levels.astype(float)
        share = levels / max(1, self.steps - 1)
        return self.low * (1.0 - share) + self.high * share  # the ends exactly

    def at(self, share: Array) -> Array:
        """Return the designs' numbers at shares 0 ... 1 of the input's range or rows."""
        if self.is_range:
            return self.low * (1.0 - share) + self.high * share
        return np.minimum(np.floor(share * self.count), self.count - 1.0)

    def column(self, name: str, numbers: Array) -> Array:
        """Return a column's values for the numbers of designs (n,)."""
        if self.is_range:
            return numbers
        return np.array(dict(self.columns)[name])[numbers.astype(np.int64)]

    def label(self, number: float) -> str:
        """Return a design's number as text for people."""
        return f"{number:.6g}" if self.is_range else self.labels[int(number)]
