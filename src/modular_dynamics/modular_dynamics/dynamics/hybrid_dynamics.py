"""Hybrid dynamics: accelerations where torques are known, and torques where accelerations are known.

M vdot + h = tau, divided into coordinates f with known torques and p with prescribed accelerations
(Featherstone, Rigid Body Dynamics Algorithms, section 9.2):

    M_ff vdot_f = tau_f - (h_f + M_fp vdot_p)        tau_p = h_p + M_pf vdot_f + M_pp vdot_p

h + M vdot and, at the end, tau_p come from the recursive Newton-Euler algorithm, M_ff from composite bodies.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from ..model import SubsystemGraph, refuse_black_boxes, refuse_closures
from ..model.number_arrays import number_array
from .arrays.arguments import Array, Progress, checked_progress, state_rows, thread_count
from .equation_of_motion import mass_matrix, mass_matrix_batch
from .execution.solver import Wrenches
from .forward_dynamics import forward_dynamics, forward_dynamics_batch
from .inverse_dynamics import inverse_dynamics, inverse_dynamics_batch
from .lost_inertia import are_definite, raise_lost

__all__ = [
    "HybridDynamics",
    "completed_by_zeros",
    "hybrid_dynamics",
    "hybrid_dynamics_batch",
    "prescribed_in",
]

#: Numbers in the mass matrices that are held in memory at a time.
LARGEST_STACK = 4_000_000


@dataclass(frozen=True, eq=False)
class HybridDynamics:
    """What `hybrid_dynamics` computes: M vdot + h = tau, complete.

    Attributes:
        vdot: accelerations (nv,), or (count, nv) of a batch [rad/s^2 or m/s^2].
        tau: torques of the same shape [N m or N].
    """

    vdot: Array
    tau: Array


def hybrid_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    tau: ArrayLike,
    prescribed: Iterable[str],
    external_wrenches: Wrenches = None,
    *,
    friction: str = "none",
) -> HybridDynamics:
    """Accelerations of the joints with known torques, and torques of the joints with known accelerations.

    M_ff vdot_f = tau_f - h_f - M_fp vdot_p, tau_p = h_p + M_pf vdot_f + M_pp vdot_p (Featherstone, Rigid Body
    Dynamics Algorithms, section 9.2). With all joints prescribed it is inverse dynamics, with none forward
    dynamics.

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m]. v: velocities (nv,).
        vdot: accelerations (nv,), read for the prescribed joints [rad/s^2 or m/s^2]. tau: torques (nv,), read
            for the others [N m or N]. Entries that are not read may be anything, NaN as well.
        prescribed: names of the joints whose accelerations are known. Of a floating joint all six are.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame.
        friction: as of ``inverse_dynamics``.

    Raises:
        StateError: a wrong shape, a number that is read and not finite, an unknown joint or link, a black box
            in the graph, or joints with known torques that move no inertia, by their names: as of
            ``forward_dynamics``.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs;
            ``closed_loop_hybrid_dynamics`` treats these.
    """
    refuse_closures(graph, "hybrid dynamics")
    refuse_black_boxes(graph, "hybrid dynamics")
    is_known = prescribed_in(graph, prescribed, graph.joint_names)
    known_vdot, known_tau = completed_by_zeros(vdot, is_known), completed_by_zeros(tau, ~is_known)
    q, v, accelerations, torques = graph.checked(q=q, v=v, vdot=known_vdot, tau=known_tau)
    if not is_known.any():
        accelerations = forward_dynamics(graph, q, v, torques, external_wrenches, friction=friction)
        return HybridDynamics(accelerations, torques)
    free = np.flatnonzero(~is_known)
    needed = inverse_dynamics(graph, q, v, accelerations, external_wrenches, friction=friction)
    if len(free):
        M = mass_matrix(graph, q)[np.ix_(free, free)]
        accelerations[free] = _solved(graph, free, M[None], (torques - needed)[None, free])[0]
        needed = inverse_dynamics(graph, q, v, accelerations, external_wrenches, friction=friction)
    torques[is_known] = needed[is_known]
    return HybridDynamics(accelerations, torques)


def hybrid_dynamics_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    tau: ArrayLike,
    prescribed: Iterable[str],
    threads: int | None = None,
    *,
    external_wrenches: Wrenches = None,
    progress: Progress = None,
    friction: str = "none",
) -> HybridDynamics:
    """Hybrid dynamics of many states: row k of the results is ``hybrid_dynamics`` of row k of the arguments.

    M and h come from batches of kernels; M_ff is solved by NumPy.

    Args:
        q: positions (count, nq). v, vdot, tau: (count, nv), as of ``hybrid_dynamics``.
        prescribed, external_wrenches, friction: as of ``hybrid_dynamics``, the same for every state.
        threads, progress: as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``hybrid_dynamics``, with the row; or a wrong number of threads.
        UnsupportedModelError: as of ``hybrid_dynamics``.
    """
    refuse_closures(graph, "hybrid dynamics")
    refuse_black_boxes(graph, "hybrid dynamics")
    checked_progress(progress)
    count, is_known = thread_count(threads), prescribed_in(graph, prescribed, graph.joint_names)
    rows = state_rows(graph, {"q": q, "v": v, "vdot": vdot, "tau": tau})
    accelerations, torques = (np.array(rows[name], np.float64) for name in ("vdot", "tau"))
    accelerations[:, ~is_known], torques[:, is_known] = 0.0, 0.0
    _raise_if_not_finite(graph, vdot=accelerations, tau=torques)
    state = graph, rows["q"], rows["v"]
    loads: dict[str, Any] = {"external_wrenches": external_wrenches, "friction": friction}
    if not is_known.any():
        accelerations = forward_dynamics_batch(*state, torques, count, progress=progress, **loads)
        return HybridDynamics(accelerations, torques)
    needed = inverse_dynamics_batch(*state, accelerations, count, **loads)
    free, total = np.flatnonzero(~is_known), len(needed)
    if len(free):
        step = max(64, LARGEST_STACK // graph.nv**2)
        for first in range(0, total, step):
            part = slice(first, min(first + step, total))
            M = mass_matrix_batch(graph, rows["q"][part], count)[:, free[:, None], free]
            right = torques[part][:, free] - needed[part][:, free]
            accelerations[part, free] = _solved(graph, free, M, right, first)
            if progress is not None:
                progress(part.stop, total)
        needed = inverse_dynamics_batch(*state, accelerations, count, **loads)
    elif progress is not None:
        progress(total, total)
    torques[:, is_known] = needed[:, is_known]
    return HybridDynamics(accelerations, torques)


def prescribed_in(
    graph: SubsystemGraph, prescribed: Iterable[str], choices: Iterable[str]
) -> NDArray[np.bool_]:
    """Which of v (nv,) belong to the prescribed joints. Raises StateError: a name that is no choice."""
    if not isinstance(prescribed, Iterable):
        raise StateError(f"prescribed is {prescribed!r}; the names of joints are needed, [] for none")
    names, known = [prescribed] if isinstance(prescribed, str) else list(prescribed), list(choices)
    for name in names:
        if name not in known:
            raise StateError(
                f"prescribed joint '{name}' is none of '{graph.name}' whose acceleration can be prescribed: "
                f"{', '.join(known)}"
            )
    is_known = np.zeros(graph.nv, np.bool_)
    for name in names:
        is_known[graph.v_slice(name)] = True
    return is_known


def completed_by_zeros(vector: ArrayLike, is_read: NDArray[np.bool_]) -> ArrayLike:
    """A vector with zeros where it is not read; unchanged if it has another shape or is not numeric."""
    try:
        array = np.array(number_array("vector", vector))
    except StateError:
        return vector
    if array.shape != is_read.shape:
        return vector
    array[~is_read] = 0.0
    return array


def _raise_if_not_finite(graph: SubsystemGraph, **vectors: Array) -> None:
    for name, rows in vectors.items():
        if not np.isfinite(rows).all():
            row = int(np.argmin(np.isfinite(rows).all(axis=1)))
            try:
                graph.checked(**{name: rows[row]})
            except StateError as error:
                raise StateError(f"row {row}: {error}") from None


def _solved(
    graph: SubsystemGraph, free: NDArray[np.int64], M: Array, right: Array, first: int | None = None
) -> Array:
    """The solutions (k, f) of M (k, f, f) x = right (k, f); ``first``: the number of their first row.

    Raises StateError: joints that move no inertia, by their names.
    """
    raise_lost(graph, M, are_definite(M), free, first)
    solution = np.asarray(np.linalg.solve(M, right[..., None])[..., 0], np.float64)
    is_finite = np.isfinite(solution).all(axis=1)
    if not is_finite.all():
        row = int(np.argmin(is_finite))
        raise StateError(
            f"{_row(first, row)}all arguments are finite, but so large that the accelerations are not"
        )
    return solution


def _row(first: int | None, row: int) -> str:
    return "" if first is None else f"row {first + row}: "
