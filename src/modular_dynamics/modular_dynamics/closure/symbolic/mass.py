"""M1 = W^T M W of a tree of planes, summed over bodies, never as a matrix of the tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .plane import Plane, Symbol
from .rates import Rates, Row
from .tree import Tree

__all__ = ["mass_matrix"]


class _Momentum(NamedTuple):
    """Linear P and angular H about a point, (3,) each, that a unit rate of one coordinate makes."""

    P: np.ndarray
    H: np.ndarray


def mass_matrix(tree: Tree, rates: Rates) -> dict[tuple[str, str], Symbol]:
    """Entries by pairs of independent joints, each pair once, in alphabetical order; zeros are left out."""
    return _Sum(tree, rates).entries


class _Sum:
    def __init__(self, tree: Tree, rates: Rates) -> None:
        self.tree, self.rates, self.omegas = tree, rates, tree.omegas(rates)
        self.entries: dict[tuple[str, str], Symbol] = {}
        self.at: dict[int, tuple[Plane, Symbol]] = {}
        self.v: dict[int, dict[str, Plane]] = {}
        self._kinematics()
        for p in range(len(tree.planes)):
            self._inside(p)
            for name, momentum in self._momenta(p).items():
                self._outside(p, name, momentum)

    def _add(self, i: str, j: str, value: Symbol) -> None:
        key = (min(i, j), max(i, j))
        self.entries[key] = self.entries[key] + value if key in self.entries else value

    def _kinematics(self) -> None:
        """Places of bodies in their planes, and velocities of their origins by what moves in the plane."""
        tree = self.tree
        for k, part in enumerate(tree.parts):
            before, (r, rz) = tree.before(k), tree.place(k)
            self.at[k], self.v[k] = (r, rz), {}
            if before is not None:
                origin, z = self.at[before]
                self.at[k] = origin.plus(r), z + rz
                self.v[k] = dict(self.v[before])
                for name, omega in self.omegas[before].items():
                    self._put(self.v[k], name, r.quarter().times(omega))
            if part.axis is not None:
                for name, rate in self.rates[k].items():
                    self._put(self.v[k], name, tree.slide_axis(k).times(rate))

    @staticmethod
    def _put(total: dict[str, Plane], name: str, term: Plane) -> None:
        total[name] = total[name].plus(term) if name in total else term

    def _names(self, rows: list[Row]) -> list[str]:
        return sorted({name for row in rows for name in row})

    def _inside(self, p: int) -> None:
        """Pairs of rates that move bodies in the same plane."""
        for k in self.tree.members[p]:
            if self.tree.parts[k].axis is not None:
                self._sliding(k)
                continue
            own, omega, v = self.tree.own[k], self.omegas[k], self.v[k]
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

    def _sliding(self, k: int) -> None:
        """A prismatic joint: its rate against itself and against what moves the body that it slides on."""
        tree, parent = self.tree, self.tree.parts[k].parent
        assert parent is not None
        own, rate, e = tree.slid[k], self.rates[k], tree.slide_axis(k)
        arm = tree.place(k)[0].times(own.mass).plus(own.h.turned(tree.standing(parent)))
        across = arm.cross(e)
        carried = {n: own.mass * v.dot(e) for n, v in self.v[parent].items()}
        for name, omega in self.omegas[parent].items():
            carried[name] = carried.get(name, 0.0) + omega * across
        for i, mine in rate.items():
            for j, other in rate.items():
                if i <= j:
                    self._add(i, j, own.mass * mine * other)
            for j, moved in carried.items():
                self._add(i, j, (2 if i == j else 1) * mine * moved)

    def _momenta(self, p: int) -> dict[str, _Momentum]:
        """Of a whole plane, by each rate in it, about the plane's origin, along its axes."""
        tree = self.tree
        P: dict[str, Plane] = {}
        tilt: dict[str, Plane] = {}
        spin: Row = {}
        for k in tree.members[p]:
            r, rz = self.at[k]
            if tree.parts[k].axis is not None:
                self._slide_momentum(k, P, tilt, spin)
                continue
            own = tree.own[k]
            for name, omega in self.omegas[k].items():
                push = own.h.quarter().times(omega)
                self._put(P, name, push)
                self._put(tilt, name, own.tilt.plus(own.h.times(rz)).times(-omega))
                spin[name] = spin.get(name, 0.0) + omega * (own.polar + r.dot(own.h))
            for name, v in self.v[k].items():
                spin[name] = spin.get(name, 0.0) + own.h.cross(v)
                self._put(tilt, name, v.quarter().times(own.hz))
        zero = tree.one.y
        return {
            name: _Momentum(
                np.array([*P.get(name, tree.none), zero], dtype=object),
                np.array([*tilt.get(name, tree.none), spin[name]], dtype=object),
            )
            for name in spin
        }

    def _slide_momentum(self, k: int, P: dict[str, Plane], tilt: dict[str, Plane], spin: Row) -> None:
        tree, parent = self.tree, self.tree.parts[k].parent
        assert parent is not None
        own, e, (r, rz) = tree.slid[k], tree.slide_axis(k), self.at[k]
        for name, rate in self.rates[k].items():
            push = e.times(own.mass * rate)
            self._put(P, name, push)
            self._put(tilt, name, e.quarter().times((own.hz + own.mass * rz) * rate))
            arm = own.h.turned(tree.standing(parent)).cross(e) * rate + r.cross(push)
            spin[name] = spin.get(name, 0.0) + arm

    def _outside(self, p: int, name: str, momentum: _Momentum) -> None:
        """Pairs with rates that move the body which carries the plane, or one before it."""
        tree, carrier = self.tree, self.tree.planes[p].carrier
        if carrier is None:
            return
        place = np.array([tree.values.scalar(x, "d") for x in tree.parts[tree.roots[p]].place], dtype=object)
        P, H = (tree.axes(p) @ vector for vector in momentum)
        H = H + _cross(place, P)
        P, H = self._turned(carrier, P), self._turned(carrier, H)
        for other, omega in self.omegas[carrier].items():
            self._pair(name, other, omega * H[2])
        for other, v in self.v[carrier].items():
            self._pair(name, other, v.dot(Plane(P[0], P[1])))
        (r, rz) = self.at[carrier]
        H = H + _cross(np.array([r.x, r.y, rz], dtype=object), P)
        self._outside(tree.parts[carrier].plane, name, _Momentum(P, H))

    def _turned(self, carrier: int, vector: np.ndarray) -> np.ndarray:
        turned = Plane(vector[0], vector[1]).turned(self.tree.standing(carrier))
        return np.array([*turned, vector[2]], dtype=object)

    def _pair(self, i: str, j: str, value: Symbol) -> None:
        self._add(i, j, 2 * value if i == j else value)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object
    )
