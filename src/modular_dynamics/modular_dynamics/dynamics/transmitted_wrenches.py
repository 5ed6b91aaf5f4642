"""The result of inverse dynamics: torques, and the wrenches of joints and connection points."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..algebra import DualQuaternion, adjoint
from ..model import SubsystemGraph
from .arguments import Array
from .kinematics import frame_poses


@dataclass(frozen=True, eq=False)
class TransmittedWrenches:
    """Wrenches that joints and connection points of a tree transmit at one state.

    Wrenches are [force N, moment N m]; those of connections are computed when they are read first.

    Attributes:
        q: the positions (nq,) that they belong to [rad or m].
        black_box_wrenches: the wrenches that were given for black boxes, by subsystem, as f + eps m in its
            connection frame.
        joint_wrenches: (n, 6) the wrench that each joint passes on to its child link, at and in that link's
            frame.
    """

    graph: SubsystemGraph
    q: Array
    black_box_wrenches: Mapping[str, DualQuaternion]
    joint_wrenches: Array

    @cached_property
    def connection_wrenches(self) -> Array:
        """Wrenches (s, 6) of the predecessor on each subsystem, at and in its connection frame.

        The sum over the subsystem's first joints; of a black box the wrench that was given (Silva & Adorno,
        eq. 8).
        """
        wrenches = [self._connection_wrench(index).vec6() for index in range(len(self.graph.subsystems))]
        return np.array(wrenches).reshape(-1, 6)

    def connection_wrench_in_link(self, index: int) -> tuple[str, Array]:
        """Return a link, and the connection wrench of subsystem ``index``, [force, moment], in its frame.

        The link is the child link of the subsystem's first joint. Where several joints start at the
        connection point, or the wrench of a black box was given, it is the link that carries the point.
        """
        subsystem = self.graph.subsystems[index]
        connection, first = subsystem.connection, self.graph.first_joints(subsystem)
        if (given := self.black_box_wrenches.get(subsystem.name)) is not None:
            return connection.link, adjoint(connection.x_link_connection, given).vec6()
        if len(first) == 1:
            return subsystem.root_link, self.joint_wrenches[first[0]].copy()
        return connection.link, self._wrench_at_connection_link(index)

    def _connection_wrench(self, index: int) -> DualQuaternion:
        """Return the wrench on a subsystem, f + eps m, at and in its connection frame."""
        subsystem = self.graph.subsystems[index]
        if (given := self.black_box_wrenches.get(subsystem.name)) is not None:
            return given
        wrench = self._wrench_at_connection_link(index)
        x_connection_link = subsystem.connection.x_link_connection.conjugate()
        return adjoint(x_connection_link, DualQuaternion.pure(wrench[:3], wrench[3:]))

    def _wrench_at_connection_link(self, index: int) -> Array:
        """Return the sum (6,) over the first joints, at and in the frame of the connection point's link."""
        subsystem = self.graph.subsystems[index]
        first = self.graph.first_joints(subsystem)
        children = [self.graph.joints[k].child_link for k in first]
        poses = frame_poses(self.graph.tree, self.q, (subsystem.connection.link, *children))
        x_link_child = poses[0, :3, :3].T @ poses[1:, :3]
        x_link_child[:, :, 3] -= poses[0, :3, :3].T @ poses[0, :3, 3]
        wrenches = self.joint_wrenches[first].reshape(-1, 2, 3)
        forces, moments = (wrenches @ x_link_child[:, :, :3].transpose(0, 2, 1)).transpose(1, 0, 2)
        moments += np.cross(x_link_child[:, :, 3], forces)
        return np.concatenate((forces.sum(axis=0), moments.sum(axis=0)))


@dataclass(frozen=True, eq=False)
class InverseDynamicsResult(TransmittedWrenches):
    """What :meth:`.InverseDynamics.solve` computed.

    Attributes:
        tau: joint torques (nv,) [N m or N]; NaN for joints inside black boxes.
    """

    tau: Array
