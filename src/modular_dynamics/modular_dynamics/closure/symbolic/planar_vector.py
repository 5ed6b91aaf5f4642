"""Vectors in a plane as complex numbers of symbols: a product rotates, and i v is v rotated by 90 degrees."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["PlanarVector", "Symbol"]

#: A scalar casadi.SX, or a number.
Symbol = Any


class PlanarVector(NamedTuple):
    """x + i y."""

    x: Symbol
    y: Symbol

    def plus(self, other: PlanarVector) -> PlanarVector:
        """The sum."""
        return PlanarVector(self.x + other.x, self.y + other.y)

    def minus(self, other: PlanarVector) -> PlanarVector:
        """The difference."""
        return PlanarVector(self.x - other.x, self.y - other.y)

    def times(self, factor: Symbol) -> PlanarVector:
        """Scaled by a real number."""
        return PlanarVector(self.x * factor, self.y * factor)

    def rotated(self, other: PlanarVector) -> PlanarVector:
        """The complex product; with a unit vector: rotated by its angle."""
        return PlanarVector(self.x * other.x - self.y * other.y, self.x * other.y + self.y * other.x)

    def conjugate(self) -> PlanarVector:
        """x - i y."""
        return PlanarVector(self.x, -self.y)

    def quarter_turn(self) -> PlanarVector:
        """i v: rotated by 90 degrees."""
        return PlanarVector(-self.y, self.x)

    def dot(self, other: PlanarVector) -> Symbol:
        """The inner product."""
        return self.x * other.x + self.y * other.y

    def cross(self, other: PlanarVector) -> Symbol:
        """The z component of the vector product."""
        return self.x * other.y - self.y * other.x

    def squared_length(self) -> Symbol:
        """The squared length."""
        return self.dot(self)
