"""Jacobians: the velocities of a robot's links as linear functions of v."""

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import StateError
from ..kernels import layout
from ..kernels.recursions.jacobian import LINK_AXES, ROOT_AXES
from ..model import SubsystemGraph, require_graph
from .arrays.arguments import Array, Progress
from .arrays.model_arrays import with_links
from .execution.algorithms import JACOBIAN
from .execution.solver import Solver
from .workspaces import workspace_of

__all__ = ["Jacobian", "jacobian", "jacobian_batch"]

_AXES = {"root": ROOT_AXES, "link": LINK_AXES}


class Jacobian(Solver):
    """The jacobian of one link: a workspace of one thread, with everything allocated beforehand.

    Raises:
        StateError: a link that the graph does not have, or unknown axes.
    """

    def __init__(self, graph: SubsystemGraph, link: str, axes: str = "root") -> None:
        require_graph(graph)
        if not (isinstance(link, str) and isinstance(axes, str)):
            raise StateError(f"link is {link!r} and axes {axes!r}; two names are needed")
        if axes not in _AXES:
            raise StateError(f"axes is {axes!r}; {' or '.join(map(repr, _AXES))} is needed")
        topology, constants = with_links(graph, (link,))
        topology[-2, layout.MODE] = _AXES[axes]
        super().__init__(graph, JACOBIAN, topology, constants)

    def __call__(self, q: ArrayLike, out: Array | None = None) -> Array:
        """J: see :func:`jacobian`. With ``out`` nothing is allocated after the first call."""
        return self._run((q,), out)


def jacobian(
    graph: SubsystemGraph, q: ArrayLike, link: str, axes: str = "root", out: Array | None = None
) -> Array:
    """J (6, nv) of a link: [pdot; omega] = J v, its velocity relative to the root link.

    pdot is the velocity of the link's origin [m/s], omega its angular velocity [rad/s]; both in the axes of
    the root link (axes = "root", where p is that of ``frame_pose``) or of the link itself ("link"). Of a
    revolute joint with unit axis z through point o the column is [z x (p - o); z], of a prismatic one [z; 0]
    (Featherstone, Rigid Body Dynamics Algorithms, chapter 2); of a floating joint it is the six columns of
    its twist v = (linear, angular) in its body's axes. Columns of joints that do not carry the link are
    zero; a mimic joint's, times its multiplier, is added to its driver's. So J^T maps a force and a moment at
    the link's origin, in the same axes, to the joint torques that they cause.

    Closed loops are ignored: q and v are those of all joints of the tree, passive ones included.

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m].
        link: any link; of one on the ground J is zero.
        out: float64 array (6, nv) for the result; with it nothing is allocated after the first call.

    Raises:
        StateError: a link that the graph does not have, unknown axes, a wrong shape, a number that is not
            finite.
    """
    return workspace_of(graph, Jacobian, link, axes)(q, out)


def jacobian_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    link: str,
    axes: str = "root",
    threads: int | None = None,
    *,
    out: Array | None = None,
    progress: Progress = None,
) -> Array:
    """Jacobians of a link in many states (count, 6, nv): ``jacobian`` at each row of q (count, nq).

    Args:
        link, axes: as of ``jacobian``.
        out: float64 array (count, 6, nv) for the result, none of the arguments.
        threads, progress: as of ``inverse_dynamics_batch``.

    Raises:
        StateError: as of ``jacobian``, with the row; or a wrong number of threads.
    """
    return workspace_of(graph, Jacobian, link, axes).batch()({"q": q}, threads, out, np.float64, progress)
