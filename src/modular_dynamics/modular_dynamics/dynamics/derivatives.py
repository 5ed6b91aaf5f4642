"""Derivatives of inverse dynamics: the face of the kernel of kernels/derivatives.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from ..kernels.numba_support.compilation import make_ready
from ..model import SubsystemGraph, body_loads, refuse_closures
from .arrays.model_arrays import constants_of, converted, load_external, plain, topology_of, work_of
from .arrays.regrouping import regrouped
from .execution.algorithms import DERIVATIVES, DOUBLE
from .execution.batch import Batch, Progress
from .execution.generated import with_code

__all__ = [
    "InverseDynamicsDerivatives",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_derivatives_batch",
]

Wrenches = Mapping[str, ArrayLike] | None


class InverseDynamicsDerivatives(NamedTuple):
    """d tau/d q, d tau/d v and d tau/d vdot, (nv, nv) each or (count, nv, nv); views of one array."""

    dq: NDArray[np.float64]
    dv: NDArray[np.float64]
    dvdot: NDArray[np.float64]


class _Solver:
    """The derivatives of one graph with everything allocated beforehand."""

    def __init__(self, graph: SubsystemGraph) -> None:
        refuse_closures(graph, "derivatives of inverse dynamics")
        boxes = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
        if boxes:
            raise StateError(
                f"the derivatives of '{graph.name}' are not known: its black boxes are {', '.join(boxes)}"
            )
        make_ready(DERIVATIVES.single, DERIVATIVES.signature)
        self.graph, self.loaded = graph, False
        self.topology = topology_of(graph, frozenset())
        self.constants = regrouped(self.topology, constants_of(graph))
        self.coded = with_code(graph, DERIVATIVES, "single", DOUBLE, self.topology)
        self.work = work_of(graph, DERIVATIVES.columns)
        self._free: Batch | None = None  # that of no wrenches
        self._out: tuple[InverseDynamicsDerivatives, NDArray[np.float64]] | None = None

    def array_of(self, out: InverseDynamicsDerivatives) -> NDArray[np.float64]:
        """As the function below; the last one is remembered, for looking takes as long as a small robot."""
        if self._out is None or self._out[0] is not out or not all(part.flags.writeable for part in out):
            self._out = out, _array_of(out, self.graph.nv, ())
        return self._out[1]

    def load(self, external: Wrenches) -> None:
        """Put the given wrenches on the bodies that bear them."""
        if external is not None or self.loaded:
            external = {} if external is None else external
            load_external(self.graph, self.constants, body_loads(self.graph, external))
            self.loaded = bool(external)

    def batch(self, external: Wrenches) -> Batch:
        """The same for many states under the same wrenches."""
        if external is None and self._free is not None:
            return self._free
        self.load(external)
        batch = Batch(
            self.graph, DERIVATIVES, self.topology, self.constants.copy(), generated=not self.loaded
        )
        if external is None:
            self._free = batch
        return batch

    def __call__(
        self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, external: Wrenches, out: NDArray[np.float64]
    ) -> None:
        self.load(external)
        arrays = self.topology if self.loaded else self.coded, self.constants, self.work
        if plain(q, v, vdot, out) and DERIVATIVES.single(*arrays, q, v, vdot, out) == 0:
            return
        state = converted(*self.graph.checked(q=q, v=v, vdot=vdot))
        if DERIVATIVES.single(*arrays, *state, out) != 0:
            raise StateError("q, v and vdot are finite, but so large that the derivatives are not")


def inverse_dynamics_derivatives(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    external_wrenches: Wrenches = None,
    out: InverseDynamicsDerivatives | None = None,
) -> InverseDynamicsDerivatives:
    """How the torques of ``inverse_dynamics`` change with q, v and vdot: analytically, in one sweep.

    By the closed forms of Singh, Russell & Wensing (2022). Row i is the change of torque i [N m or N per rad
    or m, per rad/s ...]. d tau/d vdot is the mass matrix. Of a floating joint, dq is a small displacement in
    the child's axes, linear then angular, as its velocity is; its pose's seven numbers have no columns.

    Args:
        external_wrenches: {link: [force N, moment N m]}, held fixed at and in the link's frame.
        out: what an earlier call returned, to be written again; with it nothing is allocated after the
            first call.

    Raises:
        StateError: a wrong shape, a number that is not finite, an unknown link, or a black box in the graph.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    solver = _solver(graph)
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
) -> InverseDynamicsDerivatives:
    """The same of many states, (count, nv, nv) each; the rest as of ``inverse_dynamics_batch``."""
    run = _solver(graph).batch(external_wrenches)
    array = None if out is None else _array_of(out, graph.nv, np.shape(np.asarray(getattr(out, "dq", 0)))[:1])
    result = run({"q": q, "v": v, "vdot": vdot}, threads, array, np.float64, progress)
    return InverseDynamicsDerivatives(*np.moveaxis(result, 1, 0)) if out is None else out


def _solver(graph: SubsystemGraph) -> _Solver:
    solver: _Solver | None = getattr(graph.workspaces, "derivatives", None)
    if solver is None:
        solver = graph.workspaces.derivatives = _Solver(graph)
    return solver


def _array_of(out: Any, nv: int, rows: tuple[int, ...]) -> NDArray[np.float64]:
    """The array (*rows, 3, nv, nv) that the three parts are views of."""
    size, shape = nv * nv * np.dtype(np.float64).itemsize, (*rows, nv, nv)
    steps = (3 * size,) * len(rows)
    strides = (*steps, size // max(nv, 1), np.dtype(np.float64).itemsize)
    good = isinstance(out, InverseDynamicsDerivatives) and all(
        isinstance(part, np.ndarray)
        and part.dtype == np.float64
        and part.shape == shape
        and (part.strides == strides or not part.size)
        and part.flags.writeable
        for part in out
    )
    if good and out.dq.size:
        first, second, third = (part.__array_interface__["data"][0] for part in out)
        good = second - first == third - second == size
    if not good:
        named = isinstance(out, InverseDynamicsDerivatives)
        given = f"parts of shape {np.shape(out.dq)}" if named else type(out).__name__
        raise StateError(
            f"out is {given}; what an earlier call returned for shape {shape} is needed, as it was returned"
        )
    return as_strided(out.dq, (*rows, 3, nv, nv), (*steps, size, *strides[-2:]))
