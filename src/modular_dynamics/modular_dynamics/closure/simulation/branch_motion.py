"""A motion on one branch of a mechanism: the state's derivative, and the integrator's steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import SingularityError, StateError
from ..assembly.branch import Branch, BranchLostError, BranchPoint
from ..constraints.constraint_system import ConstraintSystem
from ..dynamics.forward_dynamics import constraint_rank, mean_accelerations

__all__ = ["BranchMotion", "Torques"]

Array = NDArray[np.float64]
Torques = ArrayLike | Callable[[float, Array, Array], ArrayLike] | None
Step = tuple[float, Array, list[tuple[float, Array]]]
#: The shortest step, as a part of the time that is left.
SHORTEST = 1e-9
#: Largest correction of a step's end onto the branch, as a part of the step's change of the state.
LEAP = 0.01
#: Cosine of the angle by which the branch may turn within a step across a crossing.
TURN = 0.9
#: Correction that is allowed in any case, as a part of the state.
ROUNDING = 1e-8


class BranchMotion:
    """The motion from closed coordinates, not at a crossing, under torques of the independent joints."""

    def __init__(self, system: ConstraintSystem, tau: Torques, coordinates: Array) -> None:
        self.system, self.nq = system, system.graph.nq
        self.branch = Branch(system, constraint_rank(system, coordinates), coordinates)
        self._tau = tau if callable(tau) else None
        self._constant_tau = np.zeros(len(system.independent_v))
        if tau is not None and not callable(tau):
            self._constant_tau = system.independent.checked("tau", tau)
        self._cached: tuple[Array, list[BranchPoint]] = np.empty(0), []

    def steps(self, y: Array, t_end: float, integrator: Any, wanted: Array | None) -> Iterator[Step]:
        """Time and state after each step, and the wanted times and states within it.

        A step on which the branch is lost is repeated at a quarter of its length.
        """
        t, stepper, first = 0.0, None, None
        while t < t_end:
            try:
                if stepper is None:
                    stepper = integrator(self._derivative, t, y, first_step=first)
                self.branch.crossing = False
                message = stepper.step()
                if stepper.status == "failed" or stepper.t - t < SHORTEST * (t_end - t):
                    raise self._stuck(t, y, message or "its steps become too short")
                after, tangent = self._step_end(y, stepper.y)
                inside = () if wanted is None else wanted[(wanted > t) & (wanted <= stepper.t)]
                within = []
                if len(inside):
                    dense = stepper.dense_output()
                    within = [(float(time), self._closed(dense(time))) for time in inside]
            except BranchLostError as error:
                attempted = first or t_end - t
                if stepper is not None:  # which may have completed the step, and proposes the next
                    attempted = stepper.t - t if stepper.t > t else min(stepper.h_abs, t_end - t)
                if 0.25 * attempted < SHORTEST * (t_end - t):
                    raise self._stuck(t, y, str(error), error.condition) from None
                first, stepper = 0.25 * attempted, None
                continue
            t, y, self.branch.tangent = stepper.t, after, tangent
            stepper.y = after
            yield t, y, within

    def _points(self, y: Array) -> list[BranchPoint]:
        """`Branch.points` of a state; the integrator asks for its last state again."""
        if not np.array_equal(y, self._cached[0]):
            self._cached = y.copy(), self.branch.points(y[: self.nq], y[self.nq :])
        return self._cached[1]

    def _closed(self, y: Array) -> Array:
        """A state, moved onto the constraints."""
        return np.concatenate(self.branch.mean(self._points(y)))

    def _derivative(self, t: float, y: Array) -> Array:
        """Rates of the coordinates, and accelerations."""
        points, tau = self._points(y), self._constant_tau
        q, v = self.branch.mean(points)
        if self._tau is not None:
            tau = self.system.independent.checked("tau", self._tau(t, q.copy(), v.copy()))
        vdot = mean_accelerations(self.system, points, tau)
        return np.concatenate([self.branch.coordinates.rates(q, v), vdot])

    def _step_end(self, before: Array, y: Array) -> tuple[Array, Array]:
        """A step's end, closed, and the tangent. Raises BranchLostError: it may be on another branch."""
        points = self._points(y)
        after, tangent = self._closed(y), self.branch.tangent_at(points)
        change, correction = float(np.linalg.norm(after - before)), float(np.linalg.norm(after - y))
        if correction > LEAP * change + ROUNDING * (1.0 + float(np.linalg.norm(y))):
            raise BranchLostError(f"a step ends {correction:.2g} off its branch", 1.0 / points[0].width)
        if self.branch.crossing:
            cosines = np.linalg.svd(self.branch.tangent.T @ tangent, compute_uv=False)
            if cosines.min() < TURN:
                raise BranchLostError("it turns sharply at a crossing", 1.0 / points[0].width)
        return after, tangent

    def _stuck(self, t: float, y: Array, why: str, condition: float | None = None) -> Exception:
        message = f"the motion of '{self.system.graph.name}' cannot be followed beyond {t:.6g} s: {why}"
        if condition is None:
            return StateError(message)
        return SingularityError(
            f"{message} (condition number {condition:.2g})", condition, y[: self.nq].copy()
        )
