"""Inverse dynamics of a closed-loop robot, prepared: torques alone, without allocating."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.arrays.arguments import Array, checked_out
from ...dynamics.workspaces import offer_direct_call, workspace_of
from ...exceptions import StateError
from ...kernels.loops.planar.entry import planar_entry
from ...kernels.numba_support.array_objects import entries_are_direct
from ...model import SubsystemGraph
from .newton.call import NewtonCall
from .planar_arrays import planar_mechanism, planar_workspace
from .solver import ClosedLoopDynamics, ClosedLoopSolver

__all__ = ["NAME", "ClosedLoopInverseDynamics", "checked_results"]

#: Of its direct calls.
NAME = "closed_loop_inverse_dynamics"

Wrenches = Mapping[str, ArrayLike] | None


class ClosedLoopInverseDynamics:
    """Inverse dynamics of one graph with closed loops: everything is allocated and compiled beforehand.

    A call with a guess runs one compiled function. Where all loops are planar: positions in closed form,
    rates and torques loop by loop (kernels/loops/planar/rates.py); it takes a few times as long as the
    spanning tree alone. Of other loops: positions by Newton's method, as in a batch. Near dead points, with
    wrenches, without a guess, and where coordinates are free or have a quaternion, the general method of
    :func:`.closed_loop_inverse_dynamics` answers, or says what is wrong.

    A workspace belongs to one thread. Calling it gives tau alone; :meth:`solve` gives everything.

    Args:
        friction: as of :func:`.inverse_dynamics`; of passive joints it counts, too.

    Raises:
        StateError: friction is neither "none" nor "urdf".
        UnsupportedModelError: a black box, or a passive or geared joint with several coordinates.
    """

    def __init__(self, graph: SubsystemGraph, friction: str = "none") -> None:
        self.graph, self._friction = graph, friction
        self._solver = workspace_of(graph, ClosedLoopSolver)
        self.call = self._compiled() or NewtonCall(self._solver, friction)

    @classmethod
    def of(cls, graph: SubsystemGraph, friction: str = "none") -> "ClosedLoopInverseDynamics":
        """This thread's solver of a graph, made on first use; from then on all threads have a direct call."""
        if friction != "none":
            return workspace_of(graph, cls, friction)
        solver = workspace_of(graph, cls)
        if entries_are_direct() and (call := solver._compiled()) is not None:
            offer_direct_call(graph, NAME, lambda: call)
        return solver

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        guess: ArrayLike | None = None,
        external_wrenches: Wrenches = None,
        out: Array | None = None,
        coordinates: Array | None = None,
    ) -> Array:
        """tau of the independent joints [N m or N], in the order of ``graph.independent_joint_names``.

        Args:
            q, v, vdot, guess, external_wrenches: as of :func:`.closed_loop_inverse_dynamics`; errors as well.
            out: float64 array for tau. With it, a guess and no wrenches, planar loops allocate nothing.
            coordinates: float64 array (nq,) for the coordinates of all joints; it may be the guess. The next
                call's guess, for a robot that moves.

        Raises:
            StateError: also where ``out`` and ``coordinates`` share memory: one would overwrite the other.
        """
        raise_if_shared(out, coordinates)
        if guess is not None and not external_wrenches:
            tau = np.empty(len(self._solver.independent_v)) if out is None else out
            given = (q, v, vdot, guess, tau) if coordinates is None else (q, v, vdot, guess, tau, coordinates)
            if self.call(*given) == 0:
                return tau
        checked_results(self.graph, out, (len(self._solver.independent_v),), coordinates)
        result = self.solve(q, v, vdot, guess, external_wrenches)
        if coordinates is not None:
            coordinates[:] = result.coordinates
        if out is None:
            return result.tau
        out[:] = result.tau
        return out

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its graph: the process that reads it has work arrays of its own."""
        return type(self), (self.graph, self._friction)

    def solve(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        guess: ArrayLike | None = None,
        external_wrenches: Wrenches = None,
        diagnose: bool = True,
    ) -> ClosedLoopDynamics:
        """Torques, wrenches, tensions and more, as a value, by the general method.

        ``diagnose``: whether an error may take 0.1 s, to search for the reason why loops do not close.
        """
        return self._solver.inverse_dynamics_at(
            q, v, vdot, guess, external_wrenches, self._friction, diagnose
        )

    def _compiled(self) -> Callable[..., int] | None:
        """The compiled function with work arrays of its own; None where not all loops are planar."""
        mechanism = planar_mechanism(self._solver, self._friction)
        if mechanism is None:
            return None
        return planar_entry(mechanism, planar_workspace(self.graph, mechanism))


def raise_if_shared(out: Array | None, coordinates: Array | None) -> None:
    """Raise StateError where a result and the coordinates of all joints would overwrite each other."""
    both = isinstance(out, np.ndarray) and isinstance(coordinates, np.ndarray)
    if both and np.may_share_memory(out, coordinates):
        raise StateError("out and coordinates share memory; two arrays are needed")


def checked_results(
    graph: SubsystemGraph, out: Array | None, shape: tuple[int, ...], coordinates: Array | None
) -> None:
    """Raise StateError where arrays for a result and for the coordinates of all joints are wrong."""
    if out is not None:
        checked_out(out, shape)
    if coordinates is not None:
        try:
            checked_out(coordinates, (graph.nq,))
        except StateError as error:
            raise StateError(f"coordinates: {error}") from None
