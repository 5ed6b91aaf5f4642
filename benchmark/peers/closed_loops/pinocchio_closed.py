"""Pinocchio on closed loops: RNEA of the tree, its constraint Jacobians, and NumPy's solver.

Pinocchio has no inverse dynamics with constraints in one call. Called are rnea (of a batch rneaInParallel),
computeJointJacobians, calc of each constraint model and getConstraintsJacobian. Of a loop's three rows, in
the axes of its cut joint, the two across the cut axis are taken, so that the equations are square.
"""

import numpy as np
import pinocchio as pin

from benchmark.peers.closed_loops.problem import ClosedStates
from benchmark.peers.pinocchio_loops import PinocchioLoops
from benchmark.setting.robots import Array
from benchmark.setting.timing import Timed

__all__ = ["PinocchioClosed"]


class PinocchioClosed:
    """A robot and its closed states; converted, and springs evaluated, beforehand.

    Attributes:
        timed: "single", the first state, and "batch".
        torques: "single" (independent,) and "batch" (count, independent), after a call.
    """

    def __init__(self, states: ClosedStates) -> None:
        graph = states.graph
        peer = PinocchioLoops(graph.urdf, [])
        self.model, self.data = peer.model, peer.data
        self.model.gravity.linear = graph.gravity
        order = np.argsort([peer.index(name) for name in graph.joint_names])
        self.q, self.v, self.a = (
            states.in_order(peer),
            np.ascontiguousarray(states.velocities[:, order]),
            np.ascontiguousarray(states.accelerations[:, order]),
        )
        self.springs = states.spring_torques(peer)
        self.reduction = states.reduction(peer.index, square=True)
        self.placements = [self._placed(cut.links[k], cut.rotations[k], cut.points[k])
                           for cut in states.cuts for k in (0, 1)]  # fmt: skip
        self._models, self._datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for (first, at_first), (second, at_second) in zip(
            self.placements[::2], self.placements[1::2], strict=True
        ):
            model = pin.RigidConstraintModel(
                *(pin.ContactType.CONTACT_3D, self.model, first, at_first, second, at_second),
                pin.ReferenceFrame.LOCAL,
            )
            self._models.append(model)
            self._datas.append(model.createData())
        self._loops = list(zip(self._models, self._datas, strict=True))  # references, not copies
        count, nv = len(self.q), self.model.nv
        rows = np.arange(3 * len(self._models))
        self._rows = rows[rows % 3 < 2]
        self._stack, self._tree = np.empty((count, len(self._rows), nv)), np.empty((count, nv))
        self._first = self.q[0].copy(), self.v[0].copy(), self.a[0].copy()
        self._pool, self._q_rows = pin.ModelPool(self.model, 1), list(self.q)
        self.torques: dict[str, Array] = {}
        self.timed: Timed = {"single": (self._single, 1), "batch": (self._batch, count)}

    def _placed(self, link: str, rotation: Array, point: Array) -> tuple[int, pin.SE3]:
        """Return the joint that carries a link, and a cut joint's placement on its body."""
        frame = self.model.frames[self.model.getFrameId(link)]
        return int(frame.parentJoint), frame.placement * pin.SE3(rotation, point)

    def _jacobian(self, q: Array) -> Array:
        model, data = self.model, self.data
        pin.computeJointJacobians(model, data, q)
        for loop, its_data in self._loops:
            loop.calc(model, data, its_data)
        J: Array = pin.getConstraintsJacobian(model, data, self._models, self._datas)
        return J.take(self._rows, 0)

    def _single(self) -> None:
        q, v, a = self._first
        tau = pin.rnea(self.model, self.data, q, v, a) - self.springs[0]
        self.torques["single"] = self.reduction(self._jacobian(q), tau)

    def _batch(self) -> None:
        pin.rneaInParallel(1, self._pool, self.q.T, self.v.T, self.a.T, self._tree.T)
        for k, q in enumerate(self._q_rows):
            self._stack[k] = self._jacobian(q)
        self.torques["batch"] = self.reduction(self._stack, self._tree - self.springs)
