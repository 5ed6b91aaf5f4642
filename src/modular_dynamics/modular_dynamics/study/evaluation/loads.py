"""Inverse dynamics of many designs at many states: the only place where a study calls it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...closure import RowStatus, closed_loop_inverse_dynamics_batch
from ...dynamics import inverse_dynamics_batch
from ...exceptions import ModelError
from ...model import SubsystemGraph
from .stand_in import tensions

__all__ = ["NO_MODEL", "Loads", "loads_of"]

Array = NDArray[np.float64]
#: Status of designs whose numbers no robot can have.
NO_MODEL = 4


class Loads(NamedTuple):
    """Of n designs at s states.

    Attributes:
        tau: of the independent joints (n, s, independent) [N m or N]. coordinates: (n, s, nq).
        statuses: `RowStatus` or NO_MODEL (n, s). tensions: (n, s, springs) [N]. sines: (n, s): the smallest
            sine of the angle between the directions of a loop's two unknown joints, 0 at a dead point.
    """

    tau: Array
    coordinates: Array
    statuses: NDArray[np.uint8]
    tensions: Array
    sines: Array


def loads_of(
    graph: SubsystemGraph,
    q: Array,
    v: Array,
    vdot: Array,
    parameters: Mapping[str, Array],
    guess: Array | None = None,
) -> Loads:
    """Loads of designs.

    Args:
        q, v, vdot: of the independent joints (n, s, independent). parameters: (n,) by the names of
            ``graph.with_parameters``. guess: coordinates (n, s, nq).
    """
    if not (graph.loop_joints or graph.gears or graph.springs):
        return _of_trees(graph, q, v, vdot, parameters)
    return _one_by_one(graph, q, v, vdot, parameters, guess)


def _of_trees(
    graph: SubsystemGraph, q: Array, v: Array, vdot: Array, parameters: Mapping[str, Array]
) -> Loads:
    count, states, _ = q.shape
    loads = _empty(graph, count, states, q.shape[2])
    for k in range(count):
        try:
            design = graph.with_parameters({name: float(column[k]) for name, column in parameters.items()})
        except ModelError:
            loads.statuses[k] = NO_MODEL
            continue
        loads.tau[k] = inverse_dynamics_batch(design, q[k], v[k], vdot[k], threads=1)
        loads.coordinates[k] = q[k]
        loads.statuses[k] = RowStatus.ANSWERED
    return loads


def _one_by_one(
    graph: SubsystemGraph,
    q: Array,
    v: Array,
    vdot: Array,
    parameters: Mapping[str, Array],
    guess: Array | None,
) -> Loads:
    count, states, width = q.shape
    loads = _empty(graph, count, states, width)
    loads.sines[:] = 1.0
    for k in range(count):
        try:
            design = graph.with_parameters({name: float(column[k]) for name, column in parameters.items()})
        except ModelError:
            loads.statuses[k] = NO_MODEL
            continue
        own = None if guess is None else guess[k]
        found = closed_loop_inverse_dynamics_batch(design, q[k], v[k], vdot[k], own, 1)
        loads.tau[k], loads.coordinates[k], loads.statuses[k] = found.tau, found.coordinates, found.statuses
        if graph.springs:
            loads.tensions[k] = tensions(design, found.coordinates)
    return loads


def _empty(graph: SubsystemGraph, count: int, states: int, width: int) -> Loads:
    return Loads(
        np.full((count, states, width), np.nan),
        np.full((count, states, graph.nq), np.nan),
        np.full((count, states), RowStatus.CANNOT_CLOSE, np.uint8),
        np.full((count, states, len(graph.springs)), np.nan),
        np.full((count, states), np.nan),
    )
