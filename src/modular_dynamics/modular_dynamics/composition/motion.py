"""Forward half: twists at the centres of mass, Xi_i = Xi_{p_i,i} + Xi_{i,i} (Silva & Adorno, eqs. 1, 5, 6).

Index conventions: a is the connection point of subsystem i (the paper's a_i), k one of its bodies, c its
centre-of-mass frame (origin at the CoM, axes of the body), j its joint's frame, fixed in the body before.
``x_b_a`` takes a's coordinates to b's. Twists xi and derivatives xid are relative to the ground unless
stated otherwise, and expressed in the frame of their point: c, or a for the connection point.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra import DualQuaternion, Quaternion, pose
from ..exceptions import ModelError, StateError
from ..model import Subsystem, SubsystemGraph
from ..model.changes.attach import checked_pose
from ..model.changes.bodies import checked_numbers
from .algebras import Algebra


@dataclass(eq=False)
class Motion:
    """Poses and twists of a subsystem. Lists have one entry for each of its bodies.

    Attributes:
        x_a_body: pose of each body in the connection frame. x_a_joint: of each joint's frame.
        x_c_a: from the connection frame to each CoM frame.
        own: Xi_{i,i}, twists at the CoMs due to the subsystem's own joints; own_dot: their derivatives.
        carried: Xi_{p_i,i}, the connection point's twist at the CoMs; carried_dot: their derivatives.
        twist, twist_dot: of the connection point. x_ground_a: the connection frame's pose.
    """

    x_a_body: list[DualQuaternion] = field(default_factory=list)
    x_a_joint: list[DualQuaternion] = field(default_factory=list)
    x_c_a: list[DualQuaternion] = field(default_factory=list)
    own: list[Any] = field(default_factory=list)
    own_dot: list[Any] = field(default_factory=list)
    carried: list[Any] = field(default_factory=list)
    carried_dot: list[Any] = field(default_factory=list)
    twist: Any = None
    twist_dot: Any = None
    x_ground_a: DualQuaternion = DualQuaternion.identity

    @property
    def total(self) -> list[Any]:
        """Xi_i = Xi_{p_i,i} + Xi_{i,i} (eq. 1)."""
        return [a + b for a, b in zip(self.carried, self.own, strict=True)]

    @property
    def total_dot(self) -> list[Any]:
        """The derivative of ``total``."""
        return [a + b for a, b in zip(self.carried_dot, self.own_dot, strict=True)]


class ConnectionMotion(NamedTuple):
    """The motion of a connection point a_i, measured or computed elsewhere (Silva & Adorno, section II).

    An inertial measurement unit at the point, along its axes, measures the angular velocity omega and the
    specific force f, the acceleration less gravity. Together with the derivative of omega that is enough:
    pose 1, twist [0, omega] and acceleration [f + graph.gravity, omega_dot] give the same torques as the
    point's own pose and velocity.

    Attributes:
        pose: of the connection frame in the root link's frame [m], (4, 4) or a unit dual quaternion.
        twist: (6,) [linear m/s, angular rad/s] of the point against the ground, along the frame's axes.
        acceleration: (6,) the derivative of these six numbers [m/s^2, rad/s^2]; gravity is not in it.
    """

    pose: ArrayLike | DualQuaternion
    twist: ArrayLike
    acceleration: ArrayLike


def given_motions(
    graph: SubsystemGraph, motions: Mapping[str, ConnectionMotion], algebra: Algebra
) -> dict[str, tuple[Any, Any, DualQuaternion]]:
    """Return motions {subsystem: motion} as `at_connection` does: twist, its derivative, pose.

    Raises:
        UnknownNameError: no such subsystem. StateError: no mapping; numbers that are not finite or of
            another shape; a pose that is no rigid motion.
    """
    if not isinstance(motions, Mapping):
        raise StateError(f"connection_motions is {motions!r}; a mapping of subsystems to motions is needed")
    given = {}
    for name, motion in motions.items():
        graph.subsystem(name)
        what = f"the connection motion of '{name}'"
        if not isinstance(motion, ConnectionMotion):
            raise StateError(f"{what} is {motion!r}; a ConnectionMotion is needed")
        try:
            x_ground_a = checked_pose(f"the pose in {what}", motion.pose)
            twist = checked_numbers(f"the twist in {what}", motion.twist, (6,))
            acceleration = checked_numbers(f"the acceleration in {what}", motion.acceleration, (6,))
        except ModelError as error:
            raise StateError(str(error)) from None
        xi, xid = (algebra.twist(one[3:], one[:3]) for one in (twist, acceleration))
        given[name] = xi, xid, x_ground_a
    return given


def _x_c_body(com: NDArray[np.float64]) -> DualQuaternion:
    """Return the pose of a body's frame in that at its centre of mass ``com``."""
    return pose(Quaternion(1.0), -com)


def own_motion(
    graph: SubsystemGraph,
    subsystem: Subsystem,
    q: NDArray[np.float64],
    v: NDArray[np.float64],
    a: NDArray[np.float64],
    algebra: Algebra,
) -> Motion:
    """Return poses and Xi_{i,i}: the subsystem by itself, its connection point at rest.

    For each body, with l the body before it and xi_j the joint's twist:
    xi_k  = Ad(x_ck_cl) xi_l + Ad(x_ck_j) xi_j
    xid_k = Ad(x_ck_cl) xid_l + Ad(x_ck_j) xid_j + cross(-Ad(x_ck_j) xi_j, Ad(x_ck_cl) xi_l)
    """
    motion = Motion()
    x_connection_body = subsystem.connection.x_body_connection.conjugate()
    rest = algebra.twist(np.zeros(3), np.zeros(3))
    for k, joint, body in zip(subsystem.indices, subsystem.joints, subsystem.bodies, strict=True):
        parent = graph.parents[k]
        before = parent - subsystem.first if parent is not None and parent in subsystem.indices else None
        x_a_parent = x_connection_body if before is None else motion.x_a_body[before]
        x_a_joint = x_a_parent * joint.x_parent_joint
        x_a_body = x_a_joint * joint.motion(graph.joint_position(joint, q))
        x_c_body = _x_c_body(body.com)
        x_c_a = x_c_body * x_a_body.conjugate()
        # from the frame after the joint to the CoM
        joint_twist = algebra.move_twist(x_c_body, algebra.twist(*joint.screw(graph.joint_rate(joint, v))))
        joint_dot = algebra.move_twist(x_c_body, algebra.twist(*joint.screw(graph.joint_rate(joint, a))))
        xi_before, xid_before = rest, rest
        if before is not None:
            x_c_before = x_c_a * motion.x_c_a[before].conjugate()
            xi_before = algebra.move_twist(x_c_before, motion.own[before])
            xid_before = algebra.move_twist(x_c_before, motion.own_dot[before])
        motion.x_a_joint.append(x_a_joint)
        motion.x_a_body.append(x_a_body)
        motion.x_c_a.append(x_c_a)
        motion.own.append(xi_before + joint_twist)
        motion.own_dot.append(xid_before + joint_dot + algebra.cross(-joint_twist, xi_before))
    return motion


def with_predecessor(
    motion: Motion, twist: Any, twist_dot: Any, x_ground_a: DualQuaternion, algebra: Algebra
) -> None:
    """Add Xi_{p_i,i} to ``motion``: the connection point's twist and derivative at the CoMs (eqs. 5, 6).

    Eq. 6: d/dt (Ad(x_c_a) xi_a) = Ad(x_c_a) xid_a + xi_{c,a} x (Ad(x_c_a) xi_a), where xi_{c,a}, the
    twist of a against c, is minus the subsystem's own twist.
    """
    motion.twist, motion.twist_dot, motion.x_ground_a = twist, twist_dot, x_ground_a
    motion.carried = [algebra.move_twist(x, twist) for x in motion.x_c_a]
    motion.carried_dot = [
        algebra.move_twist(x, twist_dot) + algebra.cross(-own, carried)
        for x, own, carried in zip(motion.x_c_a, motion.own, motion.carried, strict=True)
    ]


def at_connection(
    successor: Subsystem, graph: SubsystemGraph, motions: Sequence[Motion], algebra: Algebra
) -> tuple[Any, Any, DualQuaternion]:
    """Return twist, its derivative and pose (x_ground_b) of the connection point of ``successor``."""
    connection = successor.connection
    rest = algebra.twist(np.zeros(3), np.zeros(3))
    if connection.body is None:
        return rest, rest, connection.x_body_connection
    owner = next(s for s in graph.subsystems if connection.body in s.indices)
    motion = motions[graph.subsystems.index(owner)]
    k = connection.body - owner.first
    x_c_b = _x_c_body(owner.bodies[k].com) * connection.x_body_connection
    x_b_c = x_c_b.conjugate()
    return (
        algebra.move_twist(x_b_c, motion.total[k]),
        algebra.move_twist(x_b_c, motion.total_dot[k]),
        motion.x_ground_a * motion.x_a_body[k] * connection.x_body_connection,
    )
