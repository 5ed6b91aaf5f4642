"""Joint torques: wrenches projected on the joint axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..model import JointType, SubsystemGraph
from .algebras import Algebra
from .motion import Motion

__all__ = ["joint_torques"]


def joint_torques(
    graph: SubsystemGraph, motions: Sequence[Motion], wrenches: NDArray[np.object_], algebra: Algebra
) -> NDArray[np.float64]:
    """tau (nv,): moment . axis (revolute), force . axis (prismatic), force and moment (floating).

    A mimic joint's torque goes to its driver, times the multiplier (virtual power).
    """
    tau = np.zeros(graph.nv)
    for subsystem, motion in zip(graph.subsystems, motions, strict=True):
        for n, joint in enumerate(subsystem.joints):
            zeta = wrenches[subsystem.first + n]
            if joint.type is JointType.FLOATING:
                x_body_joint = motion.x_a_body[n].conjugate() * motion.x_a_joint[n]
                own = np.concatenate(algebra.force_moment(algebra.move_wrench(x_body_joint, zeta)))
            else:
                force, moment = algebra.force_moment(zeta)
                own = np.atleast_1d(joint.axis @ (force if joint.type is JointType.PRISMATIC else moment))
            multiplier = 1.0 if joint.mimic is None else joint.mimic.multiplier
            tau[graph.v_slice(graph.driver(joint))] += multiplier * own
    return tau
