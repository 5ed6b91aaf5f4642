"""M1 = W^T M W of a tree of planes, as a sum over bodies, without the mass matrix M of the tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .planar_tree import PlanarTree
from .planar_vector import PlanarVector, Symbol
from .rates import Rates, Row

__all__ = ["mass_matrix"]


class _Momentum(NamedTuple):
    """Linear P and angular H about a point, (3,) each, for a unit rate of one coordinate."""

    P: np.ndarray
    H: np.ndarray


def mass_matrix(tree: PlanarTree, rates: Rates) -> dict[tuple[str, str], Symbol]:
    """Entries by pairs of independent joints, each pair once, in alphabetical order; without zeros."""
    return _MassMatrixSum(tree, rates).entries


class _MassMatrixSum:
    """The entries, added plane by plane."""

    def __init__(self, tree: PlanarTree, rates: Rates) -> None:
        self.tree, self.rates, self.omegas = tree, rates, tree.omegas(rates)
        self.entries: dict[tuple[str, str], Symbol] = {}
        self.at: dict[int, tuple[PlanarVector, Symbol]] = {}
        self.v: dict[int, dict[str, PlanarVector]] = {}
        self._kinematics()
        for p in range(len(tree.planes)):
            self._add_pairs_within(p)
            for name, momentum in self._momenta(p).items():
                self._add_pairs_with_carrier(p, name, momentum)

    def _add(self, i: str, j: str, value: Symbol) -> None:
        key = (min(i, j), max(i, j))
        self.entries[key] = self.entries[key] + value if key in self.entries else value

    def _kinematics(self) -> None:
        """Positions of bodies in their planes, and velocities of their origins due to joints of the plane."""
        tree = self.tree
        for k, body in enumerate(tree.bodies):
            predecessor, (r, rz) = tree.predecessor(k), tree.position(k)
            self.at[k], self.v[k] = (r, rz), {}
            if predecessor is not None:
                origin, z = self.at[predecessor]
                self.at[k] = origin.plus(r), z + rz
                self.v[k] = dict(self.v[predecessor])
                for name, omega in self.omegas[predecessor].items():
                    self._put(self.v[k], name, r.quarter_turn().times(omega))
            if body.axis is not None:
                for name, rate in self.rates[k].items():
                    self._put(self.v[k], name, tree.slide_axis(k).times(rate))

    @staticmethod
    def _put(total: dict[str, PlanarVector], name: str, term: PlanarVector) -> None:
        total[name] = total[name].plus(term) if name in total else term

    def _names(self, rows: list[Row]) -> list[str]:
        return sorted({name for row in rows for name in row})

    def _add_pairs_within(self, p: int) -> None:
        """Pairs of rates that move bodies in the same plane."""
        for k in self.tree.members[p]:
            if self.tree.bodies[k].axis is not None:
                self._add_slide(k)
                continue
            own, omega, v = self.tree.inertias[k], self.omegas[k], self.v[k]
            lever = {name: own.h.cross(vector) for name, vector in v.items()}
            spin = {name: own.polar * rate for name, rate in omega.items()}
            names = self._names([omega, lever])
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
        """A prismatic joint: its rate paired with itself and with the rates of the body it slides on."""
        tree, parent = self.tree, self.tree.bodies[k].parent
        assert parent is not None
        own, rate, e = tree.sliding_inertias[k], self.rates[k], tree.slide_axis(k)
        arm = tree.position(k)[0].times(own.mass).plus(own.h.rotated(tree.orientation(parent)))
        across = arm.cross(e)
        carried = {n: own.mass * v.dot(e) for n, v in self.v[parent].items()}
        for name, omega in self.omegas[parent].items():
            carried[name] = carried.get(name, 0.0) + omega * across
        for i, first in rate.items():
            for j, second in rate.items():
                if i <= j:
                    self._add(i, j, own.mass * first * second)
            for j, moved in carried.items():
                self._add(i, j, (2 if i == j else 1) * first * moved)

    def _momenta(self, p: int) -> dict[str, _Momentum]:
        """Momenta of a whole plane for each rate in it, about the plane's origin, in its axes."""
        tree = self.tree
        P: dict[str, PlanarVector] = {}
        tilt: dict[str, PlanarVector] = {}
        spin: Row = {}
        for k in tree.members[p]:
            r, rz = self.at[k]
            if tree.bodies[k].axis is not None:
                self._slide_momentum(k, P, tilt, spin)
                continue
            own = tree.inertias[k]
            for name, omega in self.omegas[k].items():
                push = own.h.quarter_turn().times(omega)
                self._put(P, name, push)
                self._put(tilt, name, own.tilt.plus(own.h.times(rz)).times(-omega))
                spin[name] = spin.get(name, 0.0) + omega * (own.polar + r.dot(own.h))
            for name, v in self.v[k].items():
                spin[name] = spin.get(name, 0.0) + own.h.cross(v)
                self._put(tilt, name, v.quarter_turn().times(own.hz))
        zero = tree.x_axis.y
        return {
            name: _Momentum(
                np.array([*P.get(name, tree.zero), zero], dtype=object),
                np.array([*tilt.get(name, tree.zero), spin[name]], dtype=object),
            )
            for name in spin
        }

    def _slide_momentum(
        self, k: int, P: dict[str, PlanarVector], tilt: dict[str, PlanarVector], spin: Row
    ) -> None:
        tree, parent = self.tree, self.tree.bodies[k].parent
        assert parent is not None
        own, e, (r, rz) = tree.sliding_inertias[k], tree.slide_axis(k), self.at[k]
        for name, rate in self.rates[k].items():
            push = e.times(own.mass * rate)
            self._put(P, name, push)
            self._put(tilt, name, e.quarter_turn().times((own.hz + own.mass * rz) * rate))
            arm = own.h.rotated(tree.orientation(parent)).cross(e) * rate + r.cross(push)
            spin[name] = spin.get(name, 0.0) + arm

    def _add_pairs_with_carrier(self, p: int, name: str, momentum: _Momentum) -> None:
        """Pairs with rates that move the body which carries the plane, or one of its ancestors."""
        tree, carrier = self.tree, self.tree.planes[p].carrier
        if carrier is None:
            return
        position = np.array(
            [tree.constants.scalar(x, "d") for x in tree.bodies[tree.roots[p]].position], dtype=object
        )
        P, H = (tree.axes(p) @ vector for vector in momentum)
        H = H + _cross(position, P)
        P, H = self._rotated(carrier, P), self._rotated(carrier, H)
        for other, omega in self.omegas[carrier].items():
            self._pair(name, other, omega * H[2])
        for other, v in self.v[carrier].items():
            self._pair(name, other, v.dot(PlanarVector(P[0], P[1])))
        (r, rz) = self.at[carrier]
        H = H + _cross(np.array([r.x, r.y, rz], dtype=object), P)
        self._add_pairs_with_carrier(tree.bodies[carrier].plane, name, _Momentum(P, H))

    def _rotated(self, carrier: int, vector: np.ndarray) -> np.ndarray:
        rotated = PlanarVector(vector[0], vector[1]).rotated(self.tree.orientation(carrier))
        return np.array([*rotated, vector[2]], dtype=object)

    def _pair(self, i: str, j: str, value: Symbol) -> None:
        self._add(i, j, 2 * value if i == j else value)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object
    )
