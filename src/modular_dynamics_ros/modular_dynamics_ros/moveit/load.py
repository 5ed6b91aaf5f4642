"""A rigid load in the frame of its link."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Load", "sum_of"]

Array = NDArray[np.float64]


class Load(NamedTuple):
    """Mass [kg], centre of mass (3,) [m], moments of inertia about it (3, 3) [kg m^2]."""

    mass: float
    com: Array
    inertia: Array

    def moved(self, rotation: Array, position: Array) -> "Load":
        """At a pose: R c + p, R I R^T."""
        return Load(self.mass, rotation @ self.com + position, rotation @ self.inertia @ rotation.T)

    def scaled(self, mass: float) -> "Load":
        """The same shape with another mass."""
        return Load(mass, self.com, self.inertia * (mass / self.mass))

    def is_close(self, other: "Load") -> bool:
        """Whether the numbers are the same but for rounding."""
        pairs = (self.mass, other.mass), (self.com, other.com), (self.inertia, other.inertia)
        return all(np.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in pairs)


def sum_of(loads: Sequence[Load]) -> Load:
    """Loads that are rigidly connected, as one: each is m (|d|^2 - d d^T) more about the common centre."""
    mass = sum(load.mass for load in loads)
    com = sum((load.mass * load.com for load in loads), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for load in loads:
        d = load.com - com
        inertia = inertia + load.inertia + load.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Load(mass, com, inertia)
