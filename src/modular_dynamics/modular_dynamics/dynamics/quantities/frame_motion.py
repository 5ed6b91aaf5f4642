"""Velocities and accelerations of a robot's links, and Jdot v.

A compiled kernel computes poses and motions of the links in the root link's axes; NumPy turns them into the
wanted axes and point.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...exceptions import StateError
from ...model import SubsystemGraph
from ..arrays.arguments import Array, Progress
from ..arrays.model_arrays import with_links
from ..execution.algorithms import FRAME_MOTIONS
from ..execution.solver import Solver
from ..kinematics import link_names
from ..workspaces import workspace_of
from .rest import rest, rest_rows

__all__ = [
    "FrameMotions",
    "frame_acceleration",
    "frame_accelerations",
    "frame_accelerations_batch",
    "frame_motions_batch",
    "frame_velocities",
    "frame_velocities_batch",
    "frame_velocity",
    "jacobian_drift",
    "jacobian_drift_batch",
]

_AXES, _POINTS, _KINDS = ("root", "link"), ("link", "root"), ("classical", "spatial")


class FrameMotions(Solver):
    """Motions of chosen links of one graph: a workspace of one thread.

    Calling it gives (links, 8, 3): three rows of the rotation R_root_link, position, angular velocity, linear
    velocity, angular and linear (classical) acceleration of the link's origin, in the root link's axes.
    """

    def __init__(self, graph: SubsystemGraph, links: tuple[str, ...] | None) -> None:
        super().__init__(graph, FRAME_MOTIONS, *with_links(graph, graph.links if links is None else links))

    def __call__(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """R, p, omega, velocity, alpha, acceleration (links, 8, 3)."""
        return self._run((q, v, vdot), None)


def _solver(graph: SubsystemGraph, links: Sequence[str] | None) -> FrameMotions:
    return workspace_of(graph, FrameMotions, None if links is None else link_names(links))


def _choose(what: str, value: object, choices: tuple[str, ...]) -> bool:
    """Whether the value is the second of two choices. Raises StateError: it is neither."""
    if value not in choices:
        raise StateError(f"{what} is {value!r}; {' or '.join(map(repr, choices))} is needed")
    return value == choices[1]


def _turned(motions: Array, linear: Array, angular: Array, axes: str) -> Array:
    """[linear, angular] (..., 6) from the root link's axes into the chosen ones."""
    vectors = np.stack([linear, angular], axis=-2)
    if _choose("axes", axes, _AXES):
        vectors = vectors @ motions[..., :3, :]
    return vectors.reshape(*vectors.shape[:-2], 6)


def _velocity(motions: Array, axes: str, point: str) -> Array:
    """Velocities (..., 6) from the kernel's motions (..., 8, 3)."""
    omega, linear = motions[..., 4, :], motions[..., 5, :]
    if _choose("point", point, _POINTS):
        linear = linear - np.cross(omega, motions[..., 3, :])
    return _turned(motions, linear, omega, axes)


def _acceleration(motions: Array, axes: str, point: str, kind: str) -> Array:
    """Accelerations (..., 6) from the kernel's motions (..., 8, 3)."""
    p, omega, velocity, alpha, acceleration = (motions[..., k, :] for k in range(3, 8))
    if _choose("point", point, _POINTS):
        swing = np.cross(omega, p)
        acceleration = acceleration - np.cross(alpha, p) - np.cross(omega, swing)
        velocity = velocity - swing
    if _choose("kind", kind, _KINDS):
        acceleration = acceleration - np.cross(omega, velocity)
    return _turned(motions, acceleration, alpha, axes)


def frame_velocity(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, link: str, axes: str = "root", point: str = "link"
) -> Array:
    """[pdot; omega] (6,) of one link: see :func:`frame_velocities`."""
    velocity: Array = frame_velocities(graph, q, v, (link,), axes, point)[0]
    return velocity


def frame_velocities(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    links: Sequence[str] | None = None,
    axes: str = "root",
    point: str = "link",
) -> Array:
    """Velocities [pdot; omega] (links, 6) of links, relative to the root link: J v.

    Linear velocity of a point of the link [m/s], then its angular velocity [rad/s] (Featherstone, Rigid Body
    Dynamics Algorithms, chapter 2). Of a link on the ground they are zero. Closed loops are ignored: q and v
    are those of all joints of the tree.

    Args:
        q: positions (nq,). v: velocities (nv,).
        links: their names; by default all of ``graph.links``.
        axes: "root" or "link", whose axes the vectors are in. As of ``jacobian``.
        point: the point of the link whose velocity is meant: "link", its origin; or "root", the point that
            coincides with the root's origin at this instant. With axes and point both "root" the result is
            the spatial velocity in the root's frame, with both "link" that in the link's frame.

    Raises:
        StateError: a link that the graph does not have, unknown axes or point, a wrong shape, a number that
            is not finite.
    """
    return _velocity(_solver(graph, links)(q, v, rest(graph)), axes, point)


def frame_velocities_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    links: Sequence[str] | None = None,
    axes: str = "root",
    point: str = "link",
    threads: int | None = None,
    *,
    progress: Progress = None,
) -> Array:
    """Velocities in many states (count, links, 6): ``frame_velocities`` of each row of q and v.

    By a kernel on vector lanes and threads, then NumPy.

    Args:
        q: positions (count, nq). v: velocities (count, nv).
        links, axes, point: as of ``frame_velocities``.
        threads, progress: as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``frame_velocities``, with the row; or a wrong number of threads.
    """
    motions = frame_motions_batch(graph, q, v, rest_rows(graph, q), links, threads, progress)
    return _velocity(motions, axes, point)


def frame_acceleration(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    link: str,
    axes: str = "root",
    point: str = "link",
    kind: str = "classical",
) -> Array:
    """[linear; angular] acceleration (6,) of one link: see :func:`frame_accelerations`."""
    acceleration: Array = frame_accelerations(graph, q, v, vdot, (link,), axes, point, kind)[0]
    return acceleration


def frame_accelerations(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    links: Sequence[str] | None = None,
    axes: str = "root",
    point: str = "link",
    kind: str = "classical",
) -> Array:
    """Accelerations (links, 6) of links, relative to the root link: linear [m/s^2], angular [rad/s^2].

    Gravity is not part of them: an accelerometer shows R^T (a - g).

    Args:
        q: positions (nq,). v, vdot: velocities and accelerations (nv,).
        links, axes, point: as of ``frame_velocities``.
        kind: "classical", the acceleration a of a point that moves with the link; or "spatial", a - omega x
            pdot, the rate of the velocity at a point that is fixed in space (Featherstone, chapter 2). In
            the link's axes the latter is the derivative of ``frame_velocities``, number by number.

    Raises:
        StateError: as of ``frame_velocities``, or an unknown kind.
    """
    return _acceleration(_solver(graph, links)(q, v, vdot), axes, point, kind)


def frame_accelerations_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    links: Sequence[str] | None = None,
    axes: str = "root",
    point: str = "link",
    kind: str = "classical",
    threads: int | None = None,
    *,
    progress: Progress = None,
) -> Array:
    """Accelerations in many states (count, links, 6): ``frame_accelerations`` of each row.

    By a kernel on vector lanes and threads, then NumPy. Arguments as of ``frame_velocities_batch``.

    Raises:
        StateError: as of ``frame_accelerations``, with the row; or a wrong number of threads.
    """
    return _acceleration(frame_motions_batch(graph, q, v, vdot, links, threads, progress), axes, point, kind)


def jacobian_drift(graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, link: str, axes: str = "root") -> Array:
    """Jdot v (6,) of a link: d/dt (J v) = J vdot + Jdot v, with J of :func:`.jacobian` in the same axes.

    The acceleration of the link at vdot = 0: classical in the root link's axes, spatial in its own, which
    turn.

    Raises:
        StateError: as of ``frame_velocities``.
    """
    drift: Array = _drift(_solver(graph, (link,))(q, v, rest(graph)), axes)[0]
    return drift


def jacobian_drift_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    link: str,
    axes: str = "root",
    threads: int | None = None,
    *,
    progress: Progress = None,
) -> Array:
    """Jdot v of a link in many states (count, 6): ``jacobian_drift`` of each row of q and v.

    By a kernel on vector lanes and threads, then NumPy. ``threads``, ``progress`` as of
    ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``jacobian_drift``, with the row; or a wrong number of threads.
    """
    motions = frame_motions_batch(graph, q, v, rest_rows(graph, q), (link,), threads, progress)
    drift: Array = _drift(motions, axes)[:, 0]
    return drift


def _drift(motions: Array, axes: str) -> Array:
    return _acceleration(motions, axes, "link", "spatial" if axes == "link" else "classical")


def frame_motions_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    links: Sequence[str] | None,
    threads: int | None,
    progress: Progress,
) -> Array:
    """Motions in many states (count, links, 8, 3), as :class:`FrameMotions` gives them."""
    states = {"q": q, "v": v, "vdot": vdot}
    return _solver(graph, links).batch()(states, threads, None, np.float64, progress)
