"""Inverse dynamics as a linear map of the parameters of bodies and joints, for identification."""

import numpy as np
from numpy.typing import ArrayLike

from ..model import SubsystemGraph, refuse_black_boxes
from .arguments import Array, checked_out, has_loops, of_loops
from .quantity import Quantity, evaluate, only_trees

#: Names of the inertial parameters of each body, in order: see `inertial_parameters`.
PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
#: Names of the parameters of each joint, in order; the last one is a product.
JOINT_PARAMETERS = ("armature", "damping", "friction", "stiffness", "stiffness rest_position")


_REGRESSOR = Quantity(
    "regressor",
    ("q", "v", "a"),
    lambda graph: (graph.nv, len(PARAMETERS) * len(graph.bodies)),
    "elements of the regressor",
    only_trees("the regressor"),
)


def inertial_parameters(graph: SubsystemGraph, *, joint_terms: bool = False) -> Array:
    """Return theta (10 n,): [m, m c_x, m c_y, m c_z, Ixx, Ixy, Iyy, Ixz, Iyz, Izz] of each body of the graph.

    Mass, first moment and inertia I about the origin (I = I_c + m (c.c 1 - c c^T)), in the axes of the
    body's moving link, links that are fixed to it included. [kg, kg m, kg m^2]

    Args:
        joint_terms: (15 n,), with [armature, damping, friction, stiffness, stiffness times rest position] of
            each joint of ``graph.joints`` behind those of all bodies.

    Raises:
        StateError: a black box in the graph.
    """
    refuse_black_boxes(graph, "theta")
    theta = np.empty((len(graph.bodies), len(PARAMETERS)))
    for row, body in zip(theta, graph.bodies, strict=True):
        c = body.com
        inertia = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
        row[0], row[1:4] = body.mass, body.mass * c
        row[4:] = inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    if not joint_terms:
        return theta.ravel()
    of_joints = [
        (one.armature, one.damping, one.friction, one.stiffness, one.stiffness * one.rest_position)
        for one in graph.joints
    ]
    return np.concatenate([theta.ravel(), np.array(of_joints, np.float64).ravel()])


def regressor(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    joint_terms: bool = False,
    guess: ArrayLike | None = None,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return Y (nv, 10 n) with tau = Y theta: inverse dynamics, gravity included, linear in the parameters.

    n is the number of bodies and theta that of :func:`inertial_parameters`; Y depends on the motion and the
    robot's geometry alone (Atkeson, An & Hollerbach, Estimation of inertial parameters of manipulator loads
    and links, 1986). Not all of theta can be identified: the columns of Y over many motions are dependent. A
    mimic joint's row, times its multiplier, is added to its driver's. [tau: N m or N]

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m]; of many states (count, nq), which
            give (count, nv, 10 n). For least squares stack them: ``Y.reshape(-1, Y.shape[2])`` belongs to
            ``tau.ravel()``.
        v, a: velocities and accelerations (nv,), or (count, nv).
        joint_terms: (nv, 15 n), with columns for the joints' parameters, as in ``inertial_parameters``: Y
            theta is then ``inverse_dynamics`` with friction="urdf". Without, what joints add is left out.
        guess, threads, out: as of ``mass_matrix``.

    With closed loops Y has a row for each independent joint. What is no part of theta is left out there, too:
    torques that hold springs between links, and without joint_terms what springs and armatures at joints add,
    are ``inverse_dynamics`` less Y theta.

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph; of many states
            with the row.
        ClosureError, SingularityError: as of ``inverse_dynamics``. UnsupportedModelError: also where loops
            leave passive joints free.
    """
    if has_loops(graph):
        rows: Array = of_loops("regressor")(**locals())
        return rows
    if not joint_terms:
        return evaluate(graph, _REGRESSOR, (q, v, a), out, threads)
    Y = evaluate(graph, _REGRESSOR, (q, v, a), None, threads)
    q, v, a = (np.asarray(x, np.float64) for x in (q, v, a))
    return _with_joint_columns(graph, Y, q, v, a, out)


def _with_joint_columns(
    graph: SubsystemGraph, Y: Array, q: Array, v: Array, a: Array, out: Array | None
) -> Array:
    """Append the columns of the joints' parameters to Y (..., nv, 10 n), and return (..., nv, 15 n).

    tau = armature a + damping v + friction sign(v) + stiffness q - (stiffness rest_position) at the joint
    itself; of a mimic joint, qd_m = m qd + o, m times that at its driver. Springs have columns where a joint
    has one coordinate.
    """
    columns = np.zeros((*Y.shape[:-1], len(graph.joints), len(JOINT_PARAMETERS)))
    for k, joint in enumerate(graph.joints):
        driver = graph.driver(joint)
        m, offset = (1.0, 0.0) if joint.mimic is None else (joint.mimic.multiplier, joint.mimic.offset)
        at = graph.v_slice(driver)
        rate = m * v[..., at]
        columns[..., at, k, 0] = m * m * a[..., at]
        columns[..., at, k, 1] = m * rate
        columns[..., at, k, 2] = m * np.sign(rate)
        if joint.type.nv == 1:
            columns[..., at, k, 3] = m * (m * q[..., graph.q_slice(driver)] + offset)
            columns[..., at, k, 4] = -m
    columns = columns.reshape(*Y.shape[:-1], len(JOINT_PARAMETERS) * len(graph.joints))
    if out is not None:
        checked_out(out, (*Y.shape[:-1], Y.shape[-1] + columns.shape[-1]))
    return np.concatenate([Y, columns], axis=-1, out=out)
