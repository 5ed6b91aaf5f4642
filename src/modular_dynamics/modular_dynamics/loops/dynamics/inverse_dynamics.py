"""Inverse dynamics with closed loops: torques, or all results, of one state or many."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.arguments import Array, checked_out, errors_begin_with
from ...dynamics.inverse_dynamics import InverseDynamics, Wrenches
from ...dynamics.quantity import counts_friction
from ...exceptions import StateError
from ...model import SubsystemGraph, require_graph
from ..core_loops import GOOD, core_loops
from .designs import solve_designs
from .results import ClosedLoopResult, ClosedLoopResults
from .rows import Rows, are_many, computed_rows, into, tensions_and_sines
from .solver import are_any, solver_of


class ClosedLoopInverseDynamics(InverseDynamics):
    """Inverse dynamics of a graph with closed loops; `InverseDynamics(graph)` returns such an object.

    A call near its guess runs one compiled function (loop_dynamics.hpp): planar loops in closed form, others
    by Newton's method. Far from the guess, near singular configurations, and where coordinates are free, the
    general method (`ClosedLoopSolver.general`) computes the result, or raises the error.

    The loops are cut at the loop joints, and the tree's torques tau computed with all joints moving as the
    loops require. Passive joints are unactuated: J_d^T lambda = tau_d gives the wrenches lambda at the
    cuts, and tau_1 = tau_i - J_i^T lambda = W^T tau, W = [1; -J_d^+ J_i] (Schappler et al., section 3.4).
    Springs pull with F = F0 + k (L - L0) + d dL/dt. Passive joints that loops do not determine are free:
    unactuated, at the guess's position, with velocity zero; their accelerations follow from the dynamics.

    Raises:
        UnsupportedModelError: a black box, or a geared joint with several coordinates.
    """

    def __init__(self, graph: SubsystemGraph, *, friction: str = "none") -> None:
        require_graph(graph)
        self.graph, self.friction = graph, friction
        self._counts_friction = counts_friction(friction)
        self._solver = solver_of(graph)
        self._core: Callable[..., int] = graph.once(core_loops).inverse_dynamics
        self._width = len(self._solver.independent_v)

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        guess: ArrayLike | None = None,
        out: Array | None = None,
        *,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
        threads: int | None = None,
        coordinates: Array | None = None,
    ) -> Array:
        """Return tau of the independent joints. With ``out``, guess and no wrenches nothing is allocated."""
        if coordinates is not None:
            raise_if_shared(out, coordinates)
        is_plain = external_wrenches is None and black_box_wrenches is None and threads is None
        if guess is None and is_plain and coordinates is None:
            counts = self._counts_friction

            def core(near: Array, tau: Array, closed: Array) -> int:
                return self._core(q, v, a, near, tau, closed, None, counts)

            if (found := self._solver.from_reference(core, (self._width,), out)) is not None:
                return found
        if guess is not None and is_plain:
            tau = np.empty(self._width) if out is None else out
            try:
                if self._core(q, v, a, guess, tau, coordinates, None, self._counts_friction) == GOOD:
                    return tau
            except (TypeError, ValueError):
                pass  # many states, or what is to be converted or refused
        self._refuse_black_boxes(black_box_wrenches)
        wrenches = external_wrenches
        if are_many(q, threads):
            rows = self._rows(q, v, a, guess, threads, "raise", wrenches)
            return written(rows.values, rows.coordinates, out, coordinates)
        result = self._solver.inverse_dynamics_at(q, v, a, guess, wrenches, self.friction)
        return written(result.tau, result.coordinates, out, coordinates)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the graph, from which the solver is rebuilt."""
        return partial(type(self), friction=self.friction), (self.graph,)

    def solve(  # type: ignore[override]  # the result of a robot with loops has more
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        guess: ArrayLike | None = None,
        external_wrenches: Wrenches = None,
        black_box_wrenches: Wrenches = None,
    ) -> ClosedLoopResult:
        """Return torques, wrenches, tensions, coordinates and more of one state."""
        self._refuse_black_boxes(black_box_wrenches)
        return self._solver.inverse_dynamics_at(q, v, a, guess, external_wrenches, self.friction)

    def solve_many(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        guess: ArrayLike | None = None,
        external_wrenches: Wrenches = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        threads: int | None = None,
        errors: str = "mark",
    ) -> ClosedLoopResults:
        """Return torques, coordinates and tensions (n, ...) of n states, each independent of others' errors.

        Args:
            q, v, a: a row for each state. With parameters of n designs: s states of each (n, s, independent),
                or one (n, independent).
            guess: as of `inverse_dynamics`. With parameters one configuration (nq,) of ``graph`` itself,
                whose assembly mode each design has: planar loops bend to the same sides.
            errors: "mark": states that cannot be computed have NaN, a status and a reason. "raise": the error
                of the first one, with its row.

        Raises:
            StateError: a wrong shape, one guess that is not finite, another ``errors``. With "raise", as of
                `inverse_dynamics`, or ModelError of the first design that no robot can be.
            UnknownNameError: no such parameter; names similar ones.
        """
        if errors not in ("mark", "raise"):
            raise StateError(f'errors is {errors!r}; "mark" or "raise" is needed')
        if parameters is not None:
            if external_wrenches is not None:
                raise StateError("parameters go without wrenches")
            states = {"q": q, "v": v, "a": a}
            return solve_designs(self.graph, states, guess, threads, errors, self.friction, parameters)
        rows = self._rows(q, v, a, guess, threads, errors, external_wrenches)
        found = rows.values, rows.coordinates, rows.statuses, rows.reasons
        return ClosedLoopResults(*found, *tensions_and_sines(self.graph, rows, self.friction))

    def _rows(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        guess: ArrayLike | None,
        threads: int | None,
        errors: str,
        wrenches: Wrenches,
    ) -> Rows:
        """Return the rows; ``others`` has the tensions of those that the general method computed."""

        def answer(q: Array, v: Array, a: Array, near: Array) -> tuple[Array, Array, Array]:
            result = self._solver.inverse_dynamics_at(q, v, a, near, wrenches, self.friction)
            return result.tau, result.coordinates, np.array([*result.tensions.values()])

        states = {"q": q, "v": v, "a": a}
        return computed_rows(
            self.graph,
            "inverse_dynamics",
            states,
            answer,
            guess=guess,
            threads=threads,
            errors=errors,
            friction=self.friction,
            external_wrenches=wrenches,
        )

    def _refuse_black_boxes(self, black_box_wrenches: Wrenches) -> None:
        """Raise StateError where wrenches of black boxes are given."""
        if are_any(black_box_wrenches):
            raise StateError(
                f"black_box_wrenches are given, but '{self.graph.name}' has closed loops and no black boxes"
            )


def raise_if_shared(out: Array | None, coordinates: Array | None) -> None:
    """Raise StateError where the arrays for a result and for coordinates overlap."""
    both = isinstance(out, np.ndarray) and isinstance(coordinates, np.ndarray)
    if both and np.may_share_memory(out, coordinates):
        raise StateError("out and coordinates share memory; two arrays are needed")


def written(value: Array, closed: Array, out: Array | None, coordinates: Array | None) -> Array:
    """Return the result; it is written into ``out`` and ``closed`` into ``coordinates``, if given.

    Raises StateError: one of them cannot be written to; then neither is.
    """
    if coordinates is not None:
        if out is not None:
            checked_out(out, value.shape)
        with errors_begin_with("coordinates"):
            into(coordinates, closed)
    return into(out, value)
