"""How bodies stand in their planes: angles as sums of coordinates, times unit vectors found from loops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .parts import Part
from .plane import Plane, Symbol
from .symbols import Values

__all__ = ["Directions", "Turn"]


class Turn(NamedTuple):
    """A turn by a sum of coordinates (name, coefficient) and, after it, by unit vectors (name, +1 or -1)."""

    angle: tuple[tuple[str, float], ...] = ()
    factors: tuple[tuple[str, int], ...] = ()

    def then(self, other: Turn, sign: int = 1) -> Turn:
        """Both, or this and the inverse of the other."""
        return Turn(_sum(self.angle, other.angle, sign), _sum(self.factors, other.factors, sign))


def _sum(a: tuple[tuple[str, Any], ...], b: tuple[tuple[str, Any], ...], sign: int) -> tuple[Any, ...]:
    """Of two sums, by name; what adds up to nothing is left out."""
    total: dict[str, Any] = dict(a)
    for name, count in b:
        total[name] = total.get(name, 0) + sign * count
    return tuple(sorted((name, count) for name, count in total.items() if count != 0))


class Directions:
    """Unit vectors of bodies in their planes, each computed once.

    Attributes:
        coordinates: symbols or expressions of joint coordinates. factors: unit vectors by name.
        turns: of each part against its parent.
    """

    def __init__(self, parts: list[Part], values: Values, coordinates: Mapping[str, Symbol]) -> None:
        self.parts, self.values, self.coordinates = parts, values, dict(coordinates)
        self.factors: dict[str, Plane] = {}
        self.turns: dict[int, Turn] = {}
        self.constants: dict[str, float] = {}
        self._known: dict[tuple[Turn, float], Plane] = {}
        for k, part in enumerate(parts):
            if part.axis is not None:
                self.turns[k] = Turn()
            elif part.name in self.coordinates:
                self.turns[k] = Turn(((part.name, part.sign),))

    def between(self, first: int, body: int) -> Turn:
        """The turn from one part (or BASE) to one of its descendants in the same plane."""
        total = Turn()
        while body != first:
            total = total.then(self.turns[body])
            parent = self.parts[body].parent
            same = parent is not None and self.parts[parent].plane == self.parts[body].plane
            body = parent if same and parent is not None else -1
        return total

    def offset(self, body: int) -> float:
        """Angle of a part's frame where all coordinates are zero; of BASE: 0."""
        return 0.0 if body < 0 else self.parts[body].offset

    def vector(self, turn: Turn, offset: float = 0.0) -> Plane:
        """The unit vector of a turn plus a constant angle."""
        key = turn, offset
        if key not in self._known:
            self._known[key] = self._vector(turn, offset)
        return self._known[key]

    def _vector(self, turn: Turn, offset: float) -> Plane:
        ca, values = self.values.ca, self.values
        if turn.factors:
            last, power = turn.factors[-1]
            factor = self.factors[last] if power > 0 else self.factors[last].conjugate()
            rest = (
                turn.factors[:-1]
                if abs(power) == 1
                else (*turn.factors[:-1], (last, power - power // abs(power)))
            )
            return self.vector(Turn(turn.angle, rest), offset).turned(factor)
        constant: float = sum(
            count * self.constants[name] for name, count in turn.angle if name in self.constants
        )
        angle = values.scalar(offset + constant, "a")
        free = [(name, count) for name, count in turn.angle if name not in self.constants]
        if not free and offset + constant == 0.0:
            return Plane(ca.SX(1.0), ca.SX(0.0))
        for name, count in free:
            angle = angle + self._multiple(name, count)
        return Plane(ca.cos(angle), ca.sin(angle))

    def _multiple(self, name: str, count: float) -> Symbol:
        q = self.coordinates[name]
        return q if count == 1 else -q if count == -1 else count * q
