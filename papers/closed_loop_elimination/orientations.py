"""Orientations of bodies in their planes: sums of joint angles, and unit vectors known from loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from modular_dynamics.dynamics.arguments import Array
from papers.closed_loop_elimination.planar_bodies import PlanarModel
from papers.closed_loop_elimination.planar_loops import BASE, Segment
from papers.closed_loop_elimination.symbols import ModelConstants, PlanarVector, Symbol


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
