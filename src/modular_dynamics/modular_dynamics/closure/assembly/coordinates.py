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
        found = np.empty_like(q)
        found[self._q] = v[self._v]
        for mine, twist in self._floating:
            p, (w, *vector) = slice(mine.start, mine.start + 3), q[mine][3:]
            linear, omega, axis = v[twist][:3], v[twist][3:], np.array(vector)
            swung = np.cross(axis, linear)
            found[p] = linear + 2.0 * (w * swung + np.cross(axis, swung)) / (w * w + axis @ axis)
            found[p.stop] = -0.5 * (axis @ omega)
            found[p.stop + 1 : mine.stop] = 0.5 * (w * omega + np.cross(axis, omega))
        return found

    def spread(self, units: Array) -> Array:
        """Units of velocities (nv,) as units of coordinates (nq,); those of floating bases are one."""
        found = np.ones(len(self._q) + 7 * len(self._floating))
        found[self._q] = units[self._v]
        return found

    def unit(self, q: Array) -> Array:
        """q with unit quaternions, in place."""
        for mine, _ in self._floating:
            q[mine.start + 3 : mine.stop] /= np.linalg.norm(q[mine.start + 3 : mine.stop])
        return q

    def moved(self, q: Array, step: Array) -> Array:
        """q after a short step (nv,): to first order, by a smooth function of both."""
        return self.unit(q + self.rates(q, step))
