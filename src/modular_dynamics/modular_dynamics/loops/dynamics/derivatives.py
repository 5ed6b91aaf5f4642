"""Derivatives of inverse and forward dynamics with closed loops, by states of the independent joints."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import ForwardDynamicsDerivatives, InverseDynamicsDerivatives
from ...dynamics import inverse_dynamics_derivatives as derivatives_of_tree
from ...dynamics.arguments import Array
from ...dynamics.inverse_dynamics import Wrenches
from ...model import SubsystemGraph
from ..constraints.constraint_system import ConstraintSystem
from .equation_of_motion import forward_dynamics
from .results import ClosedLoopResult
from .rows import closed_and_computed
from .solver import raise_if_free, solver_of

#: Weights of central differences of eighth order at distances of one to four steps; the step [rad or m].
WEIGHTS, STEP = (4 / 5, -1 / 5, 4 / 105, -1 / 280), 0.05


def inverse_dynamics_derivatives(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    external_wrenches: Wrenches = None,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: Array | None = None,
) -> InverseDynamicsDerivatives:
    """Return derivatives (p, p) of the torques of ``inverse_dynamics`` by independent q, v and a.

    Along the motions that the loops allow, from W^T (tau_tree - J^T lambda), where the change of lambda
    drops out since J W = 0::

        dtau = W^T (dID/dq W + dID/dv dv + M da + d(J_L^T F) - d(J^T) lambda)
        J dv = -dJ v,    J da = -dJ a - d gamma

    dID and M are the closed forms of the tree's derivatives. The changes dJ, d gamma and that of the springs'
    lengths are central differences of eighth order of the constraint rows alone, exact to rounding (about
    1e-12). d tau/da is the mass matrix M1. Of a floating joint dq is a small displacement in the child's
    axes. Takes milliseconds: 8 evaluations of all rows for each independent joint. Dry friction is constant
    but where v = 0, and has no derivative.

    Raises:
        UnsupportedModelError: passive joints are free. Else as of ``inverse_dynamics``.
    """
    p = len(solver_of(graph).independent_v)

    def answer(*state: ArrayLike | None) -> Array:
        return _derivatives(graph, state, external_wrenches, friction)

    states = {"q": q, "v": v, "a": a}
    derivatives = closed_and_computed(graph, states, answer, (3, p, p), guess=guess, threads=threads, out=out)
    return InverseDynamicsDerivatives(*np.moveaxis(derivatives, -3, 0))


def forward_dynamics_derivatives(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    external_wrenches: Wrenches = None,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
) -> ForwardDynamicsDerivatives:
    """Return derivatives of ``forward_dynamics``' accelerations: -M1^-1 dID/dq, -M1^-1 dID/dv and M1^-1."""
    options: dict[str, Any] = {
        "external_wrenches": external_wrenches,
        "friction": friction,
        "guess": guess,
        "threads": threads,
    }
    a = forward_dynamics(graph, q, v, tau, **options)
    by = inverse_dynamics_derivatives(graph, q, v, a, **options)
    inverse = np.asarray(np.linalg.inv(by.da), np.float64)
    return ForwardDynamicsDerivatives(-inverse @ by.dq, -inverse @ by.dv, inverse, a)


def _derivatives(
    graph: SubsystemGraph, motion: tuple[Any, ...], external_wrenches: Wrenches, friction: str
) -> Array:
    """Return derivatives (3, p, p) by q, v and a at one motion: q, v, a and a guess."""
    solver = solver_of(graph)
    q, v, a, guess = motion
    state = solver.inverse_dynamics_at(q, v, a, guess, external_wrenches, friction)
    raise_if_free(graph, state, "the derivatives")
    system, W = solver.system, state.projection
    motion_of_tree = state.coordinates, state.velocities, state.accelerations
    tree = derivatives_of_tree(
        graph.tree, *motion_of_tree, external_wrenches=external_wrenches, friction=friction
    )
    rates = _StateDerivatives(system, state)
    count = W.shape[1]
    dq, dv = np.empty((count, count)), np.empty((count, count))
    for k in range(count):
        along = W[:, k]
        dJ, d_gamma, d_springs = rates.changes(along)
        rate = rates.dependent(-dJ @ state.velocities)
        change = -dJ @ state.accelerations - d_gamma - rates.gamma_change(rate)
        torque = tree.dq @ along + tree.dv @ rate + tree.da @ rates.dependent(change)
        dq[:, k] = W.T @ (torque + d_springs + rates.damping(rate) - dJ.T @ state.multipliers)
        push = rates.dependent(-rates.gamma_change(along))
        dv[:, k] = W.T @ (tree.dv @ along + tree.da @ push + rates.damping(along))
    return np.array([dq, dv, W.T @ tree.da @ W])


class _StateDerivatives:
    """Derivatives of constraint rows and springs at one closed state."""

    def __init__(self, system: ConstraintSystem, state: ClosedLoopResult) -> None:
        self.system, self.state, self.graph = system, state, system.graph
        self.J = system.evaluate(state.coordinates, state.velocities).J
        self.dampings = np.array([spring.damping for spring in system.graph.springs])
        self.J_springs = system.spring_forces(state.coordinates, state.velocities).J
        self._inverse = system.projection(state.coordinates, self.J).inverse

    def dependent(self, right: Array) -> Array:
        """Return the motion (nv,) that moves only dependent coordinates and has J motion = right."""
        motion = np.zeros(self.graph.nv)
        motion[self.system.dependent_v] = self._inverse @ right
        return motion

    def changes(self, along: Array) -> tuple[Array, Array, Array]:
        """Return derivatives of J, gamma and the springs' torques along a motion of q, at constant v."""
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
        """Return the derivative of gamma along a change of v; exact, as gamma is quadratic in v."""
        q, v = self.state.coordinates, self.state.velocities
        more = self.system.evaluate(q, v + rate).gamma.copy()
        change: Array = 0.5 * (more - self.system.evaluate(q, v - rate).gamma)
        return change

    def damping(self, rate: Array) -> Array:
        """Return the change of the springs' torques (nv,) for a change ``rate`` of v."""
        torque: Array = self.J_springs.T @ (self.dampings * (self.J_springs @ rate))
        return torque


def _difference(function: Callable[[float], Array], step: float) -> Array:
    """Return the derivative of a function of one number at zero, by central differences."""
    total: Array = sum(
        (weight * (function(k * step) - function(-k * step)) for k, weight in enumerate(WEIGHTS, 1)),
        start=np.zeros(1),
    )
    return total / step
