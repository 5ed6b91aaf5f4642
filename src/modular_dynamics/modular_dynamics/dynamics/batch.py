"""Inverse dynamics of many states: blocks of vector lanes, threads, bounded memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..exceptions import StateError
from ..kernels import SMALLEST_NORM, inverse_dynamics_float32, inverse_dynamics_float64, layout
from ..model import JointType, SubsystemGraph
from .inverse_dynamics import InverseDynamics

__all__ = ["inverse_dynamics_batch"]

#: States that a thread takes at a time: long enough to be worth a call, short for progress and memory.
CHUNK = 1024
#: Angles [rad] from which single precision would lose more than 1e-6 of them.
WRAPPED_FROM = 16.0
_KERNELS = {np.dtype(np.float64): inverse_dynamics_float64, np.dtype(np.float32): inverse_dynamics_float32}


def inverse_dynamics_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    threads: int | None = None,
    *,
    external_wrenches: Mapping[str, ArrayLike] | None = None,
    black_box_wrenches: Mapping[str, ArrayLike] | None = None,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike = np.float64,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[Any]:
    """Joint torques of many states: row k of the result is ``inverse_dynamics`` of row k of the arguments.

    Args:
        q: positions (count, nq). v, vdot: velocities and accelerations (count, nv).
        threads: how many to use; all cores by default.
        external_wrenches, black_box_wrenches: as of ``inverse_dynamics``, the same for every state.
        out: array (count, nv) of ``dtype`` for the result, none of the arguments. Beside it memory does not
            grow with count.
        dtype: float64, or float32: single precision, faster, to 1e-5 of the largest torque.
        progress: called now and then with (states done, count), from the calling thread.

    Raises:
        StateError: a wrong shape, dtype or number of threads, or a number that is not finite, with its row.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    kind = np.dtype(dtype)
    if kind not in _KERNELS:
        raise StateError(f"dtype is {kind}; float64 or float32 is needed")
    count = threads if threads is not None else os.cpu_count() or 1
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise StateError(f"threads is {threads!r}; a whole number from 1 on is needed")
    states = _states(graph, q, v, vdot)
    rows = len(states[0])
    tau = np.empty((rows, graph.nv), kind) if out is None else _checked_out(out, states, kind)
    solver: InverseDynamics | None = getattr(graph.workspaces, "batch", None)
    if solver is None:
        solver = graph.workspaces.batch = InverseDynamics(graph)
    arrays = solver.prepared(external_wrenches, black_box_wrenches, kind)
    run = partial(_chunk, graph, states, tau, kind, *arrays)
    starts = range(0, rows, CHUNK)
    if count == 1 or len(starts) < 2:
        _drain(map(run, starts), rows, progress)
    else:
        with ThreadPoolExecutor(min(count, len(starts))) as pool:
            _drain(pool.map(run, starts), rows, progress)
    return tau


def _drain(chunks: Any, rows: int, progress: Callable[[int, int], None] | None) -> None:
    for number, _ in enumerate(chunks, 1):
        if progress is not None:
            progress(min(number * CHUNK, rows), rows)


def _states(graph: SubsystemGraph, *states: ArrayLike) -> list[NDArray[Any]]:
    """q, v, vdot as 2-D arrays of numbers with as many rows each."""
    arrays: list[NDArray[Any]] = []
    for name, value, width in zip(("q", "v", "vdot"), states, (graph.nq, graph.nv, graph.nv), strict=True):
        try:
            array = np.asarray(value)
            array = array if array.dtype in _KERNELS else array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise StateError(f"{name} is not an array of numbers: {error}") from None
        rows = len(arrays[0]) if arrays else "n"
        if array.ndim != 2 or array.shape[1] != width or (arrays and len(array) != rows):
            raise StateError(f"{name} has shape {array.shape}; '{graph.name}' needs ({rows}, {width})")
        arrays.append(array)
    return arrays


def _checked_out(out: NDArray[Any], states: list[NDArray[Any]], kind: np.dtype[Any]) -> NDArray[Any]:
    shape = states[1].shape
    if any(np.may_share_memory(out, array) for array in states):
        raise StateError("out shares memory with q, v or vdot; an array of its own is needed")
    good = isinstance(out, np.ndarray) and out.dtype == kind and out.shape == shape
    if not (good and out.flags.c_contiguous and out.flags.writeable):
        given = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise StateError(f"out is {given}; a writeable contiguous {kind} array {shape} is needed")
    return out


def _chunk(
    graph: SubsystemGraph,
    states: list[NDArray[Any]],
    tau: NDArray[Any],
    kind: np.dtype[Any],
    topology: NDArray[np.int64],
    constants: NDArray[Any],
    template: NDArray[Any],
    start: int,
) -> None:
    """Torques of CHUNK states from ``start`` on; copies only what is not laid out as the kernel wants it."""
    rows = slice(start, start + CHUNK)
    q, v, vdot = (array[rows] for array in states)
    if kind == np.float32:
        q = _wrapped(graph, q)
    with np.errstate(over="ignore"):  # what single precision cannot hold is refused below, by its row
        q, v, vdot = (np.require(array, kind, ["C", "W"]) for array in (q, v, vdot))
    for first in _quaternions(graph):
        if (np.linalg.norm(q[:, first : first + 4], axis=1) < SMALLEST_NORM).any():
            _refuse_first_bad(graph, states, start, 0)
    bad = _KERNELS[kind](topology, constants, template, q, v, vdot, tau[rows])
    if bad >= 0:
        _refuse_first_bad(graph, states, start, bad)
    finite = np.isfinite(tau[rows])
    for k in np.flatnonzero(topology[:-1, layout.MODE] == layout.UNKNOWN):
        finite[:, graph.v_slice(graph.driver(graph.joints[k]))] = True  # NaN is the true answer there
    if not finite.all():
        _refuse_first_bad(graph, states, start, int(np.flatnonzero(~finite.all(axis=1))[0]))


def _refuse_first_bad(graph: SubsystemGraph, states: list[NDArray[Any]], start: int, bad: int) -> NoReturn:
    """Raise the error of the first bad row from ``start + bad`` on, where the kernel met it or soon after."""
    for row in range(start + bad, min(start + CHUNK, len(states[0]))):
        try:
            graph.checked(q=states[0][row], v=states[1][row], vdot=states[2][row])
        except StateError as error:  # noqa: PERF203 - the first of them ends it
            raise StateError(f"row {row}: {error}") from None
    raise StateError(
        f"row {start + bad} or soon after: q, v and vdot are finite, but too large for the dtype"
    )


def _quaternions(graph: SubsystemGraph) -> list[int]:
    """Where the quaternions of floating joints start in q."""
    floating = [name for name in graph.joint_names if graph.joint(name).type is JointType.FLOATING]
    return [graph.q_slice(name).start + 3 for name in floating]


def _wrapped(graph: SubsystemGraph, q: NDArray[Any]) -> NDArray[Any]:
    """q with angles in +-pi, so that single precision does not lose their fractions of a turn."""
    if q.size == 0 or max(-q.min(), q.max()) < WRAPPED_FROM:
        return q
    driven = {joint.mimic.joint for joint in graph.joints if joint.mimic is not None}
    columns = [
        graph.q_slice(name).start
        for name in graph.joint_names
        if graph.joint(name).type in (JointType.REVOLUTE, JointType.CONTINUOUS) and name not in driven
    ]
    wrapped = q.astype(np.float64)
    wrapped[:, columns] = np.remainder(wrapped[:, columns] + np.pi, 2.0 * np.pi) - np.pi
    return wrapped
