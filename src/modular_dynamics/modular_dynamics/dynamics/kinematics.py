"""Poses of a robot's links."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..algebra import DualQuaternion, from_rotation_translation
from ..exceptions import StateError
from ..model import SubsystemGraph, require_graph
from .arrays.arguments import Array, Progress
from .arrays.model_arrays import with_links
from .execution.algorithms import FRAME_POSES
from .execution.solver import Solver
from .workspaces import workspace_of

__all__ = ["FramePoses", "frame_pose", "frame_poses", "frame_poses_batch", "link_names"]


class FramePoses(Solver):
    """Poses of chosen links of one graph: a workspace of one thread, with everything allocated beforehand.

    Only the joints that carry these links are computed.

    Attributes:
        links: in the order of the results.

    Raises:
        StateError: a link that the graph does not have.
    """

    def __init__(self, graph: SubsystemGraph, links: Sequence[str] | None = None) -> None:
        require_graph(graph)
        self.links = graph.links if links is None else tuple(links)
        super().__init__(graph, FRAME_POSES, *with_links(graph, self.links))

    def __call__(self, q: ArrayLike, out: Array | None = None) -> Array:
        """Matrices: see :func:`frame_poses`. With ``out`` nothing is allocated after the first call."""
        return self._run((q,), out)


def link_names(links: object) -> tuple[str, ...]:
    """A sequence of link names as a tuple. Raises StateError: it is none."""
    names = tuple(links) if isinstance(links, Iterable) and not isinstance(links, str) else (links,)
    if isinstance(links, str) or not all(isinstance(name, str) for name in names):
        raise StateError(f"links is {links!r}; a sequence of link names is needed")
    return names


def _solver(graph: SubsystemGraph, links: Sequence[str] | None) -> FramePoses:
    return workspace_of(graph, FramePoses, None if links is None else link_names(links))


def frame_pose(graph: SubsystemGraph, q: ArrayLike, link: str) -> DualQuaternion:
    """x_root_link: the pose of one link at positions q (nq,), in the root link's frame. [m]

    The product of the poses along the way, x_root_joint x_joint_body ... x_body_link (Silva & Adorno,
    section II). Of its two signs the one whose rotation has w >= 0.

    Raises:
        StateError: a link that the graph does not have, a wrong shape, a number that is not finite.
    """
    matrix = _solver(graph, (link,))(q)[0]
    return from_rotation_translation(matrix[:3, :3], matrix[:3, 3])


def frame_poses(
    graph: SubsystemGraph, q: ArrayLike, links: Sequence[str] | None = None, out: Array | None = None
) -> Array:
    """Homogeneous matrices [[R, p], [0, 1]] (links, 4, 4): p_root = R p_link + p. [m]

    Closed loops are ignored: q is that of all joints of the tree, passive ones included.

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m].
        links: their names, fixed ones and those on the ground included; by default all of ``graph.links``,
            in that order.
        out: float64 array (links, 4, 4) for the result; with it nothing is allocated after the first call.

    Raises:
        StateError: a link that the graph does not have, a wrong shape, a number that is not finite.
    """
    return _solver(graph, links)(q, out)


def frame_poses_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    links: Sequence[str] | None = None,
    threads: int | None = None,
    *,
    out: Array | None = None,
    progress: Progress = None,
) -> Array:
    """Matrices of many states (count, links, 4, 4): ``frame_poses`` of each row of q (count, nq).

    Args:
        links: as of ``frame_poses``.
        out: float64 array (count, links, 4, 4) for the result, none of the arguments.
        threads, progress: as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``frame_poses``, with the row; or a wrong number of threads.
    """
    return _solver(graph, links).batch()({"q": q}, threads, out, np.float64, progress)
