"""Backward half: joint wrenches W_i(Xi_i) and Gamma_{j,i} (Silva & Adorno, eqs. 1, 7), and joint torques."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, rotation_matrix
from ..model import JointType, Subsystem, SubsystemGraph
from .algebras import Algebra
from .motion import Motion


def path_to(graph: SubsystemGraph, subsystem: Subsystem, body: int) -> list[int]:
    """Return the eta joints of a subsystem from its start to ``body``, as indices in the subsystem."""
    path: list[int] = []
    k: int | None = body
    while k is not None and k in subsystem.indices:
        path.append(k - subsystem.first)
        k = graph.parents[k]
    return path[::-1]


def own_wrenches(
    graph: SubsystemGraph,
    subsystem: Subsystem,
    motion: Motion,
    loads: Mapping[int, DualQuaternion],
    algebra: Algebra,
) -> list[Any]:
    """Return W_i: from twists at the CoMs, wrenches at the n_i joints, each in its joint's frame.

    zeta_j = Ad(x_j_c) zeta_c - load + the wrenches of the joints that its body carries. ``loads``: wrenches
    from outside by index of the body on which they act, in its frame.
    """
    at_joint: list[Any] = [None] * len(subsystem.joints)
    total, total_dot = motion.total, motion.total_dot
    for n in reversed(range(len(subsystem.joints))):
        body = subsystem.bodies[n]
        x_c_ground = motion.x_c_a[n] * motion.x_ground_a.conjugate()
        gravity = rotation_matrix(x_c_ground.primary) @ graph.gravity
        x_joint_a = motion.x_a_joint[n].conjugate()
        zeta_c = algebra.newton_euler(body.mass, body.inertia, gravity, total[n], total_dot[n])
        zeta = algebra.move_wrench(x_joint_a * motion.x_c_a[n].conjugate(), zeta_c)
        if subsystem.first + n in loads:
            load = loads[subsystem.first + n]
            external = algebra.wrench(load.primary.vector, load.dual.vector)
            zeta = zeta - algebra.move_wrench(x_joint_a * motion.x_a_body[n], external)
        for m in range(n + 1, len(subsystem.joints)):
            if graph.parents[subsystem.first + m] == subsystem.first + n:
                zeta = zeta + algebra.move_wrench(x_joint_a * motion.x_a_joint[m], at_joint[m])
        at_joint[n] = zeta
    return at_joint


def connection_poses(
    graph: SubsystemGraph, subsystem: Subsystem, motion: Motion, successor: Subsystem
) -> list[DualQuaternion]:
    """Return X_{j,i}: the poses of b_ij in the frames of the eta joints before it; 0 at the other joints."""
    poses = [DualQuaternion.zero] * len(subsystem.joints)
    body = successor.connection.body
    if body is not None and body in subsystem.indices:
        x_a_b = motion.x_a_body[body - subsystem.first] * successor.connection.x_body_connection
        for n in path_to(graph, subsystem, body):
            poses[n] = motion.x_a_joint[n].conjugate() * x_a_b
    return poses


def at_joints(poses: list[DualQuaternion], zeta_b: Any, algebra: Algebra) -> list[Any]:
    """Return Gamma_{j,i} = Ad(X_{j,i}) zeta_b: the wrench at b_ij in the joints' frames (eqs. 7, 9)."""
    zero = algebra.wrench(np.zeros(3), np.zeros(3))
    return [zero if x is DualQuaternion.zero else algebra.move_wrench(x, zeta_b) for x in poses]


def connection_wrench(
    graph: SubsystemGraph, subsystem: Subsystem, motion: Motion, gamma: list[Any], algebra: Algebra
) -> Any:
    """Return zeta at a_i = b_{p_i,i}, in the connection frame: the sum over its first joints."""
    total = algebra.wrench(np.zeros(3), np.zeros(3))
    for n, k in enumerate(subsystem.indices):
        if graph.parents[k] not in subsystem.indices:
            total = total + algebra.move_wrench(motion.x_a_joint[n], gamma[n])
    return total


def joint_torques(
    graph: SubsystemGraph,
    q: NDArray[np.float64],
    a: NDArray[np.float64],
    motions: Sequence[Motion],
    wrenches: NDArray[np.object_],
    algebra: Algebra,
) -> NDArray[np.float64]:
    """Return tau (nv,): moment . axis of revolute joints, force . axis of prismatic ones.

    Of floating joints force and moment, of spherical ones the moment. Each joint adds its armature times its
    acceleration and the torque of its spring. A mimic joint's torque goes to its driver, times the multiplier
    (virtual power).
    """
    tau = np.zeros(graph.nv)
    for subsystem, motion in zip(graph.subsystems, motions, strict=True):
        for n, joint in enumerate(subsystem.joints):
            zeta = wrenches[subsystem.first + n]
            if joint.type in (JointType.FLOATING, JointType.SPHERICAL):
                x_body_joint = motion.x_a_body[n].conjugate() * motion.x_a_joint[n]
                parts = algebra.force_moment(algebra.move_wrench(x_body_joint, zeta))
                own = np.concatenate(parts)[-joint.type.nv :]
            else:
                force, moment = algebra.force_moment(zeta)
                own = np.atleast_1d(joint.axis @ (force if joint.type is JointType.PRISMATIC else moment))
            own = own + joint.armature * graph.joint_rate(joint, a)
            if joint.stiffness != 0.0:
                own = own + joint.stiffness * (graph.joint_position(joint, q) - joint.rest_position)
            multiplier = 1.0 if joint.mimic is None else joint.mimic.multiplier
            tau[graph.v_slice(graph.driver(joint))] += multiplier * own
    return tau
