"""Quaternions and dual quaternions h = P + eps D, eps^2 = 0 (Silva & Adorno, appendix A).

`adjoint` takes twists and wrenches from one frame to another; `cross` is the Lie bracket of twists.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["DualQuaternion", "Quaternion", "adjoint", "cross"]


@dataclass(frozen=True, slots=True)
class Quaternion:
    """The quaternion w + i x + j y + k z. Components in the order w x y z, dimensionless or of any unit."""

    w: float = 0.0
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0

    @classmethod
    def pure(cls, vector: ArrayLike) -> Quaternion:
        """Return the pure quaternion i x + j y + k z of a 3-vector."""
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
        """Return w - i x - j y - k z."""
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def dot(self, other: Quaternion) -> float:
        """Return the Euclidean inner product of the four components."""
        return self.w * other.w + self.x * other.x + self.y * other.y + self.z * other.z

    def norm(self) -> float:
        """Return sqrt(h h*)."""
        return math.sqrt(self.dot(self))


#: Largest deviation of a norm from 1, or of a real part from 0, that counts as rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class DualQuaternion:
    """The dual quaternion ``primary + eps dual``; immutable.

    Unit ones are poses x = r + eps (1/2) p r (rotation r, translation p [m]); pure ones are twists
    omega + eps v [rad/s, m/s] and wrenches f + eps m [N, N m]. With the force in the primary part of
    the wrench one operator, :func:`~modular_dynamics.algebra.adjoint`, moves both.
    """

    primary: Quaternion
    dual: Quaternion

    identity: ClassVar[DualQuaternion]
    zero: ClassVar[DualQuaternion]

    @classmethod
    def pure(cls, primary: ArrayLike, dual: ArrayLike) -> DualQuaternion:
        """Return the pure dual quaternion of two 3-vectors: a twist (omega, v) or a wrench (f, m)."""
        return cls(Quaternion.pure(primary), Quaternion.pure(dual))

    def vec8(self) -> NDArray[np.float64]:
        """Return the eight components (P: w x y z, D: w x y z)."""
        p, d = self.primary, self.dual
        return np.array([p.w, p.x, p.y, p.z, d.w, d.x, d.y, d.z])

    def vec6(self) -> NDArray[np.float64]:
        """Return the imaginary parts (P, D): (omega, v) of a twist, (f, m) of a wrench."""
        p, d = self.primary, self.dual
        return np.array([p.x, p.y, p.z, d.x, d.y, d.z])

    def __add__(self, other: DualQuaternion) -> DualQuaternion:
        return DualQuaternion(self.primary + other.primary, self.dual + other.dual)

    def __sub__(self, other: DualQuaternion) -> DualQuaternion:
        return DualQuaternion(self.primary - other.primary, self.dual - other.dual)

    def __neg__(self) -> DualQuaternion:
        return DualQuaternion(-self.primary, -self.dual)

    def __mul__(self, other: DualQuaternion | float) -> DualQuaternion:
        """Product (P + eps D)(P' + eps D') = P P' + eps (P D' + D P'), or product with a real number."""
        if not isinstance(other, DualQuaternion):
            return DualQuaternion(self.primary * other, self.dual * other)
        return DualQuaternion(
            self.primary * other.primary, self.primary * other.dual + self.dual * other.primary
        )

    def __rmul__(self, other: float) -> DualQuaternion:
        return self * other

    def conjugate(self) -> DualQuaternion:
        """Return P* + eps D*."""
        return DualQuaternion(self.primary.conjugate(), self.dual.conjugate())

    def norm(self) -> tuple[float, float]:
        """Return the dual number sqrt(h h*) = |P| + eps (P . D) / |P| as (primary, dual).

        Raises:
            ZeroDivisionError: the primary part is zero, where the norm has no dual part.
        """
        primary = self.primary.norm()
        return primary, self.primary.dot(self.dual) / primary

    def normalized(self) -> DualQuaternion:
        """Return the unit dual quaternion nearest to this one: h / |h|."""
        primary, dual = self.norm()
        scaled = self * (1.0 / primary)
        return DualQuaternion(scaled.primary, scaled.dual - scaled.primary * (dual / primary))

    def is_unit(self, tolerance: float = _ROUNDING) -> bool:
        """Return whether it is a unit dual quaternion, |h| = 1 + eps 0."""
        if self.primary.norm() == 0.0:
            return False
        primary, dual = self.norm()
        return abs(primary - 1.0) <= tolerance and abs(dual) <= tolerance

    def is_close(self, other: DualQuaternion, tolerance: float = _ROUNDING) -> bool:
        """Return whether all components agree to ``tolerance`` (absolute); h and -h do not."""
        return bool(np.abs(self.vec8() - other.vec8()).max() <= tolerance)


DualQuaternion.identity = DualQuaternion(Quaternion(1.0), Quaternion())
DualQuaternion.zero = DualQuaternion(Quaternion(), Quaternion())


def adjoint(x_b_a: DualQuaternion, a: DualQuaternion) -> DualQuaternion:
    """Return Ad(x) a = x a x* (Silva & Adorno, eq. 8): a pure dual quaternion from frame a to frame b.

    Args:
        x_b_a: unit dual quaternion that takes a's coordinates to b's.
        a: twist omega + eps v or wrench f + eps m, expressed in frame a.
    """
    return x_b_a * a * x_b_a.conjugate()


def cross(a: DualQuaternion, b: DualQuaternion) -> DualQuaternion:
    """Return a x b = (a b - b a) / 2 of two pure dual quaternions: the Lie bracket of twists."""
    return (a * b - b * a) * 0.5
