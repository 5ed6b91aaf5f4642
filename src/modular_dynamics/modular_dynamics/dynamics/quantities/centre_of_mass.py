"""The centre of mass of all moving bodies: position, velocity, acceleration, Jacobian."""

from typing import NamedTuple

from numpy.typing import ArrayLike

from ...exceptions import StateError
from ...model import SubsystemGraph
from ..arrays.arguments import Array, Progress
from .momentum import centroidal_momentum_matrix, centroidal_momentum_matrix_batch
from .whole_body import BodySums, body_sums, body_sums_batch, moving_mass

__all__ = [
    "CentreOfMass",
    "centre_of_mass",
    "centre_of_mass_batch",
    "centre_of_mass_jacobian",
    "centre_of_mass_jacobian_batch",
]


class CentreOfMass(NamedTuple):
    """The centre of mass, in the root link's frame. For many states each array has one row per state.

    Attributes:
        mass: of all moving bodies [kg]. What is fixed to the root link does not count.
        position: (3,) [m]. velocity (3,) [m/s], acceleration (3,) [m/s^2]: None without v, or without vdot.
    """

    mass: float
    position: Array
    velocity: Array | None
    acceleration: Array | None


def centre_of_mass(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike | None = None, vdot: ArrayLike | None = None
) -> CentreOfMass:
    """Centre of mass c = sum m_i c_i / m, its velocity and its acceleration, by a compiled kernel.

    Closed loops are ignored: q, v and vdot are those of all joints of the tree.

    Args:
        q: positions (nq,). v: velocities (nv,). vdot: accelerations (nv,), which need v.

    Raises:
        StateError: a wrong shape, a number that is not finite, a black box in the graph, no moving mass, or
            vdot without v.
    """
    _raise_if_without_v(v, vdot)
    return _divided(graph, body_sums(graph, q, v, vdot), v, vdot)


def centre_of_mass_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike | None = None,
    vdot: ArrayLike | None = None,
    threads: int | None = None,
    *,
    progress: Progress = None,
) -> CentreOfMass:
    """The centre of mass in many states, (count, 3) each: ``centre_of_mass`` of each row.

    By a kernel on vector lanes and threads. ``threads``, ``progress`` as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``centre_of_mass``, with the row; or a wrong number of threads.
    """
    _raise_if_without_v(v, vdot)
    return _divided(graph, body_sums_batch(graph, q, v, vdot, threads, progress), v, vdot)


def _raise_if_without_v(v: ArrayLike | None, vdot: ArrayLike | None) -> None:
    if v is None and vdot is not None:
        raise StateError("vdot is given without v; the acceleration of the centre of mass needs both")


def _divided(
    graph: SubsystemGraph, sums: BodySums, v: ArrayLike | None, vdot: ArrayLike | None
) -> CentreOfMass:
    mass = moving_mass(graph)
    velocity = None if v is None else sums.momentum[..., :3] / mass
    acceleration = None if v is None or vdot is None else sums.rate[..., :3] / mass
    return CentreOfMass(mass, sums.first / mass, velocity, acceleration)


def centre_of_mass_jacobian(graph: SubsystemGraph, q: ArrayLike) -> Array:
    """J (3, nv) of the centre of mass: its velocity is J v, in the root link's axes.

    The linear rows of :func:`.centroidal_momentum_matrix`, over the mass. Arguments and errors as there.
    """
    jacobian: Array = centroidal_momentum_matrix(graph, q)[:3] / moving_mass(graph)
    return jacobian


def centre_of_mass_jacobian_batch(
    graph: SubsystemGraph, q: ArrayLike, threads: int | None = None, *, progress: Progress = None
) -> Array:
    """Jacobians of the centre of mass (count, 3, nv): ``centre_of_mass_jacobian`` of each row of q.

    ``threads``, ``progress`` and errors as of ``centroidal_momentum_matrix_batch``.
    """
    matrices = centroidal_momentum_matrix_batch(graph, q, threads, progress=progress)
    jacobians: Array = matrices[:, :3] / moving_mass(graph)
    return jacobians
