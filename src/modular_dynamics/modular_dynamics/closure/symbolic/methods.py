"""Trigonometric elimination, direct elimination, implicit constraints: equations of motion by each.

All three give g1, M1 and tau1 of the independent coordinates (Schappler et al., sections 3.3 and 3.4).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import StateError
from ...model import SubsystemGraph
from ..dynamics.solver import solver_of
from .counting import Count, count
from .directions import Directions
from .elimination import eliminate
from .mass import mass_matrix
from .order import steps_of
from .parts import parts_of
from .rates import Rates, explicit_rates, implicit_rates
from .rings import rings_of
from .symbols import Values, casadi
from .torque import constrained_torque, lagrange_torque
from .tree import Tree

__all__ = ["METHODS", "Method"]

#: Trigonometric elimination, direct elimination, implicit constraints.
METHODS = ("TE", "DE", "IC")


class Method:
    """Symbolic equations of motion of one mechanism by one method; terms are made when they are asked for.

    "TE": sines and cosines of dependent angles are substituted by expressions in the independent
    coordinates, and the energies differentiated. "DE": the dependent angles themselves are, by
    atan2. "IC": the open tree's terms, of all coordinates, are projected by W = [1; -J2^-1 J1].

    Args:
        graph: a mechanism of planar loops, one dyad after the other, and gears.
        method: of METHODS.
        symbolic: do lengths, angles and inertias stay symbols? Else they are numbers of the graph.

    Raises:
        UnsupportedModelError: CasADi is missing; or a mechanism that is none of these.
        StateError: an unknown method.
    """

    def __init__(self, graph: SubsystemGraph, method: str, symbolic: bool = False) -> None:
        if method not in METHODS:
            raise StateError(f"unknown method '{method}'; the methods are {', '.join(METHODS)}")
        self.graph, self.method = graph, method
        self.values = values = Values(symbolic)
        ca = values.ca
        self.parts, self.planes, ground = parts_of(graph)
        self.ground = ground
        self.steps = steps_of(graph, self.parts, rings_of(graph, self.parts, self.planes, ground))
        names = graph.joint_names if method == "IC" else graph.independent_joint_names
        self.q = {name: ca.SX.sym(f"q_{name}") for name in names}
        self.v = {name: ca.SX.sym(f"v_{name}") for name in graph.independent_joint_names}
        self.vdot = {name: ca.SX.sym(f"a_{name}") for name in graph.independent_joint_names}
        self.directions = Directions(self.parts, values, self.q)
        if method != "IC":
            closed = dict(zip(graph.joint_names, solver_of(graph).reference().tolist(), strict=True))
            eliminate(self.parts, self.steps, self.directions, method == "DE", closed)
        self.gravity = values.gravity(graph.gravity)

    @cached_property
    def tree(self) -> Tree:
        """Bodies in their planes."""
        return Tree(self.parts, self.planes, self.directions, self.gravity)

    @cached_property
    def rates(self) -> Rates:
        """W, turned into rates of bodies in their planes."""
        if self.method == "IC":
            return implicit_rates(self.parts, self.steps, self.directions, self.graph.independent_joint_names)
        return explicit_rates(self.parts, self.directions, self.q)

    @cached_property
    def projection(self) -> Any:
        """W (nv, independent): rates of all joints by those of the independent ones."""
        ca, index = self.values.ca, {part.name: k for k, part in enumerate(self.parts)}
        W = ca.SX(len(index), len(self.v))
        for i, name in enumerate(self.graph.joint_names):
            k = index[name]
            for j, column in enumerate(self.v):
                if column in self.rates[k]:
                    W[i, j] = (self.parts[k].sign or 1.0) * self.rates[k][column]
        return W

    @cached_property
    def gravity_torque(self) -> Any:
        """g1: the potential's gradient, or W^T g."""
        ca = self.values.ca
        if self.method == "IC":
            found = self.tree.gravity_torque(self.rates)
            return ca.vertcat(*(found.get(name, 0.0) for name in self.v))
        return ca.gradient(self.tree.potential(), ca.vertcat(*self.q.values()))

    @cached_property
    def mass_matrix(self) -> Any:
        """M1: second derivatives of the kinetic energy by the independent rates."""
        return self._square(mass_matrix(self.tree, self.rates), tuple(self.v))

    @cached_property
    def open_tree(self) -> tuple[Any, Any]:
        """M (nv, nv) and g (nv,) of the tree without its loops."""
        ca, names = self.values.ca, self.graph.joint_names
        rates: Rates = {k: {part.name: part.sign or 1.0} for k, part in enumerate(self.parts)}
        pull = self.tree.gravity_torque(rates)
        M = self._square(mass_matrix(self.tree, rates), names)
        return M, ca.vertcat(*(pull.get(name, 0.0) for name in names))

    def _square(self, entries: dict[tuple[str, str], Any], names: tuple[str, ...]) -> Any:
        matrix = self.values.ca.SX(len(names), len(names))
        for i, first in enumerate(names):
            for j, second in enumerate(names):
                matrix[i, j] = entries.get((min(first, second), max(first, second)), 0.0)
        return matrix

    @cached_property
    def torque(self) -> Any:
        """tau1, springs included: Lagrange's equations of the second kind, or W^T tau."""
        return constrained_torque(self) if self.method == "IC" else lagrange_torque(self)

    @property
    def inputs(self) -> list[Any]:
        """Columns: coordinates, rates, accelerations, parameters."""
        ca = self.values.ca
        return [ca.vertcat(*x.values()) for x in (self.q, self.v, self.vdot)] + [self.values.symbols]

    def evaluate(
        self, term: Any, q: ArrayLike, v: ArrayLike | None = None, vdot: ArrayLike | None = None
    ) -> Any:
        """The numbers of a term; with IC, q are the coordinates of all joints, in the graph's order."""
        rest = np.zeros(len(self.v))
        given = [
            np.asarray(q, float),
            rest if v is None else v,
            rest if vdot is None else vdot,
            self.values.numbers,
        ]
        result: NDArray[np.float64] = casadi().Function("term", self.inputs, [term])(*given).full()
        return result[:, 0] if result.shape[1] == 1 else result

    def count(self, term: Any) -> Count:
        """Operations of a term; of a square one, which is symmetric, of its lower triangle."""
        ca = self.values.ca
        square = term.shape[0] == term.shape[1] > 1
        entries = [term[i, : i + 1].T for i in range(term.shape[0])] if square else [ca.vec(term)]
        return count(ca.vertcat(*entries), self.inputs)
