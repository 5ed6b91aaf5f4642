"""The dependent coordinates as explicit functions of the independent ones: dyads by intersecting circles.

Trigonometric elimination computes sines and cosines of dependent angles, as unit vectors; direct elimination
the angles themselves, by atan2 (Schappler et al., sections 3.2 and 3.3). Of two intersections, the one of a
given closed configuration is taken; the limits of passive joints select that configuration.
"""

from __future__ import annotations

import numpy as np

from ...exceptions import UnsupportedModelError
from ...model import Gear
from .orientations import Orientations, PlanarRotation
from .planar_bodies import PlanarBody, PlanarModel
from .planar_vector import PlanarVector, Symbol
from .solution_order import LoopStep, RigidGroup, SolutionStep

__all__ = ["eliminate"]


def eliminate(
    model: PlanarModel,
    steps: list[SolutionStep],
    orientations: Orientations,
    direct: bool,
    closed: dict[str, float],
) -> None:
    """Add the dependent joints to the orientations, and the dependent slides to their coordinates.

    Args:
        direct: angles by atan2, otherwise unit vectors.
        closed: coordinates of all joints in a closed configuration of the wanted branch.
    """
    for step in steps:
        if isinstance(step, Gear):
            _add_gear(model.bodies, step, orientations)
        else:
            _Dyad(model, step, orientations, direct, closed).solve()


def _add_gear(bodies: list[PlanarBody], gear: Gear, orientations: Orientations) -> None:
    k = next(i for i, body in enumerate(bodies) if body.name == gear.joint)
    by_name = {body.name: i for i, body in enumerate(bodies)}
    rotation = PlanarRotation()
    if gear.offset != 0.0:
        orientations.constant_angles[f"gear {gear.joint}"] = gear.offset
        rotation = rotation.then(PlanarRotation(((f"gear {gear.joint}", bodies[k].sign),)))
    for name, ratio in gear.drivers:
        driver = orientations.rotations[by_name[name]]
        times = ratio * bodies[by_name[name]].sign * bodies[k].sign
        if driver.unit_vectors and times not in {1.0, -1.0}:
            raise UnsupportedModelError(
                f"gear of joint '{gear.joint}': its driver '{name}' is known by sine and cosine only; "
                "the ratio must be 1 or -1"
            )
        scaled = PlanarRotation(
            tuple((n, c * times) for n, c in driver.angle),
            tuple((n, int(c * times)) for n, c in driver.unit_vectors),
        )
        rotation = rotation.then(scaled)
    orientations.rotations[k] = rotation


class _Dyad:
    """One loop's two unknown joints."""

    def __init__(
        self,
        model: PlanarModel,
        step: LoopStep,
        orientations: Orientations,
        direct: bool,
        closed: dict[str, float],
    ) -> None:
        self.model, self.bodies, self.step = model, model.bodies, step
        self.orientations, self.direct = orientations, direct
        self.closed, self.ca = closed, orientations.constants.ca

    def solve(self) -> None:
        if self.step.slide is None:
            self._circles()
        else:
            self._slider(self.step.slide)

    def _sum(self, group: RigidGroup, reference: int) -> PlanarVector:
        """A group's term of the loop's vector sum, in the axes of a body (without its offset)."""
        total = None
        back = self.orientations.between(group.first, reference)
        for segment in group.segments:
            local = self.orientations.local_vector(segment, self.step.slide)
            rotation = self.orientations.between(group.first, segment.body).then(back, -1)
            offset = self.orientations.offset(segment.body)
            vector = local.rotated(self.orientations.unit_vector(rotation, offset))
            total = vector if total is None else total.plus(vector)
        assert total is not None
        return total

    def _circles(self) -> None:
        """D0 + R1 D1 + R2 D2 = 0: a triangle of known lengths, two of its sides unknown in direction."""
        first, second, third = self.step.groups
        D0, D1, D2 = (self._sum(group, group.first) for group in (first, second, third))
        a, b, c = D0.squared_length(), D1.squared_length(), D2.squared_length()
        k = 0.5 * (c - a - b)
        h = self._branch(first, second) * self.ca.sqrt(a * b - k * k)
        spread = PlanarVector(k, h).rotated(D0)
        closing = PlanarVector(-(a + k), -h).rotated(D0)
        self._set_rotation(first, second, spread.rotated(D1.conjugate()), a * b)
        self._set_rotation(first, third, closing.rotated(D2.conjugate()), a * c)

    def _slider(self, slide: int) -> None:
        """D0 + R1 (E + F q) = 0 with an unknown length q along F."""
        carrier, other = sorted(
            self.step.groups, key=lambda g: all(slide not in dict(s.slides) for s in g.segments)
        )
        segment = next(s for s in carrier.segments if slide in dict(s.slides))
        E, D0 = self._sum(carrier, segment.body), self._sum(other, other.first)
        axis = dict(segment.slides)[slide]
        F = self.orientations.constants.planar_direction(axis)
        F = F.rotated(self.orientations.unit_vector(PlanarRotation(), self.orientations.offset(segment.body)))
        E = E.rotated(F.conjugate())
        a = D0.squared_length()
        name = self.bodies[slide].name
        sign = 1.0 if self._at_closed_configuration(E.x) + self.closed[name] > 0.0 else -1.0
        length = sign * self.ca.sqrt(a - E.y * E.y)
        self.orientations.coordinates[name] = length - E.x
        direction = PlanarVector(-D0.x, -D0.y).rotated(F.conjugate()).rotated(PlanarVector(length, -E.y))
        if E.y.is_zero():  # the direction is that of D0 alone
            direction, a = PlanarVector(-D0.x, -D0.y).rotated(F.conjugate()).times(sign), sign * length
        if carrier is self.step.groups[1]:
            self._set_rotation(other, carrier, direction, a, segment.body)
        else:
            self._set_rotation(carrier, other, direction.conjugate(), a, None, segment.body)

    def _at_closed_configuration(self, expression: Symbol) -> float:
        """The value of an expression there."""
        ca, constants = self.ca, self.orientations.constants
        names = [n for n, q in self.orientations.coordinates.items() if q.is_symbolic()]
        inputs = ca.vertcat(*(self.orientations.coordinates[n] for n in names), constants.symbols)
        numbers = np.concatenate([[self.closed[n] for n in names], constants.numbers])
        return float(ca.Function("f", [inputs], [expression])(numbers))

    def _branch(self, first: RigidGroup, second: RigidGroup) -> float:
        """The side of D0 (+1 or -1) on which the vector R1 D1 is in the closed configuration."""
        angle, k = 0.0, second.first
        while k != first.first:
            angle += self.bodies[k].sign * self.closed[self.bodies[k].name]
            parent = self.model.same_plane_parent(k)
            if parent is None:
                break
            k = parent
        spin = complex(np.cos(angle), np.sin(angle))
        D0, D1 = (self._sum(group, group.first) for group in (first, second))
        d0 = complex(self._at_closed_configuration(D0.x), self._at_closed_configuration(D0.y))
        d1 = complex(self._at_closed_configuration(D1.x), self._at_closed_configuration(D1.y))
        return 1.0 if (d0.conjugate() * spin * d1).imag > 0.0 else -1.0

    def _set_rotation(
        self,
        base: RigidGroup,
        group: RigidGroup,
        vector: PlanarVector,
        length: Symbol,
        body: int | None = None,
        reference: int | None = None,
    ) -> None:
        """Set the rotation of a group's first body; its direction in ``base`` is ``vector`` / ``length``.

        Args:
            body: the body of ``group`` with that direction; None: its first body.
            reference: the body of ``base`` that the direction refers to; None: its first body.
        """
        d, k = self.orientations, group.first
        name = self.bodies[k].name
        rotation = PlanarRotation()
        if self.direct:
            d.coordinates[f"angle {name}"] = self.ca.atan2(vector.y, vector.x)
            rotation = PlanarRotation(((f"angle {name}", 1.0),))
        else:
            inverse = 1 / length
            d.unit_vectors[name] = vector.times(inverse)
            rotation = PlanarRotation((), ((name, 1),))
        # so far from the base group's reference to this group's body; needed is k against its predecessor
        if body is not None:
            rotation = rotation.then(d.between(k, body), -1)
        if reference is not None:
            rotation = d.between(base.first, reference).then(rotation)
        # the predecessor is in the base group, or in the group whose rotation was set just before
        predecessor = self.step.loop.predecessor[k]
        d.rotations[k] = rotation.then(d.between(base.first, predecessor), -1)
