"""The dependent coordinates as explicit functions of the independent ones: dyads by intersecting circles.

Trigonometric elimination keeps sines and cosines of dependent angles, as unit vectors; direct elimination the
angles themselves, by atan2 (Schappler et al., sections 3.2 and 3.3). Which of two intersections is meant,
the closed configuration tells that the graph's limits of passive joints choose.
"""

from __future__ import annotations

import numpy as np

from ...exceptions import UnsupportedModelError
from .directions import Directions, Turn
from .order import Group, Step
from .parts import Part
from .plane import Plane, Symbol

__all__ = ["eliminate"]


def eliminate(
    parts: list[Part],
    steps: list[Step],
    directions: Directions,
    direct: bool,
    closed: dict[str, float],
) -> None:
    """Adds the dependent joints to the directions, and the dependent slides to their coordinates.

    Args:
        direct: angles by atan2; else unit vectors.
        closed: coordinates of all joints in a closed configuration of the wanted branch.
    """
    for step in steps:
        if step.gear is not None:
            _gear(parts, step, directions, closed)
        else:
            _Dyad(parts, step, directions, direct, closed).solve()


def _gear(parts: list[Part], step: Step, directions: Directions, closed: dict[str, float]) -> None:
    gear = step.gear
    assert gear is not None
    k = next(i for i, part in enumerate(parts) if part.name == gear.joint)
    by_name = {part.name: i for i, part in enumerate(parts)}
    turn = Turn()
    if gear.offset != 0.0:
        directions.constants[f"gear {gear.joint}"] = gear.offset
        turn = turn.then(Turn(((f"gear {gear.joint}", parts[k].sign),)))
    for name, ratio in gear.drivers:
        driver = directions.turns[by_name[name]]
        times = ratio * parts[by_name[name]].sign * parts[k].sign
        if driver.factors and times not in {1.0, -1.0}:
            raise UnsupportedModelError(
                f"gear of joint '{gear.joint}': its driver '{name}' is known as sine and cosine; ratio 1, -1"
            )
        scaled = Turn(
            tuple((n, c * times) for n, c in driver.angle),
            tuple((n, int(c * times)) for n, c in driver.factors),
        )
        turn = turn.then(scaled)
    directions.turns[k] = turn


class _Dyad:
    def __init__(
        self, parts: list[Part], step: Step, directions: Directions, direct: bool, closed: dict[str, float]
    ) -> None:
        self.parts, self.step, self.directions, self.direct = parts, step, directions, direct
        self.closed, self.ca = closed, directions.values.ca

    def solve(self) -> None:
        if self.step.slide is None:
            self._circles()
        else:
            self._slider(self.step.slide)

    def _sum(self, group: Group, reference: int) -> Plane:
        """What a group adds to the loop, in the axes of a body (its offset not counted)."""
        values, total = self.directions.values, None
        back = self.directions.between(group.first, reference)
        for side in group.sides:
            local = values.plane(side.vector, "d")
            for k, axis in side.slides:
                if k != self.step.slide:
                    q = self.directions.coordinates[self.parts[k].name]
                    local = local.plus(Plane(values.direction(axis[0]), values.direction(axis[1])).times(q))
            turn = self.directions.between(group.first, side.body).then(back, -1)
            own = local.turned(self.directions.vector(turn, self.directions.offset(side.body)))
            total = own if total is None else total.plus(own)
        assert total is not None
        return total

    def _circles(self) -> None:
        """D0 + R1 D1 + R2 D2 = 0: a triangle of known lengths, two of its sides unknown in direction."""
        first, second, third = self.step.groups
        D0, D1, D2 = (self._sum(group, group.first) for group in (first, second, third))
        a, b, c = D0.square(), D1.square(), D2.square()
        k = 0.5 * (c - a - b)
        h = self._branch(first, second) * self.ca.sqrt(a * b - k * k)
        spread = Plane(k, h).turned(D0)
        closing = Plane(-(a + k), -h).turned(D0)
        self._found(first, second, spread.turned(D1.conjugate()), a * b)
        self._found(first, third, closing.turned(D2.conjugate()), a * c)

    def _slider(self, slide: int) -> None:
        """D0 + R1 (E + F q) = 0 with an unknown length q along F."""
        carrier, other = sorted(
            self.step.groups, key=lambda g: all(slide not in dict(s.slides) for s in g.sides)
        )
        side = next(s for s in carrier.sides if slide in dict(s.slides))
        E, D0 = self._sum(carrier, side.body), self._sum(other, other.first)
        axis = dict(side.slides)[slide]
        F = Plane(self.directions.values.direction(axis[0]), self.directions.values.direction(axis[1]))
        F = F.turned(self.directions.vector(Turn(), self.directions.offset(side.body)))
        E = E.turned(F.conjugate())
        a = D0.square()
        name = self.parts[slide].name
        sign = 1.0 if self._number(E.x) + self.closed[name] > 0.0 else -1.0
        length = sign * self.ca.sqrt(a - E.y * E.y)
        self.directions.coordinates[name] = length - E.x
        turned = Plane(-D0.x, -D0.y).turned(F.conjugate()).turned(Plane(length, -E.y))
        if E.y.is_zero():  # then the direction is D0's alone
            turned, a = Plane(-D0.x, -D0.y).turned(F.conjugate()).times(sign), sign * length
        if carrier is self.step.groups[1]:
            self._found(other, carrier, turned, a, side.body)
        else:
            self._found(carrier, other, turned.conjugate(), a, None, side.body)

    def _number(self, expression: Symbol) -> float:
        ca, values = self.ca, self.directions.values
        names = [n for n, q in self.directions.coordinates.items() if q.is_symbolic()]
        inputs = ca.vertcat(*(self.directions.coordinates[n] for n in names), values.symbols)
        numbers = np.concatenate([[self.closed[n] for n in names], values.numbers])
        return float(ca.Function("f", [inputs], [expression])(numbers))

    def _branch(self, first: Group, second: Group) -> float:
        """On which side of D0 the vector R1 D1 is in the closed configuration."""
        names = [part.name for part in self.parts]
        angle, k = 0.0, second.first
        while k != first.first:
            angle += self.parts[k].sign * self.closed[names[k]]
            parent = self.parts[k].parent
            same = parent is not None and self.parts[parent].plane == self.parts[k].plane
            k = parent if same and parent is not None else -1
            if k == -1 and first.first != -1:
                break
        spin = complex(np.cos(angle), np.sin(angle))
        D0, D1 = (self._sum(group, group.first) for group in (first, second))
        d0 = complex(self._number(D0.x), self._number(D0.y))
        d1 = complex(self._number(D1.x), self._number(D1.y))
        return 1.0 if (d0.conjugate() * spin * d1).imag > 0.0 else -1.0

    def _found(
        self,
        base: Group,
        group: Group,
        vector: Plane,
        length: Symbol,
        body: int | None = None,
        reference: int | None = None,
    ) -> None:
        """The direction of a group against another is that of a vector, whose length is known."""
        d, k = self.directions, group.first
        name = self.parts[k].name
        turn = Turn()
        if self.direct:
            d.coordinates[f"angle {name}"] = self.ca.atan2(vector.y, vector.x)
            turn = Turn(((f"angle {name}", 1.0),))
        else:
            inverse = 1 / length
            d.factors[name] = vector.times(inverse)
            turn = Turn((), ((name, 1),))
        # from the base group's reference to this group's reference; wanted: of k against the body before it
        if body is not None:
            turn = turn.then(d.between(k, body), -1)
        if reference is not None:
            turn = d.between(base.first, reference).then(turn)
        assert self.step.ring is not None
        before = self.step.ring.before[k]
        # the body before k is in the base group, or in one that was found just now
        d.turns[k] = turn.then(d.between(base.first, before), -1)
