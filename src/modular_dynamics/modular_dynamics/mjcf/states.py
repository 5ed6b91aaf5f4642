"""States and torques in MuJoCo's order and conventions, and in the graph's.

A free joint of MuJoCo has its linear velocity v_w in world axes and its angular velocity omega in the body's.
Here both are in the body's axes: v = R^T v_w, a = R^T a_w - omega x v, f = R^T f_w (of the same power).
Quaternions are w x y z in both. Positions of hinges and slides are the same.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra import Quaternion, rotation_matrix
from ..exceptions import StateError
from ..model import JointType, SubsystemGraph, checked_vectors, require_graph
from ..model.number_arrays import SMALLEST_NORM, first_not_finite, number_array
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
    """Return q (nq,), v (nv,), a (nv,) of a graph from MuJoCo's qpos (model.nq,), qvel, qacc (model.nv,).

    Velocities and accelerations are zero where they are not given. Raises StateError: a wrong shape, a number
    that is not finite, a zero quaternion, or a graph that was not loaded from this model.
    """
    require_graph(graph)
    qpos = _checked("qpos", qpos, model.nq)
    qvel, qacc = _checked("qvel", qvel, model.nv), _checked("qacc", qacc, model.nv)
    state = State(graph.neutral(), np.zeros(graph.nv), np.zeros(graph.nv))
    for kind, (q, v), (theirs_q, theirs_v) in _joints(graph, model):
        state.q[q], state.v[v], state.a[v] = qpos[theirs_q], qvel[theirs_v], qacc[theirs_v]
        if kind is JointType.FLOATING:
            R, linear = _axes(state.q[q]), slice(v.start, v.start + 3)
            state.v[linear] = R.T @ state.v[linear]
            state.a[linear] = R.T @ state.a[linear] - np.cross(state.v[v][3:], state.v[linear])
    return state


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
    require_graph(graph)
    v, a = (np.zeros(graph.nv) if rates is None else rates for rates in (v, a))
    q, v, a = checked_vectors(graph, q=q, v=v, a=a)
    state = State(model.qpos0.copy(), np.zeros(model.nv), np.zeros(model.nv))
    for joint, value in held_positions(model).items():
        state.q[model.jnt_qposadr[joint]] = value
    for kind, (ours_q, ours_v), (theirs_q, theirs_v) in _joints(graph, model):
        state.q[theirs_q], state.v[theirs_v], state.a[theirs_v] = q[ours_q], v[ours_v], a[ours_v]
        if kind is JointType.FLOATING:
            R, linear = _axes(q[ours_q]), slice(theirs_v.start, theirs_v.start + 3)
            velocity, omega = v[ours_v][:3], v[ours_v][3:]
            state.v[linear] = R @ velocity
            state.a[linear] = R @ (a[ours_v][:3] + np.cross(omega, velocity))
    return state


def torques_from_mujoco(graph: SubsystemGraph, model: Any, qpos: ArrayLike, qfrc: ArrayLike) -> Array:
    """Torques (nv,) of a graph from MuJoCo's generalized forces (model.nv,) at qpos, such as qfrc_inverse.

    Of a floating joint the force is turned from the world's axes into the body's. Errors as of
    :func:`from_mujoco`.
    """
    require_graph(graph)
    qpos, qfrc = _checked("qpos", qpos, model.nq), _checked("qfrc", qfrc, model.nv)
    tau = np.zeros(graph.nv)
    for kind, (_, v), (theirs_q, theirs_v) in _joints(graph, model):
        tau[v] = qfrc[theirs_v]
        if kind is JointType.FLOATING:
            linear = slice(v.start, v.start + 3)
            tau[linear] = _axes(qpos[theirs_q]).T @ tau[linear]
    return tau


def _joints(
    graph: SubsystemGraph, model: Any
) -> Iterator[tuple[JointType, tuple[slice, slice], tuple[slice, slice]]]:
    """Yield each joint's type, its slices of q and v, and those in MuJoCo's order."""
    index = {name: k for k, name in enumerate(names_of(model).joints)}
    for name in graph.joint_names:
        if name not in index:
            raise StateError(f"MuJoCo's model has no joint '{name}'; was '{graph.name}' loaded from it?")
        k, kind = index[name], graph.joint(name).type
        q, v = int(model.jnt_qposadr[k]), int(model.jnt_dofadr[k])
        theirs = slice(q, q + kind.nq), slice(v, v + kind.nv)
        yield kind, (graph.q_slice(name), graph.v_slice(name)), theirs


def _axes(pose: Array) -> Array:
    """Return a floating joint's rotation matrix (3, 3): pose is x y z, quaternion w x y z."""
    rotation = Quaternion(*pose[3:].tolist())
    length = rotation.norm()
    if length < SMALLEST_NORM:
        raise StateError("qpos of a free joint has a zero quaternion (w x y z)")
    return rotation_matrix(rotation * (1.0 / length))


def _checked(name: str, values: ArrayLike | None, length: int) -> Array:
    """Return a MuJoCo vector of finite numbers; zeros if it is not given. Raises StateError."""
    array = np.zeros(length) if values is None else number_array(name, values)
    if array.shape != (length,):
        raise StateError(f"MuJoCo's {name} has shape {array.shape}; ({length},) is needed")
    k = first_not_finite(array)
    if k >= 0:
        raise StateError(f"MuJoCo's {name}[{k}] is {array[k]}; a finite number is needed")
    return array
