"""The same robot in Pinocchio, its numbers put into the graph's order by name.

Pinocchio's model is assembled from the graph as it is, joint by joint, so that it follows every change of the
graph; its algorithms remain independent of ours. It keeps (cos, sin) for most continuous joints and x y z w
quaternions, and may order joints otherwise; all of that stays in this file. Mimic joints are independent
there; here their torque is added to that of their driver.
"""

from functools import cached_property
from typing import Any

import numpy as np
import pinocchio

from ..algebra import DualQuaternion, to_rotation_translation
from ..dynamics.arguments import Array
from ..model import Joint, JointType, SubsystemGraph, require_graph

#: For an axis along x, y or z, and for any other. From Python, the axis of Pinocchio's continuous joint about
#: any axis (JointModelRevoluteUnboundedUnaligned) cannot be set: there the position is one angle.
_TYPES = {
    JointType.REVOLUTE: ("RX", "RY", "RZ", "RevoluteUnaligned"),
    JointType.CONTINUOUS: ("RUBX", "RUBY", "RUBZ", "RevoluteUnaligned"),
    JointType.PRISMATIC: ("PX", "PY", "PZ", "PrismaticUnaligned"),
}


def _joint_model(joint: Joint) -> Any:
    if joint.type is JointType.FLOATING:
        return pinocchio.JointModelFreeFlyer()
    if joint.type is JointType.SPHERICAL:
        return pinocchio.JointModelSpherical()
    *aligned, unaligned = _TYPES[joint.type]
    for axis, name in zip(np.eye(3), aligned, strict=True):
        if np.array_equal(axis, joint.axis):
            return getattr(pinocchio, f"JointModel{name}")()
    return getattr(pinocchio, f"JointModel{unaligned}")(joint.axis)


def _placement(x: DualQuaternion) -> Any:
    return pinocchio.SE3(*to_rotation_translation(x))


class PinocchioModel:
    """Pinocchio's model and data of a graph: its joints, bodies, armatures, gravity and links (as frames)."""

    def __init__(self, graph: SubsystemGraph) -> None:
        require_graph(graph)
        self.graph = graph
        self.model: Any = pinocchio.Model()
        self.model.name = graph.name
        self.model.gravity = pinocchio.Motion(graph.gravity, np.zeros(3))
        self.ids = [0] * len(graph.joints)
        for k in self._depth_first():
            self._add(k)
        for link in graph.links:
            body, x_body_link = graph.link_pose(link)
            joint = 0 if body is None else self.ids[body]
            frame = pinocchio.Frame(link, joint, 0, _placement(x_body_link), pinocchio.FrameType.BODY)
            self.model.addFrame(frame, False)
        self.data: Any = self.model.createData()

    def _depth_first(self) -> list[int]:
        """Return joints, each followed by all that it carries, as Pinocchio's algorithms need them."""
        carried: dict[int | None, list[int]] = {}
        for k, parent in enumerate(self.graph.parents):
            carried.setdefault(parent, []).append(k)
        waiting, order = sorted(carried.get(None, []), key=self._name, reverse=True), list[int]()
        while waiting:
            k = waiting.pop()
            order.append(k)
            waiting += sorted(carried.get(k, []), key=self._name, reverse=True)
        return order

    def _name(self, k: int) -> str:
        return self.graph.joints[k].name

    def _add(self, k: int) -> None:
        joint, body, parent = self.graph.joints[k], self.graph.bodies[k], self.graph.parents[k]
        below = 0 if parent is None else self.ids[parent]
        added = self.model.addJoint(below, _joint_model(joint), _placement(joint.x_parent_joint), joint.name)
        self.ids[k] = added
        inertia = pinocchio.Inertia(body.mass, body.com, np.zeros((3, 3)))
        # the constructor rejects inertias that load_urdf accepts with a warning; the setter rejects large
        # moments that rounding made asymmetric
        inertia.inertia = (body.inertia + body.inertia.T) / 2.0
        self.model.appendBodyToJoint(added, inertia, pinocchio.SE3.Identity())
        self.model.addJointFrame(added, 0)
        start = self.model.idx_vs[added]
        self.model.armature[start : start + joint.type.nv] = joint.armature

    def q(self, q: Array) -> Array:
        """Return Pinocchio's configuration of a position in graph order."""
        theirs: Array = pinocchio.neutral(self.model)
        for joint, index in zip(self.graph.joints, self.ids, strict=True):
            own = self.graph.joint_position(joint, q)
            start = self.model.idx_qs[index]
            if joint.type is JointType.FLOATING:
                x, y, z, w, i, j, k = own
                norm = np.linalg.norm(own[3:])
                theirs[start : start + 7] = [x, y, z, i / norm, j / norm, k / norm, w / norm]
            elif joint.type is JointType.SPHERICAL:
                theirs[start : start + 4] = np.roll(own / np.linalg.norm(own), -1)
            elif self.model.nqs[index] == 2:
                theirs[start : start + 2] = [np.cos(own[0]), np.sin(own[0])]
            else:
                theirs[start] = own[0]
        return theirs

    def v(self, v: Array) -> Array:
        """Return Pinocchio's velocity (or acceleration) of one in graph order."""
        theirs = np.zeros(self.model.nv)
        for joint in self.graph.joints:
            theirs[self.v_slice(joint)] = self.graph.joint_rate(joint, v)
        return theirs

    @cached_property
    def _id_of(self) -> dict[str, int]:
        """Pinocchio's joint index by name; its search finds its own first joint for the name "universe"."""
        return {joint.name: k for joint, k in zip(self.graph.joints, self.ids, strict=True)}

    def v_slice(self, joint: Joint) -> slice:
        """Return the slice of a joint in Pinocchio's velocities and torques."""
        start = self.model.idx_vs[self._id_of[joint.name]]
        return slice(start, start + joint.type.nv)

    def tau(self, theirs: Array) -> Array:
        """Return Pinocchio's torques in graph order; those of mimic joints added to their drivers'."""
        tau = np.zeros(self.graph.nv)
        for joint in self.graph.joints:
            multiplier = 1.0 if joint.mimic is None else joint.mimic.multiplier
            tau[self.graph.v_slice(self.graph.driver(joint))] += multiplier * theirs[self.v_slice(joint)]
        return tau
