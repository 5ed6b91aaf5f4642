"""Gravity, mass matrix and energies of bodies in planes, in the rates of independent coordinates.

Every body's inertia is regrouped (Gautier & Khalil 1990): what a turn about its joint does not move, its mass
among it, sits on the body before. A plane's bodies then have first and second moments only, and with absolute
rates omega of bodies in their plane the kinetic energy is a sum over bodies of
1/2 omega^2 Izz + omega (h x v), v the velocity of the joint's axis.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .bodies import Inertia, inertia_of
from .directions import Directions
from .parts import Part, Plain
from .plane import Plane, Symbol
from .rates import Rates, Row

__all__ = ["Tree"]


class Tree:
    """Bodies in the axes of their planes, with all that other planes put on them.

    A plane with one joint, of which no other body's stand in it depends, has the axes of its body: no turns.
    """

    def __init__(self, parts: list[Part], planes: list[Plain], directions: Directions, gravity: Any) -> None:
        self.parts, self.planes, self.directions = parts, planes, directions
        self.values, self.gravity = directions.values, gravity
        self.members = [[k for k, part in enumerate(parts) if part.plane == p] for p in range(len(planes))]
        self.alone = [sum(parts[k].axis is None for k in mine) == 1 for mine in self.members]
        self.roots = [self._root(p) for p in range(len(planes))]
        one, zero = self.values.ca.SX(1.0), self.values.ca.SX(0.0)
        self.none, self.one = Plane(zero, zero), Plane(one, zero)
        self.own = [inertia_of(part, self.values) for part in parts]
        self.slid: dict[int, Inertia] = {}
        self.totals: dict[int, Inertia] = {}
        self._regroup()
        self.bare = [inertia.h for inertia in self.own]
        self._assemble()

    def _root(self, plane: int) -> int:
        return next(k for k in self.members[plane] if self.before(k) is None)

    def before(self, k: int) -> int | None:
        """The part in the same plane that carries part k; None: the plane's carrier does."""
        parent = self.parts[k].parent
        return parent if parent is not None and self.parts[parent].plane == self.parts[k].plane else None

    def standing(self, k: int) -> Plane:
        """Unit vector of a part's x in the axes of its plane."""
        if self.alone[self.parts[k].plane]:
            return self.one
        return self.directions.vector(self.directions.between(-1, k), self.parts[k].offset)

    def axes(self, plane: int) -> np.ndarray:
        """(3, 3): axes of a plane in its carrier's frame."""
        R = np.array(
            [[self.values.direction(x) for x in row] for row in self.planes[plane].axes], dtype=object
        )
        if self.alone[plane]:
            root = self.roots[plane]
            c, s = self.directions.vector(self.directions.between(-1, root), self.parts[root].offset)
            zero, one = self.one.y, self.one.x
            R = R @ np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]], dtype=object)
        return R

    def place(self, k: int) -> tuple[Plane, Symbol]:
        """Of a part's origin, from that of the part before it in its plane or from the plane's."""
        part, before = self.parts[k], self.before(k)
        place = part.place
        if before is not None:
            own = self.values.plane(place, "d")
            if part.axis is not None:
                q = self.directions.coordinates[part.name]
                axis = Plane(self.values.direction(part.axis[0]), self.values.direction(part.axis[1]))
                own = own.plus(axis.times(q))
            return own.turned(self.standing(before)), self.values.scalar(place[2], "d")
        place = self.planes[part.plane].axes.T @ (place - self.parts[self.roots[part.plane]].place)
        place = np.where(abs(place) < 1e-12, 0.0, place)
        return self.values.plane(place, "d"), self.values.scalar(place[2], "d")

    def _regroup(self) -> None:
        for k in range(len(self.parts) - 1, -1, -1):
            part, own = self.parts[k], self.own[k]
            parent = part.parent
            if part.axis is not None and parent is not None:
                self.slid[k] = own
                q, axis = self.directions.coordinates[part.name], self.values.plane(part.axis, "n")
                place = self.values.plane(part.place, "d").plus(axis.times(q))
                self.own[parent].add(own.moved(place, self.values.scalar(part.place[2], "d")))
                continue
            fixed = own.off_axis()
            if parent is None:
                continue
            if self.before(k) is None:
                fixed = fixed.rotated(self._constants(self.planes[part.plane].axes))
            place = self.values.plane(part.place, "d")
            self.own[parent].add(fixed.moved(place, self.values.scalar(part.place[2], "d")))

    def _constants(self, rotation: Any) -> np.ndarray:
        return np.array([[self.values.direction(float(x)) for x in row] for row in rotation], dtype=object)

    def _assemble(self) -> None:
        """Turns ``own`` into the planes' axes, from the leaves, and puts whole planes on their carriers."""
        whole: dict[int, Inertia] = {}
        for k in range(len(self.parts) - 1, -1, -1):
            part = self.parts[k]
            if part.axis is not None:
                # its inertia moves with the body that it slides on; what it carries, from where it is
                whole[k] = self.own[k] = self._nothing()
            else:
                self.own[k] = self.own[k].turned(self.standing(k))
                whole[k] = replace(self.own[k])
            for child in self.members[part.plane]:
                if self.before(child) == k:
                    whole[k].add(whole[child].moved(*self.place(child)))
            plane = self.planes[part.plane]
            if k == self.members[part.plane][0] and plane.carrier is not None:
                total = self._nothing()
                for root in self.members[part.plane]:
                    if self.before(root) is None:
                        total.add(whole[root].moved(*self.place(root)))
                at = [self.values.scalar(x, "d") for x in self.parts[self.roots[part.plane]].place]
                self.own[plane.carrier].add(
                    total.rotated(self.axes(part.plane)).moved(Plane(at[0], at[1]), at[2])
                )

    def _nothing(self) -> Inertia:
        zero = self.one.y
        return Inertia(zero, self.none, zero, zero, self.none, self.none, zero)

    def gravities(self) -> list[tuple[Plane, Symbol]]:
        """Gravity along each plane's axes."""
        found: list[tuple[Plane, Symbol]] = []
        for p, plane in enumerate(self.planes):
            g, gz = Plane(self.gravity[0], self.gravity[1]), self.gravity[2]
            if plane.carrier is not None:
                g, gz = found[self.parts[plane.carrier].plane]
                g = g.turned(self.standing(plane.carrier).conjugate())
            x, y, z = self.axes(p).T @ np.array([g.x, g.y, gz], dtype=object)
            found.append((Plane(x, y), z))
        return found

    def omegas(self, rates: Rates) -> dict[int, Row]:
        """Rates of bodies in their planes, by independent joint."""
        omegas: dict[int, Row] = {}
        for k, part in enumerate(self.parts):
            before = self.before(k)
            omegas[k] = dict(omegas[before]) if before is not None else {}
            for name, rate in ({} if part.axis is not None else rates[k]).items():
                omegas[k][name] = omegas[k][name] + rate if name in omegas[k] else rate
        return omegas

    def gravity_torque(self, rates: Rates) -> Row:
        """What gravity asks of the independent joints at rest."""
        gravities, omegas, total = self.gravities(), self.omegas(rates), Row()
        for k, part in enumerate(self.parts):
            g, _ = gravities[part.plane]
            if part.axis is not None:
                asked, by = -(self.slid[k].mass * self.slide_axis(k).dot(g)), rates[k]
            else:
                asked, by = g.cross(self.own[k].h), omegas[k]
            for name, rate in by.items():
                total[name] = total.get(name, 0.0) + rate * asked
        return total

    def potential(self) -> Symbol:
        """Of gravity [J], up to a constant."""
        total: Symbol = 0.0
        gravities = self.gravities()
        for k, part in enumerate(self.parts):
            if part.axis is None:
                total = total - gravities[part.plane][0].dot(self.bare[k].turned(self.standing(k)))
        return total

    def slide_axis(self, k: int) -> Plane:
        """Along a prismatic joint, in its plane's axes."""
        axis, parent = self.parts[k].axis, self.parts[k].parent
        assert axis is not None
        assert parent is not None
        return self.values.plane(axis, "n").turned(self.standing(parent))
