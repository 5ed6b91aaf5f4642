"""The equation of motion in independent coordinates, M1 vdot + c1 + g1 + s1 = tau1, and each of its terms."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import gravity_torque, mass_matrix
from ...dynamics.arguments import Array
from ...model import SubsystemGraph, require_graph
from ..core_loops import GOOD, core_loops
from .forward_dynamics import raise_if_not_finite
from .inverse_dynamics import ClosedLoopInverseDynamics, checked_results, raise_if_shared, written
from .reduced_inertia import reduced_accelerations
from .solver import solver_of

__all__ = [
    "ClosedLoopEquationOfMotion",
    "close_loops",
    "closed_loop_bias",
    "closed_loop_gravity_torque",
    "closed_loop_mass_matrix",
    "closed_loop_spring_torque",
    "constraint_projection",
    "without_springs",
]


def close_loops(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """Coordinates of all joints (nq,) in the order of ``graph.joint_names``, loops closed, at independent q.

    In the assembly mode nearest to ``guess``, followed in closed form or in strides, so that it never jumps.
    Arguments and errors as of ``closed_loop_inverse_dynamics``.
    """
    return solver_of(graph).close(q, guess)


def constraint_projection(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """W (nv, independent): velocities of all joints from those of the independent ones, v = W v1.

    W = [1; -J_d^+ J_i] (Schappler et al., section 3.4), rows in the order of ``graph.joint_names``. Arguments
    and errors as of ``closed_loop_inverse_dynamics``.
    """
    solver = solver_of(graph)
    return solver.projection(solver.close(q, guess))


def closed_loop_mass_matrix(
    graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None, *, out: Array | None = None
) -> Array:
    """M1 = W^T M W (p, p) of the p independent velocities [kg m^2, kg m, kg].

    Free coordinates (docs/closed_loops.md) accelerate with the independent ones, without torques: W includes
    that here and in the functions below. Arguments and errors as of ``closed_loop_inverse_dynamics``.

    Args:
        out: float64 array for the result. With it and a guess nothing is allocated; here and in the functions
            below. See :class:`.ClosedLoopEquationOfMotion`.
    """
    require_graph(graph)
    return graph.once(ClosedLoopEquationOfMotion).mass_matrix(q, guess, out)


def closed_loop_gravity_torque(
    graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None, *, out: Array | None = None
) -> Array:
    """g1 = W^T g (p,) [N m or N]: torques along the p independent velocities against gravity, at rest.

    Without springs, also those at joints. Arguments and errors as of ``closed_loop_inverse_dynamics``.
    """
    require_graph(graph)
    return graph.once(ClosedLoopEquationOfMotion).gravity_torque(q, guess, out)


def closed_loop_spring_torque(graph: SubsystemGraph, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
    """s1 (p,) [N m or N]: torques along the p independent velocities against the springs alone, at rest.

    Those at joints included. Arguments and errors as of ``closed_loop_inverse_dynamics``.
    """
    solver = solver_of(graph)
    rest = np.zeros(len(solver.independent_v))
    static = solver.inverse_dynamics(solver.close(q, guess), rest, rest)
    weight: Array = gravity_torque(graph.tree, static.coordinates)
    return static.tau - solver.dynamic_projection(static.coordinates).T @ weight


def closed_loop_bias(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    guess: ArrayLike | None = None,
    *,
    friction: str = "none",
    out: Array | None = None,
) -> Array:
    """h1 = c1 + g1 + s1 (p,) [N m or N]: torques along the p independent velocities at zero acceleration.

    Gravity and springs included, also their damping; friction where it is "urdf". Arguments and errors as of
    ``closed_loop_inverse_dynamics``.
    """
    require_graph(graph)
    return graph.once(ClosedLoopEquationOfMotion, friction).bias(q, v, guess, out)


class ClosedLoopEquationOfMotion:
    """M1 vdot + h1 = tau1 of one graph with closed loops: its terms, and vdot, in independent coordinates.

    A call with a guess near runs one compiled function (loop_dynamics.hpp), and with ``out`` allocates
    nothing. Far from the guess, near dead points, and where coordinates are free, the general method answers,
    or says what is wrong.

    Each method takes a ``guess`` as of :func:`.closed_loop_inverse_dynamics`; ``out``, a float64 array for
    the result; and ``coordinates``, a float64 array (nq,) for the coordinates of all joints, which may be the
    guess: the next call's, for a robot that moves.

    Args:
        friction: as of :func:`.inverse_dynamics`, of bias and forward dynamics; of passive joints, too.

    Raises:
        StateError: friction is neither "none" nor "urdf".
        UnsupportedModelError: a black box, or a geared joint with several coordinates.
    """

    def __init__(self, graph: SubsystemGraph, friction: str = "none") -> None:
        require_graph(graph)
        self.graph, self._friction = graph, friction
        self._torques = ClosedLoopInverseDynamics(graph, friction)
        self._solver, core = solver_of(graph), graph.once(core_loops)
        self._mass_matrix: Callable[..., int] = core.mass_matrix
        self._forward_dynamics: Callable[..., int] = core.forward_dynamics
        self._width = len(self._solver.independent_v)
        self._rest = np.zeros(self._width)

    def mass_matrix(
        self,
        q: ArrayLike,
        guess: ArrayLike | None = None,
        out: Array | None = None,
        coordinates: Array | None = None,
    ) -> Array:
        """M1 (p, p): see :func:`.closed_loop_mass_matrix`."""
        raise_if_shared(out, coordinates)
        matrix = np.empty((self._width, self._width)) if out is None else out
        try:
            if guess is not None and self._mass_matrix(q, guess, matrix, coordinates) == GOOD:
                return matrix
        except (TypeError, ValueError):
            pass  # what is to be converted or refused
        checked_results(self.graph, out, (self._width, self._width), coordinates)
        closed = self._solver.close(q, guess)
        W = self._solver.dynamic_projection(closed)
        return written(W.T @ mass_matrix(self.graph.tree, closed) @ W, closed, out, coordinates)

    def gravity_torque(
        self,
        q: ArrayLike,
        guess: ArrayLike | None = None,
        out: Array | None = None,
        coordinates: Array | None = None,
    ) -> Array:
        """g1 (p,): see :func:`.closed_loop_gravity_torque`."""
        static = self.graph.once(without_springs).once(ClosedLoopInverseDynamics)
        return static(q, self._rest, self._rest, guess, None, out, coordinates)

    def bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        guess: ArrayLike | None = None,
        out: Array | None = None,
        coordinates: Array | None = None,
    ) -> Array:
        """h1 (p,): see :func:`.closed_loop_bias`."""
        return self._torques(q, v, self._rest, guess, None, out, coordinates)

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        guess: ArrayLike | None = None,
        out: Array | None = None,
        coordinates: Array | None = None,
    ) -> Array:
        """vdot (p,) of the independent joints under their torques tau (p,): M1^-1 (tau - h1).

        Free joints have velocity zero. :func:`.closed_loop_forward_dynamics` takes closed coordinates and
        velocities of all joints, gives accelerations of all, and answers at dead points of the independent
        joints, too.

        Raises:
            StateError: a motion that moves no inertia, on which torques act. Else as of
                :func:`.closed_loop_inverse_dynamics`.
        """
        raise_if_shared(out, coordinates)
        vdot, friction = np.empty(self._width) if out is None else out, self._friction != "none"
        try:
            if (
                guess is not None
                and self._forward_dynamics(q, v, tau, guess, vdot, coordinates, None, friction) == GOOD
            ):
                return vdot
        except (TypeError, ValueError):
            pass  # what is to be converted or refused
        checked_results(self.graph, out, (self._width,), coordinates)
        solver = self._solver
        torques = solver.system.independent.checked("tau", tau)
        at_zero = solver.inverse_dynamics_at(q, v, self._rest, guess, friction=self._friction)
        closed, M = at_zero.coordinates, mass_matrix(self.graph.tree, at_zero.coordinates)
        W = solver.dynamic_projection(closed)
        vdot = reduced_accelerations(self.graph, W, M, torques - at_zero.tau)
        raise_if_not_finite(vdot)
        return written(vdot, closed, out, coordinates)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its graph."""
        return type(self), (self.graph, self._friction)


def without_springs(graph: SubsystemGraph) -> SubsystemGraph:
    """The graph without springs, also those at joints."""
    stiff = [joint.name for joint in graph.joints if joint.stiffness != 0.0]
    slack = graph.with_parameters({f"joint {name} stiffness": 0.0 for name in stiff})
    return replace(slack, springs=())
