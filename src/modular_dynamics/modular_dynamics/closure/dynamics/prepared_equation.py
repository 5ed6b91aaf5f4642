"""The equation of motion of a closed-loop robot, prepared: its terms and its solution, without allocating."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import mass_matrix
from ...dynamics.arrays.arguments import Array
from ...dynamics.workspaces import workspace_of
from ...kernels.loops.planar.entry import planar_equation_entry
from ...model import SubsystemGraph
from .forward_dynamics import raise_if_not_finite
from .inverse_dynamics import ClosedLoopInverseDynamics, checked_results, raise_if_shared
from .newton.equation_call import NewtonEquationCall
from .planar_arrays import equation_workspace, planar_mechanism, planar_workspace
from .reduced_inertia import reduced_accelerations
from .solver import ClosedLoopSolver

__all__ = ["ClosedLoopEquationOfMotion", "without_springs"]


class ClosedLoopEquationOfMotion:
    """M1 vdot + h1 = tau1 of one graph with closed loops: its terms, and vdot, in independent coordinates.

    Where all loops are planar, a call with a guess runs one compiled function: positions in closed form, then
    the tree's terms, projected loop by loop (kernels/loops/planar/equation_of_motion.py). With ``out``
    nothing is allocated after the first call. Other loops are closed by Newton's method, compiled as well.
    Near dead points, without a guess, and where coordinates are free or have a quaternion, the general method
    answers, or says what is wrong.

    Each method takes a ``guess`` as of :func:`.closed_loop_inverse_dynamics`; ``out``, a float64 array for
    the result; and ``coordinates``, a float64 array (nq,) for the coordinates of all joints, which may be the
    guess: the next call's, for a robot that moves. A workspace belongs to one thread.

    Args:
        friction: as of :func:`.inverse_dynamics`, of bias and forward dynamics; of passive joints, too.

    Raises:
        StateError: friction is neither "none" nor "urdf".
        UnsupportedModelError: a black box, or a passive or geared joint with several coordinates.
    """

    def __init__(self, graph: SubsystemGraph, friction: str = "none") -> None:
        self.graph, self._friction = graph, friction
        self._solver = workspace_of(graph, ClosedLoopSolver)
        self._torques = ClosedLoopInverseDynamics(graph, friction)
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
        if guess is not None:
            matrix = np.empty((self._width, self._width)) if out is None else out
            given = (q, guess, matrix) if coordinates is None else (q, guess, matrix, coordinates)
            if self.call(*given) == 0:
                return matrix
        checked_results(self.graph, out, (self._width, self._width), coordinates)
        solver = self._solver
        closed = solver.close(q, guess)
        W = solver.dynamic_projection(closed)
        return _written(W.T @ mass_matrix(self.graph.tree, closed) @ W, closed, out, coordinates)

    def gravity_torque(
        self,
        q: ArrayLike,
        guess: ArrayLike | None = None,
        out: Array | None = None,
        coordinates: Array | None = None,
    ) -> Array:
        """g1 (p,): see :func:`.closed_loop_gravity_torque`."""
        return self._static(q, self._rest, self._rest, guess, None, out, coordinates)

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
        if guess is not None:
            vdot = np.empty(self._width) if out is None else out
            given = (q, v, tau, guess, vdot)
            if self.call(*given if coordinates is None else (*given, coordinates)) == 0:
                return vdot
        checked_results(self.graph, out, (self._width,), coordinates)
        solver = self._solver
        torques = solver.system.independent.checked("tau", tau)
        at_zero = solver.inverse_dynamics_at(q, v, self._rest, guess, friction=self._friction)
        closed, M = at_zero.coordinates, mass_matrix(self.graph.tree, at_zero.coordinates)
        W = solver.dynamic_projection(closed)
        vdot = reduced_accelerations(self.graph, W, M, torques - at_zero.tau)
        raise_if_not_finite(vdot)
        return _written(vdot, closed, out, coordinates)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its graph: the process that reads it has work arrays of its own."""
        return type(self), (self.graph, self._friction)

    @cached_property
    def call(self) -> Callable[..., int]:
        """A function of mass matrix and accelerations: :func:`.planar_equation_entry`, or its like."""
        mechanism = planar_mechanism(self._solver, self._friction)
        if mechanism is None:
            return NewtonEquationCall(self._solver, self._friction)
        own = planar_workspace(self.graph, mechanism), equation_workspace(self.graph, mechanism)
        return planar_equation_entry(mechanism, *own)

    @cached_property
    def _static(self) -> ClosedLoopInverseDynamics:
        """Of the robot without springs, at rest: what holds it against gravity."""
        return ClosedLoopInverseDynamics(workspace_of(self.graph, without_springs))


def without_springs(graph: SubsystemGraph) -> SubsystemGraph:
    """The graph without springs, also those at joints."""
    stiff = [joint.name for joint in graph.joints if joint.stiffness != 0.0]
    slack = graph.with_parameters({f"joint {name} stiffness": 0.0 for name in stiff})
    return replace(slack, springs=())


def _written(value: Array, closed: Array, out: Array | None, coordinates: Array | None) -> Array:
    """The result and the coordinates of all joints, where they are wanted."""
    if coordinates is not None:
        coordinates[:] = closed
    if out is None:
        return value
    out[:] = value
    return out
