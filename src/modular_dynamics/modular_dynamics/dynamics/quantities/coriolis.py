"""The matrix C(q, v) of Coriolis and centrifugal torques for which Mdot - 2 C is skew-symmetric."""

import numpy as np
from numpy.typing import ArrayLike

from ...algebra.matrix_forms import ad, skew
from ...model import JointType, SubsystemGraph, require_graph
from ..arrays.arguments import Array, Progress
from ..derivatives import inverse_dynamics_derivatives, inverse_dynamics_derivatives_batch
from .rest import rest, rest_rows

__all__ = ["coriolis_matrix", "coriolis_matrix_batch"]


def coriolis_matrix(graph: SubsystemGraph, q: ArrayLike, v: ArrayLike) -> Array:
    """C (nv, nv) with C v = bias(q, v) - bias(q, 0), and Mdot = C + C^T: Mdot - 2 C is skew-symmetric.

    C_ij = sum_k Gamma_ijk v_k with Christoffel's symbols: since the bias is quadratic in v, that is half of
    its derivative with respect to v, which ``inverse_dynamics_derivatives`` has in closed form. Where
    velocities are no derivatives of coordinates (floating and spherical joints), half of M ad(v_j) is added,
    M without armatures, ad(v_j) the matrix of the Lie bracket with the joint's own velocity; then it is the
    matrix of Echeandia & Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols
    for rigid-body systems, 2021. Armatures, which are constant, have no part in C.

    Args:
        q: positions (nq,). v: velocities (nv,).

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    derivatives = inverse_dynamics_derivatives(graph, q, v, rest(graph))
    return _coriolis(graph, derivatives.dv, derivatives.dvdot, np.asarray(v, np.float64))


def coriolis_matrix_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    threads: int | None = None,
    *,
    progress: Progress = None,
) -> Array:
    """C of many states (count, nv, nv): ``coriolis_matrix`` of each row of q (count, nq) and v (count, nv).

    By the kernel of the derivatives on vector lanes and threads, then NumPy.

    Raises:
        StateError: as of ``coriolis_matrix``, with the row; or a wrong number of threads.
        UnsupportedModelError: as of ``coriolis_matrix``.
    """
    require_graph(graph)
    derivatives = inverse_dynamics_derivatives_batch(
        graph, q, v, rest_rows(graph, q), threads, progress=progress
    )
    return _coriolis(graph, derivatives.dv, derivatives.dvdot, np.asarray(v, np.float64))


def _coriolis(graph: SubsystemGraph, dv: Array, M: Array, v: Array) -> Array:
    C: Array = 0.5 * dv
    for name in graph.joint_names:
        joint, where = graph.joint(name), graph.v_slice(name)
        if joint.type.nv > 1:
            columns = M[..., where] - joint.armature * np.eye(graph.nv)[:, where]
            C[..., where] += 0.5 * columns @ _bracket(joint.type, v[..., where])
    return C


def _bracket(kind: JointType, v: Array) -> Array:
    """ad(v) of a twist (linear, angular), or of an angular velocity, in the body's axes."""
    return ad(v) if kind is JointType.FLOATING else skew(v)
