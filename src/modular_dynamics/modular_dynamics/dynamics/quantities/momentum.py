"""Momentum of all moving bodies about their centre of mass, its matrix, and its rate."""

import numpy as np
from numpy.typing import ArrayLike

from ...model import SubsystemGraph
from ..arrays.arguments import Array, Progress
from ..execution.algorithms import MOMENTUM_MATRIX
from ..execution.solver import Solver
from ..workspaces import workspace_of
from .whole_body import body_sums, body_sums_batch, masses_of, moving_mass

__all__ = [
    "MomentumMatrix",
    "centroidal_momentum",
    "centroidal_momentum_batch",
    "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_batch",
    "centroidal_momentum_rate",
    "centroidal_momentum_rate_batch",
]


class MomentumMatrix(Solver):
    """The centroidal momentum matrix of one graph: a workspace of one thread.

    Raises:
        StateError: a black box in the graph, or no moving mass.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        arrays = masses_of(graph, "the centroidal momentum matrix")
        moving_mass(graph)
        super().__init__(graph, MOMENTUM_MATRIX, *arrays)

    def __call__(self, q: ArrayLike, out: Array | None = None) -> Array:
        """A: see :func:`centroidal_momentum_matrix`."""
        return self._run((q,), out)


def centroidal_momentum_matrix(graph: SubsystemGraph, q: ArrayLike, out: Array | None = None) -> Array:
    """A (6, nv): momentum of all moving bodies about their centre of mass, [linear; angular] = A v.

    In the root link's axes, by composite bodies (Orin, Goswami & Lee, Centroidal dynamics of a humanoid
    robot, 2013). Closed loops are ignored: q and v are those of all joints of the tree. Armatures are
    not included. [kg, kg m, kg m^2]

    Args:
        q: positions (nq,).
        out: float64 array (6, nv) for the result; with it nothing is allocated after the first call.

    Raises:
        StateError: a wrong shape, a number that is not finite, a black box in the graph, or no moving mass.
    """
    return workspace_of(graph, MomentumMatrix)(q, out)


def centroidal_momentum_matrix_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    threads: int | None = None,
    *,
    out: Array | None = None,
    progress: Progress = None,
) -> Array:
    """Momentum matrices (count, 6, nv): ``centroidal_momentum_matrix`` of each row of q (count, nq).

    By a kernel on vector lanes and threads.

    Args:
        out: float64 array (count, 6, nv) for the result, none of the arguments.
        threads, progress: as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``centroidal_momentum_matrix``, with the row; or a wrong number of threads.
    """
    return workspace_of(graph, MomentumMatrix).batch()({"q": q}, threads, out, np.float64, progress)


def _about_centre(graph: SubsystemGraph, first: Array, vectors: Array) -> Array:
    """[linear, angular about the root's origin] -> the same about the centre of mass, first / mass."""
    moved = vectors.copy()
    moved[..., 3:] -= np.cross(first / moving_mass(graph), vectors[..., :3])
    return moved


def centroidal_momentum(graph: SubsystemGraph, q: ArrayLike, v: ArrayLike) -> Array:
    """[linear; angular] momentum (6,) of all moving bodies about their centre of mass, in the root's axes.

    A v without A, by a compiled kernel. Arguments and errors as of ``centre_of_mass``. [kg m/s, kg m^2/s]
    """
    sums = body_sums(graph, q, v, None)
    return _about_centre(graph, sums.first, sums.momentum)


def centroidal_momentum_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    threads: int | None = None,
    *,
    progress: Progress = None,
) -> Array:
    """Momentum in many states (count, 6): ``centroidal_momentum`` of each row.

    By a kernel on vector lanes and threads. ``threads``, ``progress`` and errors as of
    ``centre_of_mass_batch``.
    """
    sums = body_sums_batch(graph, q, v, None, threads, progress)
    return _about_centre(graph, sums.first, sums.momentum)


def centroidal_momentum_rate(graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
    """The derivative (6,) of ``centroidal_momentum``: Adot v + A vdot [N, N m].

    It equals the sum of all external forces, weight included, and of their moments about the centre of mass.
    Arguments and errors as of ``centre_of_mass``.
    """
    sums = body_sums(graph, q, v, vdot)
    return _about_centre(graph, sums.first, sums.rate)


def centroidal_momentum_rate_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    threads: int | None = None,
    *,
    progress: Progress = None,
) -> Array:
    """The derivative of momentum in many states (count, 6): ``centroidal_momentum_rate`` of each row.

    By a kernel on vector lanes and threads. ``threads``, ``progress`` and errors as of
    ``centre_of_mass_batch``.
    """
    sums = body_sums_batch(graph, q, v, vdot, threads, progress)
    return _about_centre(graph, sums.first, sums.rate)
