"""The tree of bodies in planes: regrouped inertias, positions, orientations, and the gravity terms.

Inertial parameters are regrouped (Gautier & Khalil 1990): those that a rotation about a body's joint does not
affect, its mass among them, are moved to its parent. The bodies of a plane then have first and second moments
only, and with omega the absolute rates of bodies in their plane the kinetic energy is the sum over bodies of
1/2 omega^2 Izz + omega (h x v), v being the velocity of the joint's axis.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .orientations import Orientations
from .planar_bodies import PlanarModel
from .planar_inertia import PlanarInertia, planar_inertia_of
from .planar_vector import PlanarVector, Symbol
from .rates import Rates, Row

__all__ = ["PlanarTree"]


class PlanarTree:
    """Inertias of bodies in the axes of their planes, including those of the planes that they carry.

    A plane with a single revolute joint has the axes of that body, so that nothing in it is rotated.

    Attributes:
        members: bodies of each plane. roots: the first of them.
        inertias: of each body with all planes that it carries, in the axes of its plane.
        sliding_inertias: of bodies with a prismatic joint, in their own frame.
        first_moments: of each body after regrouping, in its own frame.
        zero, x_axis: constant vectors.
    """

    def __init__(self, model: PlanarModel, orientations: Orientations, gravity: Any) -> None:
        self.model, self.bodies, self.planes = model, model.bodies, model.planes
        self.orientations = orientations
        self.constants, self.gravity = orientations.constants, gravity
        indices = range(len(self.planes))
        self.members = [[k for k, body in enumerate(self.bodies) if body.plane == p] for p in indices]
        self.single_joint = [
            sum(self.bodies[k].axis is None for k in members) == 1 for members in self.members
        ]
        self.roots = [self._root(p) for p in indices]
        one, zero = self.constants.ca.SX(1.0), self.constants.ca.SX(0.0)
        self.zero, self.x_axis = PlanarVector(zero, zero), PlanarVector(one, zero)
        self.inertias = [planar_inertia_of(body, self.constants) for body in self.bodies]
        self.sliding_inertias: dict[int, PlanarInertia] = {}
        self._regroup()
        self.first_moments = [inertia.h for inertia in self.inertias]
        self._assemble()

    def _root(self, plane: int) -> int:
        return next(k for k in self.members[plane] if self.predecessor(k) is None)

    def predecessor(self, k: int) -> int | None:
        """The body in the same plane that carries body k; None: the plane's carrier does."""
        return self.model.same_plane_parent(k)

    def orientation(self, k: int) -> PlanarVector:
        """Unit vector of body k's x axis in the axes of its plane."""
        if self.single_joint[self.bodies[k].plane]:
            return self.x_axis
        return self.orientations.of_body(k)

    def axes(self, plane: int) -> np.ndarray:
        """Axes of a plane in its carrier's frame (3, 3)."""
        R = np.array(
            [[self.constants.direction(x) for x in row] for row in self.planes[plane].axes], dtype=object
        )
        if self.single_joint[plane]:
            c, s = self.orientations.of_body(self.roots[plane])
            zero, one = self.x_axis.y, self.x_axis.x
            R = R @ np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]], dtype=object)
        return R

    def position(self, k: int) -> tuple[PlanarVector, Symbol]:
        """Position of body k's origin from its predecessor's or the plane's origin, in the plane's axes."""
        body, predecessor = self.bodies[k], self.predecessor(k)
        position = body.position
        if predecessor is not None:
            vector = self.constants.planar_vector(position, "d")
            if body.axis is not None:
                q = self.orientations.coordinates[body.name]
                vector = vector.plus(self.constants.planar_direction(body.axis).times(q))
            return vector.rotated(self.orientation(predecessor)), self.constants.scalar(position[2], "d")
        position = self.planes[body.plane].axes.T @ (position - self.bodies[self.roots[body.plane]].position)
        position = np.where(abs(position) < 1e-12, 0.0, position)
        return self.constants.planar_vector(position, "d"), self.constants.scalar(position[2], "d")

    def _regroup(self) -> None:
        """Move inertial parameters to parents, from the leaves to the root."""
        for k in range(len(self.bodies) - 1, -1, -1):
            body, own = self.bodies[k], self.inertias[k]
            parent = body.parent
            if body.axis is not None and parent is not None:
                self.sliding_inertias[k] = own
                q = self.orientations.coordinates[body.name]
                axis = self.constants.planar_vector(body.axis, "n")
                position = self.constants.planar_vector(body.position, "d").plus(axis.times(q))
                self.inertias[parent].add(own.moved(position, self.constants.scalar(body.position[2], "d")))
                continue
            fixed = own.remove_unaffected_by_rotation()
            if parent is None:
                continue
            if self.predecessor(k) is None:
                fixed = fixed.rotated_by_matrix(self._constant_matrix(self.planes[body.plane].axes))
            position = self.constants.planar_vector(body.position, "d")
            self.inertias[parent].add(fixed.moved(position, self.constants.scalar(body.position[2], "d")))

    def _constant_matrix(self, rotation: Any) -> np.ndarray:
        return np.array([[self.constants.direction(float(x)) for x in row] for row in rotation], dtype=object)

    def _assemble(self) -> None:
        """Rotate inertias into the axes of their planes and add planes to their carriers, from the leaves."""
        whole: dict[int, PlanarInertia] = {}
        for k in range(len(self.bodies) - 1, -1, -1):
            body = self.bodies[k]
            if body.axis is not None:
                # its own inertia belongs to the body that it slides on already
                whole[k] = self.inertias[k] = self._zero_inertia()
            else:
                self.inertias[k] = self.inertias[k].rotated(self.orientation(k))
                whole[k] = replace(self.inertias[k])
            for child in self.members[body.plane]:
                if self.predecessor(child) == k:
                    whole[k].add(whole[child].moved(*self.position(child)))
            plane = self.planes[body.plane]
            if k == self.members[body.plane][0] and plane.carrier is not None:
                total = self._zero_inertia()
                for root in self.members[body.plane]:
                    if self.predecessor(root) is None:
                        total.add(whole[root].moved(*self.position(root)))
                at = [self.constants.scalar(x, "d") for x in self.bodies[self.roots[body.plane]].position]
                self.inertias[plane.carrier].add(
                    total.rotated_by_matrix(self.axes(body.plane)).moved(PlanarVector(at[0], at[1]), at[2])
                )

    def _zero_inertia(self) -> PlanarInertia:
        zero = self.x_axis.y
        return PlanarInertia(zero, self.zero, zero, zero, self.zero, self.zero, zero)

    def gravities(self) -> list[tuple[PlanarVector, Symbol]]:
        """Gravity in each plane's axes: in the plane, and along its normal."""
        gravities: list[tuple[PlanarVector, Symbol]] = []
        for p, plane in enumerate(self.planes):
            g, gz = PlanarVector(self.gravity[0], self.gravity[1]), self.gravity[2]
            if plane.carrier is not None:
                g, gz = gravities[self.bodies[plane.carrier].plane]
                g = g.rotated(self.orientation(plane.carrier).conjugate())
            x, y, z = self.axes(p).T @ np.array([g.x, g.y, gz], dtype=object)
            gravities.append((PlanarVector(x, y), z))
        return gravities

    def omegas(self, rates: Rates) -> dict[int, Row]:
        """Angular rates of bodies in their planes, by independent joint."""
        omegas: dict[int, Row] = {}
        for k, body in enumerate(self.bodies):
            predecessor = self.predecessor(k)
            omegas[k] = dict(omegas[predecessor]) if predecessor is not None else {}
            for name, rate in ({} if body.axis is not None else rates[k]).items():
                omegas[k][name] = omegas[k][name] + rate if name in omegas[k] else rate
        return omegas

    def gravity_torque(self, rates: Rates) -> Row:
        """Torques of the independent joints that hold the robot against gravity."""
        gravities, omegas, total = self.gravities(), self.omegas(rates), Row()
        for k, body in enumerate(self.bodies):
            g, _ = gravities[body.plane]
            if body.axis is not None:
                torque, by = -(self.sliding_inertias[k].mass * self.slide_axis(k).dot(g)), rates[k]
            else:
                torque, by = g.cross(self.inertias[k].h), omegas[k]
            for name, rate in by.items():
                total[name] = total.get(name, 0.0) + rate * torque
        return total

    def potential(self) -> Symbol:
        """Potential energy of gravity [J], up to a constant."""
        total: Symbol = 0.0
        gravities = self.gravities()
        for k, body in enumerate(self.bodies):
            if body.axis is None:
                total = total - gravities[body.plane][0].dot(
                    self.first_moments[k].rotated(self.orientation(k))
                )
        return total

    def slide_axis(self, k: int) -> PlanarVector:
        """Unit vector along a prismatic joint, in its plane's axes."""
        axis, parent = self.bodies[k].axis, self.bodies[k].parent
        assert axis is not None
        assert parent is not None
        return self.constants.planar_vector(axis, "n").rotated(self.orientation(parent))
