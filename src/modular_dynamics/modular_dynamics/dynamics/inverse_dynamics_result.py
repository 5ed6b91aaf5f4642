"""The result of inverse dynamics: torques, and the wrenches of joints and connection points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, adjoint
from ..kernels import layout
from ..model import Subsystem, SubsystemGraph

__all__ = ["InverseDynamicsResult"]

_FORCE = slice(layout.FORCE, layout.FORCE + 3)
_MOMENT = slice(layout.TORQUE, layout.TORQUE + 3)


@dataclass(frozen=True, eq=False)
class InverseDynamicsResult:
    """What :meth:`.InverseDynamics.solve` computed at one state. Later calls do not change it.

    Wrenches are [force N, moment N m]; they are computed when they are read first.

    Attributes:
        tau: joint torques (nv,) [N m or N]; NaN for joints inside black boxes.
        q: the positions (nq,) that they belong to [rad or m].
        black_box_wrenches: the wrenches that were given for black boxes, by subsystem, as f + eps m in its
            connection frame.
        body_rows: the kernel's rows of all bodies (n + 1, 15), in aligned frames (kernels/layout.py).
        alignments: rotations body <- aligned frame (n, 3, 3).
    """

    graph: SubsystemGraph
    tau: NDArray[np.float64]
    q: NDArray[np.float64]
    black_box_wrenches: Mapping[str, DualQuaternion]
    body_rows: NDArray[np.float64] = field(repr=False)
    alignments: NDArray[np.float64] = field(repr=False)

    @cached_property
    def joint_wrenches(self) -> NDArray[np.float64]:
        """(n, 6): the wrench that each joint passes on to its child link, at and in that link's frame."""
        rows = self.body_rows[:-1]
        parts = [(self.alignments @ rows[:, part, None])[..., 0] for part in (_FORCE, _MOMENT)]
        return np.concatenate(parts, axis=1)

    @cached_property
    def connection_wrenches(self) -> NDArray[np.float64]:
        """(s, 6): the wrench of the predecessor on each subsystem, at and in its connection frame.

        The sum over the subsystem's first joints; of a black box the wrench that was given (Silva & Adorno,
        eq. 8).
        """
        wrenches = [self._connection_wrench(subsystem).vec6() for subsystem in self.graph.subsystems]
        return np.array(wrenches).reshape(-1, 6)

    def connection_wrench_in_link(self, index: int) -> tuple[str, NDArray[np.float64]]:
        """The connection wrench of subsystem ``index`` as (link, [force, moment]), at and in a link's frame.

        The link is the child link of the subsystem's first joint. Where several joints start at the
        connection point, or the wrench of a black box was given, it is the link that carries the point.
        """
        subsystem = self.graph.subsystems[index]
        first = self._first_joints(subsystem)
        if subsystem.name not in self.black_box_wrenches and len(first) == 1:
            return subsystem.root_link, self._joint_wrench(first[0])
        zeta = adjoint(subsystem.connection.x_link_connection, self._connection_wrench(subsystem))
        return subsystem.connection.link, zeta.vec6()

    def _first_joints(self, subsystem: Subsystem) -> list[int]:
        """Indices of the joints of a subsystem that start at its connection point."""
        return [k for k in subsystem.indices if self.graph.parents[k] not in subsystem.indices]

    def _joint_wrench(self, k: int) -> NDArray[np.float64]:
        """Row k of ``joint_wrenches``, without the others."""
        row, own = self.body_rows[k], self.alignments[k]
        return np.concatenate([own @ row[_FORCE], own @ row[_MOMENT]])

    def _connection_wrench(self, subsystem: Subsystem) -> DualQuaternion:
        if subsystem.name in self.black_box_wrenches:
            return self.black_box_wrenches[subsystem.name]
        total = DualQuaternion.zero
        x_connection_body = subsystem.connection.x_body_connection.conjugate()
        for k in self._first_joints(subsystem):
            total = total + adjoint(x_connection_body, self._wrench_in_parent(k))
        return total

    def _wrench_in_parent(self, k: int) -> DualQuaternion:
        """The wrench of joint k, at and in the frame of the body that carries it."""
        joint, wrench = self.graph.joints[k], self._joint_wrench(k)
        x_parent_child = joint.x_parent_joint * joint.motion(self.graph.joint_position(joint, self.q))
        return adjoint(x_parent_child, DualQuaternion.pure(wrench[:3], wrench[3:]))
