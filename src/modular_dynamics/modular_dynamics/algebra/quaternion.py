"""Quaternions H = {w + i x + j y + k z}, i^2 = j^2 = k^2 = ijk = -1 (Silva & Adorno, appendix A)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Quaternion"]


@dataclass(frozen=True, slots=True)
class Quaternion:
    """The quaternion w + i x + j y + k z. Components in the order w x y z, dimensionless or of any unit."""

    w: float = 0.0
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0

    @classmethod
    def pure(cls, vector: ArrayLike) -> Quaternion:
        """The pure quaternion i x + j y + k z of a 3-vector."""
        x, y, z = np.asarray(vector, dtype=float).tolist()
        return cls(0.0, x, y, z)

    @property
    def vector(self) -> NDArray[np.float64]:
        """Imaginary part as a 3-vector."""
        return np.array([self.x, self.y, self.z])

    def __add__(self, other: Quaternion) -> Quaternion:
        return Quaternion(self.w + other.w, self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Quaternion) -> Quaternion:
        return Quaternion(self.w - other.w, self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Quaternion:
        return Quaternion(-self.w, -self.x, -self.y, -self.z)

    def __mul__(self, other: Quaternion | float) -> Quaternion:
        """Hamilton product, or product with a real number."""
        if not isinstance(other, Quaternion):
            return Quaternion(self.w * other, self.x * other, self.y * other, self.z * other)
        a, b = self, other
        return Quaternion(
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        )

    def __rmul__(self, other: float) -> Quaternion:
        return self * other

    def conjugate(self) -> Quaternion:
        """w - i x - j y - k z."""
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def dot(self, other: Quaternion) -> float:
        """Euclidean inner product of the four components."""
        return self.w * other.w + self.x * other.x + self.y * other.y + self.z * other.z

    def norm(self) -> float:
        """sqrt(h h*)."""
        return math.sqrt(self.dot(self))
