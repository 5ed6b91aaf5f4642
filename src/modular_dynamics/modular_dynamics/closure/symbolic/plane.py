"""Vectors of a plane as complex numbers of symbols: a turn is a product, and i v is v turned by a quarter."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Plane", "Symbol"]

#: A scalar casadi.SX, or a number.
Symbol = Any


class Plane(NamedTuple):
    """x + i y."""

    x: Symbol
    y: Symbol

    def plus(self, other: Plane) -> Plane:
        """The sum."""
        return Plane(self.x + other.x, self.y + other.y)

    def minus(self, other: Plane) -> Plane:
        """The difference."""
        return Plane(self.x - other.x, self.y - other.y)

    def times(self, factor: Symbol) -> Plane:
        """Scaled by a real number."""
        return Plane(self.x * factor, self.y * factor)

    def turned(self, other: Plane) -> Plane:
        """The complex product; by a unit vector: turned by its angle."""
        return Plane(self.x * other.x - self.y * other.y, self.x * other.y + self.y * other.x)

    def conjugate(self) -> Plane:
        """x - i y."""
        return Plane(self.x, -self.y)

    def quarter(self) -> Plane:
        """i v: turned by 90 degrees."""
        return Plane(-self.y, self.x)

    def dot(self, other: Plane) -> Symbol:
        """The inner product."""
        return self.x * other.x + self.y * other.y

    def cross(self, other: Plane) -> Symbol:
        """The z component of the vector product."""
        return self.x * other.y - self.y * other.x

    def square(self) -> Symbol:
        """The length, squared."""
        return self.dot(self)
