"""Motion of a mechanism over time: scipy's integrators, and loops that stay closed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import StateError
from ...model import SubsystemGraph
from ..constraints.coordinates import Coordinates
from ..dynamics.forward_dynamics import energy
from ..dynamics.solver import solver_of
from .branch_motion import BranchMotion, Torques

__all__ = ["Simulation", "simulate"]

Array = NDArray[np.float64]
Progress = bool | Callable[[float, float], None] | None
METHODS = ("DOP853", "RK45", "RK23")


@dataclass(frozen=True, eq=False)
class Simulation:
    """A motion: at each of k times the coordinates (k, nq) and velocities (k, nv) of all joints.

    Attributes:
        energy: kinetic, gravitational and elastic [J]. residual: of the loops, the largest [m or 1].
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
    so that dead points of the independent joints are passed. Every state that the integrator tries is first
    moved the shortest way onto the constraints. Where branches of the motion cross (rods in line), the motion
    continues smoothly, by interpolation across the crossing; where that is not certain it ends with an error.
    Branches that come closer to each other than 1e-9 m, the residual of closed loops, count as crossing.

    Args:
        q, v: of the independent joints at t = 0, in the order of ``graph.independent_joint_names``.
        tau: torques of the independent joints: an array, a function (t, coordinates, velocities) of all
            joints' state, or None for none.
        method: DOP853, RK45 or RK23 of scipy.integrate.
        times: at which the motion is wanted (k,); every step by default. It is interpolated within the
            integrator's steps, which is less accurate than these.
        guess: as of ``close_loops``.
        progress: called after every step with (t, t_end); True draws a bar on stderr.

    Raises:
        ClosureError: as of ``closed_loop_inverse_dynamics``, at the start.
        SingularityError: branches cross at the start, or meet later so that they are indistinguishable, or
            loops stay open there; it names time, condition number, and the open loop.
        StateError: a wrong shape or number, or the integrator fails.
    """
    import scipy.integrate  # noqa: PLC0415  (a fifth of the library's import, which only this needs)

    solver = solver_of(graph)
    system = solver.system
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
    q, v = system.independent.checked("q", q), system.independent.checked("v", v)
    coordinates = Coordinates(graph).unit(solver.close(q, guess))
    start = np.concatenate([coordinates, solver.projection(coordinates) @ v])
    integrator = partial(getattr(scipy.integrate, method), t_bound=t_end, rtol=rtol, atol=atol)
    show = _bar() if progress is True else progress or None
    motion = [(0.0, start)] if wanted is None or wanted[0] == 0.0 else []
    for t, y, within in BranchMotion(system, tau, coordinates).steps(start, t_end, integrator, wanted):
        motion += [(t, y)] if wanted is None else within
        if show is not None:
            show(t, t_end)
    states = np.array([y for _, y in motion])
    positions, speeds = states[:, : graph.nq], states[:, graph.nq :]
    return Simulation(
        np.array([t for t, _ in motion]),
        positions,
        speeds,
        np.array([energy(graph, a, b) for a, b in zip(positions, speeds, strict=True)]),
        np.array([system.largest_residual(a) for a in positions]),
    )


def _bar() -> Callable[[float, float], None]:
    """A progress bar on stderr."""
    drawn = -1

    def show(t: float, t_end: float) -> None:
        nonlocal drawn
        done = int(40 * t / t_end)
        if done > drawn:
            line = f"\r[{'#' * done}{' ' * (40 - done)}] {t:.4g} of {t_end:g} s"
            print(line, end="" if t < t_end else "\n", file=sys.stderr, flush=True)
            drawn = done

    return show
