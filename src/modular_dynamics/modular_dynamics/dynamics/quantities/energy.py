"""Kinetic and potential energy of all moving bodies, and of drives and springs at joints."""

import numpy as np
from numpy.typing import ArrayLike

from ...exceptions import StateError, UnsupportedModelError
from ...model import SubsystemGraph
from ..arrays.arguments import Array, Progress
from .whole_body import BodySums, body_sums, body_sums_batch

__all__ = ["kinetic_energy", "kinetic_energy_batch", "potential_energy", "potential_energy_batch"]


def kinetic_energy(graph: SubsystemGraph, q: ArrayLike, v: ArrayLike) -> float:
    """T = v^T M v / 2 [J], armatures included; by a compiled kernel, body by body, without M.

    Closed loops are ignored: q and v are those of all joints of the tree.

    Args:
        q: positions (nq,). v: velocities (nv,).

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
    """
    return float(_kinetic(graph, body_sums(graph, q, v, None), v))


def kinetic_energy_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    threads: int | None = None,
    *,
    progress: Progress = None,
) -> Array:
    """Kinetic energies (count,): ``kinetic_energy`` of each row of q (count, nq) and v (count, nv).

    By a kernel on vector lanes and threads. ``threads``, ``progress`` as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``kinetic_energy``, with the row; or a wrong number of threads.
    """
    return _kinetic(graph, body_sums_batch(graph, q, v, None, threads, progress), v)


@np.errstate(over="ignore", invalid="ignore")  # the result is checked
def _kinetic(graph: SubsystemGraph, sums: BodySums, v: ArrayLike) -> Array:
    total, rates = sums.kinetic, np.asarray(v, np.float64)
    for joint in graph.joints:
        if joint.armature:
            scale = 1.0 if joint.mimic is None else joint.mimic.multiplier
            own = scale * rates[..., graph.v_slice(graph.driver(joint))]
            total = total + 0.5 * joint.armature * (own * own).sum(axis=-1)
    return _finite(graph, total)


def potential_energy(graph: SubsystemGraph, q: ArrayLike) -> float:
    """U = -m g . c + sum k (q - q_rest)^2 / 2 [J]: in gravity, and of springs at joints.

    It is zero with all masses at the root's origin and the springs relaxed; its derivative along v is the
    power of ``gravity_torque`` and of the joints' springs. Closed loops are ignored: q is that of all joints.

    Args:
        q: positions (nq,).

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
        UnsupportedModelError: springs between links; ``energy`` includes these.
    """
    return float(_potential(graph, body_sums(graph, q, None, None), q))


def potential_energy_batch(
    graph: SubsystemGraph, q: ArrayLike, threads: int | None = None, *, progress: Progress = None
) -> Array:
    """Potential energies (count,): ``potential_energy`` of each row of q (count, nq).

    By a kernel on vector lanes and threads. ``threads``, ``progress`` as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``potential_energy``, with the row; or a wrong number of threads.
        UnsupportedModelError: as of ``potential_energy``.
    """
    return _potential(graph, body_sums_batch(graph, q, None, None, threads, progress), q)


@np.errstate(over="ignore", invalid="ignore")
def _potential(graph: SubsystemGraph, sums: BodySums, q: ArrayLike) -> Array:
    if graph.springs:
        names = ", ".join(spring.name for spring in graph.springs)
        raise UnsupportedModelError(
            f"potential_energy of '{graph.name}' would leave out its springs {names}; energy(graph, q, v) of "
            "closed robots includes them, and graph.tree has none"
        )
    positions = np.asarray(q, np.float64)
    total: Array = -sums.first @ graph.gravity
    for joint in graph.joints:
        if joint.stiffness:
            own = positions[..., graph.q_slice(graph.driver(joint))][..., 0]
            if joint.mimic is not None:
                own = joint.mimic.multiplier * own + joint.mimic.offset
            total = total + 0.5 * joint.stiffness * (own - joint.rest_position) ** 2
    return _finite(graph, total)


def _finite(graph: SubsystemGraph, energy: Array) -> Array:
    if not np.isfinite(energy).all():
        raise StateError(f"q and v of '{graph.name}' are finite, but so large that the energy is not")
    return energy
