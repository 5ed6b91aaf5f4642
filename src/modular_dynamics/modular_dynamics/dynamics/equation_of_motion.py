"""The parts of tau = M(q) vdot + h(q, v): mass matrix, bias, gravity torques."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..kernels import layout
from ..model import SubsystemGraph, refuse_black_boxes
from .arrays.arguments import Array, Progress
from .arrays.joint_terms import terms_of
from .arrays.model_arrays import arrays_of
from .execution.algorithms import MASS_MATRIX
from .execution.solver import Solver
from .inverse_dynamics import InverseDynamics, inverse_dynamics, inverse_dynamics_batch
from .quantities.rest import rest_rows
from .workspaces import direct_calls, workspace_of

__all__ = [
    "MassMatrix",
    "bias",
    "bias_batch",
    "gravity_torque",
    "gravity_torque_batch",
    "mass_matrix",
    "mass_matrix_batch",
]

_BIAS, _GRAVITY_TORQUE = "the bias", "the gravity torque"

_direct_calls = direct_calls(MASS_MATRIX.name)


class MassMatrix(Solver):
    """The mass matrix of one graph: a workspace of one thread, with everything allocated beforehand.

    Raises for black boxes and closed loops as :func:`mass_matrix` does.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        super().__init__(graph, MASS_MATRIX, *MASS_MATRIX.prepared(*arrays_of(graph, "the mass matrix")))

    def __call__(self, q: ArrayLike, out: Array | None = None) -> Array:
        """M: see :func:`mass_matrix`. With ``out`` nothing is allocated after the first call."""
        return self._run((q,), out)


def mass_matrix(graph: SubsystemGraph, q: ArrayLike, out: Array | None = None) -> Array:
    """The mass matrix M (nv, nv): tau = M vdot + bias; symmetric, positive definite.

    By composite bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter 6). A mimic joint's inertia
    counts to its driver. The joints' armatures stand on the diagonal. [kg m^2, kg m, kg]

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    try:
        matrix = np.empty((graph.nv, graph.nv)) if out is None else out
        if _direct_calls[id(graph)](q, matrix) == 0:
            return matrix
    except (KeyError, AttributeError):
        pass  # the first call, or there is none; or no graph
    return MassMatrix.of(graph)(q, out)


def mass_matrix_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    threads: int | None = None,
    *,
    out: Array | None = None,
    progress: Progress = None,
) -> Array:
    """Mass matrices (count, nv, nv): ``mass_matrix`` of each row of q (count, nq).

    Args:
        out: float64 array (count, nv, nv) for the result, none of the arguments.
        threads, progress: as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``mass_matrix``, with the row; or a wrong number of threads.
        UnsupportedModelError: as of ``mass_matrix``.
    """
    return MassMatrix.of(graph).batch()({"q": q}, threads, out, np.float64, progress)


def bias(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, out: Array | None = None, *, friction: str = "none"
) -> Array:
    """h (nv,): torques at zero acceleration, so that M vdot + h = tau.

    Coriolis, centrifugal, gravity, the joints' springs and, where ``friction`` says so, friction. Errors as
    of ``inverse_dynamics``; StateError also for a black box in the graph: ``inverse_dynamics`` takes its
    wrench.
    """
    return inverse_dynamics(graph, q, v, _rest(graph, _BIAS), out=out, friction=friction)


def gravity_torque(graph: SubsystemGraph, q: ArrayLike, out: Array | None = None) -> Array:
    """g (nv,): torques that hold the robot still at q against gravity, without the springs at its joints.

    With those: ``bias`` at rest. Errors as of ``bias``.
    """
    zeros = _rest(graph, _GRAVITY_TORQUE)
    if workspace_of(graph, _has_springs):
        return InverseDynamics.of(graph, "none", False)(q, zeros, zeros, out=out)
    return inverse_dynamics(graph, q, zeros, zeros, out=out)


def _rest(graph: SubsystemGraph, quantity: str) -> Array:
    """Zero rates (nv,), allocated once for each thread, of a graph in which a quantity is known."""
    return workspace_of(graph, _zeros_where_known, quantity)


def _zeros_where_known(graph: SubsystemGraph, quantity: str) -> Array:
    _require_known(graph, quantity)
    return np.zeros(graph.nv)


def _require_known(graph: SubsystemGraph, quantity: str) -> None:
    """Raise StateError where the graph has black boxes."""
    refuse_black_boxes(
        graph, quantity, "inverse_dynamics at zero acceleration takes their black_box_wrenches"
    )


def _has_springs(graph: SubsystemGraph) -> bool:
    """Whether springs at joints count."""
    return bool(terms_of(graph) & layout.SPRINGS)


def bias_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    threads: int | None = None,
    *,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike = np.float64,
    progress: Progress = None,
    friction: str = "none",
) -> NDArray[Any]:
    """h (count, nv): ``bias`` of each row of q (count, nq) and v (count, nv).

    ``threads``, ``out``, ``dtype``, ``progress``, ``friction`` and errors as of ``inverse_dynamics_batch``;
    also for a black box in the graph.
    """
    _require_known(graph, _BIAS)
    zeros = rest_rows(graph, q)
    return inverse_dynamics_batch(
        graph, q, v, zeros, threads, out=out, dtype=dtype, progress=progress, friction=friction
    )


def gravity_torque_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    threads: int | None = None,
    *,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike = np.float64,
    progress: Progress = None,
) -> NDArray[Any]:
    """g (count, nv): ``gravity_torque`` of each row of q (count, nq). The rest as of ``bias_batch``."""
    _require_known(graph, _GRAVITY_TORQUE)
    zeros = rest_rows(graph, q)
    with_springs = workspace_of(graph, _has_springs)
    solver = InverseDynamics.of(graph, "none", False) if with_springs else InverseDynamics.of(graph)
    return solver.batch()({"q": q, "v": zeros, "vdot": zeros}, threads, out, dtype, progress)
