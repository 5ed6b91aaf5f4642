"""Inverse dynamics of a robot with closed loops: all results at one state.

tau are the tree's torques, with all joints moving as the loops require. J_d^T lambda = tau_d gives the
multipliers of the rows, of the least norm where rows are redundant; tau_1 = tau_i - J_i^T lambda = W^T tau
(Schappler et al., section 3.4). The core computes that (loop_dynamics.hpp) where it closes the loops; the
general method here serves states that the core does not answer: near dead points, or with free coordinates.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import InverseDynamics, mass_matrix
from ...dynamics.arguments import Array
from ...dynamics.core_robot import loads_on_bodies
from ...dynamics.quantity import counts_friction
from ...dynamics.transmitted_wrenches import TransmittedWrenches, first_joints
from ...exceptions import StateError, UnsupportedModelError
from ...model import SubsystemGraph, checked_vectors, require_graph
from ..assembly.diagnosis import LARGEST_VIOLATION, raise_if_dependent, raise_if_singular
from ..assembly.mechanism import Mechanism
from ..constraints.constraint_system import ConstraintSystem, Projection
from ..core_loops import GOOD
from .results import ClosedLoopResult

# Accelerations along the motions that loops leave open, by the mass matrix of these.

#: Largest inertia that may be rounding, relative to the terms that add up to it.
ROUNDING = 1e-13
#: Largest velocity of a joint that may be rounding, relative to the largest one in a motion that loops allow.
SMALLEST_RATE = 1e-9
#: Velocities below this are rounding errors of an exact zero.
EXACT_ZERO = 1e-14
#: Largest torque along a motion that is rounding, relative to the largest one or to that for 1 rad/s^2.
TORQUE_ROUNDING = 1e-9
#: Least velocity of a joint that an error names, relative to the largest one in the motion without inertia.
LEAST_PART = 1e-3


def exact_zeros(motions: Array) -> Array:
    """Return motions with zeros in place of rounding errors, which would seem to need torques."""
    return np.where(np.abs(motions) < EXACT_ZERO, 0.0, motions)


def separate_motions(free: Array) -> Array:
    """Return motions (f, nv) that span the rows of ``free`` (f, nv), each the only one that moves some joint.

    Orthonormal motions mix joints that have nothing to do with each other: heavy ones would hide light ones.
    """
    from scipy import linalg  # noqa: PLC0415  # inverse dynamics must not wait for it at import

    if not len(free):
        return free
    own = linalg.qr(free, mode="r", pivoting=True)[1][: len(free)]
    separate = np.asarray(np.linalg.solve(free[:, own], free), np.float64)
    separate = exact_zeros(separate)
    separate[:, own] = np.eye(len(free))
    return separate


def reduced_accelerations(graph: SubsystemGraph, N: Array, M: Array, torques: Array) -> Array:
    """Solve N^T M N x = torques for x (f,); columns of N (nv, f) are motions, M (nv, nv) is the tree's.

    Zero along motions that move no inertia, as of a thin rod that spins, where no torque acts on these. NaN
    where a torque is not finite.

    Raises:
        StateError: torques act on a motion that moves no inertia; it names the joints that move.
    """
    if not np.isfinite(torques).all():
        return np.full(N.shape[1], np.nan)
    # sum of the sizes of terms that make each motion's inertia
    joints, rates = np.abs(N), np.abs(N).max(axis=0, initial=0.0)
    largest = np.where(joints > 0.0, np.diagonal(M)[:, None], 0.0).max(axis=0, initial=0.0) * rates**2
    terms = np.einsum("if,ij,jf->f", joints, np.abs(M), joints)
    size = np.maximum(terms, SMALLEST_RATE**2 / ROUNDING * largest)
    scale = 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0))
    reduced, scaled = scale[:, None] * (N.T @ M @ N) * scale, scale * torques
    try:
        factor = np.linalg.cholesky(reduced)
    except np.linalg.LinAlgError:
        pass
    else:
        if (np.diagonal(factor) ** 2 > ROUNDING).all():
            return np.asarray(scale * np.linalg.solve(reduced, scaled), np.float64)
    sizes, motions = np.linalg.eigh(reduced)
    along, counts = motions.T @ scaled, sizes > ROUNDING
    units = np.abs(motions).T @ np.sqrt(np.where(size > 0.0, size, 1.0))
    allowed = TORQUE_ROUNDING * np.maximum(np.abs(scaled).max(initial=0.0), units)
    if (acting := ~counts & (np.abs(along) > allowed)).any():
        names = ", ".join(_moving(graph, N, scale[:, None] * motions[:, acting]))
        raise StateError(
            f"{names} of '{graph.name}' have a motion that moves no inertia, on which torques act: M is "
            "singular, and they would accelerate infinitely"
        )
    return np.asarray(scale * (motions[:, counts] @ (along[counts] / sizes[counts])), np.float64)


def _moving(graph: SubsystemGraph, N: Array, lost: Array) -> list[str]:
    """Return names of the joints that move in any of the motions N @ lost (nv, k), for an error."""
    motions = np.abs(N @ lost)
    parts = (motions > LEAST_PART * motions.max(axis=0, initial=0.0)).any(axis=1)
    return [name for name in graph.joint_names if parts[graph.v_slice(name)].any()]


#: Velocities up to this part of the largest are rounding, to which dry friction would give a sign.
VELOCITY_ROUNDING = 1e-12
_Wrenches = Mapping[str, ArrayLike] | None


class _Motion(NamedTuple):
    """Motion of all joints at closed coordinates, and the forces that cause it."""

    tau: Array
    q: Array
    v: Array
    a: Array
    tensions: Array
    wrenches: Array
    joint_wrenches: Array
    multipliers: Array


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
            SingularityError: a dead point, or too few independent joints. ClosureError: too many.
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
        v_independent: ArrayLike,
        a_independent: ArrayLike,
        external_wrenches: _Wrenches = None,
        friction: str = "none",
    ) -> ClosedLoopResult:
        """Return inverse dynamics at coordinates (nq,) that are closed already; they are not closed again.

        Args:
            coordinates: of all joints, as ``close`` returns them. The residual of the result reports how far
                they are from closed; nothing is raised for it.
            v_independent, a_independent: of the independent joints.
            external_wrenches, friction: as of `inverse_dynamics`, and so the errors.
        """
        checked = self.system.independent.checked
        v, a = checked("v", v_independent), checked("a", a_independent)
        q = checked_vectors(self.graph, q=coordinates)[0].copy()
        return self._general(q, v, a, external_wrenches, friction)

    def inverse_dynamics_at(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        guess: ArrayLike | None = None,
        external_wrenches: _Wrenches = None,
        friction: str = "none",
    ) -> ClosedLoopResult:
        """Close the loops at independent coordinates q, and return inverse dynamics there."""
        checked, counts = self.system.independent.checked, counts_friction(friction)
        q, v, a = checked("q", q), checked("v", v), checked("a", a)
        loads = loads_on_bodies(self.graph, external_wrenches) if external_wrenches else None
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
                return self._general(closed, v, a, external_wrenches, friction)
        own = tau.copy()  # details change the rounding of tau: keep the result of the call without them
        core(coordinates.copy(), details)
        parts = self.details_of(details)
        state = self.graph, coordinates, v, a, external_wrenches, friction
        multipliers = partial(_multipliers, *state)
        return self._result(own, coordinates, *parts[:-1], multipliers)

    def _result(
        self,
        tau: Array,
        q: Array,
        v: Array,
        a: Array,
        tensions: Array,
        wrenches: Array,
        joint_wrenches: Array,
        multipliers: Callable[[], Array],
        free: tuple[str, ...] = (),
    ) -> ClosedLoopResult:
        """Return the result with wrenches and tensions by name."""
        by_loop = dict(zip(self._loop_names, wrenches, strict=True))
        by_spring = dict(zip(self._spring_names, tensions.tolist(), strict=True))
        tree = TransmittedWrenches(self.graph, q, {}, joint_wrenches, self.graph.once(first_joints))
        return ClosedLoopResult(tau, q, v, a, by_loop, by_spring, free, tree, self.system, multipliers)

    def details_of(self, details: Array) -> "Details":
        """Return the core's details, (details,) of one state or (n, details) of many, as named parts."""
        nv, loops, springs = self.graph.nv, len(self._loop_names), len(self._spring_names)
        ends = np.cumsum([nv, nv, springs, 6 * loops, 6 * len(self.graph.joints)])
        v, a, tensions, cuts, joints, sines = np.split(details, ends, axis=-1)
        rows, joint_count = details.shape[:-1], len(self.graph.joints)
        wrenches, transmitted = cuts.reshape(*rows, loops, 6), joints.reshape(*rows, joint_count, 6)
        return Details(v, a, tensions, wrenches, transmitted, sines[..., 0])

    def _general(
        self, q: Array, v: Array, a: Array, external_wrenches: _Wrenches, friction: str
    ) -> ClosedLoopResult:
        """Return inverse dynamics at closed coordinates by dense matrices; the result keeps q."""
        motion = self.motion(q, v, a, external_wrenches, friction)
        multipliers = partial(np.copy, motion.multipliers)
        return self._result(*motion[:-1], multipliers, self.system.free_joints)

    def motion(self, q: Array, v: Array, a: Array, external_wrenches: _Wrenches, friction: str) -> _Motion:
        """Return motion and forces at closed coordinates. Errors as of `projection`."""
        if not self._is_free_known:
            self._find_free(q)
        system, count = self.system, len(v)
        at_rest = system.evaluate(q)
        projection = system.projection(q, at_rest.J)
        raise_if_singular(system, q, projection.condition)
        if projection.violation > LARGEST_VIOLATION:
            raise_if_dependent(system, q, projection.W)
        free = np.zeros(len(system.free))
        motion = self._motion(q, (v, a, free), projection, external_wrenches, friction)
        if len(free):
            W = exact_zeros(projection.W[:, count:])
            torques = W.T @ motion.tau
            free = reduced_accelerations(self.graph, W, mass_matrix(self.graph.tree, q), -torques)
            motion = self._motion(q, (v, a, free), projection, external_wrenches, friction)
        return motion._replace(tau=(projection.W.T @ motion.tau)[:count])

    def _motion(
        self,
        q: Array,
        given: tuple[Array, Array, Array],
        projection: Projection,
        external_wrenches: _Wrenches,
        friction: str,
    ) -> _Motion:
        """Return motion and forces; ``given``: v and a of independent joints, a of free coordinates.

        tau (nv,) are torques of all joints of the tree, loops open.
        """
        system, graph, (v, a, free) = self.system, self.graph, given
        full_v = without_rounding(system, projection.W[:, : len(v)] @ v)
        full_v[system.independent_v] = v
        values = system.evaluate(q, full_v)
        a = projection.W @ np.concatenate([a, free])
        a[system.dependent_v] -= projection.inverse @ values.gamma
        solver = InverseDynamics(graph.tree, friction=friction)
        result = solver.solve(q, full_v, a, external_wrenches=external_wrenches)
        springs = system.spring_forces(q, full_v)
        tau = result.tau + springs.J.T @ springs.tensions
        multipliers = projection.inverse.T @ tau[system.dependent_v]
        wrenches = np.zeros((len(self._loop_names), 6))
        for k, name in enumerate(self._loop_names):
            own = np.array([row == name for row in system.names]) & ~system.is_gear
            wrenches[k] = multipliers[own] @ values.wrenches[own]
        forces = springs.tensions, wrenches, result.joint_wrenches, multipliers
        return _Motion(tau, q, full_v, a, *forces)


class Details(NamedTuple):
    """The core's results beside torques (see _core.pyi), of one state or of many in rows."""

    velocities: Array
    accelerations: Array
    tensions: Array
    wrenches: Array
    joint_wrenches: Array
    sines: Array


def _multipliers(graph: SubsystemGraph, *state: Any) -> Array:
    """Return the constraint multipliers at closed coordinates; arguments of `ClosedLoopSolver.motion`."""
    return solver_of(graph).motion(*state).multipliers


def without_rounding(system: ConstraintSystem, v: Array) -> Array:
    """Return velocities (nv,) with zeros in place of rounding, which dry friction would give a sign."""
    speeds = np.abs(v / system.units)
    return np.where(speeds <= VELOCITY_ROUNDING * speeds.max(initial=0.0), 0.0, v)


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
