"""Armature, springs and friction of joints, as columns of the kernels' constants."""

from collections.abc import Iterable, Sequence

import numpy as np

from ...exceptions import StateError
from ...kernels import layout
from ...model import Joint, SubsystemGraph
from .arguments import Array

__all__ = ["FRICTION_CHOICES", "friction_coefficients", "joint_terms", "terms_of"]

#: Values of the argument ``friction``: none, or the damping and friction of the joints as the URDF has them.
FRICTION_CHOICES = ("none", "urdf")


def friction_coefficients(joints: Iterable[Joint], names: Sequence[str]) -> tuple[Array, Array]:
    """Viscous [N m s/rad or N s/m] and dry [N m or N] friction at the velocities of the named joints.

    A mimic joint, qd_m = m qd, loads its driver by the principle of virtual power: by m^2 times its damping,
    |m| times its dry friction.

    Args:
        joints: those whose friction counts.
        names: joints that mimic no other, in the order of the result; with all drivers of ``joints``.
    """
    damping, dry = np.zeros(len(names)), np.zeros(len(names))
    indices = {name: k for k, name in enumerate(names)}
    for joint in joints:
        if joint.damping == 0.0 and joint.friction == 0.0:
            continue
        m, k = (1.0, joint.name) if joint.mimic is None else (joint.mimic.multiplier, joint.mimic.joint)
        damping[indices[k]] += m * m * joint.damping
        dry[indices[k]] += abs(m) * joint.friction
    return damping, dry


def joint_terms(graph: SubsystemGraph) -> Array:
    """(n, 5): armature, stiffness, rest position, damping and friction at the velocities of each joint.

    A mimic joint, q = m q_d + o, has none: it adds m^2 times its armature, stiffness and damping and |m|
    times its friction to those of its driver (virtual power).
    """
    terms = np.zeros((len(graph.joints), 5))
    terms[:, 3:] = np.column_stack(friction_coefficients(graph.joints, [one.name for one in graph.joints]))
    springs = np.zeros(len(graph.joints))  # torques at q = 0
    for joint in graph.joints:
        if joint.armature == 0.0 and joint.stiffness == 0.0:
            continue
        k = graph.joint_index(graph.driver(joint))
        m, offset = (1.0, 0.0) if joint.mimic is None else (joint.mimic.multiplier, joint.mimic.offset)
        terms[k, :2] += m * m * np.array([joint.armature, joint.stiffness])
        springs[k] += m * joint.stiffness * (joint.rest_position - offset)
    has_spring = terms[:, 1] != 0.0
    terms[has_spring, 2] = springs[has_spring] / terms[has_spring, 1]
    return terms


def terms_of(graph: SubsystemGraph, friction: str = "none", springs: bool = True) -> int:
    """Which terms count, as TERMS in the topology: armatures and springs where there are some.

    Raises:
        StateError: friction is neither "none" nor "urdf".
    """
    if not isinstance(friction, str) or friction not in FRICTION_CHOICES:
        raise StateError(f"friction is {friction!r}; {' or '.join(map(repr, FRICTION_CHOICES))} is needed")
    terms = 0
    if any(joint.armature != 0.0 for joint in graph.joints):
        terms |= layout.ARMATURES
    if springs and any(joint.stiffness != 0.0 for joint in graph.joints):
        terms |= layout.SPRINGS
    if friction == "urdf" and any(joint.damping != 0.0 or joint.friction != 0.0 for joint in graph.joints):
        terms |= layout.FRICTIONS
    return terms
