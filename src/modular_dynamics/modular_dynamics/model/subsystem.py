"""Joints, bodies, and subsystems: connected joints and bodies beyond one connection point."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, Quaternion, pose, rotation_about

__all__ = ["Body", "Connection", "Joint", "JointType", "Limits", "Mimic", "Subsystem"]


class JointType(str, Enum):
    """The moving joint types that this library supports: those of URDF, and ball joints."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    SPHERICAL = "spherical"
    FLOATING = "floating"

    @property
    def nq(self) -> int:
        """Numbers of a position: 7 for floating (x y z, quaternion w x y z), 4 for spherical, else 1."""
        return {JointType.FLOATING: 7, JointType.SPHERICAL: 4}.get(self, 1)

    @property
    def nv(self) -> int:
        """Numbers of a velocity: 6 for floating (linear, angular, in the child's frame), 3 for spherical, else 1."""
        return {JointType.FLOATING: 6, JointType.SPHERICAL: 3}.get(self, 1)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of position [rad or m], effort [N m or N] and velocity [rad/s or m/s]; None where not given."""

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Mimic:
    """q = multiplier * q[joint] + offset; ``joint`` is a driver that mimics no other joint."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint:
    """A moving joint, placed in the frame of its parent body (or the root link, for the ground).

    Attributes:
        x_parent_joint: pose of the joint frame, fixed in the parent body, in the parent body's frame.
        axis: unit axis in the joint frame; unused by floating and spherical joints.
        damping: viscous friction [N m s/rad or N s/m]. friction: static friction [N m or N].
        armature: inertia of the drive, seen at the joint [kg m^2 or kg].
        stiffness: of a spring at the joint [N m/rad or N/m]; rest_position: where it is relaxed [rad or m].
    """

    name: str
    type: JointType
    parent_link: str
    child_link: str
    x_parent_joint: DualQuaternion
    axis: NDArray[np.float64]
    limits: Limits = NO_LIMITS
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    armature: float = 0.0
    stiffness: float = 0.0
    rest_position: float = 0.0

    def motion(self, q: NDArray[np.float64]) -> DualQuaternion:
        """x_joint_child: pose of the child link in the joint frame at position q of this joint alone."""
        if self.type is JointType.FLOATING:
            rotation = Quaternion(*q[3:].tolist())
            return pose(rotation * (1.0 / rotation.norm()), q[:3])
        if self.type is JointType.SPHERICAL:
            rotation = Quaternion(*q.tolist())
            return pose(rotation * (1.0 / rotation.norm()), np.zeros(3))
        if self.type is JointType.PRISMATIC:
            return pose(Quaternion(1.0), self.axis * q[0])
        return pose(rotation_about(self.axis, float(q[0])), np.zeros(3))

    def screw(self, rate: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(angular, linear) velocity of the child against the parent, in the child's frame, at joint rate v.

        Linear in ``rate``, so it maps accelerations too. A joint of one degree of freedom does not move
        its own axis: there it is the same in the joint frame (omega = axis v, or eps axis v).
        """
        if self.type is JointType.FLOATING:
            return rate[3:], rate[:3]
        if self.type is JointType.SPHERICAL:
            return rate, np.zeros(3)
        if self.type is JointType.PRISMATIC:
            return np.zeros(3), self.axis * rate[0]
        return self.axis * rate[0], np.zeros(3)


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, a moving link with everything that is fixed to it, in the moving link's frame.

    Attributes:
        name: the moving link (the root link, for the ground).
        mass: [kg].
        com: centre of mass in the body's frame [m], shape (3,).
        inertia: about the centre of mass, in the body's axes [kg m^2], shape (3, 3).
        links: pose x_body_link of every link that belongs to the body, the moving link included.
    """

    name: str
    mass: float
    com: NDArray[np.float64]
    inertia: NDArray[np.float64]
    links: Mapping[str, DualQuaternion]


@dataclass(frozen=True, eq=False)
class Connection:
    """The connection point a_i = b_{p_i,i} (Silva & Adorno, section II): a frame fixed in the predecessor.

    Its origin and axes are those of the subsystem's first joint; where several joints (or none) start
    there, those of ``link``.

    Attributes:
        link: link of the predecessor, or of the ground, that carries the point.
        body: index of the carrying body in ``SubsystemGraph.bodies``; None for the ground.
        x_link_connection, x_body_connection: its pose in that link and in that body.
    """

    link: str
    body: int | None
    x_link_connection: DualQuaternion
    x_body_connection: DualQuaternion


@dataclass(frozen=True, eq=False)
class Subsystem:
    """A subsystem i of the composition, with n_i joints and bodies.

    Attributes:
        first: index of its first joint in ``SubsystemGraph.joints``; its other joints follow there.
        predecessor: index of p_i in ``SubsystemGraph.subsystems``; None if it is connected to the ground.
        black_box: its wrench at the connection point is an input.
        root_link: child link of its first joint, or the fixed link at which a black box begins.
        fixed_links: links of a black box that are fixed to what carries it, by their pose in that body (or
            in the root link); their masses belong to no body.
    """

    name: str
    first: int
    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]
    connection: Connection
    predecessor: int | None
    black_box: bool
    root_link: str
    fixed_links: Mapping[str, DualQuaternion] = field(default_factory=dict)

    @property
    def indices(self) -> range:
        """Indices of its joints and bodies in the graph."""
        return range(self.first, self.first + len(self.joints))
