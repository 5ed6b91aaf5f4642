"""The parts of tau = M(q) vdot + h(q, v): mass matrix, bias, gravity torques."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..exceptions import StateError
from ..kernels import composite_body, entries_are_direct, entry
from ..model import SubsystemGraph, refuse_closures
from .algorithms import DOUBLE, MASS_MATRIX
from .arrays import checked_out, constants_of, converted, topology_of, work_of
from .batch import Batch, Progress
from .generated import with_code
from .inverse_dynamics import inverse_dynamics, inverse_dynamics_batch
from .regrouping import regrouped

__all__ = [
    "MassMatrix",
    "bias",
    "bias_batch",
    "gravity_torque",
    "gravity_torque_batch",
    "mass_matrix",
    "mass_matrix_batch",
]


class MassMatrix:
    """The mass matrix of one graph with everything allocated beforehand. Not for several threads at once.

    Raises:
        UnsupportedModelError: closed loops, or a black box, whose masses nobody knows.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        refuse_closures(graph, "mass matrix")
        boxes = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
        if boxes:
            raise StateError(
                f"the mass matrix of '{graph.name}' is not known: its black boxes are {', '.join(boxes)}"
            )
        self.graph = graph
        plain = topology_of(graph, frozenset())
        self._constants = regrouped(plain, constants_of(graph))
        self._topology = with_code(graph, MASS_MATRIX, "single", DOUBLE, plain)
        self.batch = Batch(graph, MASS_MATRIX, plain, self._constants)
        self._work = work_of(graph, composite_body.COMPOSITE_COLUMNS)
        arrays = self._topology, self._constants, self._work
        self.compute = entry("mass_matrix", *arrays, graph.nq, graph.nv)  # see InverseDynamics

    def __call__(self, q: ArrayLike, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """M: see :func:`mass_matrix`. With ``out`` nothing is allocated after the first call."""
        nv = self.graph.nv
        matrix = np.empty((nv, nv)) if out is None else out
        if self.compute(q, matrix) == 0:
            return matrix
        (checked,) = self.graph.checked(q=q)
        checked_out(matrix, (nv, nv))
        (taken,) = converted(checked)
        if self.compute(taken, matrix) != 0:
            raise StateError("q is finite, but so large that the mass matrix is not")
        return matrix


def mass_matrix(
    graph: SubsystemGraph, q: ArrayLike, out: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The mass matrix M (nv, nv): tau = M vdot + bias; symmetric, positive definite.

    By composite bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter 6). A mimic joint's inertia
    counts to its driver. [kg m^2, kg m, kg]

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    try:
        matrix = np.empty((graph.nv, graph.nv)) if out is None else out
        if graph.entries["mass_matrix"](q, matrix) == 0:
            return matrix
    except KeyError:
        pass  # the first call, or there is none
    return _solver(graph)(q, out)


def mass_matrix_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    threads: int | None = None,
    *,
    out: NDArray[np.float64] | None = None,
    progress: Progress = None,
) -> NDArray[np.float64]:
    """Mass matrices (count, nv, nv) of positions q (count, nq); the rest as of ``inverse_dynamics_batch``."""
    return _solver(graph).batch({"q": q}, threads, out, np.float64, progress)


def _solver(graph: SubsystemGraph) -> MassMatrix:
    solver: MassMatrix | None = getattr(graph.workspaces, "mass_matrix", None)
    if solver is None:
        solver = graph.workspaces.mass_matrix = MassMatrix(graph)
        if entries_are_direct():
            graph.entries.setdefault("mass_matrix", solver.compute)
    return solver


def bias(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, out: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """h (nv,): torques at zero acceleration: Coriolis, centrifugal, gravity. Errors as inverse_dynamics."""
    return inverse_dynamics(graph, q, v, _rest(graph), out=out)


def gravity_torque(
    graph: SubsystemGraph, q: ArrayLike, out: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """g (nv,): torques that hold the robot still at q. Errors as of inverse_dynamics."""
    return inverse_dynamics(graph, q, _rest(graph), _rest(graph), out=out)


def _rest(graph: SubsystemGraph) -> NDArray[np.float64]:
    """Zeros that are always there."""
    rest: NDArray[np.float64] | None = getattr(graph.workspaces, "rest", None)
    if rest is None:
        rest = graph.workspaces.rest = np.zeros(graph.nv)
    return rest


def _rows(q: ArrayLike) -> int:
    """How many states; 0 where q is nothing that has rows, which the batch then says."""
    try:
        return len(np.asarray(q))
    except (TypeError, ValueError):
        return 0


def bias_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    threads: int | None = None,
    *,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike = np.float64,
    progress: Progress = None,
) -> NDArray[Any]:
    """h (count, nv) of many states; the rest as of ``inverse_dynamics_batch``."""
    rest = np.broadcast_to(0.0, (_rows(q), graph.nv))
    return inverse_dynamics_batch(graph, q, v, rest, threads, out=out, dtype=dtype, progress=progress)


def gravity_torque_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    threads: int | None = None,
    *,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike = np.float64,
    progress: Progress = None,
) -> NDArray[Any]:
    """g (count, nv) of many positions; the rest as of ``inverse_dynamics_batch``."""
    rest = np.broadcast_to(0.0, (_rows(q), graph.nv))
    return inverse_dynamics_batch(graph, q, rest, rest, threads, out=out, dtype=dtype, progress=progress)
