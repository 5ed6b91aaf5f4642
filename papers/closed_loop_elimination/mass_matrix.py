"""M1 = W^T M W of a tree of planes, as a sum over bodies, without the mass matrix M of the tree."""

import numpy as np

from modular_dynamics.algebra.rigid_motions import cross
from papers.closed_loop_elimination.planar_tree import PlanarTree
from papers.closed_loop_elimination.rates import Rates, Row
from papers.closed_loop_elimination.symbols import PlanarVector, Symbol, add_to

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
