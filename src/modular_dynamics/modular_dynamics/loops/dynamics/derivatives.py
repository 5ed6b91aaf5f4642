"""Derivatives of inverse dynamics with closed loops, with respect to independent q, v and vdot."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import InverseDynamicsDerivatives, inverse_dynamics_derivatives
from ...dynamics.arguments import Array
from ...model import SubsystemGraph
from ..constraints.constraint_system import ConstraintSystem
from .solver import ClosedLoopDynamics, raise_if_free, solver_of
from .state_rows import errors_name_row, rows_of_motions

__all__ = ["closed_loop_inverse_dynamics_derivatives", "closed_loop_inverse_dynamics_derivatives_batch"]

#: Weights of central differences of eighth order, at one to four steps; and the step [rad or m].
WEIGHTS, STEP = (4 / 5, -1 / 5, 4 / 105, -1 / 280), 0.05


def closed_loop_inverse_dynamics_derivatives(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    external_wrenches: Mapping[str, ArrayLike] | None = None,
    *,
    friction: str = "none",
) -> InverseDynamicsDerivatives:
    """Derivatives of the torques of ``closed_loop_inverse_dynamics`` by q, v and vdot, (p, p) each.

    Along the motions that the loops allow, from W^T (tau_tree - J^T lambda), where the change of lambda
    drops out since J W = 0:

        dtau = W^T (dID/dq W + dID/dv dv + M da + d(J_L^T F) - d(J^T) lambda)
        J dv = -dJ v,    J da = -dJ vdot - d gamma

    dID and M are the closed forms of ``inverse_dynamics_derivatives`` of the tree. The changes dJ, d gamma
    and that of the springs' lengths are central differences of eighth order of the constraint rows alone,
    exact to rounding (about 1e-12). d tau/d vdot is the mass matrix M1. Of a floating joint dq is a small
    displacement in the child's axes. Takes milliseconds: 8 evaluations of all rows for each independent
    joint. Dry friction is constant but where v = 0, and has no derivative.

    Arguments and errors as of ``closed_loop_inverse_dynamics``; UnsupportedModelError where passive joints
    are free.
    """
    solver = solver_of(graph)
    state = solver.inverse_dynamics_at(q, v, vdot, guess, external_wrenches, friction)
    raise_if_free(graph, state, "the derivatives")
    system, W = solver.system, state.projection
    motion_of_tree = state.coordinates, state.velocities, state.accelerations
    tree = inverse_dynamics_derivatives(
        graph.tree, *motion_of_tree, external_wrenches=external_wrenches, friction=friction
    )
    motion = _Motion(system, state)
    count = W.shape[1]
    dq, dv = np.empty((count, count)), np.empty((count, count))
    for k in range(count):
        along = W[:, k]
        dJ, d_gamma, d_springs = motion.changes(along)
        rate = motion.dependent(-dJ @ state.velocities)
        change = -dJ @ state.accelerations - d_gamma - motion.gamma_change(rate)
        torque = tree.dq @ along + tree.dv @ rate + tree.da @ motion.dependent(change)
        dq[:, k] = W.T @ (torque + d_springs + motion.damping(rate) - dJ.T @ state.multipliers)
        push = motion.dependent(-motion.gamma_change(along))
        dv[:, k] = W.T @ (tree.dv @ along + tree.da @ push + motion.damping(along))
    return InverseDynamicsDerivatives(dq, dv, W.T @ tree.da @ W)


def closed_loop_inverse_dynamics_derivatives_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    external_wrenches: Mapping[str, ArrayLike] | None = None,
    *,
    friction: str = "none",
) -> InverseDynamicsDerivatives:
    """Derivatives of many states, (count, p, p) each, one after the other.

    Args:
        q, v, vdot: a row for each state, each as of ``closed_loop_inverse_dynamics_derivatives``.
        guess: coordinates (nq,) for all states, or (count, nq).
        external_wrenches, friction: the same for every state.

    Raises:
        As ``closed_loop_inverse_dynamics_derivatives``; StateError and ClosureError name the row.
    """
    p, states = len(solver_of(graph).independent_v), rows_of_motions(graph, q, v, vdot, guess)
    result = np.empty((3, len(states), p, p))
    for k, state in enumerate(states):
        with errors_name_row(k):
            result[:, k] = closed_loop_inverse_dynamics_derivatives(
                graph, *state, external_wrenches, friction=friction
            )
    return InverseDynamicsDerivatives(*result)


class _Motion:
    """Changes of constraint rows and springs at one closed state."""

    def __init__(self, system: ConstraintSystem, state: ClosedLoopDynamics) -> None:
        self.system, self.state, self.graph = system, state, system.graph
        self.J = system.evaluate(state.coordinates, state.velocities).J
        self.dampings = np.array([spring.damping for spring in system.graph.springs])
        self.J_springs = system.spring_forces(state.coordinates, state.velocities).J
        self._inverse = system.projection(state.coordinates, self.J).inverse

    def dependent(self, right: Array) -> Array:
        """The motion (nv,) of the dependent coordinates alone with J motion = right."""
        motion = np.zeros(self.graph.nv)
        motion[self.system.dependent_v] = self._inverse @ right
        return motion

    def changes(self, along: Array) -> tuple[Array, Array, Array]:
        """Derivatives of J, gamma and the springs' torques along a motion of q, at constant velocities."""
        step = STEP / max(1.0, float(np.abs(along).sum()))

        def rows(distance: float) -> Array:
            q, v = self.graph.integrate(self.state.coordinates, distance * along), self.state.velocities
            values = self.system.evaluate(q, v)
            parts = [values.J.ravel(), values.gamma]
            forces = self.system.spring_forces(q, v)
            return np.concatenate([*parts, forces.J.T @ forces.tensions])

        derivative = _difference(rows, step)
        first, second = self.J.size, self.J.size + len(self.J)
        return derivative[:first].reshape(self.J.shape), derivative[first:second], derivative[second:]

    def gamma_change(self, rate: Array) -> Array:
        """The derivative of gamma along a change of v: gamma is quadratic in v, so that this is exact."""
        q, v = self.state.coordinates, self.state.velocities
        more = self.system.evaluate(q, v + rate).gamma.copy()
        change: Array = 0.5 * (more - self.system.evaluate(q, v - rate).gamma)
        return change

    def damping(self, rate: Array) -> Array:
        """The change of the springs' torques with v."""
        torque: Array = self.J_springs.T @ (self.dampings * (self.J_springs @ rate))
        return torque


def _difference(function: Callable[[float], Array], step: float) -> Array:
    """The derivative at zero."""
    total: Array = sum(
        (weight * (function(k * step) - function(-k * step)) for k, weight in enumerate(WEIGHTS, 1)),
        start=np.zeros(1),
    )
    return total / step
