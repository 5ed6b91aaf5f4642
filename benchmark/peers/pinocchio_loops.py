"""Inverse dynamics of a mechanism with loops: Pinocchio's constraint Jacobians, and a null space by NumPy.

Loops are pairs of frames that coincide (6 rows) or whose origins do (3 rows). Pinocchio's frame Jacobians J
close them: velocities and accelerations of all joints from those of the independent ones by least squares of
J v = 0 and J a = -gamma, torques from the null space N of J: N^T S^T tau = N^T rnea(q, v, a), where S
selects the independent joints. It uses nothing of modular_dynamics.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

Array = NDArray[np.float64]
RANK = 1e-9  # smaller singular values, relative to the largest, count as zero
AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


@dataclass(frozen=True)
class FramePair:
    """Two frames (links) that a loop joins; ``rows`` is 6, or 3 where only their origins meet."""

    first: str
    second: str
    rows: int


class PinocchioLoops:
    """A URDF's tree and its pairs of frames; joints by name."""

    def __init__(self, urdf: str, pairs: Sequence[FramePair]) -> None:
        self.model = pin.buildModelFromXML(urdf)
        self.data, self.pairs = self.model.createData(), pairs
        self._frames = [[self.model.getFrameId(k) for k in (pair.first, pair.second)] for pair in pairs]
        self._joints = {name: self.model.joints[self.model.getJointId(name)] for name in self.model.names[1:]}
        self.names = tuple(self._joints)

    def index(self, name: str) -> int:
        """Return the index of the velocity of a joint with one coordinate."""
        return int(self._joints[name].idx_v)

    def configuration(self, coordinates: Mapping[str, float]) -> Array:
        """Return Pinocchio's q of joints' coordinates [rad or m]."""
        q: Array = pin.neutral(self.model)
        for name, value in coordinates.items():
            joint = self._joints[name]
            if joint.nq == 2:  # continuous: cosine and sine
                q[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                q[joint.idx_q] = value
        return q

    def jacobian(self, q: Array) -> Array:
        """Return J (rows, nv) of all pairs, along the root's axes."""
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        rows = [
            (self._jacobian_of(first) - self._jacobian_of(second))[: pair.rows]
            for pair, (first, second) in zip(self.pairs, self._frames, strict=True)
        ]
        return np.vstack(rows)

    def _jacobian_of(self, frame: int) -> Array:
        J: Array = pin.getFrameJacobian(self.model, self.data, frame, AXES)
        return J

    def gap(self, q: Array) -> float:
        """Return the largest distance or angle [m, rad] that a pair is open by."""
        pin.framesForwardKinematics(self.model, self.data, q)
        sizes = []
        for pair, (first, second) in zip(self.pairs, self._frames, strict=True):
            between = self.data.oMf[first].actInv(self.data.oMf[second])
            turned = np.linalg.norm(pin.log3(between.rotation)) if pair.rows == 6 else 0.0
            sizes.append(max(float(np.linalg.norm(between.translation)), float(turned)))
        return max(sizes)

    def _velocity_product(self, q: Array, v: Array) -> Array:
        """Return gamma = dJ/dt v: accelerations of the pairs at zero joint acceleration."""
        pin.forwardKinematics(self.model, self.data, q, v, np.zeros(self.model.nv))
        pin.updateFramePlacements(self.model, self.data)
        rows = []
        for pair, frames in zip(self.pairs, self._frames, strict=True):
            first, second = (
                pin.getFrameClassicalAcceleration(self.model, self.data, frame, AXES).vector
                for frame in frames
            )
            rows.append((first - second)[: pair.rows])
        return np.concatenate(rows)

    def torques(self, q: Array, independent: Sequence[int], rates: Array, accelerations: Array) -> Array:
        """Return torques of the joints with velocities ``independent``, at their rates and accelerations."""
        nv, J = self.model.nv, self.jacobian(q)
        S = np.eye(nv)[list(independent)]
        both = np.vstack([J, S])
        v = np.linalg.lstsq(both, np.concatenate([np.zeros(len(J)), rates]), RANK)[0]
        drift = self._velocity_product(q, v)
        a = np.linalg.lstsq(both, np.concatenate([-drift, accelerations]), RANK)[0]
        load = pin.rnea(self.model, self.data, q, v, a)
        _, sizes, rows = np.linalg.svd(J)
        free = rows[int((sizes > RANK * sizes[0]).sum()) :]
        tau: Array = np.linalg.lstsq(free @ S.T, free @ load, RANK)[0]
        return tau
