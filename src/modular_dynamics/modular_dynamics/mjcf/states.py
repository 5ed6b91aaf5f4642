"""States and torques in MuJoCo's order and conventions, and in the graph's.

A free joint of MuJoCo has its linear velocity v_w in world axes and its angular velocity omega in the body's.
Here both are in the body's axes: v = R^T v_w, a = R^T a_w - omega x v, f = R^T f_w (of the same power).
Quaternions are w x y z in both, and of unit length in what is returned as qpos. Positions of hinges and
slides are the same.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from ..model import SubsystemGraph, checked_vectors, require_graph
from ..model.joint_order import JointOrder, mujoco_order
from .relations import held_positions
from .tree import names_of

Array = NDArray[np.float64]


class State(NamedTuple):
    """Positions, velocities and accelerations: in the graph's order, or in MuJoCo's as qpos, qvel, qacc."""

    q: Array
    v: Array
    a: Array


def from_mujoco(
    graph: SubsystemGraph,
    model: Any,
    qpos: ArrayLike,
    qvel: ArrayLike | None = None,
    qacc: ArrayLike | None = None,
) -> State:
    """Return q (nq,), v (nv,), a (nv,) of a graph, or rows, from MuJoCo's qpos (model.nq,), qvel and qacc.

    Velocities and accelerations are zero where they are not given. Raises StateError: a wrong shape, a number
    that is not finite, a zero quaternion, or a graph that was not loaded from this model.
    """
    order = _order(graph, model)
    q = order.from_q(qpos)
    rest = np.zeros((*q.shape[:-1], model.nv))
    v = order.from_v(rest if qvel is None else qvel, q)
    return State(q, v, order.from_a(rest if qacc is None else qacc, q, v))


def to_mujoco(
    graph: SubsystemGraph,
    model: Any,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
) -> State:
    """Return qpos (model.nq,), qvel and qacc (model.nv,) of a graph's positions, velocities, accelerations.

    Joints that equality constraints hold at one position get that position. Errors as of :func:`from_mujoco`.
    """
    order, qpos, others = _order(graph, model), model.qpos0.copy(), np.zeros(model.nv)
    v, a = (np.zeros(graph.nv) if rates is None else rates for rates in (v, a))
    q, v, a = checked_vectors(graph, q=q, v=v, a=a)
    for joint, value in held_positions(model).items():
        qpos[model.jnt_qposadr[joint]] = value
    return State(order.to_q(q, qpos), order.to_v(v, q, others), order.to_a(a, q, v, others))


def torques_from_mujoco(graph: SubsystemGraph, model: Any, qpos: ArrayLike, qfrc: ArrayLike) -> Array:
    """Return torques (nv,) of a graph from MuJoCo's generalized forces (model.nv,) at qpos.

    Example: qfrc_inverse. A floating joint's force is turned from the world's axes into the body's. Errors as
    of :func:`from_mujoco`.
    """
    order = _order(graph, model)
    return order.from_tau(qfrc, order.from_q(qpos))


def _order(graph: SubsystemGraph, model: Any) -> JointOrder:
    """Return the order of the model from which a graph was loaded. Raises StateError: another model."""
    require_graph(graph)
    order = mujoco_order(graph, model, names_of(model).joints)
    for name in order.missing:
        raise StateError(f"MuJoCo's model has no joint '{name}'; was '{graph.name}' loaded from it?")
    return order
