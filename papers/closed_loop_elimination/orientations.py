"""Orientations of bodies in their planes, and their rates.

Orientations are sums of joint angles, and unit vectors known from loops. The projection W is the rates of
joints and bodies by the rates of the independent joints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from modular_dynamics.dynamics.arguments import Array
from modular_dynamics.model import Gear
from papers.closed_loop_elimination.planar_bodies import PlanarModel
from papers.closed_loop_elimination.planar_loops import BASE, LoopStep, RigidGroup, Segment, SolutionStep
from papers.closed_loop_elimination.symbols import ModelConstants, PlanarVector, Symbol, add_to


class PlanarRotation(NamedTuple):
    """A rotation by a sum of coordinates (name, coefficient), then by unit vectors (name, +1 or -1)."""

    angle: tuple[tuple[str, float], ...] = ()
    unit_vectors: tuple[tuple[str, int], ...] = ()

    def then(self, other: PlanarRotation, sign: int = 1) -> PlanarRotation:
        """Return this rotation followed by the other one (sign 1) or its inverse (sign -1)."""
        return PlanarRotation(*(_sum(*parts, sign) for parts in zip(self, other, strict=True)))


def _sum(a: tuple[tuple[str, Any], ...], b: tuple[tuple[str, Any], ...], sign: int) -> tuple[Any, ...]:
    """Return a + sign b of two sums by name, without the terms that cancel."""
    total: dict[str, Any] = dict(a)
    for name, count in b:
        total[name] = total.get(name, 0) + sign * count
    return tuple(sorted((name, count) for name, count in total.items() if count != 0))


class Orientations:
    """Unit vectors of bodies in their planes, each computed once.

    Attributes:
        coordinates: symbols or expressions of joint coordinates, by name.
        unit_vectors: those known from loops, by joint name. constant_angles: offsets of gears, by name.
        rotations: of each body against its parent.
    """

    def __init__(
        self, model: PlanarModel, constants: ModelConstants, coordinates: Mapping[str, Symbol]
    ) -> None:
        self.model, self.bodies = model, model.bodies
        self.constants, self.coordinates = constants, dict(coordinates)
        self.unit_vectors: dict[str, PlanarVector] = {}
        self.rotations: dict[int, PlanarRotation] = {}
        self.constant_angles: dict[str, float] = {}
        self._unit_vectors: dict[tuple[PlanarRotation, float], PlanarVector] = {}
        for k, body in enumerate(self.bodies):
            if body.axis is not None:
                self.rotations[k] = PlanarRotation()
            elif body.name in self.coordinates:
                self.rotations[k] = PlanarRotation(((body.name, body.sign),))

    def between(self, first: int, body: int) -> PlanarRotation:
        """Return the rotation from one body (or BASE) to one of its descendants in the same plane."""
        total = PlanarRotation()
        while body != first:
            total = total.then(self.rotations[body])
            parent = self.model.same_plane_parent(body)
            body = BASE if parent is None else parent
        return total

    def offset(self, body: int) -> float:
        """Return the angle of a body's frame with all coordinates at zero; 0 for BASE."""
        return 0.0 if body == BASE else self.bodies[body].offset

    def of_body(self, body: int) -> PlanarVector:
        """Return the unit vector of a body's x axis, or of BASE's, in its plane."""
        return self.unit_vector(self.between(BASE, body), self.offset(body))

    def direction(self, body: int, axis: Array) -> PlanarVector:
        """Return a unit vector fixed in a body, in the axes of its plane."""
        return self.constants.planar_direction(axis).rotated(self.of_body(body))

    def vector(
        self, segment: Segment, first: int = BASE, reference: int = BASE, without: int | None = None
    ) -> PlanarVector:
        """Return the vector of a segment in the axes of body ``reference`` (without its offset).

        Their rotations are related to ``first``, an ancestor of both; the slide ``without`` does not count.
        """
        vector = self.constants.planar_vector(segment.vector, "d")
        for k, axis in segment.slides.items():
            if k != without:
                q = self.coordinates[self.bodies[k].name]
                vector = vector + self.constants.planar_direction(axis) * q
        rotation = self.between(first, segment.body).then(self.between(first, reference), -1)
        return vector.rotated(self.unit_vector(rotation, self.offset(segment.body)))

    def vector_sum(
        self,
        segments: Iterable[Segment],
        first: int = BASE,
        reference: int = BASE,
        without: int | None = None,
    ) -> PlanarVector:
        """Return the sum of the vectors of segments: see `vector`."""
        vectors = (self.vector(segment, first, reference, without) for segment in segments)
        return sum(vectors, PlanarVector())

    def unit_vector(self, rotation: PlanarRotation, offset: float = 0.0) -> PlanarVector:
        """Return the unit vector of a rotation plus a constant angle."""
        key = rotation, round(offset, 12)  # angles of several bodies are equal but for rounding
        if key not in self._unit_vectors:
            self._unit_vectors[key] = self._new_unit_vector(rotation, offset)
        return self._unit_vectors[key]

    def _new_unit_vector(self, rotation: PlanarRotation, offset: float) -> PlanarVector:
        ca = self.constants.ca
        if rotation.unit_vectors:
            last, power = rotation.unit_vectors[-1]
            vector = self.unit_vectors[last] if power > 0 else self.unit_vectors[last].conjugate()
            rest = rotation.unit_vectors[:-1]
            if abs(power) > 1:
                rest = (*rest, (last, power - power // abs(power)))
            return self.unit_vector(PlanarRotation(rotation.angle, rest), offset).rotated(vector)
        constants = [count * self.constant_angles.get(name, 0.0) for name, count in rotation.angle]
        angle = self.constants.scalar(offset + sum(constants), "a")
        for name, count in rotation.angle:
            if name not in self.constant_angles:
                angle = angle + count * self.coordinates[name]
        return PlanarVector(ca.cos(angle), ca.sin(angle))


# The projection W as rates of joints and bodies, by the rates of the independent joints.

#: By independent joint, the derivative of something by its coordinate; zeros are left out.
Row = dict[str, Symbol]
#: Rows of joints, by index of their bodies.
Rates = dict[int, Row]


def _row_sum(terms: Iterable[tuple[Symbol, Row]]) -> Row:
    """Return the sum of factor times row."""
    total: Row = {}
    for factor, row in terms:
        for name, value in row.items():
            add_to(total, name, factor * value)
    return total


def explicit_rates(orientations: Orientations, independent: dict[str, Symbol]) -> Rates:
    """Return joint rates, about the normals of their planes, by differentiating the explicit solution."""
    known: dict[str, Row] = {name: {name: 1.0} for name in independent}
    known |= {name: {} for name in orientations.constant_angles}
    for name, unit in orientations.unit_vectors.items():
        dx, dy = (_gradient(component, independent, orientations.constants) for component in unit)
        known[name] = _row_sum([(unit.x, dy), (-unit.y, dx)])
    for name, value in orientations.coordinates.items():
        if name not in known:
            known[name] = _gradient(value, independent, orientations.constants)
    rates: Rates = {}
    for k, body in enumerate(orientations.bodies):
        if body.axis is not None:
            rates[k] = known[body.name]
        else:
            angle, unit_vectors = orientations.rotations[k]
            rates[k] = _row_sum((count, known[name]) for name, count in (*angle, *unit_vectors))
    return rates


def _gradient(value: Symbol, independent: dict[str, Symbol], constants: ModelConstants) -> Row:
    J = constants.ca.jacobian(value, constants.ca.vertcat(*independent.values()))
    return {name: J[0, i] for i, name in enumerate(independent) if J.sparsity().has_nz(0, i)}


def implicit_rates(
    steps: list[SolutionStep], orientations: Orientations, independent: tuple[str, ...]
) -> Rates:
    """Return joint rates from derivatives of the constraints: J2 q2' = -J1 q1' (Schappler et al., 3.4).

    Each loop's two constraints determine two rates: J2 has blocks of two rows, solved by Cramer's rule.
    """
    bodies = orientations.bodies
    index = {body.name: k for k, body in enumerate(bodies)}
    signs = [body.sign or 1.0 for body in bodies]
    rates: Rates = {index[name]: {name: signs[index[name]]} for name in independent}
    for step in steps:
        if isinstance(step, Gear):
            k, drivers = index[step.joint], [(index[name], ratio) for name, ratio in step.drivers]
            rates[k] = _row_sum((ratio * signs[i] * signs[k], rates[i]) for i, ratio in drivers)
        else:
            _LoopRates(step, orientations, rates).solve()
    return rates


class _LoopRates:
    """One loop's block. The sum of all segments R d and slides is constant: sum i R d omega + e q' = 0."""

    def __init__(self, step: LoopStep, orientations: Orientations, rates: Rates) -> None:
        self.step, self.orientations, self.rates = step, orientations, rates
        self.predecessor = step.loop.predecessor

    def solve(self) -> None:
        """Add the rates of the two unknown joints."""
        # the rates within each rigid group are known; the equation is multiplied by -i, so that segments
        # themselves are the factors of the rates
        known: dict[str, PlanarVector] = {}
        for group in self.step.groups:
            for segment in group.segments:
                within = _row_sum((1.0, self.rates[k]) for k in self._joints_between(group, segment.body))
                for name, rate in within.items():
                    add_to(known, name, self.orientations.vector(segment) * -rate)
                for k, axis in segment.slides.items():
                    if k != self.step.slide:
                        e = self.orientations.direction(segment.body, axis).quarter_turn()
                        for name, rate in self.rates[k].items():
                            add_to(known, name, e * rate)
        if self.step.slide is None:
            self._solve_rotations(known)
        else:
            self._solve_slide(known, self.step.slide)

    def _joints_between(self, group: RigidGroup, body: int) -> list[int]:
        joints = []
        while body != group.first:
            joints.append(body)
            body = self.predecessor[body]
        return joints

    def _solve_rotations(self, known: dict[str, PlanarVector]) -> None:
        """Return the solution of G1 omega1 + G2 omega2 = w."""
        _, second, third = self.step.groups
        G1, G2 = (self.orientations.vector_sum(group.segments) for group in (second, third))
        inverse = 1 / G1.cross(G2)
        self._set_rate(second, {name: w.cross(G2) * inverse for name, w in known.items()})
        self._set_rate(third, {name: G1.cross(w) * inverse for name, w in known.items()})

    def _solve_slide(self, known: dict[str, PlanarVector], slide: int) -> None:
        """Return the solution of G omega - i e q' = w, in axes along the slide."""
        group, (_, sliding) = self.step.groups[1], self.step.sliding_segment()
        e = self.orientations.direction(sliding.body, sliding.slides[slide])
        along = {name: w.rotated(e.conjugate()) for name, w in known.items()}
        G = sum((self._along(e, segment, sliding, slide) for segment in group.segments), PlanarVector())
        inverse = 1 / G.x
        omega = {name: w.x * inverse for name, w in along.items()}
        self.rates[slide] = {name: G.y * omega[name] - w.y for name, w in along.items()}
        self._set_rate(group, omega)

    def _along(self, e: PlanarVector, segment: Segment, sliding: Segment, slide: int) -> PlanarVector:
        """Return a segment in axes along the slide; the sliding one needs no rotation."""
        if segment is not sliding:
            return self.orientations.vector(segment).rotated(e.conjugate())
        constants = self.orientations.constants
        back = constants.planar_direction(sliding.slides[slide]).conjugate()
        q = self.orientations.coordinates[self.orientations.bodies[slide].name]
        return constants.planar_vector(sliding.vector, "d").rotated(back) + PlanarVector(q, 0.0)

    def _set_rate(self, group: RigidGroup, omega: Row) -> None:
        """Convert a rate against the loop's first body to that against the predecessor."""
        predecessor = self.predecessor[group.first]
        terms: list[tuple[Symbol, Row]] = [(1.0, omega)]
        while predecessor in self.predecessor:
            terms.append((-1.0, self.rates[predecessor]))
            predecessor = self.predecessor[predecessor]
        self.rates[group.first] = _row_sum(terms)
