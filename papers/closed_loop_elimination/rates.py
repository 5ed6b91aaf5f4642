"""The projection W as rates of joints and bodies, by the rates of the independent joints."""

from collections.abc import Iterable

from modular_dynamics.model import Gear
from papers.closed_loop_elimination.orientations import Orientations
from papers.closed_loop_elimination.planar_loops import LoopStep, RigidGroup, Segment, SolutionStep
from papers.closed_loop_elimination.symbols import ModelConstants, PlanarVector, Symbol, add_to

#: By independent joint, the derivative of something by its coordinate; zeros are left out.
Row = dict[str, Symbol]
#: Rows of joints, by index of their bodies.
Rates = dict[int, Row]


def _sum(terms: Iterable[tuple[Symbol, Row]]) -> Row:
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
        known[name] = _sum([(unit.x, dy), (-unit.y, dx)])
    for name, value in orientations.coordinates.items():
        if name not in known:
            known[name] = _gradient(value, independent, orientations.constants)
    rates: Rates = {}
    for k, body in enumerate(orientations.bodies):
        if body.axis is not None:
            rates[k] = known[body.name]
        else:
            angle, unit_vectors = orientations.rotations[k]
            rates[k] = _sum((count, known[name]) for name, count in (*angle, *unit_vectors))
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
            rates[k] = _sum((ratio * signs[i] * signs[k], rates[i]) for i, ratio in drivers)
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
                within = _sum((1.0, self.rates[k]) for k in self._joints_between(group, segment.body))
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
        self.rates[group.first] = _sum(terms)
