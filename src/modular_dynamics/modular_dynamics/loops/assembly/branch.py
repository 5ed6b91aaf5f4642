"""The branch that a moving mechanism is on, crossings with other branches included.

Where rods come in line, branches of a mechanism's motion may cross. There rows of J become dependent that are
independent elsewhere: J alone does not say which way the motion continues, and close to it rounding errors
decide. But each branch is smooth, and so is everything on it. Within a narrow neighbourhood of a crossing
coordinates, velocities and accelerations are therefore interpolated between points on the branch around it:
f(0) = (56 (f(1) + f(-1)) - 28 (f(2) + f(-2)) + 8 (f(3) + f(-3)) - f(4) - f(-4)) / 70, the polynomial of
degree 7 through eight points that are equally spaced along the branch's last known tangent.
"""

from dataclasses import dataclass, replace

import numpy as np

from ...dynamics.arguments import Array
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import Coordinates

#: Weights of points by their distance, for a polynomial through all eight, and for one through six of them.
EIGHT = {1: 56 / 70, 2: -28 / 70, 3: 8 / 70, 4: -1 / 70}
SIX = {1: 15 / 20, 2: -6 / 20, 3: 1 / 20, 4: 0.0}
#: Smallest singular value of J relative to the largest: below the first a crossing may be near; below the
#: second a point is not used itself, only interpolated; below the third it is rounding.
NARROW, SHARP, RANK_LOSS = 1e-2, 2e-4, 1e-5
#: Relative change of J between neighbouring points; their largest distance [rad or m], since inertias and
#: gravity change too; how often the distance is halved.
SPACING, LONGEST_SHIFT, HALVINGS = 0.02, 0.05, 2
#: Largest difference of both polynomials, relative to the distance that changes J by its size, and to the
#: velocity.
SMOOTH = 1e-7
#: Largest residual [m or 1] of interpolated coordinates; beyond it branches come close without crossing.
INTERPOLATION_RESIDUAL = 1e-9
#: Newton's last step [rad or m], so short that J of the point before it serves; largest number of steps.
BRANCH_LAST_STEP, STEPS = 1e-12, 8


class BranchLostError(Exception):
    """The branch cannot be distinguished from others; ``condition`` number of the constraints there."""

    def __init__(self, message: str, condition: float) -> None:
        super().__init__(message)
        self.condition = condition


@dataclass(frozen=True, eq=False)
class BranchPoint:
    """A point on a branch, with the singular value decomposition of the scaled J there.

    Directions, steps and tangents are in the mechanism's units of velocities.

    Attributes:
        q, v: coordinates (nq,) and velocities (nv,).
        left (m, m), sizes, right (nv, nv): the decomposition. rank: number of sizes that are not zero.
        weight: in an interpolation. lower: in one of two degrees less, which tells the error.
    """

    q: Array
    v: Array
    left: Array
    sizes: Array
    right: Array
    rank: int
    weight: float = 1.0
    lower: float = 1.0

    @property
    def constrained(self) -> Array:
        """Orthonormal directions in which loops hold the joints, as rows (rank, nv)."""
        return self.right[: self.rank]

    @property
    def free(self) -> Array:
        """Orthonormal directions that loops allow, as rows (nv - rank, nv)."""
        return self.right[self.rank :]

    @property
    def width(self) -> float:
        """Smallest singular value relative to the largest: the distance from a crossing."""
        return float(self.sizes[self.rank - 1] / self.sizes[0]) if self.rank else 1.0

    def shortest(self, b: Array) -> Array:
        """Return the shortest x with J x = b, both scaled."""
        x: Array = self.constrained.T @ (self.left[:, : self.rank].T @ b / self.sizes[: self.rank])
        return x


class Branch:
    """A mechanism's branch; ``tangent`` (nv, freedoms) is the last one known.

    Args:
        rank: of the constraints along it. start: coordinates on it, not at a crossing.
    """

    def __init__(self, system: ConstraintSystem, rank: int, start: Array) -> None:
        self.system, self.rank, self.coordinates = system, rank, Coordinates(system.graph)
        self.units, self.units_q = system.units, self.coordinates.spread(system.units)
        self.tangent = self.point(start, np.zeros(system.graph.nv)).free.T

    def points(self, q: Array, v: Array) -> list[BranchPoint]:
        """Return the point on the branch nearest to q, v; near a crossing, eight weighted points around it.

        Raises BranchLostError: neither is available.
        """
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise BranchLostError("its coordinates and velocities are no longer finite", np.inf)
        point = self.point(q, v)
        if point.width < NARROW:
            try:
                if around := self._interpolation_points(point):
                    return around
            except BranchLostError:
                if point.width < SHARP:
                    raise  # a wider point is at a sharp corner: branches come close without crossing
        return [self._projected(point)]

    def point(self, q: Array, v: Array) -> BranchPoint:
        """Return q and v, unchanged, as a branch point with the decomposition of J at q."""
        return BranchPoint(q, v, *np.linalg.svd(self._rows(q)[0]), self.rank)

    def direct(self, q: Array, v: Array) -> BranchPoint | None:
        """Return the point on the branch nearest to q, v by Newton's method; None too near to a crossing."""
        point = self.point(q, v)
        return self._projected(point) if point.width > SHARP else None

    def mean(self, points: list[BranchPoint]) -> tuple[Array, Array]:
        """Return the weighted mean of coordinates and velocities."""
        q = np.sum([point.weight * point.q for point in points], axis=0)
        return self.coordinates.unit(q), np.sum([point.weight * point.v for point in points], axis=0)

    def tangent_at(self, points: list[BranchPoint]) -> Array:
        """Return the tangent (nv, freedoms) at the weighted mean of points."""
        projector = np.sum([p.weight * p.constrained.T @ p.constrained for p in points], axis=0)
        tangent: Array = np.linalg.eigh(projector)[1][:, : self.tangent.shape[1]]
        return tangent

    def _rows(self, q: Array) -> tuple[Array, Array]:
        """Return the Jacobian J (m, nv) and the residual phi (m,) of the constraints at q, both scaled."""
        values, scale = self.system.evaluate(q), self.system.row_scale
        return scale[:, None] * values.J * self.units, scale * values.phi

    def _moved(self, q: Array, step: Array) -> Array:
        """Return coordinates after a step (nv,)."""
        return self.coordinates.moved(q, self.units * step)

    def _projected(self, point: BranchPoint, across: bool = False) -> BranchPoint:
        """Return the point projected onto the constraints by Newton's method, with shortest steps.

        Its velocity is v without the part that opens the loops. Raises BranchLostError.

        Args:
            across: by steps perpendicular to the tangent: the result is then a smooth function of q, even
                where another branch is near.
        """
        for _ in range(STEPS):
            if not point.width > RANK_LOSS:
                raise BranchLostError("branches of its motion meet there", 1.0 / max(point.width, 1e-300))
            step = -point.shortest(self._rows(point.q)[1])
            if across:
                free = point.free.T
                try:
                    step -= free @ np.linalg.solve(self.tangent.T @ free, self.tangent.T @ step)
                except np.linalg.LinAlgError:
                    raise BranchLostError("its motion turns sharply there", 1.0 / point.width) from None
            q = self._moved(point.q, step)
            if np.abs(step).max() < BRANCH_LAST_STEP * max(1.0, np.abs(q / self.units_q).max()):
                opening = point.constrained.T @ (point.constrained @ (point.v / self.units))
                return replace(point, q=q, v=point.v - self.units * opening)
            point = self.point(q, point.v)
        residual = self.system.residual(q)
        worst = max(residual, key=lambda name: residual[name])
        raise BranchLostError(f"'{worst}' stays open by {residual[worst]:.2g} [m or 1]", 1.0 / point.width)

    def _interpolation_points(self, point: BranchPoint) -> list[BranchPoint]:
        """Return eight interpolation points around a point; none if one of them is nearer to a crossing."""
        shift, previous = self._interpolation_step(point), np.inf
        for _ in range(HALVINGS + 1):
            points: dict[int, BranchPoint] = {}
            for k in (sign * k for k in EIGHT for sign in (1, -1)):
                neighbour = self.point(self._moved(point.q, k * shift), point.v)
                points[k] = self._projected(neighbour, True)
                if points[k].width <= point.width:
                    return []
            eight, six = (
                [replace(neighbour, weight=weights[abs(k)]) for k, neighbour in points.items()]
                for weights in (EIGHT, SIX)
            )
            (q8, v8), (q6, v6) = self.mean(eight), self.mean(six)
            unit, speed = np.abs(shift).max() / SPACING, np.abs(v8 / self.units).max() or 1.0
            error_q, error_v = (q8 - q6) / self.units_q, (v8 - v6) / self.units
            error = max(np.abs(error_q).max() / unit, np.abs(error_v).max() / speed)
            if error < SMOOTH and np.abs(self._rows(q8)[1]).max() < INTERPOLATION_RESIDUAL:
                return [replace(a, lower=b.weight) for a, b in zip(eight, six, strict=True)]
            if error < SMOOTH or error > previous / 8.0:  # halving divides it by 64 on a smooth branch
                break
            shift, previous = 0.5 * shift, error
        raise BranchLostError("branches of its motion come close there, or turn sharply", 1.0 / point.width)

    def _interpolation_step(self, point: BranchPoint) -> Array:
        """Return the interpolation step (nv,) along the branch, away from the crossing: J changes by SPACING.

        It is shorter where that would be more than LONGEST_SHIFT.
        """
        along, q = self.tangent[:, 0], point.q
        if self.tangent.shape[1] > 1:
            strong = int((point.sizes > NARROW * point.sizes[0]).sum())
            left, right = point.left[:, strong:].T, point.right[strong:].T
            weak = np.array([(left @ self._jacobian_change(q, t) @ right).ravel() for t in self.tangent.T])
            changes, ways = np.linalg.eigh(weak @ weak.T)
            largest = changes >= min(0.1 * changes[-1], changes[-1])  # at least one, even if all are zero
            along = self.tangent @ ways[:, largest].sum(axis=1)
            along = along / np.linalg.norm(along)
        bend = np.linalg.norm(self._jacobian_change(q, along), 2)
        length = min(SPACING * point.sizes[0] / bend, LONGEST_SHIFT) if bend > 0.0 else 0.0
        step: Array = length * along
        return step

    def _jacobian_change(self, q: Array, along: Array) -> Array:
        """Return the change of the scaled J for a unit step in a direction, by central differences."""
        step = 1e-3
        ahead, behind = (self._rows(self._moved(q, sign * along))[0] for sign in (step, -step))
        change: Array = (ahead - behind) / (2.0 * step)
        return change
