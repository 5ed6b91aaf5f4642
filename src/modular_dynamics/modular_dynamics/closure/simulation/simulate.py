"""Motion of a mechanism over time: scipy's integrators, and loops that stay closed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import SingularityError, StateError
from ...model import SubsystemGraph
from ..assembly.branch import Branch, Lost, Place
from ..assembly.coordinates import Coordinates
from ..assembly.mechanism import Mechanism
from ..dynamics.forward_dynamics import certain_rank, energy, mean_accelerations
from ..dynamics.solver import solver_of

__all__ = ["Simulation", "simulate"]

Array = NDArray[np.float64]
Torques = ArrayLike | Callable[[float, Array, Array], ArrayLike] | None
Progress = bool | Callable[[float, float], None] | None
Step = tuple[float, Array, list[tuple[float, Array]]]
METHODS = ("DOP853", "RK45", "RK23")
#: The shortest step, as a part of the time that is left.
SHORTEST = 1e-9
#: What bringing a step's end back to the branch may change, as a part of what the step changes.
LEAP = 0.01
#: Cosine of the angle by which the branch may turn within a step across a crossing.
TURN = 0.9
#: What it may change in any case, as a part of the state.
ROUNDING = 1e-8


@dataclass(frozen=True, eq=False)
class Simulation:
    """A motion: at each of k times the coordinates (k, nq) and velocities (k, nv) of all joints.

    Attributes:
        energy: kinetic, gravitational and elastic [J]. residual: what is open at most [m or 1].
    """

    t: Array
    coordinates: Array
    velocities: Array
    energy: Array
    residual: Array


def simulate(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: Torques,
    t_end: float,
    method: str = "DOP853",
    *,
    times: ArrayLike | None = None,
    guess: ArrayLike | None = None,
    rtol: float = 1e-10,
    atol: float = 1e-10,
    progress: Progress = None,
) -> Simulation:
    """Integrate the mechanism's motion from independent q, v to t_end [s].

    All joints' accelerations come from the symmetric indefinite system of ``closed_loop_forward_dynamics``,
    so that dead points of the independent joints are passed. Every state that the integrator tries goes the
    shortest way onto the constraints first. Where branches of the motion cross (rods in line), the motion
    goes on smoothly, by interpolation across the crossing; where that is not certain it ends with an error.
    Branches that come closer to each other than loops are closed, 1e-9 m, count as crossing.

    Args:
        q, v: of the independent joints at t = 0, in the order of ``graph.independent_joint_names``.
        tau: torques of the independent joints: an array, a function (t, coordinates, velocities) of all
            joints' state, or None for none.
        method: DOP853, RK45 or RK23 of scipy.integrate.
        times: at which the motion is wanted (k,), interpolated within the integrator's steps, which is less
            accurate than these; every step by default.
        guess: as of ``close_loops``.
        progress: called after every step with (t, t_end); True draws a bar on stderr.

    Raises:
        ClosureError: as of ``closed_loop_inverse_dynamics``, at the start.
        SingularityError: branches cross at the start, or meet later so that they are not told apart, or
            loops stay open there; it names time, condition number, and what is open.
        StateError: a wrong shape or number, or a motion that the integrator gives up on.
    """
    import scipy.integrate  # noqa: PLC0415  (a fifth of the library's import, which only this needs)

    closed_loops = solver_of(graph)
    solver = closed_loops.mechanism
    if method not in METHODS:
        raise StateError(f"method is {method!r}; {', '.join(METHODS)} are known")
    if not (np.isfinite(t_end) and t_end > 0.0):
        raise StateError(f"t_end is {t_end}; a time above zero is needed")
    wanted = None if times is None else np.asarray(times, np.float64)
    if wanted is not None and (
        wanted.ndim != 1
        or len(wanted) == 0
        or not ((np.diff(wanted) > 0.0).all() and wanted[0] >= 0.0 and wanted[-1] <= t_end)
    ):
        raise StateError(f"times must rise from 0 or later to {t_end} at most")
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise StateError(f"progress is {progress!r}; True or a function of (t, t_end) is needed")
    mine, rates = solver.checked(q, v)
    coordinates = Coordinates(graph).unit(solver.positions(mine, guess))
    start = np.concatenate([coordinates, closed_loops.projection(coordinates) @ rates])
    integrator = partial(getattr(scipy.integrate, method), t_bound=t_end, rtol=rtol, atol=atol)
    show = _bar() if progress is True else progress or None
    motion = [(0.0, start)] if wanted is None or wanted[0] == 0.0 else []
    for t, y, within in _Run(solver, tau, coordinates).steps(start, t_end, integrator, wanted):
        motion += [(t, y)] if wanted is None else within
        if show is not None:
            show(t, t_end)
    states = np.array([y for _, y in motion])
    places, speeds = states[:, : graph.nq], states[:, graph.nq :]
    return Simulation(
        np.array([t for t, _ in motion]),
        places,
        speeds,
        np.array([energy(graph, a, b) for a, b in zip(places, speeds, strict=True)]),
        np.array([max(solver.residual(a).values(), default=0.0) for a in places]),
    )


class _Run:
    """A motion on one branch of the mechanism: the state's derivative, and the integrator's steps."""

    def __init__(self, solver: Mechanism, tau: Torques, coordinates: Array) -> None:
        self.solver, self.nq = solver, solver.graph.nq
        self.branch = Branch(solver, certain_rank(solver, coordinates), coordinates)
        self._tau = tau if callable(tau) else None
        count = len(solver.independent_v)
        self._fixed = np.zeros(count) if tau is None or callable(tau) else solver.checked_rates(tau=tau)[0]
        self._last: tuple[Array, list[Place]] = np.empty(0), []

    def places(self, y: Array) -> list[Place]:
        """On the branch, nearest to a state: see there. An integrator's last state is asked for again."""
        if not np.array_equal(y, self._last[0]):
            self._last = y.copy(), self.branch.places(y[: self.nq], y[self.nq :])
        return self._last[1]

    def closed(self, y: Array) -> Array:
        """A state, moved onto the constraints."""
        return np.concatenate(self.branch.mean(self.places(y)))

    def derivative(self, t: float, y: Array) -> Array:
        """Rates of the coordinates, and accelerations."""
        places, tau = self.places(y), self._fixed
        q, v = self.branch.mean(places)
        if self._tau is not None:
            (tau,) = self.solver.checked_rates(tau=self._tau(t, q.copy(), v.copy()))
        vdot = mean_accelerations(self.solver, places, tau)
        return np.concatenate([self.branch.coordinates.rates(q, v), vdot])

    def steps(self, y: Array, t_end: float, integrator: Any, wanted: Array | None) -> Iterator[Step]:
        """Time and state after each step, and times and states wanted within it.

        A step on which the branch is lost is gone again at a quarter of its length.
        """
        t, stepper, first = 0.0, None, None
        while t < t_end:
            try:
                if stepper is None:
                    stepper = integrator(self.derivative, t, y, first_step=first)
                self.branch.crossing = False
                message = stepper.step()
                if stepper.status == "failed" or stepper.t - t < SHORTEST * (t_end - t):
                    raise self._stuck(t, y, message or "its steps become too short")
                after, tangent = self._landed(y, stepper.y)
                inside = () if wanted is None else wanted[(wanted > t) & (wanted <= stepper.t)]
                within = []
                if len(inside):
                    dense = stepper.dense_output()
                    within = [(float(moment), self.closed(dense(moment))) for moment in inside]
            except Lost as lost:
                tried = first or t_end - t
                if stepper is not None:  # which may have gone the step, and proposes the next
                    tried = stepper.t - t if stepper.t > t else min(stepper.h_abs, t_end - t)
                if 0.25 * tried < SHORTEST * (t_end - t):
                    raise self._stuck(t, y, str(lost), lost.condition) from None
                first, stepper = 0.25 * tried, None
                continue
            t, y, self.branch.tangent = stepper.t, after, tangent
            stepper.y = after
            yield t, y, within

    def _landed(self, before: Array, y: Array) -> tuple[Array, Array]:
        """A step's end, closed, and the tangent there. Raises Lost: it may be on another branch."""
        after, tangent = self.closed(y), self.branch.turned(self.places(y))
        moved, mended = float(np.linalg.norm(after - before)), float(np.linalg.norm(after - y))
        if mended > LEAP * moved + ROUNDING * (1.0 + float(np.linalg.norm(y))):
            raise Lost(f"a step ends {mended:.2g} off its branch", 1.0 / self.places(y)[0].width)
        if self.branch.crossing:
            cosines = np.linalg.svd(self.branch.tangent.T @ tangent, compute_uv=False)
            if cosines.min() < TURN:
                raise Lost("it turns sharply at a crossing", 1.0 / self.places(y)[0].width)
        return after, tangent

    def _stuck(self, t: float, y: Array, why: str, condition: float | None = None) -> Exception:
        message = f"the motion of '{self.solver.graph.name}' cannot be followed beyond {t:.6g} s: {why}"
        if condition is None:
            return StateError(message)
        return SingularityError(
            f"{message} (condition number {condition:.2g})", condition, y[: self.nq].copy()
        )


def _bar() -> Callable[[float, float], None]:
    """Draws how far a run has come."""
    drawn = -1

    def show(t: float, t_end: float) -> None:
        nonlocal drawn
        done = int(40 * t / t_end)
        if done > drawn:
            line = f"\r[{'#' * done}{' ' * (40 - done)}] {t:.4g} of {t_end:g} s"
            print(line, end="" if t < t_end else "\n", file=sys.stderr, flush=True)
            drawn = done

    return show
