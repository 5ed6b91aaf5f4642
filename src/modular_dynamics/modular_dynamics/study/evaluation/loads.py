"""Inverse dynamics of many designs at many states: the only place where a study calls it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...dynamics import inverse_dynamics
from ...exceptions import ModelError
from ...loops import ClosedLoopInverseDynamics, StateStatus
from ...model import SubsystemGraph

__all__ = ["Loads", "loads_of"]

Array = NDArray[np.float64]


class Loads(NamedTuple):
    """Loads of n designs at s states.

    Attributes:
        tau: of the independent joints (n, s, independent) [N m or N]. coordinates: (n, s, nq).
        statuses: `StateStatus` (n, s). tensions: (n, s, springs) [N]. sines: (n, s), as
            of `ClosedLoopResults`.
    """

    tau: Array
    coordinates: Array
    statuses: NDArray[np.uint8]
    tensions: Array
    sines: Array


def loads_of(graph: SubsystemGraph, q: Array, v: Array, a: Array, parameters: Mapping[str, Array]) -> Loads:
    """Return the loads of designs, on one thread: a study has a worker for each core.

    Args:
        q, v, a: of the independent joints (n, s, independent). parameters: (n,) by the names of
            ``graph.parameters``.
    """
    if graph.has_loops:
        solver = ClosedLoopInverseDynamics(graph)
        found = solver.solve_many(q, v, a, threads=1, parameters=parameters)
        return Loads(found.tau, found.coordinates, found.statuses, found.tensions, found.sines)
    shape = q.shape[:2]
    none = np.zeros((*shape, 0))
    statuses = np.full(shape, StateStatus.ANSWERED, np.uint8)
    try:
        tau = inverse_dynamics(graph, q, v, a, threads=1, parameters=parameters)
    except ModelError:
        if len(q) == 1:
            tau = np.full(v.shape, np.nan)
            statuses[:] = StateStatus.NO_MODEL
        else:  # one design fails: evaluate each by itself
            parts = [
                loads_of(graph, q[k : k + 1], v[k : k + 1], a[k : k + 1], _row(parameters, k))
                for k in range(len(q))
            ]
            tau, statuses = (
                np.concatenate([getattr(part, x) for part in parts]) for x in ("tau", "statuses")
            )
    return Loads(tau, q, statuses, none, np.full(shape, np.nan))


def _row(parameters: Mapping[str, Array], k: int) -> dict[str, Array]:
    return {name: column[k : k + 1] for name, column in parameters.items()}
