"""What joints add to the torques of their own velocities, linear in parameters: beside the regressor."""

import numpy as np

from ..model import SubsystemGraph
from .arrays.arguments import Array, checked_out

__all__ = ["JOINT_PARAMETERS", "joint_parameters", "with_joint_columns"]

#: Of each joint, in this order.
JOINT_PARAMETERS = ("armature", "damping", "friction", "stiffness", "stiffness rest_position")


def joint_parameters(graph: SubsystemGraph) -> Array:
    """(5 n,): of each joint of ``graph.joints`` what JOINT_PARAMETERS names; the last one is a product."""
    rows = [
        (one.armature, one.damping, one.friction, one.stiffness, one.stiffness * one.rest_position)
        for one in graph.joints
    ]
    return np.array(rows, np.float64).ravel()


def with_joint_columns(
    graph: SubsystemGraph, Y: Array, q: Array, v: Array, vdot: Array, out: Array | None = None
) -> Array:
    """Y (..., nv, 10 n) with the columns of the joints' parameters behind its own: (..., nv, 15 n).

    tau = armature vdot + damping v + friction sign(v) + stiffness q - (stiffness rest_position) at the joint
    itself; of a mimic joint, qd_m = m qd + o, m times that at its driver. Springs have columns where a joint
    has one coordinate.

    Args:
        q, v, vdot: the checked states of Y, (..., nq) and (..., nv).

    Raises:
        StateError: ``out`` does not fit.
    """
    columns = np.zeros((*Y.shape[:-1], len(graph.joints), len(JOINT_PARAMETERS)))
    for k, joint in enumerate(graph.joints):
        driver = graph.driver(joint)
        m, offset = (1.0, 0.0) if joint.mimic is None else (joint.mimic.multiplier, joint.mimic.offset)
        at = graph.v_slice(driver)
        rate = m * v[..., at]
        columns[..., at, k, 0] = m * m * vdot[..., at]
        columns[..., at, k, 1] = m * rate
        columns[..., at, k, 2] = m * np.sign(rate)
        if joint.type.nv == 1:
            columns[..., at, k, 3] = m * (m * q[..., graph.q_slice(driver)] + offset)
            columns[..., at, k, 4] = -m
    columns = columns.reshape(*Y.shape[:-1], len(JOINT_PARAMETERS) * len(graph.joints))
    if out is not None:
        checked_out(out, (*Y.shape[:-1], Y.shape[-1] + columns.shape[-1]))
    return np.concatenate([Y, columns], axis=-1, out=out)
