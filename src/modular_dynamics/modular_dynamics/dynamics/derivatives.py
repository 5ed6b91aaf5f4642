"""Derivatives of inverse dynamics with respect to q, v and vdot."""

from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import ArrayLike

from ..exceptions import StateError
from ..model import SubsystemGraph
from .arrays.arguments import Array, Progress
from .arrays.model_arrays import arrays_of
from .execution.algorithms import DERIVATIVES
from .execution.solver import LoadedSolver, Wrenches
from .workspaces import workspace_of

__all__ = ["InverseDynamicsDerivatives", "inverse_dynamics_derivatives", "inverse_dynamics_derivatives_batch"]


class InverseDynamicsDerivatives(NamedTuple):
    """d tau/d q, d tau/d v and d tau/d vdot, (nv, nv) each or (count, nv, nv); views of one array."""

    dq: Array
    dv: Array
    dvdot: Array


class _Derivatives(LoadedSolver):
    """The derivatives of one graph: a workspace of one thread, with everything allocated beforehand."""

    def __init__(self, graph: SubsystemGraph, friction: str = "none") -> None:
        arrays = DERIVATIVES.prepared(*arrays_of(graph, "derivatives of inverse dynamics", friction))
        super().__init__(graph, DERIVATIVES, *arrays)
        self._last_out: tuple[InverseDynamicsDerivatives, Array] | None = None

    def __call__(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, external: Wrenches, out: Array) -> None:
        """Write all three into ``out`` (3, nv, nv)."""
        self._run((q, v, vdot), out, self._loaded_call(external))

    def array_of(self, out: InverseDynamicsDerivatives) -> Array:
        """As the function below; the last one is kept, for the checks take as long as a small robot."""
        if self._last_out is None or self._last_out[0] is not out or not all(x.flags.writeable for x in out):
            self._last_out = out, _array_of(out, self.graph.nv, ())
        return self._last_out[1]


def inverse_dynamics_derivatives(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    external_wrenches: Wrenches = None,
    out: InverseDynamicsDerivatives | None = None,
    *,
    friction: str = "none",
) -> InverseDynamicsDerivatives:
    """How the torques of ``inverse_dynamics`` change with q, v and vdot: analytically, in one sweep.

    By the closed forms of Singh, Russell & Wensing (2022). Row i is the change of torque i [N m or N per rad
    or m, per rad/s ...]. d tau/d vdot is the mass matrix. Of a floating joint, dq is a small displacement in
    the child's axes, linear then angular, as its velocity is; its pose's seven numbers have no columns. So it
    is with spherical joints: dq is a small rotation in the child's axes.

    Args:
        external_wrenches: {link: [force N, moment N m]}, held fixed at and in the link's frame.
        out: the result of an earlier call, which is overwritten; with it nothing is allocated after the
            first call.
        friction: as of ``inverse_dynamics``; of dry friction, which is constant but where v = 0, nothing.

    Raises:
        StateError: a wrong shape, a number that is not finite, an unknown link, or a black box in the graph.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    solver = workspace_of(graph, _Derivatives, friction)
    array = np.empty((3, graph.nv, graph.nv)) if out is None else solver.array_of(out)
    solver(q, v, vdot, external_wrenches, array)
    return InverseDynamicsDerivatives(*array) if out is None else out


def inverse_dynamics_derivatives_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    threads: int | None = None,
    *,
    external_wrenches: Wrenches = None,
    out: InverseDynamicsDerivatives | None = None,
    progress: Progress = None,
    friction: str = "none",
) -> InverseDynamicsDerivatives:
    """Derivatives of many states, (count, nv, nv) each: ``inverse_dynamics_derivatives`` of each row.

    Args:
        q: positions (count, nq). v, vdot: velocities and accelerations (count, nv).
        external_wrenches: as of ``inverse_dynamics_derivatives``, the same for every state.
        out: the result of an earlier call with as many states, which is overwritten.
        threads, progress, friction: as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``inverse_dynamics_derivatives``, with the row; or a wrong number of threads.
        UnsupportedModelError: as of ``inverse_dynamics_derivatives``.
    """
    run = workspace_of(graph, _Derivatives, friction).batch(external_wrenches)
    array = None if out is None else _array_of(out, graph.nv, np.shape(np.asarray(getattr(out, "dq", 0)))[:1])
    result = run({"q": q, "v": v, "vdot": vdot}, threads, array, np.float64, progress)
    return InverseDynamicsDerivatives(*np.moveaxis(result, 1, 0)) if out is None else out


def _array_of(out: Any, nv: int, rows: tuple[int, ...]) -> Array:
    """The array (*rows, 3, nv, nv) that the three parts are views of. Raises StateError: they are not."""
    shape, number = (*rows, nv, nv), np.dtype(np.float64).itemsize
    is_result = isinstance(out, InverseDynamicsDerivatives) and all(
        isinstance(part, np.ndarray) and part.shape == shape and part.dtype == np.float64 for part in out
    )
    if is_result:
        strides = (*(3 * nv * nv * number for _ in rows), nv * nv * number, nv * number, number)
        array = as_strided(out.dq, (*rows, 3, nv, nv), strides)
        pairs = zip(out, np.moveaxis(array, -3, 0), strict=True)
        same = all(part.__array_interface__ == view.__array_interface__ for part, view in pairs)
        if array.flags.writeable and (same or not array.size):
            return array
    is_named = isinstance(out, InverseDynamicsDerivatives)
    given = f"parts of shape {np.shape(out.dq)}" if is_named else type(out).__name__
    raise StateError(
        f"out is {given}; the unchanged result of an earlier call with parts of shape {shape} is needed"
    )
