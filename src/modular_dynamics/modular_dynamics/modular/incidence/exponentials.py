"""Poses as homogeneous matrices, and exponentials of the joints' twists (Meister & Gutenkunst, eqs. 8-12)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion, matrix_forms, to_rotation_translation
from ...model import JointType
from ..modules.module_type import ModuleJoint

__all__ = ["JointTwists", "Screw", "homogeneous"]

Array = NDArray[np.float64]


class Screw(NamedTuple):
    """A joint's unit twist (v, omega) in its module's frame (eqs. 10, 12), and where its position is in q."""

    v: Array
    omega: Array
    q_index: int

    @classmethod
    def of(cls, joint: ModuleJoint, axis: Array, q_index: int) -> "Screw":
        """Return the screw of a module's joint about or along ``axis``."""
        if joint.type is JointType.PRISMATIC:
            return cls(axis, np.zeros(3), q_index)
        return cls(-np.cross(axis, joint.origin), axis, q_index)


class JointTwists:
    """The twists of many joints, whose exponentials are computed at once."""

    def __init__(self, screws: list[Screw]) -> None:
        self._q_index = np.array([screw.q_index for screw in screws], int)
        self._v = np.array([screw.v for screw in screws], float).reshape(-1, 3)
        self._omega = np.array([screw.omega for screw in screws], float).reshape(-1, 3)

    def exponentials(self, q: Array) -> Array:
        """Return exp(s q) of each joint, shape (joints, 4, 4).

        A revolute joint, |omega| = 1 and omega . v = 0: R = I + W sin q + W^2 (1 - cos q) with W = hat(omega)
        (eq. 8, in which the paper prints a + before sin), p = (I sin q + W (1 - cos q)) v. A prismatic one,
        omega = 0: R = I, p = v q.
        """
        angles = q[self._q_index][:, None, None]
        sine, versine = np.sin(angles), 2.0 * np.sin(0.5 * angles) ** 2
        hat = matrix_forms.skew(self._omega)
        result = np.zeros((len(angles), 4, 4))
        result[:, :3, :3] = np.eye(3) + sine * hat + versine * (hat @ hat)
        rotating = (self._omega != 0.0).any(axis=1, keepdims=True)[:, :, None]
        v = self._v[:, :, None]
        result[:, :3, 3:] = np.where(rotating, sine * v + versine * (hat @ v), angles * v)
        result[:, 3, 3] = 1.0
        return result


def homogeneous(x: DualQuaternion) -> Array:
    """Return a pose as a matrix (4, 4), as in eq. 1."""
    return matrix_forms.homogeneous(*to_rotation_translation(x))
