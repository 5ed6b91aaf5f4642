"""Vectors in a plane as complex numbers of symbols: a product rotates, and i v is v rotated by 90 degrees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["PlanarVector", "Symbol", "add_to"]

#: A scalar casadi.SX, or a number.
Symbol = Any
Key = TypeVar("Key")


@dataclass(frozen=True, eq=False)
class PlanarVector:
    """x + i y; ``v * k`` scales by a real number."""

    x: Symbol = 0.0
    y: Symbol = 0.0

    def __iter__(self) -> Iterator[Symbol]:
        return iter((self.x, self.y))

    def __add__(self, other: PlanarVector) -> PlanarVector:
        return PlanarVector(self.x + other.x, self.y + other.y)

    def __sub__(self, other: PlanarVector) -> PlanarVector:
        return PlanarVector(self.x - other.x, self.y - other.y)

    def __neg__(self) -> PlanarVector:
        return PlanarVector(-self.x, -self.y)

    def __mul__(self, factor: Symbol) -> PlanarVector:
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


def add_to(total: dict[Key, Any], key: Key, term: Any) -> None:
    """Add a scalar or a vector to one entry of a sum; entries that are zero are left out."""
    total[key] = total[key] + term if key in total else term
