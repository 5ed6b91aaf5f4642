"""Torques that a joint needs besides those for moving bodies: armature, spring, friction.

tau_k = armature vdot_k + stiffness (q_k - rest) + damping v_k + friction sign(v_k), with sign(0) = 0. They
act between the joint's drive and its axis, so that the recursion over bodies does not contain them. The
armature is the drive's inertia (Featherstone, Rigid Body Dynamics Algorithms, section 9.6), without the
gyroscopic moments of the rotor. TERMS in the topology says which of these there are.
"""

from .layout import (
    ARMATURE,
    ARMATURES,
    DAMPING,
    FRICTION,
    FRICTIONS,
    REST,
    SPRINGS,
    STIFFNESS,
    VELOCITIES,
    Q,
    V,
)
from .numba_support.compilation import inlined

__all__ = ["write_joint_terms"]


@inlined
def write_joint_terms(terms, topology, constants, q, v, vdot, out, first, lanes):
    """Write these torques of all joints to ``out``, from its element ``first`` on, in the order of v.

    ``terms``: those that count. Without ARMATURES vdot is not read. ``out`` may be v or vdot.
    """
    for i in range(topology.shape[0] - 1):
        for k in range(topology[i, VELOCITIES] * lanes):
            at = topology[i, V] * lanes + k
            torque = 0.0 * v[at]
            if terms & ARMATURES:
                torque += constants[i, ARMATURE] * vdot[at]
            if terms & SPRINGS and topology[i, VELOCITIES] == 1:
                torque += constants[i, STIFFNESS] * (q[topology[i, Q] * lanes + k] - constants[i, REST])
            if terms & FRICTIONS:
                torque += constants[i, DAMPING] * v[at]
                if v[at] > 0.0:
                    torque += constants[i, FRICTION]
                elif v[at] < 0.0:
                    torque -= constants[i, FRICTION]
            out[first + at] = torque
