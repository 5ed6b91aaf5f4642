"""Forward dynamics, a of q, v and tau; and hybrid dynamics, each where it is not known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from ..model import SubsystemGraph
from ..model.number_arrays import number_array
from .arguments import Array, has_loops, with_loops
from .core_robot import loads_on_bodies
from .equation_of_motion import mass_matrix
from .inverse_dynamics import Wrenches
from .quantity import Quantity, evaluate, only_trees, terms_of

# Motions that move no inertia: whether M has one, which joints make it, and what to say of them.
#
# Three joints through one point, with massless links between, lose a direction where the axes of the first
# and the third are in line: turning one against the other moves nothing. M is singular there, and every
# torque along this motion would accelerate it infinitely. One rule decides everywhere whether M is singular
# but for rounding: what a joint moves while others are free (a pivot of Cholesky's method or of articulated
# bodies, or the inverse of a diagonal element of M^-1) must be more than `ROUNDING` times what it moves while
# they are held.

#: A pivot up to this share of what a joint moves while others are held is mostly rounding; as in the core.
ROUNDING = 1e-13
#: Part of a joint in a lost motion, of which all joints have unit inertias, that is more than rounding.
PART = 1e-3


def are_definite(M: Array) -> NDArray[np.bool_]:
    """Return whether each of the matrices (count, n, n) is positive definite beyond rounding."""
    diagonals = np.diagonal(M, axis1=1, axis2=2)
    try:
        pivots = np.diagonal(np.linalg.cholesky(M), axis1=1, axis2=2) ** 2
    except np.linalg.LinAlgError:  # one or more matrices are not positive definite
        pivots = np.array([_pivots(matrix) for matrix in M]).reshape(diagonals.shape)
    return np.asarray((pivots > ROUNDING * diagonals).all(axis=1))


def _pivots(matrix: Array) -> Array:
    """Return the pivots (n,) of one matrix; zeros if it is not positive definite."""
    try:
        return np.asarray(np.diagonal(np.linalg.cholesky(matrix)) ** 2)
    except np.linalg.LinAlgError:
        return np.zeros(len(matrix))


def lost_joints(graph: SubsystemGraph, M: Array, velocities: NDArray[np.int64] | None = None) -> list[str]:
    """Return names of the joints in motions without inertia of M (n, n), or with the least inertia.

    Args:
        velocities: (n,) indices in v of the rows of M; all by default.
    """
    indices = np.arange(graph.nv) if velocities is None else velocities
    diagonal = np.diagonal(M)
    moves = ~(diagonal > 0.0)
    if not moves.any():
        scale = 1.0 / np.sqrt(diagonal)
        sizes, motions = np.linalg.eigh(scale[:, None] * M * scale)
        lost = sizes <= max(sizes[0], 10.0 * ROUNDING)
        moves = (np.abs(motions[:, lost]) > PART).any(axis=1)
    moving = np.zeros(graph.nv, np.bool_)
    moving[indices[moves]] = True
    return [name for name in graph.joint_names if moving[graph.v_slice(name)].any()]


def no_inertia_text(graph: SubsystemGraph, names: Sequence[str]) -> str:
    """Return the error text for joints with known torques that move no inertia."""
    if len(names) == 1:
        return (
            f"joint '{names[0]}' moves no inertia: link '{graph.joint(names[0]).child_link}' and what it "
            "carries have none along the joint while the joints beyond it are free; any torque would "
            "accelerate it infinitely"
        )
    listed = ", ".join(f"'{name}'" for name in names[:-1])
    return (
        f"joints {listed} and '{names[-1]}' together move no inertia at this configuration: the mass matrix "
        f"of '{graph.name}' is singular, and torques would accelerate them infinitely; with an inertia of "
        "the links between them, or an armature of the joints, it would not be"
    )


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
        a. With it ``inverse_dynamics`` gives tau again, as exactly as the condition of M allows.

    Raises:
        StateError: a wrong shape, a number that is not finite, an unknown link, a black box in the graph, or
            joints that move no inertia, by their names: what a joint moves while those beyond it are free is
            less than 1e-13 of what it moves while they are held, and mostly rounding. Where it is a share s
            of that, a has a relative error of some 1e-16 / s: 1e-6 at 1e-5 rad from the pose in which the
            axes of a wrist with massless links are in line, and 1e-3 just before the error. Of many states
            with the row.
        ClosureError, SingularityError: as of ``inverse_dynamics``; ``constrained_dynamics`` answers at dead
            points.
    """
    if has_loops(graph):
        a: Array = with_loops.forward_dynamics(
            graph,
            q,
            v,
            tau,
            external_wrenches=external_wrenches,
            friction=friction,
            guess=guess,
            threads=threads,
            out=out,
        )
        return a

    def lost(joint: int, q: Array) -> str:
        names, first = lost_joints(graph, mass_matrix(graph, q)), graph.joints[joint].name
        # moving inertia far from the axis and back, the recursion loses digits that M has
        return no_inertia_text(graph, names if first in names or first not in graph.joint_names else [first])

    loads = None if external_wrenches is None else loads_on_bodies(graph, external_wrenches)
    after = terms_of(friction), loads
    return evaluate(graph, _FORWARD_DYNAMICS, (q, v, tau), out, threads, after=after, lost=lost)


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
        found: HybridDynamics = with_loops.hybrid_dynamics(
            graph,
            q,
            v,
            a,
            tau,
            prescribed,
            external_wrenches=external_wrenches,
            friction=friction,
            guess=guess,
            threads=threads,
        )
        return found
    only_trees("hybrid dynamics")(graph)
    is_known = prescribed_in(graph, prescribed, graph.joint_names)
    known_a, known_tau = completed_by_zeros(a, is_known), completed_by_zeros(tau, ~is_known)
    if not is_known.any():
        accelerations = forward_dynamics(
            graph, q, v, known_tau, external_wrenches=external_wrenches, friction=friction, threads=threads
        )
        return HybridDynamics(accelerations, np.array(known_tau, np.float64))
    free = np.flatnonzero(~is_known)

    def lost(joint: int, q: Array) -> str:
        M = mass_matrix(graph, q)[np.ix_(free, free)]
        return no_inertia_text(graph, lost_joints(graph, M, free))

    loads = None if external_wrenches is None else loads_on_bodies(graph, external_wrenches)
    states, after = (q, v, known_a, known_tau), (terms_of(friction), loads)
    result = evaluate(
        graph, _HYBRID_DYNAMICS, states, None, threads, before=(is_known,), after=after, lost=lost
    )
    return HybridDynamics(result[..., 0, :], result[..., 1, :])


def prescribed_in(
    graph: SubsystemGraph, prescribed: Iterable[str], choices: Iterable[str]
) -> NDArray[np.bool_]:
    """Return which of v (nv,) belong to the prescribed joints.

    Raises:
        StateError: a name that is no choice.
    """
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
