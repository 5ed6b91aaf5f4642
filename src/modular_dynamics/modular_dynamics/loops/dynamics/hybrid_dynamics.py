"""Hybrid dynamics with closed loops: some independent joints' torques are known, others' accelerations."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.arguments import Array
from ...dynamics.forward_dynamics import HybridDynamics
from ...dynamics.inverse_dynamics import Wrenches
from ...model import SubsystemGraph
from .constrained_dynamics import constrained_dynamics
from .results import errors_name_row
from .rows import are_many, closed_rows, rows_of_states
from .solver import solver_of

__all__ = ["hybrid_dynamics"]


def hybrid_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    prescribed: Iterable[str],
    *,
    external_wrenches: Wrenches = None,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
) -> HybridDynamics:
    """Return accelerations and torques (p,) of independent joints: see `modular_dynamics.hybrid_dynamics`.

    By `constrained_dynamics` where the loops are closed, free joints at rest; many states one by one.
    """
    solver = solver_of(graph)
    names = prescribed if isinstance(prescribed, str) else [*prescribed]

    def at(coordinates: Array, v: ArrayLike, a: ArrayLike, tau: ArrayLike) -> tuple[Array, Array]:
        velocities = solver.projection(coordinates) @ solver.system.independent.checked("v", v)
        found = constrained_dynamics(
            graph,
            coordinates,
            velocities,
            tau,
            prescribed=names,
            a=a,
            external_wrenches=external_wrenches,
            friction=friction,
        )
        return found.a[solver.independent_v], found.tau

    if not are_many(q):
        return HybridDynamics(*at(solver.close(q, guess), v, a, tau))
    states = rows_of_states(graph, q=q, v=v, a=a, tau=tau)[1:]
    result = np.empty((2, *states[0].shape))
    for k, coordinates in enumerate(closed_rows(graph, q, guess, threads)):
        with errors_name_row(k):
            result[:, k] = at(coordinates, *(x[k] for x in states))
    return HybridDynamics(*result)
