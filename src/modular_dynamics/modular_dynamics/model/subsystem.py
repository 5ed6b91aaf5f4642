"""Joints, bodies, and subsystems: connected joints and bodies beyond one connection point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, Quaternion, pose, rotation_about, rotation_matrix, translation
from ..exceptions import UnsupportedModelError
from .number_arrays import Constant, read_only, read_only_mapping


@dataclass(frozen=True, eq=False)
class Inertial(Constant):
    """Mass, centre of mass and inertia of a link or a payload, in the link's frame.

    Attributes:
        mass: [kg].
        com: centre of mass [m], shape (3,).
        inertia: about the centre of mass, in the link's axes [kg m^2], shape (3, 3).
    """

    mass: float
    com: NDArray[np.float64]
    inertia: NDArray[np.float64]

    none: ClassVar[Inertial]

    def __post_init__(self) -> None:
        self._set(
            com=read_only(self.com, (3,), "a centre of mass"),
            inertia=read_only(self.inertia, (3, 3), "an inertia"),
        )


Inertial.none = Inertial(0.0, np.zeros(3), np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class Link:
    """A link of a body: its own mass, and the link to which it is fixed.

    Attributes:
        inertial: in the link's own frame.
        parent: the link of the same body to which it is fixed; None: the moving link, or the root link.
        joint: the name of the fixed joint between the two; None where there is none.
    """

    name: str
    inertial: Inertial
    parent: str | None = None
    joint: str | None = None


def merged(parts: Sequence[tuple[Inertial, DualQuaternion]]) -> Inertial:
    """Return one rigid body of parts at poses x_body_part: masses added, inertias by Steiner's theorem.

    I = sum R_k I_k R_k^T + m_k (d_k^2 1 - d_k d_k^T), with d_k from the common centre of mass to part k's
    (Featherstone 2008, eq. 2.63).
    """
    mass = sum(part.mass for part, _ in parts)
    rotations = [rotation_matrix(x.primary) for _, x in parts]
    coms = [R @ part.com + translation(x) for R, (part, x) in zip(rotations, parts, strict=True)]
    if mass > 0.0:
        com = np.sum([part.mass * c for (part, _), c in zip(parts, coms, strict=True)], axis=0) / mass
    else:
        com = coms[0]
    inertia = np.zeros((3, 3))
    for R, c, (part, _) in zip(rotations, coms, parts, strict=True):
        d = c - com
        inertia += R @ part.inertia @ R.T + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertial(float(mass), com, inertia)


class JointType(str, Enum):
    """The moving joint types that this library supports: those of URDF, and ball joints."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    SPHERICAL = "spherical"
    FLOATING = "floating"

    @property
    def nq(self) -> int:
        """Size of a position: 7 for floating (x y z, quaternion w x y z), 4 for spherical, else 1."""
        return {JointType.FLOATING: 7, JointType.SPHERICAL: 4}.get(self, 1)

    @property
    def quaternion(self) -> int | None:
        """Index at which a position's quaternion w x y z starts; None without one."""
        return {JointType.FLOATING: 3, JointType.SPHERICAL: 0}.get(self)

    @property
    def nv(self) -> int:
        """Size of a velocity: 6 for floating, 3 for spherical, else 1.

        They are linear and angular, or angular, velocity in the child's axes.
        """
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
class Joint(Constant):
    """A moving joint, at a pose in the frame of the body that carries it; on the ground: of the root link.

    Attributes:
        x_parent_joint: pose of the joint frame, fixed in the parent body, in the parent body's frame.
        axis: unit axis in the joint frame; unused by floating and spherical joints.
        damping: viscous friction [N m s/rad or N s/m]. friction: static friction [N m or N].
        armature: inertia of the drive, seen at the joint [kg m^2 or kg].
        stiffness: of a spring at the joint [N m/rad or N/m]. rest_position: where it is relaxed [rad or m].

    Raises:
        UnsupportedModelError: a spring at a joint with several coordinates.
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

    def __post_init__(self) -> None:
        self._set(axis=read_only(self.axis, (3,), f"the axis of joint '{self.name}'"))
        if self.stiffness != 0.0 and self.type.nv > 1:
            raise UnsupportedModelError(
                f"joint '{self.name}' is {self.type.value} and has stiffness {self.stiffness:g}; springs are "
                "supported at joints with one coordinate"
            )

    def motion(self, q: NDArray[np.float64]) -> DualQuaternion:
        """Return x_joint_child, the pose of the child link in the joint frame at this joint's position q."""
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
        """Return the child's velocity (angular, linear) against the parent, in its frame, at joint rate v.

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
class Body(Constant):
    """A rigid body: a moving link with all that is fixed to it. Its frame is the moving link's.

    Attributes:
        name: the moving link (the root link, for the ground).
        links: pose x_body_link of every link that belongs to the body, the moving link included.
        parts: the links with their own masses; by default all links, without mass.
        payloads: what `with_payload` added to links, by link.
    """

    name: str
    links: Mapping[str, DualQuaternion]
    parts: tuple[Link, ...] = ()
    payloads: Mapping[str, Inertial] = field(default_factory=dict)

    def __post_init__(self) -> None:
        others = (Link(link, Inertial.none, self.name) for link in self.links if link != self.name)
        self._set(
            links=read_only_mapping(self.links),
            parts=self.parts or (Link(self.name, Inertial.none), *others),
            payloads=read_only_mapping(self.payloads),
        )

    @cached_property
    def inertial(self) -> Inertial:
        """Mass, centre of mass and inertia in the body's frame: of all links, and of payloads on them."""
        bare = merged([(part.inertial, self.links[part.name]) for part in self.parts])
        loads = [(payload, self.links[link]) for link, payload in self.payloads.items()]
        return merged([(bare, DualQuaternion.identity), *loads]) if loads else bare

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return self.inertial.mass

    @property
    def com(self) -> NDArray[np.float64]:
        """Centre of mass in the body's frame [m], shape (3,)."""
        return self.inertial.com

    @property
    def inertia(self) -> NDArray[np.float64]:
        """Inertia about the centre of mass, in the body's axes [kg m^2], shape (3, 3)."""
        return self.inertial.inertia


@dataclass(frozen=True, eq=False)
class Connection(Constant):
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


_NO_LINKS: Mapping[str, DualQuaternion] = read_only_mapping({})


@dataclass(frozen=True, eq=False)
class Subsystem(Constant):
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
    fixed_links: Mapping[str, DualQuaternion] = field(default_factory=lambda: _NO_LINKS)

    def __post_init__(self) -> None:
        if self.fixed_links is not _NO_LINKS:
            self._set(fixed_links=read_only_mapping(self.fixed_links))

    @property
    def indices(self) -> range:
        """Indices of the subsystem's joints and bodies in the graph."""
        return range(self.first, self.first + len(self.joints))


# Elements that close loops: loop joints, gears and springs. loops/ computes with them.


@dataclass(frozen=True, eq=False)
class Anchor:
    """A frame fixed in a link, with pose x_link_anchor."""

    link: str
    x_link_anchor: DualQuaternion


@dataclass(frozen=True, eq=False)
class LoopJoint(Constant):
    """A cut joint between two links: it closes a kinematic loop.

    Attributes:
        type: revolute, prismatic, spherical, universal, fixed or planar (a point on a line of the plane).
        axis: unit axis in the predecessor's anchor frame.
    """

    name: str
    type: str
    predecessor: Anchor
    successor: Anchor
    axis: NDArray[np.float64]

    def __post_init__(self) -> None:
        self._set(axis=read_only(self.axis, (3,), f"the axis of loop joint '{self.name}'"))

    @property
    def anchors(self) -> tuple[Anchor, Anchor]:
        """The anchors on the predecessor and on the successor."""
        return self.predecessor, self.successor


@dataclass(frozen=True, slots=True)
class Gear:
    """q[joint] = ratio * q[driver] + offset [rad or m]; further drivers add ratio * q[driver] each.

    Several drivers describe a gear whose carrier moves: its ratio relates the carrier's joint too.
    """

    joint: str
    driver: str
    ratio: float
    offset: float = 0.0
    further: tuple[tuple[str, float], ...] = ()

    @property
    def drivers(self) -> tuple[tuple[str, float], ...]:
        """All drivers with their ratios."""
        return ((self.driver, self.ratio), *self.further)


@dataclass(frozen=True, eq=False)
class Spring:
    """A tension spring between two anchors: F = initial_force + stiffness (L - free_length) + damping dL/dt.

    Units N, N/m, m, N s/m (Goncalves et al., eqs. 5, 15).
    """

    name: str
    stiffness: float
    free_length: float
    initial_force: float
    damping: float
    anchors: tuple[Anchor, Anchor]


def tree_lines(subsystems: Sequence[Subsystem]) -> list[str]:
    """Return one line for each subsystem and joint, indented by the tree of subsystems."""
    lines: list[str] = []

    def add_successors(predecessor: int | None, indent: str) -> None:
        successors = [k for k, one in enumerate(subsystems) if one.predecessor == predecessor]
        for k in successors:
            subsystem, point = subsystems[k], subsystems[k].connection
            owner = next((one.name for one in subsystems if point.body in one.indices), "the ground")
            content = count_of_joints(subsystem) + (", black box" if subsystem.black_box else "")
            branch, inner = ("└─ ", "   ") if k == successors[-1] else ("├─ ", "│  ")
            lines.append(f"{indent}{branch}{subsystem.name} ({content}) at link {point.link} of {owner}")
            rail = "│  " if any(one.predecessor == k for one in subsystems) else "   "
            lines.extend(f"{indent}{inner}{rail}{_joint_text(joint)}" for joint in subsystem.joints)
            add_successors(k, indent + inner)

    add_successors(None, "")
    return lines


def count_of_joints(subsystem: Subsystem) -> str:
    """Return the number of a subsystem's joints, in words."""
    count = len(subsystem.joints)
    return f"{count} joint" if count == 1 else f"{count} joints"


def _joint_text(joint: Joint) -> str:
    """Return a joint's name, type, axis, links and driver as text."""
    axis = "" if joint.type.nv > 1 else f" about [{', '.join(f'{a:.4g}' for a in joint.axis)}]"
    axis = axis.replace("about", "along") if joint.type is JointType.PRISMATIC else axis
    mimic = f", mimics {joint.mimic.joint}" if joint.mimic else ""
    return f"{joint.name}: {joint.type.value}{axis}, {joint.parent_link} → {joint.child_link}{mimic}"
