"""Equations of motion by trigonometric elimination, by direct elimination, and by implicit constraints.

All three give g1, M1 and tau1 of the independent coordinates (Schappler et al., sections 3.3 and 3.4).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from modular_dynamics.exceptions import StateError
from modular_dynamics.loops import solver_of
from modular_dynamics.model import SubsystemGraph
from papers.closed_loop_elimination.counting import Count, count, lower
from papers.closed_loop_elimination.elimination import eliminate
from papers.closed_loop_elimination.named_constants import NamedConstants
from papers.closed_loop_elimination.orientations import Orientations, Rates, explicit_rates, implicit_rates
from papers.closed_loop_elimination.planar_bodies import planar_model_of
from papers.closed_loop_elimination.planar_loops import planar_loops_of, solution_steps, spring_paths_of
from papers.closed_loop_elimination.planar_tree import PlanarTree, mass_matrix
from papers.closed_loop_elimination.symbols import ModelConstants

#: Trigonometric elimination, direct elimination, implicit constraints.
METHODS = ("TE", "DE", "IC")


class Method:
    """Symbolic equations of motion of one mechanism by one method; a term is derived when it is first read.

    "TE": sines and cosines of dependent angles are expressions in the independent coordinates, and the
    energies are differentiated. "DE": the same with the dependent angles themselves, by atan2. "IC": the
    terms of the open tree, in all coordinates, are projected by W = [1; -J2^-1 J1].

    Args:
        graph: a mechanism of gears and planar loops, solved one after the other, two joints at a time.
        method: one of METHODS.
        symbolic: whether lengths, angles and inertias stay symbols; otherwise they are the graph's numbers.
        named: lengths and angles by name, of which the constants become expressions (see NamedConstants);
            without, each different number is a symbol.

    Raises:
        MissingDependencyError: CasADi cannot be imported.
        UnsupportedModelError: an unsupported mechanism.
        StateError: an unknown method.
    """

    def __init__(
        self,
        graph: SubsystemGraph,
        method: str,
        symbolic: bool = False,
        named: Mapping[str, float] | None = None,
    ) -> None:
        if method not in METHODS:
            raise StateError(f"unknown method '{method}'; the methods are {', '.join(METHODS)}")
        self.graph, self.method = graph, method
        self.constants = ModelConstants(symbolic) if named is None else NamedConstants(named)
        ca = self.ca = self.constants.ca
        self.model = planar_model_of(graph)
        self.steps = solution_steps(graph, self.model.bodies, planar_loops_of(graph, self.model))
        names = graph.joint_names if method == "IC" else graph.independent_joint_names
        self.q = {name: ca.SX.sym(f"q_{name}") for name in names}
        self.v = {name: ca.SX.sym(f"v_{name}") for name in graph.independent_joint_names}
        self.a = {name: ca.SX.sym(f"a_{name}") for name in graph.independent_joint_names}
        self.orientations = Orientations(self.model, self.constants, self.q)
        if method != "IC":
            closed = dict(zip(graph.joint_names, solver_of(graph).reference().tolist(), strict=True))
            eliminate(self.steps, self.orientations, method == "DE", closed)
        self.gravity = [self.constants.own(x) for x in graph.gravity]

    @cached_property
    def tree(self) -> PlanarTree:
        """The tree of bodies in their planes, with inertias."""
        return PlanarTree(self.orientations, self.gravity)

    @cached_property
    def rates(self) -> Rates:
        """W as rates of bodies in their planes."""
        if self.method == "IC":
            return implicit_rates(self.steps, self.orientations, self.graph.independent_joint_names)
        return explicit_rates(self.orientations, self.q)

    @cached_property
    def projection(self) -> Any:
        """W (nv, independent): rates of all joints by those of the independent ones."""
        index = {body.name: k for k, body in enumerate(self.model.bodies)}
        W = self.ca.SX(len(index), len(self.v))
        for i, name in enumerate(self.graph.joint_names):
            k = index[name]
            for j, column in enumerate(self.v):
                if column in self.rates[k]:
                    W[i, j] = (self.model.bodies[k].sign or 1.0) * self.rates[k][column]
        return W

    @cached_property
    def gravity_torque(self) -> Any:
        """g1: the gradient of the potential, or W^T g."""
        if self.method == "IC":
            torque = self.tree.gravity_torque(self.rates)
            return self.ca.vertcat(*(torque.get(name, 0.0) for name in self.v))
        return self.ca.gradient(self.tree.potential(), self.ca.vertcat(*self.q.values()))

    @cached_property
    def mass_matrix(self) -> Any:
        """M1: second derivatives of the kinetic energy by the independent rates."""
        return self._square(mass_matrix(self.tree, self.rates), tuple(self.v))

    @cached_property
    def open_tree(self) -> tuple[Any, Any]:
        """M (nv, nv) and g (nv,) of the tree without its loops."""
        names = self.graph.joint_names
        rates: Rates = {k: {body.name: body.sign or 1.0} for k, body in enumerate(self.model.bodies)}
        torque = self.tree.gravity_torque(rates)
        M = self._square(mass_matrix(self.tree, rates), names)
        return M, self.ca.vertcat(*(torque.get(name, 0.0) for name in names))

    def _square(self, entries: dict[tuple[str, str], Any], names: tuple[str, ...]) -> Any:
        matrix = self.ca.SX(len(names), len(names))
        for i, first in enumerate(names):
            for j, second in enumerate(names):
                matrix[i, j] = entries.get((min(first, second), max(first, second)), 0.0)
        return matrix

    @cached_property
    def torque(self) -> Any:
        """tau1, springs included: d/dt dL/dq1' - dL/dq1, L = 1/2 q1'^T M1 q1' - U (section 3.3), or W^T tau.

        tau is that of the open tree at q' = W q1', q'' = W q1'' + W' q1' (section 3.4).

        Raises:
            UnsupportedModelError: a spring between bodies of different planes.
        """
        ca, (q, v, a, _) = self.ca, self.inputs
        if self.method != "IC":
            return self.mass_matrix @ a + self.velocity_torque + self.gravity_torque + self.spring_torque
        W, (M, g), (rates, drift) = self.projection, self.open_tree, self._tree_rates()
        bias = self._velocity_torque(M, q, rates) + self._spring_torque(q, rates)
        return W.T @ (M @ (W @ a + drift) + ca.substitute(bias, rates, W @ v) + g)

    @cached_property
    def velocity_torque(self) -> Any:
        """c1: Coriolis and centrifugal torques; by IC W^T (M W' q1' + c) with the open tree's M and c."""
        q, v = self.inputs[:2]
        if self.method != "IC":
            return self._velocity_torque(self.mass_matrix, q, v)
        M, _ = self.open_tree
        rates, drift = self._tree_rates()
        bias = self.ca.substitute(self._velocity_torque(M, q, rates), rates, self.projection @ v)
        return self.projection.T @ (M @ drift + bias)

    @cached_property
    def spring_torque(self) -> Any:
        """tau1s; dampers included. Raises UnsupportedModelError: a spring between different planes."""
        q, v = self.inputs[:2]
        if self.method != "IC":
            return self._spring_torque(q, v)
        rates, _ = self._tree_rates()
        torque = self.ca.substitute(self._spring_torque(q, rates), rates, self.projection @ v)
        return self.projection.T @ torque

    def _tree_rates(self) -> tuple[Any, Any]:
        """Return symbols of all joints' rates, and W' q1'."""
        (q, v), rates = self.inputs[:2], self.ca.SX.sym("rates", len(self.q))
        v_tree = self.projection @ v
        return rates, self.ca.substitute(self.ca.jtimes(v_tree, q, rates), rates, v_tree)

    def _velocity_torque(self, mass_matrix: Any, q: Any, v: Any) -> Any:
        """Return Coriolis and centrifugal torques M' v - 1/2 d(v^T M v)/dq."""
        momentum = mass_matrix @ v
        return self.ca.jtimes(momentum, q, v) - 0.5 * self.ca.gradient(self.ca.dot(v, momentum), q)

    def _spring_torque(self, q: Any, v: Any) -> Any:
        """Return dL/dq^T F, F = F0 + k (L - L0) + d L', of all springs."""
        ca, own, torque = self.ca, self.constants.own, self.ca.SX(q.shape[0], 1)
        for spring, path in zip(self.graph.springs, spring_paths_of(self.graph, self.model), strict=True):
            first = path.segments[0].body
            line = self.orientations.vector_sum(path.segments, first, first)
            height = self.constants.scalar(path.height, "d")
            length = ca.sqrt(line.dot(line) + height * height)
            force = own(spring.stiffness) * (length - own(spring.free_length))
            if spring.initial_force != 0.0:
                force = own(spring.initial_force) + force
            if spring.damping != 0.0:
                force = force + own(spring.damping) * ca.jtimes(length, q, v)
            torque = torque + ca.gradient(length, q) * force
        return torque

    @property
    def inputs(self) -> list[Any]:
        """Columns: coordinates, rates, accelerations, parameters."""
        columns = [self.ca.vertcat(*x.values()) for x in (self.q, self.v, self.a)]
        return [*columns, self.constants.symbols]

    def evaluate(
        self, term: Any, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None
    ) -> Any:
        """Return a term's value; for IC, q holds the coordinates of all joints, in the graph's order."""
        v, a = (np.zeros(len(self.v)) if x is None else x for x in (v, a))
        function = self.ca.Function("term", self.inputs, [term])
        result = function(np.asarray(q, float), v, a, self.constants.numbers).full()
        return result[:, 0] if result.shape[1] == 1 else result

    def count(self, term: Any) -> Count:
        """Return a term's operations; of a square one, which is symmetric, those of its lower triangle."""
        square = term.shape[0] == term.shape[1] > 1
        return count(lower(term) if square else self.ca.vec(term), self.inputs)
