"""Inverse dynamics with closed loops: torques alone, without allocating, or all results at one state."""

from collections.abc import Callable, Mapping
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.arguments import Array, checked_out
from ...dynamics.quantity import terms_of
from ...exceptions import StateError
from ...model import SubsystemGraph, require_graph
from ..core_loops import GOOD, core_loops
from .solver import ClosedLoopDynamics, solver_of

__all__ = ["ClosedLoopInverseDynamics", "checked_results", "closed_loop_inverse_dynamics"]

Wrenches = Mapping[str, ArrayLike] | None


@overload
def closed_loop_inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    external_wrenches: Wrenches = None,
    *,
    friction: str = "none",
) -> ClosedLoopDynamics: ...


@overload
def closed_loop_inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    external_wrenches: Wrenches = None,
    *,
    out: Array,
    friction: str = "none",
) -> Array: ...


def closed_loop_inverse_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    guess: ArrayLike | None = None,
    external_wrenches: Wrenches = None,
    *,
    out: Array | None = None,
    friction: str = "none",
) -> ClosedLoopDynamics | Array:
    """Torques of the independent joints of a robot with closed loops, springs and gears.

    The loops are cut at the loop joints, and the tree's torques tau computed with all joints moving as the
    loops require. Passive joints are unactuated: J_d^T lambda = tau_d gives the wrenches lambda at the
    cuts, and tau_1 = tau_i - J_i^T lambda = W^T tau, W = [1; -J_d^+ J_i] (Schappler et al., section 3.4).
    Springs pull with F = F0 + k (L - L0) + d dL/dt. Armatures and springs at joints count as in
    ``inverse_dynamics``. Passive joints that loops do not determine are free: unactuated, at the guess's
    position, with velocity zero; their accelerations follow from the dynamics.

    Args:
        q, v, vdot: of the independent joints, in the order of ``graph.independent_joint_names``.
        guess: coordinates of all joints. The assembly mode is the one nearest to them (sum of squares of the
            joints that loops determine, angles modulo whole turns) at their own independent coordinates,
            followed to q without a jump; where loops do not close there, the one nearest at q. Of loops that
            are not planar, the nearest that Newton's method finds. Limits are ignored.
            Without a guess, the mode reached from the zero pose, or, where zero is beyond a joint's limits,
            from their middle; of several modes one in which passive joints are within their limits. Where
            loops do not close so, from what `assemble` finds.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.
        out: float64 array for tau. With it tau alone is computed, and returned: see
            :class:`.ClosedLoopInverseDynamics`, which also gives the next guess.
        friction: as of ``inverse_dynamics``; of passive joints it counts, too.

    Raises:
        ClosureError: the loops do not close there; it has the residual and the closest configuration. Or the
            independent joints are too many: their motion would open loops. Or there is no guess, and passive
            joints would be beyond their limits by more than 2e-3 rad or m.
        SingularityError: a dead point, or too few independent joints; it has the condition number.
        StateError: a wrong shape, a number that is not finite, or a link that the graph does not have.
        UnsupportedModelError: a black box in the graph.
    """
    if not (out is None or external_wrenches or friction != "none"):
        try:  # what a robot's controller does a thousand times a second
            if graph.once(_core_call)(q, v, vdot, guess, out) == GOOD:
                return out
        except (TypeError, ValueError, AttributeError):
            pass  # what is to be converted or refused
    require_graph(graph)
    if out is None:
        return solver_of(graph).inverse_dynamics_at(q, v, vdot, guess, external_wrenches, friction)
    solver = graph.once(ClosedLoopInverseDynamics, friction)
    return solver(q, v, vdot, guess, external_wrenches, out)


def _core_call(graph: SubsystemGraph) -> Callable[..., int]:
    return graph.once(core_loops).inverse_dynamics


class ClosedLoopInverseDynamics:
    """Inverse dynamics of one graph with closed loops, for calls in a fast loop.

    A call with a guess near runs one compiled function (loop_dynamics.hpp): planar loops in closed form,
    others by Newton's method. Far from the guess, near dead points, and where coordinates are free, the
    general method of :func:`.closed_loop_inverse_dynamics` answers, or says what is wrong.

    Args:
        friction: as of :func:`.inverse_dynamics`; of passive joints it counts, too.

    Raises:
        StateError: friction is neither "none" nor "urdf".
        UnsupportedModelError: a black box, or a geared joint with several coordinates.
    """

    def __init__(self, graph: SubsystemGraph, friction: str = "none") -> None:
        require_graph(graph)
        self.graph, self._friction = graph, friction
        self._counts_friction = terms_of(friction) != terms_of("none")
        self._solver = solver_of(graph)
        self._core = graph.once(_core_call)
        self._width = len(self._solver.independent_v)

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
            out: float64 array for tau. With it, a guess and no wrenches nothing is allocated.
            coordinates: float64 array (nq,) for the coordinates of all joints; it may be the guess. The next
                call's guess, for a robot that moves.

        Raises:
            StateError: also where ``out`` and ``coordinates`` share memory: one would overwrite the other.
        """
        if coordinates is not None:
            raise_if_shared(out, coordinates)
        if not (guess is None or external_wrenches):
            tau = np.empty(self._width) if out is None else out
            try:
                if self._core(q, v, vdot, guess, tau, coordinates, None, self._counts_friction) == GOOD:
                    return tau
            except (TypeError, ValueError):
                pass  # what is to be converted or refused
        checked_results(self.graph, out, (self._width,), coordinates)
        result = self.solve(q, v, vdot, guess, external_wrenches)
        return written(result.tau, result.coordinates, out, coordinates)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its graph."""
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
        """Torques, wrenches, tensions and more, as a value.

        ``diagnose``: whether an error may take 0.1 s, to search for the reason why loops do not close.
        """
        return self._solver.inverse_dynamics_at(
            q, v, vdot, guess, external_wrenches, self._friction, diagnose
        )


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


def written(value: Array, closed: Array, out: Array | None, coordinates: Array | None) -> Array:
    """The result and the coordinates of all joints, written into arrays where they are wanted."""
    if coordinates is not None:
        coordinates[:] = closed
    if out is None:
        return value
    out[:] = value
    return out
