"""Sums over all moving bodies of a graph, in the root link's axes: the workspace of several quantities."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...exceptions import StateError
from ...model import SubsystemGraph, refuse_black_boxes
from ..arrays.arguments import Array, Progress
from ..arrays.model_arrays import Arrays, constants_of, topology_of
from ..execution.algorithms import WHOLE_BODY
from ..execution.solver import Solver
from ..workspaces import workspace_of
from .rest import rest, rest_rows

__all__ = ["BodySums", "body_sums", "body_sums_batch", "masses_of", "moving_mass"]


class BodySums(NamedTuple):
    """Sums over all moving bodies, for one state, or for many with one row each.

    Attributes:
        first: sum of mass times centre of mass (..., 3) [kg m].
        momentum: linear, and angular about the root's origin (..., 6) [kg m/s, kg m^2/s].
        rate: the derivative of momentum (..., 6) [N, N m].
        kinetic: energy (...,) [J], without that of armatures.
    """

    first: Array
    momentum: Array
    rate: Array
    kinetic: Array


class _WholeBody(Solver):
    """The sums of one graph: a workspace of one thread."""

    def __init__(self, graph: SubsystemGraph) -> None:
        super().__init__(graph, WHOLE_BODY, *masses_of(graph, "the motion of all masses"))

    def __call__(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        return self._run((q, v, vdot), None)


def masses_of(graph: SubsystemGraph, quantity: str) -> Arrays:
    """The kernel's topology and constants of all joints; loops are ignored.

    Raises StateError: a black box, whose masses are unknown; ``quantity`` names what is computed.
    """
    refuse_black_boxes(graph, quantity)
    return topology_of(graph, frozenset()), constants_of(graph)


def moving_mass(graph: SubsystemGraph) -> float:
    """Mass of all moving bodies [kg]. Raises StateError: it is zero."""
    mass = sum(body.mass for body in graph.bodies)
    if not mass > 0.0:
        raise StateError(f"the moving bodies of '{graph.name}' have no mass, and so no centre of mass")
    return mass


def body_sums(graph: SubsystemGraph, q: ArrayLike, v: ArrayLike | None, vdot: ArrayLike | None) -> BodySums:
    """The sums at one state; rates that are not given count as zero."""
    return _named(workspace_of(graph, _WholeBody)(q, *(rest(graph) if x is None else x for x in (v, vdot))))


def body_sums_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike | None,
    vdot: ArrayLike | None,
    threads: int | None,
    progress: Progress,
) -> BodySums:
    """The sums at each row of the arguments; rates that are not given count as zero."""
    still = rest_rows(graph, q)
    states = {"q": q, "v": still if v is None else v, "vdot": still if vdot is None else vdot}
    return _named(workspace_of(graph, _WholeBody).batch()(states, threads, None, np.float64, progress))


def _named(sums: Array) -> BodySums:
    return BodySums(sums[..., :3], sums[..., 3:9], sums[..., 9:15], sums[..., 15])
