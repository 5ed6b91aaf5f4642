"""Friction of joints as coefficients."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..model import Joint
from .arguments import Array

__all__ = ["friction_coefficients"]


def friction_coefficients(joints: Iterable[Joint], names: Sequence[str]) -> tuple[Array, Array]:
    """Return viscous [N m s/rad or N s/m] and dry [N m or N] friction at the velocities of the named joints.

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
