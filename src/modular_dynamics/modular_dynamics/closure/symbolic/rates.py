"""W as rates: of each joint, and of each body in its plane, by the rates of the independent joints."""

from __future__ import annotations

from typing import Any

from .directions import Directions
from .order import Group, Step
from .parts import Part
from .plane import Plane, Symbol
from .symbols import Values

__all__ = ["Rates", "explicit_rates", "implicit_rates"]

#: By independent joint, the derivative of something by its coordinate; zeros are left out.
Row = dict[str, Symbol]
Rates = dict[int, Row]


def _sum(terms: list[tuple[Any, Row]]) -> Row:
    total: Row = {}
    for factor, row in terms:
        for name, value in row.items():
            term = factor * value
            total[name] = total[name] + term if name in total else term
    return total


def explicit_rates(parts: list[Part], directions: Directions, independent: dict[str, Symbol]) -> Rates:
    """Of each joint [sign of its turn in its plane], by differentiating the explicit solution."""
    known: dict[str, Row] = {name: {name: 1.0} for name in independent}
    for name, unit in directions.factors.items():
        dx, dy = (_gradient(part, independent, directions.values) for part in unit)
        known[name] = _sum([(unit.x, dy), (-unit.y, dx)])
    for name, value in directions.coordinates.items():
        if name not in known:
            known[name] = _gradient(value, independent, directions.values)
    rates: Rates = {}
    for k, part in enumerate(parts):
        if part.axis is not None:
            rates[k] = known[part.name]
            continue
        turn = directions.turns[k]
        terms = [(count, known[name]) for name, count in turn.angle if name not in directions.constants]
        rates[k] = _sum([*terms, *((count, known[name]) for name, count in turn.factors)])
    return rates


def _gradient(value: Symbol, independent: dict[str, Symbol], values: Values) -> Row:
    J = values.ca.jacobian(value, values.ca.vertcat(*independent.values()))
    return {name: J[0, i] for i, name in enumerate(independent) if J.sparsity().has_nz(0, i)}


def implicit_rates(
    parts: list[Part], steps: list[Step], directions: Directions, independent: tuple[str, ...]
) -> Rates:
    """Of each joint, from the derivatives of the conditions: J2 q2' = -J1 q1' (Schappler et al., sec. 3.4).

    Each loop's two conditions determine two rates: J2 falls into blocks of two rows, for Cramer's rule.
    """
    names = [part.name for part in parts]
    rates: Rates = {names.index(name): {name: parts[names.index(name)].sign or 1.0} for name in independent}
    for step in steps:
        if step.gear is not None:
            k = names.index(step.gear.joint)
            drivers = [(names.index(name), ratio) for name, ratio in step.gear.drivers]
            turned = [
                (ratio * (parts[i].sign or 1.0) * (parts[k].sign or 1.0), rates[i]) for i, ratio in drivers
            ]
            rates[k] = _sum(turned)
        else:
            _Loop(parts, step, directions, rates).solve()
    return rates


class _Loop:
    """One loop's block. The sum of all sides R d and slides is constant: sum i R d omega + e q' = 0."""

    def __init__(self, parts: list[Part], step: Step, directions: Directions, rates: Rates) -> None:
        self.parts, self.step, self.directions, self.rates = parts, step, directions, rates
        assert step.ring is not None
        self.before = step.ring.before

    def solve(self) -> None:
        # in a group, what moves against its first body is known; times -i, so that sides stand for themselves
        known: dict[str, Plane] = {}
        for group in self.step.groups:
            for side in group.sides:
                inside = _sum([(1.0, self.rates[k]) for k in self._between(group, side.body)])
                for name, rate in inside.items():
                    self._take(known, name, self._side(side).times(rate))
                for k, axis in side.slides:
                    if k != self.step.slide:
                        e = self._axis(side.body, axis).quarter()
                        for name, rate in self.rates[k].items():
                            self._take(known, name, e.times(-rate))
        if self.step.slide is None:
            self._turns(known)
        else:
            self._slide(known, self.step.slide)

    def _take(self, known: dict[str, Plane], name: str, term: Plane) -> None:
        known[name] = known[name].minus(term) if name in known else Plane(-term.x, -term.y)

    def _between(self, group: Group, body: int) -> list[int]:
        joints = []
        while body != group.first:
            joints.append(body)
            body = self.before[body]
        return joints

    def _side(self, side: Any) -> Plane:
        d = self.directions
        local = d.values.plane(side.vector, "d")
        for k, axis in side.slides:
            q = d.coordinates[self.parts[k].name]
            local = local.plus(Plane(d.values.direction(axis[0]), d.values.direction(axis[1])).times(q))
        return local.turned(self._standing(side.body))

    def _standing(self, body: int) -> Plane:
        return self.directions.vector(self.directions.between(-1, body), self.directions.offset(body))

    def _axis(self, body: int, axis: Any) -> Plane:
        values = self.directions.values
        return Plane(values.direction(axis[0]), values.direction(axis[1])).turned(self._standing(body))

    def _total(self, group: Group) -> Plane:
        total = self._side(group.sides[0])
        for side in group.sides[1:]:
            total = total.plus(self._side(side))
        return total

    def _turns(self, known: dict[str, Plane]) -> None:
        """G1 omega1 + G2 omega2 = w."""
        _, second, third = self.step.groups
        G1, G2 = self._total(second), self._total(third)
        inverse = 1 / G1.cross(G2)
        self._found(second, {name: w.cross(G2) * inverse for name, w in known.items()})
        self._found(third, {name: G1.cross(w) * inverse for name, w in known.items()})

    def _slide(self, known: dict[str, Plane], slide: int) -> None:
        """G omega - i e q' = w, in axes along the slide."""
        other = self.step.groups[1]
        side = next(s for g in self.step.groups for s in g.sides if slide in dict(s.slides))
        e = self._axis(side.body, dict(side.slides)[slide])
        seen = {name: w.turned(e.conjugate()) for name, w in known.items()}
        G = self._local(other, side, slide, e)
        inverse = 1 / G.x
        omega = {name: w.x * inverse for name, w in seen.items()}
        self.rates[slide] = {name: G.y * omega[name] - w.y for name, w in seen.items()}
        self._found(other, omega)

    def _local(self, group: Group, side: Any, slide: int, e: Plane) -> Plane:
        """A group's sum in axes along the slide; the side that slides needs no turning there."""
        d, total = self.directions, None
        for mine in group.sides:
            if mine is side:
                axis = dict(side.slides)[slide]
                back = Plane(d.values.direction(axis[0]), -d.values.direction(axis[1]))
                own = d.values.plane(side.vector, "d").turned(back)
                own = Plane(own.x + d.coordinates[self.parts[slide].name], own.y)
            else:
                own = self._side(mine).turned(e.conjugate())
            total = own if total is None else total.plus(own)
        assert total is not None
        return total

    def _found(self, group: Group, omega: Row) -> None:
        """The rate of a group against the ring's first body; wanted: against the body before it."""
        before, way = self.before[group.first], []
        while before in self.before:
            way.append((-1.0, self.rates[before]))
            before = self.before[before]
        self.rates[group.first] = _sum([(1.0, omega), *way])
