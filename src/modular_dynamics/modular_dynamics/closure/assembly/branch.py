"""The branch that a moving mechanism is on, change points included.

Where rods come in line, branches of a mechanism's motion may cross: there rows of J become dependent that are
not so elsewhere, J alone does not tell which way the motion goes on, and close by rounding errors decide. But
each branch is smooth, and so is everything on it. Within a narrow neighbourhood of a crossing coordinates,
velocities and accelerations are therefore interpolated between places on the branch before and behind it:
f(0) = (56 (f(1) + f(-1)) - 28 (f(2) + f(-2)) + 8 (f(3) + f(-3)) - f(4) - f(-4)) / 70, the polynomial of
degree 7 through eight places that are equally spaced along the branch's last known tangent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...kernels.loops import closed_loop
from .coordinates import Coordinates
from .mechanism import Mechanism

__all__ = ["Branch", "Lost", "Place"]

Array = NDArray[np.float64]
EIGHT = {1: 56 / 70, 2: -28 / 70, 3: 8 / 70, 4: -1 / 70}
SIX = {1: 15 / 20, 2: -6 / 20, 3: 1 / 20, 4: 0.0}
#: Parts of the constraints' largest singular value: with less than the first a crossing may be near; less
#: than the second is too sharp a corner where there is none; less than the third is rounding.
NARROW, SHARP, FLAT = 1e-2, 2e-4, 1e-5
#: By what part of itself J changes from one interpolated place to the next; how often that is halved.
SPACING, HALVINGS = 0.02, 2
#: By how much interpolation of two degrees less may differ, as a part of the way that turns J by one radian,
#: and of the velocity.
SMOOTH = 1e-7
#: Residual [m or 1] of interpolated coordinates: with more no branches cross, they only come close.
CROSSING = 1e-9
#: Newton's last step [rad or m], to which J, from before it, is exact; its largest number of steps.
LAST_STEP, STEPS = 1e-12, 8


class Lost(Exception):
    """The branch is not told from others; ``condition`` of the constraints there."""

    def __init__(self, message: str, condition: float) -> None:
        super().__init__(message)
        self.condition = condition


@dataclass(frozen=True, eq=False)
class Place:
    """Coordinates q and velocities v on a branch, and with what weight the motion there counts.

    ``turned`` (m, m), ``size``, ``directions`` (nv, nv): singular value decomposition of the scaled J, of
    which ``rank`` values count. Directions, steps and tangents are in the mechanism's units of velocities.
    """

    q: Array
    v: Array
    turned: Array
    size: Array
    directions: Array
    rank: int
    weight: float = 1.0

    @property
    def held(self) -> Array:
        """(rank, nv): the directions that the loops hold, as rows."""
        return self.directions[: self.rank]

    @property
    def free(self) -> Array:
        """(nv - rank, nv): the directions that they leave open."""
        return self.directions[self.rank :]

    @property
    def width(self) -> float:
        """The smallest singular value as a part of the largest: how far a crossing is."""
        return float(self.size[self.rank - 1] / self.size[0]) if self.rank else 1.0

    def shortest(self, right: Array) -> Array:
        """The shortest x with J x = right, both scaled."""
        found: Array = self.held.T @ (self.turned[:, : self.rank].T @ right / self.size[: self.rank])
        return found


class Branch:
    """A mechanism's branch; ``tangent`` (nv, freedoms) is the last one known.

    ``crossing`` becomes true when places near a crossing are asked for.

    Args:
        rank: of the constraints along it. start: coordinates on it, not at a crossing.
    """

    def __init__(self, solver: Mechanism, rank: int, start: Array) -> None:
        self.solver, self.rank, self.coordinates = solver, rank, Coordinates(solver.graph)
        self.units, self.units_q = solver.units, self.coordinates.spread(solver.units)
        self.tangent, self.crossing = self.place(start, np.zeros(solver.graph.nv)).free.T, False

    def places(self, q: Array, v: Array) -> list[Place]:
        """One on the branch, nearest to q, v; near a crossing eight, which stand for the one between them.

        Raises:
            Lost: neither can be had.
        """
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise Lost("its coordinates and velocities grow beyond all numbers", np.inf)
        place = self.place(q, v)
        if place.width < NARROW:
            try:
                around = self._around(place)
            except Lost:
                if place.width < SHARP:
                    raise
                around = []  # a sharp corner: branches come close without crossing
            if around:
                self.crossing = True
                return around
        return [self._closed(place)]

    def place(self, q: Array, v: Array) -> Place:
        """At q and v as they are."""
        return Place(q, v, *np.linalg.svd(self._rows(q)[0]), self.rank)

    def mean(self, places: list[Place]) -> tuple[Array, Array]:
        """The coordinates and velocities that places stand for."""
        q = np.sum([place.weight * place.q for place in places], axis=0)
        return self.coordinates.unit(q), np.sum([place.weight * place.v for place in places], axis=0)

    def turned(self, places: list[Place]) -> Array:
        """The tangent there."""
        across = np.sum([place.weight * place.held.T @ place.held for place in places], axis=0)
        found: Array = np.linalg.eigh(across)[1][:, : self.tangent.shape[1]]
        return found

    def _rows(self, q: Array) -> tuple[Array, Array]:
        """J and phi at q, scaled."""
        solver, scale = self.solver, self.solver.row_scale[:, None]
        closed_loop.rows_of(solver.arrays[0], solver.arrays[1], q, np.zeros(solver.graph.nv), solver.room)
        return scale * solver.room[3] * self.units, scale[:, 0] * solver.room[2]

    def _moved(self, q: Array, step: Array) -> Array:
        return self.coordinates.moved(q, self.units * step)

    def _closed(self, place: Place, across: bool = False) -> Place:
        """Onto the constraints by Newton's method, the shortest way; ``across``: square to the tangent.

        Then what tears the loops is left out of v. Only the latter place does not depend on Newton's path,
        and so is a smooth function of q even where another branch is near.
        """
        for _ in range(STEPS):
            if not place.width > FLAT:
                raise Lost("branches of its motion meet there", 1.0 / max(place.width, 1e-300))
            step = -place.shortest(self._rows(place.q)[1])
            if across:
                free = place.free.T
                step -= free @ np.linalg.solve(self.tangent.T @ free, self.tangent.T @ step)
            q = self._moved(place.q, step)
            if np.abs(step).max() < LAST_STEP * max(1.0, np.abs(q / self.units_q).max()):
                torn = place.held.T @ (place.held @ (place.v / self.units))
                return replace(place, q=q, v=place.v - self.units * torn)
            place = self.place(q, place.v)
        residual = self.solver.residual(q)
        worst = max(residual, key=lambda name: residual[name])
        raise Lost(f"'{worst}' stays open by {residual[worst]:.2g} [m or 1]", 1.0 / place.width)

    def _around(self, place: Place) -> list[Place]:
        """Eight places round one; none where one of them is nearer to a crossing."""
        shift, rough = self._shift(place), np.inf
        for _ in range(HALVINGS + 1):
            found: dict[int, Place] = {}
            for k in (sign * k for k in EIGHT for sign in (1, -1)):
                there = self.place(self._moved(place.q, k * shift), place.v)
                found[k] = self._closed(there, True)
                if found[k].width <= place.width:
                    return []
            eight, six = (
                [replace(there, weight=weights[abs(k)]) for k, there in found.items()]
                for weights in (EIGHT, SIX)
            )
            (q8, v8), (q6, v6) = self.mean(eight), self.mean(six)
            before, unit, speed = rough, np.abs(shift).max() / SPACING, np.abs(v8 / self.units).max() or 1.0
            wrong_q, wrong_v = (q8 - q6) / self.units_q, (v8 - v6) / self.units
            rough = max(np.abs(wrong_q).max() / unit, np.abs(wrong_v).max() / speed)
            if rough < SMOOTH and np.abs(self._rows(q8)[1]).max() < CROSSING:
                return eight
            if rough < SMOOTH or rough > before / 8.0:  # of a smooth branch it is a 64th
                break
            shift = 0.5 * shift
        raise Lost("branches of its motion come close there, or turn sharply", 1.0 / place.width)

    def _shift(self, place: Place) -> Array:
        """A step along the branch, away from the crossing, that changes J by the part SPACING."""
        along, q = self.tangent[:, 0], place.q
        if self.tangent.shape[1] > 1:
            strong = int((place.size > NARROW * place.size[0]).sum())
            left, right = place.turned[:, strong:].T, place.directions[strong:].T
            weak = np.array([(left @ self._change(q, t) @ right).ravel() for t in self.tangent.T])
            most, ways = np.linalg.eigh(weak @ weak.T)
            much = most >= min(0.1 * most[-1], most[-1])  # one at least, where none changes anything
            along = self.tangent @ ways[:, much].sum(axis=1)
            along = along / np.linalg.norm(along)
        bend = np.linalg.norm(self._change(q, along), 2)
        step: Array = along * (SPACING * place.size[0] / bend) if bend > 0.0 else 0.0 * along
        return step

    def _change(self, q: Array, along: Array) -> Array:
        """dJ along a direction, by central differences."""
        step = 1e-3
        ahead, behind = (self._rows(self._moved(q, sign * along))[0] for sign in (step, -step))
        found: Array = (ahead - behind) / (2.0 * step)
        return found
