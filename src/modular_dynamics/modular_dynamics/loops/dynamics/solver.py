"""Inverse dynamics of a robot with closed loops: all results at one state.

tau are the tree's torques, with all joints moving as the loops require. J_d^T lambda = tau_d gives the
multipliers of the rows, of the least norm where rows are redundant; tau_1 = tau_i - J_i^T lambda = W^T tau
(Schappler et al., section 3.4). The core computes that (loop_dynamics.hpp) where it closes the loops; the
general method here serves other states: near singular configurations, or with free coordinates.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import InverseDynamics, mass_matrix
from ...dynamics.arguments import Array
from ...dynamics.core_robot import loads_on_bodies
from ...dynamics.inverse_dynamics import Wrenches
from ...dynamics.quantity import counts_friction
from ...dynamics.transmitted_wrenches import TransmittedWrenches
from ...exceptions import UnsupportedModelError
from ...model import SubsystemGraph, checked_vectors, require_graph
from ..assembly.diagnosis import raise_if_dependent, raise_if_singular
from ..assembly.mechanism import Mechanism
from ..core_loops import GOOD
from .results import ClosedLoopResult
from .saddle_point import exact_zeros, prescribed_motion, reduced_accelerations, without_rounding


class ClosedLoopSolver(Mechanism):
    """A mechanism and its dynamics. Results are values.

    Attributes:
        independent_q, independent_v: indices of the independent joints in q (nq,) and in v (nv,).

    Raises:
        UnsupportedModelError: a black box, or a geared joint with several coordinates.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        super().__init__(graph)
        system = self.system
        self.independent_q, self.independent_v = system.independent_q, system.independent_v
        self._loop_names = [loop.name for loop in graph.loop_joints]
        self._spring_names = [spring.name for spring in graph.springs]

    def residual(self, coordinates: ArrayLike) -> dict[str, float]:
        """Return the largest violation [m or 1] of each loop joint and gear at coordinates (nq,), by name."""
        return self.system.residual(*checked_vectors(self.graph, q=coordinates))

    def projection(self, coordinates: ArrayLike) -> Array:
        """Return W (nv, independent) at closed coordinates (nq,): see `explicit_constraint_jacobian`.

        Raises:
            SingularityError: a singular configuration, or too few independent joints. ClosureError: too many.
        """
        return self._projection(coordinates)[:, : len(self.independent_v)]

    def dynamic_projection(self, coordinates: ArrayLike) -> Array:
        """Return W (nv, independent) with what independent joints' accelerations cause in free coordinates.

        W_i - W_f (W_f^T M W_f)^-1 W_f^T M W_i, so that tau_1 = W^T tau and M1 = W^T M W. Where no
        coordinate is free it is ``projection``; errors as of it.
        """
        (q,) = checked_vectors(self.graph, q=coordinates)
        W, count = self._projection(q), len(self.independent_v)
        if W.shape[1] == count:
            return W
        independent, free = W[:, :count], exact_zeros(W[:, count:])
        M = mass_matrix(self.graph.tree, q)
        held = (free.T @ M @ independent).T  # torques that hold the free coordinates
        caused = np.array([reduced_accelerations(self.graph, free, M, -torques) for torques in held])
        result: Array = independent + free @ caused.T.reshape(free.shape[1], count)
        return result

    def _projection(self, coordinates: ArrayLike) -> Array:
        """Return W with the columns of the independent coordinates, then those of the free ones."""
        (q,) = checked_vectors(self.graph, q=coordinates)
        if not self._is_free_known:
            self._find_free(q)
        at = self.system.projection(q)
        raise_if_singular(self.system, q, at.condition)
        raise_if_dependent(self.system, q, at.W)
        return at.W

    def inverse_dynamics(
        self,
        coordinates: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external_wrenches: Wrenches = None,
        friction: str = "none",
    ) -> ClosedLoopResult:
        """Return inverse dynamics at closed coordinates (nq,), with v and a of the independent joints."""
        (q,) = checked_vectors(self.graph, q=coordinates)
        return self.inverse_dynamics_at(q[self.independent_q], v, a, q, external_wrenches, friction)

    def inverse_dynamics_at(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        guess: ArrayLike | None = None,
        external_wrenches: Wrenches = None,
        friction: str = "none",
    ) -> ClosedLoopResult:
        """Close the loops at independent coordinates q, and return inverse dynamics there."""
        checked, counts = self.system.independent.checked, counts_friction(friction)
        q, v, a = checked("q", q), checked("v", v), checked("a", a)
        loads = loads_on_bodies(self.graph, external_wrenches) if are_any(external_wrenches) else None
        tau, coordinates, details = np.empty(len(v)), np.empty(self.graph.nq), np.empty(self.loops.details)

        def core(near: Any, with_details: Array | None = None) -> int:
            return self.loops.inverse_dynamics(q, v, a, near, tau, coordinates, with_details, counts, loads)

        try:
            status = None if guess is None else core(guess)
        except (TypeError, ValueError):
            status = None  # to be converted or refused
        if status != GOOD:
            closed = self.close(q, guess)
            if core(closed) != GOOD:
                return self.general(closed, v, a, external_wrenches, friction)
        own = tau.copy()  # details change the rounding of tau: keep the result of the call without them
        core(coordinates.copy(), details)
        return self._result(own, coordinates, self.details_of(details), external_wrenches, friction)

    def _result(
        self,
        tau: Array,
        q: Array,
        details: "Details",
        external_wrenches: Wrenches,
        friction: str,
        free: tuple[str, ...] = (),
    ) -> ClosedLoopResult:
        """Return the result with wrenches and tensions by name."""
        v, a, tensions, wrenches, joint_wrenches, _ = details
        by_loop = dict(zip(self._loop_names, wrenches, strict=True))
        by_spring = dict(zip(self._spring_names, tensions.tolist(), strict=True))
        tree = TransmittedWrenches(self.graph, q, {}, joint_wrenches)
        loads = external_wrenches, friction
        return ClosedLoopResult(tau, q, v, a, by_loop, by_spring, free, tree, self.system, *loads)

    def details_of(self, details: Array) -> "Details":
        """Return the core's details, (details,) of one state or (n, details) of many, as named parts."""
        nv, loops, springs = self.graph.nv, len(self._loop_names), len(self._spring_names)
        ends = np.cumsum([nv, nv, springs, 6 * loops, 6 * len(self.graph.joints)])
        v, a, tensions, cuts, joints, sines = np.split(details, ends, axis=-1)
        rows, joint_count = details.shape[:-1], len(self.graph.joints)
        wrenches, transmitted = cuts.reshape(*rows, loops, 6), joints.reshape(*rows, joint_count, 6)
        return Details(v, a, tensions, wrenches, transmitted, sines[..., 0])

    def general(
        self, q: Array, v: Array, a: Array, external_wrenches: Wrenches = None, friction: str = "none"
    ) -> ClosedLoopResult:
        """Return inverse dynamics at closed coordinates (nq,) without the core; errors as of `projection`."""
        W = self._projection(q)
        system, own = self.system, np.ones(len(v), bool)
        full_v = without_rounding(system, W[:, : len(v)] @ v)
        full_v[system.independent_v] = v
        motion = prescribed_motion(system, q, full_v, np.zeros(len(v)), a, own, friction, external_wrenches)
        tree = InverseDynamics(self.graph.tree)
        transmitted = tree.solve(q, full_v, motion.a, external_wrenches=external_wrenches).joint_wrenches
        of_rows = motion.multipliers[:, None] * system.evaluate(q).wrenches
        names = np.where(system.is_gear, "", system.names)
        wrenches = np.array([of_rows[names == name].sum(axis=0) for name in self._loop_names]).reshape(-1, 6)
        details = Details(full_v, motion.a, motion.tensions, wrenches, transmitted, np.array(np.nan))
        return self._result(motion.tau, q, details, external_wrenches, friction, system.free_joints)


class Details(NamedTuple):
    """The core's results beside torques (see _core.pyi), of one state or of many in rows."""

    velocities: Array
    accelerations: Array
    tensions: Array
    wrenches: Array
    joint_wrenches: Array
    sines: Array


def are_any(wrenches: Wrenches) -> TypeGuard[Mapping[str, ArrayLike]]:
    """Return whether there are wrenches; what is no mapping counts: it is refused where they are read."""
    return wrenches is not None and not (isinstance(wrenches, Mapping) and len(wrenches) == 0)


def raise_if_free(graph: SubsystemGraph, dynamics: ClosedLoopResult, quantity: str) -> None:
    """Raise UnsupportedModelError where passive joints are free: their motion depends on the torques."""
    if dynamics.free:
        advice = "make these independent"
        if several := [name for name in dynamics.free if graph.joint(name).type.nv > 1]:
            advice += f", with revolute joints in place of {', '.join(several)}: not all coordinates are free"
        raise UnsupportedModelError(
            f"{quantity} of '{graph.name}' cannot be computed: neither loops nor independent joints "
            f"determine its passive joints {', '.join(dynamics.free)}; {advice}"
        )


def solver_of(graph: SubsystemGraph) -> ClosedLoopSolver:
    """Return the solver of a graph, made on first use."""
    require_graph(graph)
    return graph.once(ClosedLoopSolver)
