"""Inverse dynamics as a linear map of the inertial parameters, for identification."""

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.recursions.regressor import PARAMETERS, TURN
from ..model import SubsystemGraph, refuse_black_boxes
from .arrays.arguments import Array, Progress
from .arrays.model_arrays import alignment, arrays_of
from .execution.algorithms import REGRESSOR
from .execution.solver import Solver
from .joint_regressor import joint_parameters, with_joint_columns
from .workspaces import workspace_of

__all__ = ["Regressor", "inertial_parameters", "regressor", "regressor_batch"]


class Regressor(Solver):
    """The regressor of one graph: a workspace of one thread, with everything allocated beforehand.

    Raises for black boxes and closed loops as :func:`regressor` does.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        topology, constants = arrays_of(graph, "the regressor")
        for joint, row in zip(graph.joints, constants[:-1], strict=True):
            row[TURN : TURN + 9] = alignment(joint).ravel()
        super().__init__(graph, REGRESSOR, topology, constants)

    def __call__(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, out: Array | None = None) -> Array:
        """Y: see :func:`regressor`. With ``out`` nothing is allocated after the first call."""
        return self._run((q, v, vdot), out)


def inertial_parameters(graph: SubsystemGraph, *, joint_terms: bool = False) -> Array:
    """theta (10 n,): of each body of ``graph.bodies`` [m, m c_x, m c_y, m c_z, Ixx, Ixy, Iyy, Ixz, Iyz, Izz].

    Mass, first moment and inertia I about the origin (I = I_c + m (c.c 1 - c c^T)), in the axes of the
    body's moving link, links that are fixed to it included. [kg, kg m, kg m^2]

    Args:
        joint_terms: (15 n,), with [armature, damping, friction, stiffness, stiffness times rest position] of
            each joint of ``graph.joints`` behind those of all bodies.

    Raises:
        StateError: a black box in the graph.
    """
    refuse_black_boxes(graph, "theta")
    theta = np.empty((len(graph.bodies), PARAMETERS))
    for row, body in zip(theta, graph.bodies, strict=True):
        c = body.com
        inertia = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
        row[0], row[1:4] = body.mass, body.mass * c
        row[4:] = inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    return np.concatenate([theta.ravel(), joint_parameters(graph)]) if joint_terms else theta.ravel()


def regressor(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    out: Array | None = None,
    *,
    joint_terms: bool = False,
) -> Array:
    """Y (nv, 10 n) with tau = Y theta: inverse dynamics, gravity included, linear in the parameters.

    n is the number of bodies and theta that of :func:`inertial_parameters`; Y depends on the motion and the
    robot's geometry alone (Atkeson, An & Hollerbach, Estimation of inertial parameters of manipulator loads
    and links, 1986). Not all of theta can be identified: the columns of Y over many motions are dependent. A
    mimic joint's row, times its multiplier, is added to its driver's. [tau: N m or N]

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m].
        v, vdot: velocities and accelerations (nv,).
        out: float64 array (nv, 10 n) for the result; with it nothing is allocated after the first call.
        joint_terms: (nv, 15 n), with columns for the joints' parameters, as in ``inertial_parameters``: Y
            theta is then ``inverse_dynamics`` with friction="urdf". Without, what joints add is left out.
            It allocates memory, also with ``out``.

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
        UnsupportedModelError: the graph has loop joints, passive joints, gears or springs.
    """
    solver = workspace_of(graph, Regressor)
    if not joint_terms:
        return solver(q, v, vdot, out)
    q, v, vdot = graph.checked(q=q, v=v, vdot=vdot)
    return with_joint_columns(graph, solver(q, v, vdot), q, v, vdot, out)


def regressor_batch(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    vdot: ArrayLike,
    threads: int | None = None,
    *,
    out: Array | None = None,
    progress: Progress = None,
    joint_terms: bool = False,
) -> Array:
    """Regressors of many states (count, nv, 10 n): ``regressor`` of each row of the arguments.

    For least squares stack them: ``Y.reshape(-1, Y.shape[2])`` belongs to ``tau.ravel()`` of torques
    (count, nv).

    Args:
        q: positions (count, nq). v, vdot: velocities and accelerations (count, nv).
        out: float64 array (count, nv, 10 n) for the result, none of the arguments.
        threads, progress: as of ``inverse_dynamics_batch``.
        joint_terms: (count, nv, 15 n), as of ``regressor``.

    Raises:
        StateError: as of ``regressor``, with the row; or a wrong number of threads.
        UnsupportedModelError: as of ``regressor``.
    """
    run, states = workspace_of(graph, Regressor).batch(), {"q": q, "v": v, "vdot": vdot}
    if not joint_terms:
        return run(states, threads, out, np.float64, progress)
    Y = run(states, threads, None, np.float64, progress)
    q, v, vdot = (np.asarray(x, np.float64) for x in (q, v, vdot))
    return with_joint_columns(graph, Y, q, v, vdot, out)
