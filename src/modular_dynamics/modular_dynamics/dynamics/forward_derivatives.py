"""Derivatives of forward dynamics with respect to q, v and tau."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.recursions.articulated_layout import ROUNDING
from ..model import SubsystemGraph
from .arrays.arguments import Array, Progress
from .derivatives import inverse_dynamics_derivatives, inverse_dynamics_derivatives_batch
from .execution.solver import Wrenches
from .forward_dynamics import forward_dynamics, forward_dynamics_batch
from .lost_inertia import are_definite, raise_lost

__all__ = [
    "ForwardDynamicsDerivatives",
    "forward_dynamics_derivatives",
    "forward_dynamics_derivatives_batch",
]


class ForwardDynamicsDerivatives(NamedTuple):
    """d vdot/d q, d vdot/d v and d vdot/d tau, (nv, nv) each, and vdot (nv,).

    For many states each array has one entry per state: (count, nv, nv) and (count, nv).
    """

    dq: Array
    dv: Array
    dtau: Array
    vdot: Array


def forward_dynamics_derivatives(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    external_wrenches: Wrenches = None,
    *,
    friction: str = "none",
) -> ForwardDynamicsDerivatives:
    """Derivatives of the accelerations of ``forward_dynamics`` with respect to q, v and tau.

    They are -M^-1 dID/dq, -M^-1 dID/dv and M^-1; ID are the torques of ``inverse_dynamics`` at the
    accelerations of q, v, tau (Carpentier & Mansard, Analytical derivatives of rigid body dynamics
    algorithms, 2018). Of floating and spherical joints dq is a small displacement in the child's axes, as of
    ``inverse_dynamics_derivatives``.

    Args:
        q, v, tau, external_wrenches: as of ``forward_dynamics``; wrenches are held fixed at and in their
            link.
        friction: as of ``inverse_dynamics``; of dry friction, which is constant but where v = 0, nothing.

    Raises:
        StateError, UnsupportedModelError: as of ``forward_dynamics``; StateError also where M is singular but
            for rounding, though articulated bodies give accelerations: a very light link that carries a heavy
            one along the same axis.
    """
    vdot = forward_dynamics(graph, q, v, tau, external_wrenches, friction=friction)
    derivatives = inverse_dynamics_derivatives(graph, q, v, vdot, external_wrenches, friction=friction)
    return _solved(graph, derivatives, vdot)


def forward_dynamics_derivatives_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    threads: int | None = None,
    *,
    external_wrenches: Wrenches = None,
    progress: Progress = None,
    friction: str = "none",
) -> ForwardDynamicsDerivatives:
    """Derivatives of many states, (count, nv, nv) each: ``forward_dynamics_derivatives`` of each row.

    By kernels on vector lanes and threads, then NumPy's solver of linear equations.

    Args:
        q: positions (count, nq). v, tau: velocities and torques (count, nv).
        external_wrenches: as of ``forward_dynamics``, the same for every state.
        threads, progress: as of ``inverse_dynamics_batch``; progress is that of the derivatives.
        friction: as of ``forward_dynamics_derivatives``.

    Raises:
        StateError, UnsupportedModelError: as of ``forward_dynamics_batch``.
    """
    vdot = forward_dynamics_batch(
        graph, q, v, tau, threads, external_wrenches=external_wrenches, friction=friction
    )
    derivatives = inverse_dynamics_derivatives_batch(
        graph, q, v, vdot, threads, external_wrenches=external_wrenches, progress=progress, friction=friction
    )
    return _solved(graph, derivatives, vdot, 0)


def _solved(
    graph: SubsystemGraph, derivatives: tuple[Array, Array, Array], vdot: Array, first: int | None = None
) -> ForwardDynamicsDerivatives:
    """The derivatives by those of inverse dynamics; ``first``: the number of their first row.

    Raises StateError: joints that move no inertia, by their names.
    """
    dq, dv, M = derivatives
    # in the unit of each coordinate, in which masses of grams and of tons are alike
    scale = 1.0 / np.sqrt(np.diagonal(M, axis1=-2, axis2=-1))
    try:
        inverse = np.asarray(np.linalg.inv(scale[..., :, None] * M * scale[..., None, :]), np.float64)
    except np.linalg.LinAlgError:
        inverse = np.full_like(M, np.inf)
    matrices = M.reshape(-1, graph.nv, graph.nv)
    mobility = np.diagonal(inverse, axis1=-2, axis2=-1).reshape(-1, graph.nv)
    definite = np.asarray(((mobility > 0.0) & (mobility < 1.0 / ROUNDING)).all(axis=1))
    if not definite.all():
        raise_lost(graph, matrices, definite if definite.any() else are_definite(matrices), first=first)
    inverse = scale[..., :, None] * (0.5 * (inverse + np.swapaxes(inverse, -1, -2))) * scale[..., None, :]
    return ForwardDynamicsDerivatives(-inverse @ dq, -inverse @ dv, inverse, vdot)
