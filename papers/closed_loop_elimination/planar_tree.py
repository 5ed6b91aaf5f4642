"""The tree of bodies in planes: regrouped inertias, positions, orientations, gravity terms, mass matrix.

Inertial parameters are regrouped (Gautier & Khalil 1990): those that a rotation about a body's joint does not
affect, its mass among them, are moved to its parent. The bodies of a plane then have first and second moments
only, and with omega the absolute rates of bodies in their plane the kinetic energy is the sum over bodies of
1/2 omega^2 Izz + omega (h x v), v being the velocity of the joint's axis. So M1 = W^T M W is a sum over
bodies, without the mass matrix M of the tree.
"""

from typing import Any

import numpy as np

from modular_dynamics.algebra.rigid_motions import cross
from papers.closed_loop_elimination.orientations import Orientations, Rates, Row
from papers.closed_loop_elimination.symbols import (
    PlanarInertia,
    PlanarVector,
    Symbol,
    add_to,
    planar_inertia_of,
)


class PlanarTree:
    """Inertias of bodies in the axes of their planes, including those of the planes that they carry.

    A plane with a single revolute joint has the axes of that body, so that nothing in it is rotated.

    Attributes:
        members: bodies of each plane. roots: the first of them.
        predecessor: of each body, the one in the same plane that carries it; None: the plane's carrier does.
        inertias: of each body with all planes that it carries, in the axes of its plane.
        sliding_inertias: of bodies with a prismatic joint, in their own frame.
        first_moments: of each body after regrouping, in its own frame.
    """

    def __init__(self, orientations: Orientations, gravity: Any) -> None:
        model, self.orientations = orientations.model, orientations
        self.bodies, self.planes = model.bodies, model.planes
        self.constants, self.coordinates = orientations.constants, orientations.coordinates
        self.gravity = gravity
        bodies, planes = list(enumerate(self.bodies)), range(len(self.planes))
        self.members = [[k for k, body in bodies if body.plane == p] for p in planes]
        self.roots = [members[0] for members in self.members]
        self.predecessor = [model.same_plane_parent(k) for k in range(len(self.bodies))]
        turning = [[k for k in members if self.bodies[k].axis is None] for members in self.members]
        self.single_joint = [len(members) == 1 for members in turning]
        self.inertias = [planar_inertia_of(body, self.constants) for body in self.bodies]
        self.sliding_inertias: dict[int, PlanarInertia] = {}
        self._regroup()
        self.first_moments = [inertia.h for inertia in self.inertias]
        self._assemble()

    def orientation(self, k: int) -> PlanarVector:
        """Return the unit vector of body k's x axis in the axes of its plane."""
        if self.single_joint[self.bodies[k].plane]:
            return PlanarVector(1.0, 0.0)
        return self.orientations.of_body(k)

    def axes(self, plane: int) -> np.ndarray:
        """Return the axes of a plane in its carrier's frame (3, 3)."""
        R = self.constants.matrix(self.planes[plane].axes)
        if self.single_joint[plane]:
            c, s = self.orientations.of_body(self.roots[plane])
            R = R @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], dtype=object)
        return R

    def position(self, k: int) -> tuple[PlanarVector, Symbol]:
        """Return body k's origin from its predecessor's or the plane's origin, in the plane's axes."""
        body, predecessor = self.bodies[k], self.predecessor[k]
        if predecessor is not None:
            vector, z = self.constants.position(body.position)
            if body.axis is not None:
                vector = vector + self.constants.planar_direction(body.axis) * self.coordinates[body.name]
            return vector.rotated(self.orientation(predecessor)), z
        position = body.position - self.bodies[self.roots[body.plane]].position
        position = self.planes[body.plane].axes.T @ position
        return self.constants.position(np.where(abs(position) < 1e-12, 0.0, position))

    def _regroup(self) -> None:
        """Move inertial parameters to parents, from the leaves to the root."""
        for k in reversed(range(len(self.bodies))):
            body, parent = self.bodies[k], self.bodies[k].parent
            if body.axis is not None:
                fixed = self.sliding_inertias[k] = self.inertias[k]
            else:
                fixed, self.inertias[k] = self.inertias[k].split_by_rotation()
                if self.predecessor[k] is None:
                    fixed = fixed.rotated_by_matrix(self.constants.matrix(self.planes[body.plane].axes))
            if parent is not None:
                position, z = self.constants.position(body.position)
                if body.axis is not None:
                    direction = self.constants.planar_vector(body.axis, "n")
                    position = position + direction * self.coordinates[body.name]
                self.inertias[parent] = self.inertias[parent].plus(fixed.moved(position, z))

    def _assemble(self) -> None:
        """Rotate inertias into the axes of their planes and add planes to their carriers, from the leaves."""
        whole: dict[int, PlanarInertia] = {}
        for k in reversed(range(len(self.bodies))):
            p, members = self.bodies[k].plane, self.members[self.bodies[k].plane]
            if self.bodies[k].axis is not None:
                # its own inertia belongs to the body that it slides on already
                self.inertias[k] = PlanarInertia()
            else:
                self.inertias[k] = self.inertias[k].rotated(self.orientation(k))
            whole[k] = self.inertias[k]
            for child in members:
                if self.predecessor[child] == k:
                    whole[k] = whole[k].plus(whole[child].moved(*self.position(child)))
            carrier = self.planes[p].carrier
            if k == self.roots[p] and carrier is not None:
                total = PlanarInertia()
                for root in members:
                    if self.predecessor[root] is None:
                        total = total.plus(whole[root].moved(*self.position(root)))
                position = self.constants.position(self.bodies[k].position)
                total = total.rotated_by_matrix(self.axes(p)).moved(*position)
                self.inertias[carrier] = self.inertias[carrier].plus(total)

    def gravities(self) -> list[tuple[PlanarVector, Symbol]]:
        """Return gravity in each plane's axes: in the plane, and along its normal."""
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
        """Return the angular rates of bodies in their planes, by independent joint."""
        omegas: dict[int, Row] = {}
        for k, body in enumerate(self.bodies):
            predecessor = self.predecessor[k]
            omegas[k] = dict(omegas[predecessor]) if predecessor is not None else {}
            for name, rate in ({} if body.axis is not None else rates[k]).items():
                add_to(omegas[k], name, rate)
        return omegas

    def gravity_torque(self, rates: Rates) -> Row:
        """Return the torques of the independent joints that hold the robot against gravity."""
        gravities, omegas, total = self.gravities(), self.omegas(rates), Row()
        for k, body in enumerate(self.bodies):
            g, _ = gravities[body.plane]
            if body.axis is not None:
                _, own, e = self.slide(k)
                torque, by = -(own.mass * e.dot(g)), rates[k]
            else:
                torque, by = g.cross(self.inertias[k].h), omegas[k]
            for name, rate in by.items():
                add_to(total, name, rate * torque)
        return total

    def potential(self) -> Symbol:
        """Return the potential energy of gravity [J], up to a constant."""
        total: Symbol = 0.0
        gravities = self.gravities()
        for k, body in enumerate(self.bodies):
            if body.axis is None:
                moment = self.first_moments[k].rotated(self.orientation(k))
                total = total - gravities[body.plane][0].dot(moment)
        return total

    def slide(self, k: int) -> tuple[int, PlanarInertia, PlanarVector]:
        """Return a prismatic joint's parent, inertia in its own frame, and direction in the plane's axes."""
        axis, parent = self.bodies[k].axis, self.bodies[k].parent
        direction = self.constants.planar_vector(axis, "n").rotated(self.orientation(parent))
        return parent, self.sliding_inertias[k], direction


#: Linear P and angular H about a point, (3,) each, for a unit rate of one coordinate.
Momentum = tuple[np.ndarray, np.ndarray]


def mass_matrix(tree: PlanarTree, rates: Rates) -> dict[tuple[str, str], Symbol]:
    """Return entries by pairs of independent joints, alphabetically, each pair once; without zeros."""
    return _MassMatrixSum(tree, rates).entries


class _MassMatrixSum:
    """The entries, added plane by plane."""

    def __init__(self, tree: PlanarTree, rates: Rates) -> None:
        self.tree, self.rates, self.omegas = tree, rates, tree.omegas(rates)
        self.entries: dict[tuple[str, str], Symbol] = {}
        # of each body: position in its plane, and velocity of its origin due to joints of the plane
        self.at: dict[int, tuple[PlanarVector, Symbol]] = {}
        self.v: dict[int, dict[str, PlanarVector]] = {}
        self._kinematics()
        for p in range(len(tree.planes)):
            self._add_pairs_within(p)
            for name, momentum in self._momenta(p).items():
                self._add_pairs_with_carrier(p, name, momentum)

    def _add(self, i: str, j: str, value: Symbol) -> None:
        add_to(self.entries, (min(i, j), max(i, j)), value)

    def _kinematics(self) -> None:
        """Set ``at`` and ``v`` of all bodies."""
        tree = self.tree
        for k, body in enumerate(tree.bodies):
            predecessor, (r, rz) = tree.predecessor[k], tree.position(k)
            self.at[k], self.v[k] = (r, rz), {}
            if predecessor is not None:
                origin, z = self.at[predecessor]
                self.at[k] = origin + r, z + rz
                self.v[k] = dict(self.v[predecessor])
                for name, omega in self.omegas[predecessor].items():
                    add_to(self.v[k], name, r.quarter_turn() * omega)
            if body.axis is not None:
                _, _, e = tree.slide(k)
                for name, rate in self.rates[k].items():
                    add_to(self.v[k], name, e * rate)

    def _add_pairs_within(self, p: int) -> None:
        """Add pairs of rates that move bodies in the same plane."""
        for k in self.tree.members[p]:
            if self.tree.bodies[k].axis is not None:
                self._add_slide(k)
                continue
            own, omega, v = self.tree.inertias[k], self.omegas[k], self.v[k]
            lever = {name: own.h.cross(vector) for name, vector in v.items()}
            spin = {name: own.polar * rate for name, rate in omega.items()}
            names = sorted({*omega, *lever})
            for a, i in enumerate(names):
                for j in names[a:]:
                    if i == j and i in omega:
                        twice = 2 * lever[i] if i in lever else 0.0
                        self._add(i, i, omega[i] * (spin[i] + twice))
                    elif i != j:
                        if i in omega and (j in omega or j in lever):
                            self._add(i, j, omega[i] * (spin.get(j, 0.0) + lever.get(j, 0.0)))
                        if j in omega and i in lever:
                            self._add(i, j, omega[j] * lever[i])

    def _add_slide(self, k: int) -> None:
        """Add a prismatic joint's rate paired with itself and with the rates of the body it slides on."""
        (parent, own, e), rate = self.tree.slide(k), self.rates[k]
        arm = self.tree.position(k)[0] * own.mass + own.h.rotated(self.tree.orientation(parent))
        across = arm.cross(e)
        carried = {n: own.mass * v.dot(e) for n, v in self.v[parent].items()}
        for name, omega in self.omegas[parent].items():
            add_to(carried, name, omega * across)
        for i, first in rate.items():
            for j, second in rate.items():
                if i <= j:
                    self._add(i, j, own.mass * first * second)
            for j, moved in carried.items():
                self._add(i, j, (2 if i == j else 1) * first * moved)

    def _momenta(self, p: int) -> dict[str, Momentum]:
        """Return a whole plane's momenta for each rate in it, about the plane's origin, in its axes."""
        tree = self.tree
        P: dict[str, PlanarVector] = {}
        tilt: dict[str, PlanarVector] = {}
        spin: Row = {}
        for k in tree.members[p]:
            r, rz = self.at[k]
            if tree.bodies[k].axis is not None:
                parent, own, e = tree.slide(k)
                for name, rate in self.rates[k].items():
                    push = e * (own.mass * rate)
                    add_to(P, name, push)
                    add_to(tilt, name, e.quarter_turn() * ((own.hz + own.mass * rz) * rate))
                    h = own.h.rotated(tree.orientation(parent))
                    add_to(spin, name, h.cross(e) * rate + r.cross(push))
                continue
            own = tree.inertias[k]
            for name, omega in self.omegas[k].items():
                add_to(P, name, own.h.quarter_turn() * omega)
                add_to(tilt, name, (own.tilt + own.h * rz) * -omega)
                add_to(spin, name, omega * (own.polar + r.dot(own.h)))
            for name, v in self.v[k].items():
                add_to(spin, name, own.h.cross(v))
                add_to(tilt, name, v.quarter_turn() * own.hz)
        zero = PlanarVector()
        return {n: (_array(P.get(n, zero), 0.0), _array(tilt.get(n, zero), spin[n])) for n in spin}

    def _add_pairs_with_carrier(self, p: int, name: str, momentum: Momentum) -> None:
        """Add pairs with rates that move the body which carries the plane, or its ancestors."""
        tree, carrier = self.tree, self.tree.planes[p].carrier
        if carrier is None:
            return
        at = tree.constants.position(tree.bodies[tree.roots[p]].position)
        P, H = (tree.axes(p) @ vector for vector in momentum)
        H = H + cross(_array(*at), P)
        P, H = self._rotated(carrier, P), self._rotated(carrier, H)
        pairs = [(other, omega * H[2]) for other, omega in self.omegas[carrier].items()]
        pairs += [(other, v.dot(PlanarVector(P[0], P[1]))) for other, v in self.v[carrier].items()]
        for other, value in pairs:
            self._add(name, other, 2 * value if name == other else value)
        H = H + cross(_array(*self.at[carrier]), P)
        self._add_pairs_with_carrier(tree.bodies[carrier].plane, name, (P, H))

    def _rotated(self, carrier: int, vector: np.ndarray) -> np.ndarray:
        unit = self.tree.orientation(carrier)
        return _array(PlanarVector(vector[0], vector[1]).rotated(unit), vector[2])


def _array(vector: PlanarVector, z: Symbol) -> np.ndarray:
    """Return a vector (3,) from its parts in the plane and along z."""
    return np.array([*vector, z], dtype=object)
