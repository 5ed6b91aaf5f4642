"""Forward dynamics, a of q, v and tau; and hybrid dynamics, a of some joints and tau of the others."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from ..model import SubsystemGraph
from ..model.number_arrays import number_array
from .arguments import Array, has_loops, of_loops
from .core_robot import loads_on_bodies
from .inverse_dynamics import Wrenches
from .quantity import Quantity, evaluate, only_trees, terms_of

_FORWARD_DYNAMICS = Quantity(
    "forward_dynamics",
    ("q", "v", "tau"),
    lambda graph: (graph.nv,),
    "accelerations",
    only_trees("forward dynamics"),
)
_HYBRID_DYNAMICS = Quantity(
    "hybrid_dynamics",
    ("q", "v", "a", "tau"),
    lambda graph: (2, graph.nv),
    "accelerations",
    only_trees("hybrid dynamics"),
)


def forward_dynamics(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    external_wrenches: Wrenches = None,
    friction: str = "none",
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return accelerations a (nv,) [rad/s^2 or m/s^2] that the torques tau give the graph: M a + h = tau.

    By articulated bodies (ABA; Featherstone, Rigid Body Dynamics Algorithms, chapter 7); where joints mimic
    others, or a floating or spherical joint on a moving body has an armature, by M and h themselves, which
    takes longer. Armatures, springs at joints and friction count as in ``inverse_dynamics``.

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m]; of many states (n, nq).
        v, tau: velocities and torques (nv,) [N m or N], or (n, nv); of a floating joint [force, moment] in
            its child's axes, and so is a: [linear, angular], the derivative of v.
        external_wrenches: {link: [force N, moment N m]} acting on the link, at and in its frame; the same for
            every state.
        friction, guess, threads, out: as of ``inverse_dynamics``.

    Returns:
        The accelerations, with which ``inverse_dynamics`` gives tau as exactly as M's condition allows.

    Raises:
        StateError: a wrong shape, a number that is not finite, an unknown link, a black box in the graph, or
            a joint that moves no inertia, by its name: what it moves while those beyond it are free is
            less than 1e-13 of what it moves while they are held, and mostly rounding. Where it is a share s
            of that, a has a relative error of some 1e-16 / s: 1e-6 at 1e-5 rad from the pose in which the
            axes of a wrist with massless links are in line, and 1e-3 just before the error. Of many states
            with the row.
        ClosureError, SingularityError: as of ``inverse_dynamics``; ``constrained_dynamics`` also works at
            singular configurations.
    """
    if has_loops(graph):
        accelerations: Array = of_loops("forward_dynamics")(**locals())
        return accelerations
    after = terms_of(friction), loads_on_bodies(graph, external_wrenches)
    return evaluate(graph, _FORWARD_DYNAMICS, (q, v, tau), out, threads, after=after)


@dataclass(frozen=True, eq=False)
class HybridDynamics:
    """What `hybrid_dynamics` computes: M a + h = tau, complete.

    Attributes:
        a: accelerations (nv,), or (n, nv) of many states [rad/s^2 or m/s^2].
        tau: torques of the same shape [N m or N].
    """

    a: Array
    tau: Array


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
    """Return accelerations of joints with known torques, and torques of joints with known accelerations.

    M_ff a_f = tau_f - h_f - M_fp a_p, tau_p = h_p + M_pf a_f + M_pp a_p (Featherstone, Rigid Body Dynamics
    Algorithms, section 9.2). With all joints prescribed it is inverse dynamics, with none forward dynamics.

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m]. v: velocities (nv,). Of many
            states, here and below, (n, nq) and (n, nv).
        a: accelerations (nv,), read for the prescribed joints [rad/s^2 or m/s^2]. tau: torques (nv,), read
            for the others [N m or N]. Entries that are not read may be anything, NaN as well.
        prescribed: names of the joints whose accelerations are known. Of a floating joint all six are.
        external_wrenches, friction, guess, threads: as of ``forward_dynamics``.

    Raises:
        StateError: a wrong shape, a number that is read and not finite, an unknown joint or link, a black box
            in the graph, or joints with known torques that move no inertia, by their names: as of
            ``forward_dynamics``. Of many states with the row.
        ClosureError, SingularityError: as of ``constrained_dynamics``, which has accelerations of all joints.
    """
    if has_loops(graph):
        hybrid: HybridDynamics = of_loops("hybrid_dynamics")(**locals())
        return hybrid
    only_trees("hybrid dynamics")(graph)
    is_known = prescribed_in(graph, prescribed, graph.joint_names)
    known_a, known_tau = completed_by_zeros(a, is_known), completed_by_zeros(tau, ~is_known)
    if not is_known.any():
        accelerations = forward_dynamics(
            graph, q, v, known_tau, external_wrenches=external_wrenches, friction=friction, threads=threads
        )
        return HybridDynamics(accelerations, np.array(known_tau, np.float64))
    states = q, v, known_a, known_tau
    after = terms_of(friction), loads_on_bodies(graph, external_wrenches)
    result = evaluate(graph, _HYBRID_DYNAMICS, states, None, threads, before=(is_known,), after=after)
    return HybridDynamics(result[..., 0, :], result[..., 1, :])


def prescribed_names(prescribed: Iterable[str]) -> list[str]:
    """Return the names of prescribed joints as a list, of one name too. Raises StateError: no names."""
    if not isinstance(prescribed, Iterable):
        raise StateError(f"prescribed is {prescribed!r}; the names of joints are needed, [] for none")
    return [prescribed] if isinstance(prescribed, str) else list(prescribed)


def prescribed_in(
    graph: SubsystemGraph, prescribed: Iterable[str], choices: Iterable[str]
) -> NDArray[np.bool_]:
    """Return which of v (nv,) belong to the prescribed joints.

    Raises:
        StateError: no names, or a name that is no choice.
    """
    names, known = prescribed_names(prescribed), list(choices)
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


def completed_by_zeros(vectors: ArrayLike, is_read: NDArray[np.bool_]) -> ArrayLike:
    """Return vectors (..., nv) with zeros where they are not read; unchanged if they have another shape."""
    try:
        array = np.array(number_array("vector", vectors))
    except StateError:
        return vectors
    if array.shape[-1:] != is_read.shape:
        return vectors
    array[..., ~is_read] = 0.0
    return array
