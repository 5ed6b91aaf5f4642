"""Motion of a mechanism over time: scipy's integrators, and loops that stay closed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from ..kernels import closed_loop
from ..model import SubsystemGraph
from .forward_dynamics import energy, kkt_solution
from .inverse_dynamics import projection_at
from .mechanism import Mechanism, mechanism

__all__ = ["Simulation", "simulate"]

Array = NDArray[np.float64]
Torques = ArrayLike | Callable[[float, Array, Array], ArrayLike] | None
METHODS = ("DOP853", "RK45", "RK23")
#: Part of the constraints' largest direction below which one is left alone when drift is taken back.
WEAK = 1e-5


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
    progress: Callable[[float, float], None] | None = None,
) -> Simulation:
    """Integrate the mechanism's motion from independent q, v to t_end [s].

    All joints' accelerations come from the symmetric indefinite system of ``closed_loop_forward_dynamics``,
    so that dead points of the independent coordinates are passed. After every step coordinates and
    velocities go back onto the constraints by the shortest way.

    Args:
        q, v: of the independent joints at t = 0, in the order of ``graph.independent_joint_names``.
        tau: torques of the independent joints: an array, a function (t, coordinates, velocities) of all
            joints' state, or None for none.
        method: DOP853, RK45 or RK23 of scipy.integrate.
        times: at which the motion is wanted (k,), interpolated within the integrator's steps, which is less
            accurate than these; every step by default.
        guess: as of ``close_loops``. progress: called after every step with (t, t_end).

    Raises:
        ClosureError, SingularityError: as of ``closed_loop_inverse_dynamics``, at the start.
        StateError: a wrong shape or number, a floating joint, or a motion that the integrator gives up on.
    """
    solver = mechanism(graph)
    if graph.nq != graph.nv:
        raise StateError(f"simulate does not integrate the floating joint of '{graph.name}'")
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
    mine, rates = solver.checked(q, v)
    coordinates = solver.positions(mine, guess)
    run = _Run(solver, tau)
    y = np.concatenate([coordinates, projection_at(solver, coordinates) @ rates])
    from scipy import integrate  # noqa: PLC0415  # takes longer to import than the rest of the package

    stepper = getattr(integrate, method)(run.derivative, 0.0, y, t_end, rtol=rtol, atol=atol)
    states, at = [y], [0.0]
    if wanted is not None:
        states, at = ([y], [0.0]) if wanted[0] == 0.0 else ([], [])
    while stepper.status == "running":
        message = stepper.step()
        if stepper.status == "failed":
            raise StateError(
                f"the motion of '{graph.name}' cannot be followed beyond {stepper.t:.6g} s: {message}"
            )
        if wanted is None:
            dense = None
        else:
            dense = stepper.dense_output()
            for t in wanted[(wanted > stepper.t_old) & (wanted <= stepper.t)]:
                at.append(float(t))
                states.append(run.closed(dense(t)))
        stepper.y = run.closed(stepper.y)
        stepper.f = run.derivative(stepper.t, stepper.y)
        if wanted is None:
            at.append(stepper.t)
            states.append(stepper.y.copy())
        if progress is not None:
            progress(stepper.t, t_end)
    motion = np.array(states)
    places, speeds = motion[:, : graph.nq], motion[:, graph.nq :]
    return Simulation(
        np.array(at),
        places,
        speeds,
        np.array([energy(graph, a, b) for a, b in zip(places, speeds, strict=True)]),
        np.array([max(solver.residual(a).values(), default=0.0) for a in places]),
    )


class _Run:
    """The state's derivative, and the way back onto the constraints."""

    def __init__(self, solver: Mechanism, tau: Torques) -> None:
        self.solver, self.nq = solver, solver.graph.nq
        self._tau = tau if callable(tau) else None
        count = len(solver.independent_v)
        self._fixed = np.zeros(count) if tau is None or callable(tau) else solver.checked_rates(tau=tau)[0]

    def derivative(self, t: float, y: Array) -> Array:
        q, v = y[: self.nq], y[self.nq :]
        tau = self._fixed
        if self._tau is not None:
            (tau,) = self.solver.checked_rates(tau=self._tau(t, q.copy(), v.copy()))
        return np.concatenate([v, kkt_solution(self.solver, q, v, tau).accelerations])

    def closed(self, y: Array) -> Array:
        """Coordinates, then velocities, moved the shortest way onto the constraints."""
        q, v = y[: self.nq].copy(), y[self.nq :].copy()
        solver = self.solver
        if not len(solver.rows.rows):
            return y
        tree, loops, _ = solver.arrays
        for _ in range(3):
            closed_loop.rows_of(tree, loops, q, v, solver.room)
            q += self._shortest(-solver.room[2])
        closed_loop.rows_of(tree, loops, q, v, solver.room)
        v += self._shortest(-(solver.room[3] @ v))
        return np.concatenate([q, v])

    def _shortest(self, right: Array) -> Array:
        """The shortest x with J x = right, for the directions that are not weak."""
        u, s, vt = np.linalg.svd(self.solver.room[3], full_matrices=False)
        strong = s > WEAK * s[0]
        found: Array = vt[strong].T @ ((u[:, strong].T @ right) / s[strong])
        return found
