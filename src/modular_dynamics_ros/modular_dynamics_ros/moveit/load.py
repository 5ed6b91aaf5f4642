"""A rigid load in the frame of its link."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.exceptions import NumbersError

__all__ = ["FARTHEST", "HEAVIEST", "Load", "sum_of"]

#: Largest mass of a load [kg], and its largest distance [m].
HEAVIEST, FARTHEST = 1e5, 1e3

Array = NDArray[np.float64]


class Load(NamedTuple):
    """Mass [kg], centre of mass (3,) [m], moments of inertia about it (3, 3) [kg m^2]."""

    mass: float
    com: Array
    inertia: Array

    def moved(self, rotation: Array, position: Array) -> "Load":
        """Return the load at a pose: R c + p, R I R^T."""
        return Load(self.mass, rotation @ self.com + position, rotation @ self.inertia @ rotation.T)

    def scaled(self, mass: float) -> "Load":
        """Return the same shape with another mass."""
        return Load(mass, self.com, self.inertia * (mass / self.mass))

    def raise_if_impossible(self) -> None:
        """Raise NumbersError where no body has these numbers, or they are beyond what a robot carries."""
        numbers = np.array([self.mass, *self.com, *self.inertia.ravel()])
        if (
            not np.isfinite(numbers).all()
            or not 0.0 < self.mass <= HEAVIEST
            or abs(self.com).max() > FARTHEST
        ):
            raise NumbersError(f"mass {self.mass:g} kg, centre {self.com.tolist()} m: beyond all limits")
        principal = np.linalg.eigvalsh(self.inertia)
        if principal[0] < 0.0 or principal[:2].sum() < (1.0 - 1e-6) * principal[2]:
            raise NumbersError("no body has its moments of inertia")

    def is_close(self, other: "Load") -> bool:
        """Return whether the numbers are equal up to rounding."""
        pairs = (self.mass, other.mass), (self.com, other.com), (self.inertia, other.inertia)
        return all(np.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in pairs)


def sum_of(loads: Sequence[Load]) -> Load:
    """Return rigidly connected loads as one; Steiner: m (|d|^2 - d d^T) about the common centre."""
    mass = sum(load.mass for load in loads)
    com = sum((load.mass * load.com for load in loads), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for load in loads:
        d = load.com - com
        inertia = inertia + load.inertia + load.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Load(mass, com, inertia)
