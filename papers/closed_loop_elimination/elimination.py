"""The dependent coordinates as explicit functions of the independent ones: dyads by intersecting circles.

Trigonometric elimination computes sines and cosines of dependent angles, as unit vectors; direct elimination
the angles themselves, by atan2 (Schappler et al., sections 3.2 and 3.3). Of two intersections, the one of a
given closed configuration is taken; the limits of passive joints select that configuration.
"""

import numpy as np

from modular_dynamics.exceptions import UnsupportedModelError
from modular_dynamics.model import Gear
from papers.closed_loop_elimination.orientations import Orientations, PlanarRotation
from papers.closed_loop_elimination.planar_loops import LoopStep, RigidGroup, SolutionStep
from papers.closed_loop_elimination.symbols import PlanarVector, Symbol


def eliminate(
    steps: list[SolutionStep], orientations: Orientations, direct: bool, closed: dict[str, float]
) -> None:
    """Add the dependent joints to the orientations, and the dependent slides to their coordinates.

    Args:
        direct: angles by atan2, otherwise unit vectors.
        closed: coordinates of all joints in a closed configuration of the wanted branch.
    """
    elimination = _Elimination(orientations, direct, closed)
    for step in steps:
        if isinstance(step, Gear):
            elimination.add_gear(step)
        elif step.slide is None:
            elimination.add_circles(step)
        else:
            elimination.add_slider(step, step.slide)


class _Elimination:
    """Solves one step after the other; the arguments are those of `eliminate`."""

    def __init__(self, orientations: Orientations, direct: bool, closed: dict[str, float]) -> None:
        self.orientations, self.direct, self.closed = orientations, direct, closed
        self.bodies, self.ca = orientations.bodies, orientations.constants.ca

    def add_gear(self, gear: Gear) -> None:
        by_name = {body.name: k for k, body in enumerate(self.bodies)}
        k, rotation = by_name[gear.joint], PlanarRotation()
        if gear.offset != 0.0:
            self.orientations.constant_angles[f"gear {gear.joint}"] = gear.offset
            rotation = PlanarRotation(((f"gear {gear.joint}", self.bodies[k].sign),))
        for name, ratio in gear.drivers:
            driver = self.orientations.rotations[by_name[name]]
            times = ratio * self.bodies[by_name[name]].sign * self.bodies[k].sign
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
        self.orientations.rotations[k] = rotation

    def add_circles(self, step: LoopStep) -> None:
        """Solve D0 + R1 D1 + R2 D2 = 0: a triangle of known lengths, two sides unknown in direction."""
        first, second, third = step.groups
        D0, D1, D2 = (self._sum(group, group.first) for group in step.groups)
        a, b, c = D0.dot(D0), D1.dot(D1), D2.dot(D2)
        k = 0.5 * (c - a - b)
        h = self._side(first, second, D0, D1) * self.ca.sqrt(a * b - k * k)
        spread = PlanarVector(k, h).rotated(D0)
        closing = PlanarVector(-(a + k), -h).rotated(D0)
        self._set_rotation(step, second, spread.rotated(D1.conjugate()), a * b)
        self._set_rotation(step, third, closing.rotated(D2.conjugate()), a * c)

    def add_slider(self, step: LoopStep, slide: int) -> None:
        """Solve D0 + R1 (E + F q) = 0 with an unknown length q along F."""
        carrier, segment = step.sliding_segment()
        other = next(group for group in step.groups if group is not carrier)
        E, D0 = self._sum(carrier, segment.body, slide), self._sum(other, other.first)
        F = self.orientations.constants.planar_direction(segment.slides[slide])
        F = F.rotated(self.orientations.unit_vector(PlanarRotation(), self.orientations.offset(segment.body)))
        E = E.rotated(F.conjugate())
        a = D0.dot(D0)
        name = self.bodies[slide].name
        sign = 1.0 if self._at_closed_configuration(E.x) + self.closed[name] > 0.0 else -1.0
        length = sign * self.ca.sqrt(a - E.y * E.y)
        self.orientations.coordinates[name] = length - E.x
        direction = (-D0).rotated(F.conjugate())
        if E.y.is_zero():  # the direction is that of D0 alone
            direction, a = direction * sign, sign * length
        else:
            direction = direction.rotated(PlanarVector(length, -E.y))
        if carrier is step.groups[1]:
            self._set_rotation(step, carrier, direction, a, body=segment.body)
        else:
            self._set_rotation(step, other, direction.conjugate(), a, reference=segment.body)

    def _sum(self, group: RigidGroup, reference: int, slide: int | None = None) -> PlanarVector:
        """Return a group's term of the loop's vector sum, in the axes of a body (without its offset)."""
        return self.orientations.vector_sum(group.segments, group.first, reference, slide)

    def _at_closed_configuration(self, expression: Symbol) -> float:
        """Return the value of an expression at the closed configuration."""
        ca, constants = self.ca, self.orientations.constants
        symbols = {n: q for n, q in self.orientations.coordinates.items() if q.is_symbolic()}
        inputs = ca.vertcat(*symbols.values(), constants.symbols)
        numbers = np.concatenate([[self.closed[n] for n in symbols], constants.numbers])
        return float(ca.Function("f", [inputs], [expression])(numbers))

    def _side(self, first: RigidGroup, second: RigidGroup, D0: PlanarVector, D1: PlanarVector) -> float:
        """Return the side of D0 (+1 or -1) on which the vector R1 D1 is in the closed configuration."""
        angle, k = 0.0, second.first
        while k != first.first:
            angle += self.bodies[k].sign * self.closed[self.bodies[k].name]
            parent = self.orientations.model.same_plane_parent(k)
            if parent is None:
                break
            k = parent
        d0, d1 = (complex(*map(self._at_closed_configuration, D)) for D in (D0, D1))
        return 1.0 if (d0.conjugate() * np.exp(1j * angle) * d1).imag > 0.0 else -1.0

    def _set_rotation(
        self,
        step: LoopStep,
        group: RigidGroup,
        vector: PlanarVector,
        length: Symbol,
        *,
        body: int | None = None,
        reference: int | None = None,
    ) -> None:
        """Set a group's rotation: ``vector`` / ``length`` is the direction of its first body, or of ``body``.

        It refers to the first body of the first group, or to ``reference`` in that group.
        """
        d, k, base = self.orientations, group.first, step.groups[0].first
        name = self.bodies[k].name
        if self.direct:
            d.coordinates[f"angle {name}"] = self.ca.atan2(vector.y, vector.x)
            rotation = PlanarRotation(((f"angle {name}", 1.0),))
        else:
            d.unit_vectors[name] = vector * (1 / length)
            rotation = PlanarRotation((), ((name, 1),))
        # so far from the first group's reference to this group's body; needed is k against its predecessor
        if body is not None:
            rotation = rotation.then(d.between(k, body), -1)
        if reference is not None:
            rotation = d.between(base, reference).then(rotation)
        # the predecessor is in the first group, or in the group whose rotation was set just before
        d.rotations[k] = rotation.then(d.between(base, step.loop.predecessor[k]), -1)
