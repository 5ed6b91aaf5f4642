"""A graph's joints and bodies in Pinocchio, added one by one: of all joint types, without a URDF."""

import numpy as np
import pinocchio

from modular_dynamics import JointType
from modular_dynamics.algebra import to_rotation_translation

_QUATERNION_XYZW = [1, 2, 3, 0]


class PinocchioTree:
    """Pinocchio's model of a tree, and its numbers in the graph's order.

    Mimic joints fold into their drivers. Armatures are in the model; springs and friction, which Pinocchio's
    algorithms do not know, are not.
    """

    def __init__(self, graph):
        self.graph, self.model = graph, pinocchio.Model()
        self.model.gravity = pinocchio.Motion(np.array(graph.gravity), np.zeros(3))
        self.ids: dict[int | None, int] = {None: 0}
        self._add_children(None)
        for k, joint in enumerate(graph.joints):
            self.model.armature[self._v(k)] = joint.armature
        self.data = self.model.createData()

    def _add_children(self, parent):
        """Depth first: Pinocchio needs a subtree's joints one after another."""
        for k, (joint, body) in enumerate(zip(self.graph.joints, self.graph.bodies, strict=True)):
            if self.graph.parents[k] != parent:
                continue
            placement = pinocchio.SE3(*to_rotation_translation(joint.x_parent_joint))
            self.ids[k] = self.model.addJoint(self.ids[parent], self._model_of(joint), placement, joint.name)
            inertia = pinocchio.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
            self.model.appendBodyToJoint(self.ids[k], inertia, pinocchio.SE3.Identity())
            self._add_children(k)

    @staticmethod
    def _model_of(joint):
        axis = np.array(joint.axis)
        match joint.type:
            case JointType.FLOATING:
                return pinocchio.JointModelFreeFlyer()
            case JointType.SPHERICAL:
                return pinocchio.JointModelSpherical()
            case JointType.PRISMATIC:
                return pinocchio.JointModelPrismaticUnaligned(axis)
        return pinocchio.JointModelRevoluteUnaligned(axis)

    def _v(self, k):
        start = self.model.idx_vs[self.ids[k]]
        return slice(start, start + self.graph.joints[k].type.nv)

    def q(self, q):
        theirs = pinocchio.neutral(self.model)
        for k, joint in enumerate(self.graph.joints):
            own, start = self.graph.joint_position(joint, q), self.model.idx_qs[self.ids[k]]
            if joint.type.nv > 1:
                quaternion = own[-4:][_QUATERNION_XYZW]
                own = np.concatenate([own[:-4], quaternion / np.linalg.norm(quaternion)])
            theirs[start : start + len(own)] = own
        return theirs

    def v(self, v):
        theirs = np.zeros(self.model.nv)
        for k, joint in enumerate(self.graph.joints):
            theirs[self._v(k)] = self.graph.joint_rate(joint, v)
        return theirs

    def fold(self):
        """(their nv, our nv): theirs = fold @ ours."""
        return np.array([self.v(unit) for unit in np.eye(self.graph.nv)]).T.reshape(self.model.nv, -1)

    def inverse_dynamics(self, q, v, a):
        tau = pinocchio.rnea(self.model, self.data, self.q(q), self.v(v), self.v(a))
        return self.fold().T @ np.asarray(tau)

    def mass_matrix(self, q):
        matrix = np.asarray(pinocchio.crba(self.model, self.data, self.q(q)))
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        return self.fold().T @ matrix @ self.fold()

    def forward_dynamics(self, q, v, tau):
        """Of graphs without mimic joints."""
        fold = self.fold()
        a = pinocchio.aba(self.model, self.data, self.q(q), self.v(v), fold @ tau)
        return fold.T @ np.asarray(a)

    def derivatives(self, q, v, a):
        """d tau/d q, d tau/d v and d tau/d a."""
        state = self.q(q), self.v(v), self.v(a)
        theirs = pinocchio.computeRNEADerivatives(self.model, self.data, *state)
        fold = self.fold()
        return [fold.T @ np.asarray(matrix) @ fold for matrix in theirs]

    def jacobian(self, q, body):
        """(6, nv) of body k's origin, in its axes: linear, angular."""
        theirs = pinocchio.computeJointJacobian(self.model, self.data, self.q(q), self.ids[body])
        return np.asarray(theirs).reshape(6, -1) @ self.fold()

    def regressor(self, q, v, a):
        """(nv, 10 n), bodies in the graph's order."""
        state = self.q(q), self.v(v), self.v(a)
        theirs = np.asarray(pinocchio.computeJointTorqueRegressor(self.model, self.data, *state))
        columns = [np.arange(10) + 10 * (self.ids[k] - 1) for k in range(len(self.graph.joints))]
        return self.fold().T @ theirs.reshape(self.model.nv, -1)[:, np.concatenate(columns)]
