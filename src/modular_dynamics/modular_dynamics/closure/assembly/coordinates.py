"""Coordinates of all joints moved by velocities; a floating base has a quaternion among them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model import JointType, SubsystemGraph

__all__ = ["Coordinates"]

Array = NDArray[np.float64]


class Coordinates:
    """How q (nq,) of a graph moves with v (nv,)."""

    def __init__(self, graph: SubsystemGraph) -> None:
        joints = [(graph.joint(name), graph.q_slice(name), graph.v_slice(name)) for name in graph.joint_names]
        self._q = [q.start for joint, q, _ in joints if joint.type is not JointType.FLOATING]
        self._v = [v.start for joint, _, v in joints if joint.type is not JointType.FLOATING]
        self._floating = [(q, v) for joint, q, v in joints if joint.type is JointType.FLOATING]

    def rates(self, q: Array, v: Array) -> Array:
        """dq/dt (nq,). A floating base has p' = R v and r' = r (0, omega) / 2, its twist in its own frame."""
        if not self._floating:
            return v
        rates = np.empty_like(q)
        rates[self._q] = v[self._v]
        for pose, twist in self._floating:
            p, (w, *vector) = slice(pose.start, pose.start + 3), q[pose][3:]
            linear, omega, axis = v[twist][:3], v[twist][3:], np.array(vector)
            turned = np.cross(axis, linear)
            rates[p] = linear + 2.0 * (w * turned + np.cross(axis, turned)) / (w * w + axis @ axis)
            rates[p.stop] = -0.5 * (axis @ omega)
            rates[p.stop + 1 : pose.stop] = 0.5 * (w * omega + np.cross(axis, omega))
        return rates

    def spread(self, units: Array) -> Array:
        """Units of velocities (nv,) as units of coordinates (nq,); those of floating bases are one."""
        units_q = np.ones(len(self._q) + 7 * len(self._floating))
        units_q[self._q] = units[self._v]
        return units_q

    def unit(self, q: Array) -> Array:
        """q with unit quaternions, in place."""
        for pose, _ in self._floating:
            q[pose.start + 3 : pose.stop] /= np.linalg.norm(q[pose.start + 3 : pose.stop])
        return q

    def moved(self, q: Array, step: Array) -> Array:
        """q after a short step (nv,): to first order, by a smooth function of both."""
        return self.unit(q + self.rates(q, step))
