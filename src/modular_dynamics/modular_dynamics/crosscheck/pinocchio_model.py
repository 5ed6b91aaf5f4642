"""The same robot in Pinocchio, from the same URDF text, its numbers put into the graph's order by name.

Pinocchio orders joints by name along the tree, keeps (cos, sin) for continuous joints and x y z w
quaternions; all of that stays in this file. Its URDF reader ignores <mimic>, so that mimic joints are
independent there; here their torque is added to that of their driver.
"""

from typing import Any

import numpy as np
import pinocchio

from ..dynamics.arrays.arguments import Array
from ..model import Joint, JointType, SubsystemGraph, require_graph

__all__ = ["PinocchioModel"]


class PinocchioModel:
    """Pinocchio's model and data of a graph.

    Raises:
        ValueError: Pinocchio reads other joints out of the URDF than the graph has.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        require_graph(graph)
        self.graph = graph
        root = pinocchio.JointModelFreeFlyer() if graph.floating_base else None
        text = graph.urdf
        self.model: Any = (
            pinocchio.buildModelFromXML(text) if root is None else pinocchio.buildModelFromXML(text, root)
        )
        self.model.gravity = pinocchio.Motion(graph.gravity, np.zeros(3))
        self.data: Any = self.model.createData()
        theirs = set(self.model.names) - {"universe"}
        ours = {joint.name for joint in graph.joints}
        if theirs != ours:
            raise ValueError(
                f"Pinocchio reads other joints from the URDF: {', '.join(sorted(theirs ^ ours))}"
            )
        self.ids = [self.model.getJointId(joint.name) for joint in graph.joints]

    def q(self, q: Array) -> Array:
        """Pinocchio's configuration of a position in graph order."""
        theirs: Array = pinocchio.neutral(self.model)
        for joint, index in zip(self.graph.joints, self.ids, strict=True):
            own = self.graph.joint_position(joint, q)
            start = self.model.idx_qs[index]
            if joint.type is JointType.FLOATING:
                x, y, z, w, i, j, k = own
                norm = np.linalg.norm(own[3:])
                theirs[start : start + 7] = [x, y, z, i / norm, j / norm, k / norm, w / norm]
            elif self.model.nqs[index] == 2:
                theirs[start : start + 2] = [np.cos(own[0]), np.sin(own[0])]
            else:
                theirs[start] = own[0]
        return theirs

    def v(self, v: Array) -> Array:
        """Pinocchio's velocity (or acceleration) of one in graph order."""
        theirs = np.zeros(self.model.nv)
        for joint in self.graph.joints:
            theirs[self.v_slice(joint)] = self.graph.joint_rate(joint, v)
        return theirs

    def v_slice(self, joint: Joint) -> slice:
        """The slice of a joint in Pinocchio's velocities and torques."""
        start = self.model.idx_vs[self.model.getJointId(joint.name)]
        return slice(start, start + joint.type.nv)

    def tau(self, theirs: Array) -> Array:
        """Torques in graph order of Pinocchio's; those of mimic joints added to their drivers'."""
        tau = np.zeros(self.graph.nv)
        for joint in self.graph.joints:
            multiplier = 1.0 if joint.mimic is None else joint.mimic.multiplier
            tau[self.graph.v_slice(self.graph.driver(joint))] += multiplier * theirs[self.v_slice(joint)]
        return tau
