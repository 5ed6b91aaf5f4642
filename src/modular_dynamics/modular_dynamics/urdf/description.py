"""A robot as described, before it becomes a graph: links and joints of the URDF, and our tags.

Fixed links are separate links here, and joints are in document order.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, Quaternion, rotation_about, rotation_matrix
from ..exceptions import PartitionError, UrdfError
from ..model import Finding, Gear, Limits, LoopJoint, Mimic, Spring
from ..model.subsystem import NO_LIMITS


class Described:
    """Base of links and joints: findings name them by element, name and line."""

    element: ClassVar[str]
    name: str
    line: int | None

    def finding(self, kind: str, text: str, assumed: str = "", asks: bool = False) -> Finding:
        """Return a finding whose text is "link 'NAME' " or "joint 'NAME' ", then ``text``."""
        text = f"{self.element} '{self.name}' {text}"
        return Finding(kind, self.element, self.name, text, self.line, assumed, asks=asks)


@dataclass(frozen=True, eq=False)
class LinkDescription(Described):
    """A link: mass [kg], centre of mass in its frame [m], inertia about that in its axes [kg m^2]."""

    element = "link"
    name: str
    mass: float = 0.0
    com: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    inertia: NDArray[np.float64] = field(default_factory=lambda: np.zeros((3, 3)))
    line: int | None = None


@dataclass(frozen=True, eq=False)
class JointDescription(Described):
    """A joint of any type; ``x_parent_joint``: its <origin>, a pose in the parent link's frame."""

    element = "joint"
    name: str
    type: str
    parent: str
    child: str
    x_parent_joint: DualQuaternion
    axis: NDArray[np.float64] = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    limits: Limits = NO_LIMITS
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    armature: float = 0.0
    stiffness: float = 0.0
    rest_position: float = 0.0
    line: int | None = None

    @property
    def moves(self) -> bool:
        """Whether it is not fixed."""
        return self.type != "fixed"


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot as its URDF describes it; joints and links by name, in document order."""

    name: str
    links: dict[str, LinkDescription]
    joints: dict[str, JointDescription]

    @property
    def root(self) -> str:
        """The link that is no joint's child."""
        return next(link for link in self.links if link not in self.above)

    @cached_property
    def above(self) -> dict[str, JointDescription]:
        """By link, the joint whose child it is; the root link has none."""
        return {joint.child: joint for joint in self.joints.values()}

    @cached_property
    def below(self) -> dict[str, list[JointDescription]]:
        """By link, the joints whose parent it is, in document order."""
        below: dict[str, list[JointDescription]] = {link: [] for link in self.links}
        for joint in self.joints.values():
            below[joint.parent].append(joint)
        return below

    @cached_property
    def in_order(self) -> list[str]:
        """Names of the links, each after its parent."""
        links = [self.root]
        for link in links:  # grows while it is read
            links.extend(joint.child for joint in self.below[link])
        return links

    @cached_property
    def poses(self) -> Mapping[str, DualQuaternion]:
        """By link, its pose in the root link with all joints at zero; a joint's frame is its child link's."""
        poses = {self.root: DualQuaternion.identity}
        for link in self.in_order[1:]:
            poses[link] = poses[self.above[link].parent] * self.above[link].x_parent_joint
        return poses

    def joints_above(self, link: str) -> list[JointDescription]:
        """Return the moving joints on the path from the root to a link, in that order."""
        joints = list[JointDescription]()
        while link in self.above:
            joint = self.above[link]
            joints += [joint] if joint.moves else []
            link = joint.parent
        return joints[::-1]

    def between(self, first: str, second: str) -> tuple[list[JointDescription], list[JointDescription]]:
        """Return the moving joints from the last common ancestor of two links to each of them."""
        one, other = self.joints_above(first), self.joints_above(second)
        common = sum(a is b for a, b in zip(one, other, strict=False))
        return one[common:], other[common:]

    def body_links(self, first: str) -> list[str]:
        """Return the link ``first`` and all links below that are fixed to it."""
        links = [first]
        for link in links:  # grows while it is read
            links.extend(joint.child for joint in self.below[link] if not joint.moves)
        return links


@dataclass(frozen=True)
class Carrier:
    """The body that carries a link.

    Attributes:
        joint: the moving joint above that body; None: the ground.
        x_body_link: pose of the link in that body.
        box: the black box, if any, whose fixed part the link belongs to.
    """

    joint: str | None
    x_body_link: DualQuaternion
    box: str | None = None


def carriers(robot: RobotDescription, fixed_roots: dict[str, str]) -> dict[str, Carrier]:
    """Return the carrier of every link. ``fixed_roots``: root link -> black box that is fixed there."""
    result = {robot.root: Carrier(None, DualQuaternion.identity)}
    links = [robot.root]
    while links:
        parent = links.pop()
        for joint in robot.below[parent]:
            if joint.moves:
                result[joint.child] = Carrier(joint.name, DualQuaternion.identity)
            else:
                carrier = result[parent]
                box = fixed_roots.get(joint.child, carrier.box)
                result[joint.child] = Carrier(carrier.joint, carrier.x_body_link * joint.x_parent_joint, box)
            links.append(joint.child)
    return result


@dataclass(frozen=True)
class SubsystemSpec:
    """A subsystem of the tags: its joints, or else its root link and the links at which it ends.

    In a partition of the robot (assembly.py) ``joints`` are all its joints in document order.

    Attributes:
        fixed_root: root link of a black box whose first joint is fixed; None for all others. line: of the
            tag, for error messages.
    """

    name: str
    joints: tuple[str, ...] = ()
    root_link: str | None = None
    end_links: tuple[str, ...] = ()
    black_box: bool = False
    line: int | str | None = None
    fixed_root: str | None = None


@dataclass(frozen=True, slots=True)
class JointDynamics:
    """The values of a <joint_dynamics> tag; units as of :class:`.Joint`."""

    joint: str
    armature: float = 0.0
    stiffness: float = 0.0
    rest_position: float = 0.0


@dataclass(frozen=True, eq=False)
class Annotations:
    """The content of <modular_dynamics>, or of the YAML file with the same content.

    Attributes:
        independent: joints that are independent; None: all but passive and geared ones.
        lines: line of each entry, by section and name, for error messages.
    """

    subsystems: tuple[SubsystemSpec, ...] = ()
    loop_joints: tuple[LoopJoint, ...] = ()
    passive: tuple[str, ...] = ()
    gears: tuple[Gear, ...] = ()
    springs: tuple[Spring, ...] = ()
    independent: tuple[str, ...] | None = None
    spherical: tuple[str, ...] = ()
    joint_dynamics: tuple[JointDynamics, ...] = ()
    lines: Mapping[tuple[str, str], int | str | None] = field(default_factory=dict)


def free_name(name: str, *taken: Container[str], mark: str = "_") -> str:
    """Return the name, followed by as many marks as make it differ from all names that are taken."""
    while any(name in names for names in taken):
        name += mark
    return name


# Joints that differ in the model from URDF: planar joints, and joints that our tags change.


def with_planar_joints(robot: RobotDescription) -> RobotDescription:
    """Return the robot with each planar joint NAME replaced by three joints.

    These are prismatic joints NAME_x and NAME_y and a continuous joint NAME_theta, with the massless links
    NAME_x_link and NAME_y_link between. NAME_theta turns about the planar
    joint's axis n; NAME_x and NAME_y move along the joint frame's x and y, turned by the shortest rotation
    that takes its z to n. Each of the three gets the damping and friction of the planar joint.

    Raises:
        UrdfError: one of these names is taken.
    """
    links, joints = dict(robot.links), dict[str, JointDescription]()
    for joint in robot.joints.values():
        if joint.type != "planar":
            joints[joint.name] = joint
            continue
        name, line = joint.name, joint.line
        new_links = [f"{name}_x_link", f"{name}_y_link"]
        new_joints = [f"{name}_x", f"{name}_y", f"{name}_theta"]
        taken = [n for n in new_links if n in links] + [
            n for n in new_joints if n in robot.joints or n in joints
        ]
        if taken:
            raise UrdfError(
                f"planar joint '{name}' becomes the joints {', '.join(new_joints)} and the links "
                f"{', '.join(new_links)}; already used: {', '.join(taken)}",
                line,
            )
        links.update({link: LinkDescription(link, line=line) for link in new_links})
        turn = rotation_matrix(_from_z(joint.axis))
        ends = [joint.parent, *new_links, joint.child]
        kinds = ("prismatic", turn[:, 0]), ("prismatic", turn[:, 1]), ("continuous", joint.axis)
        for k, (kind, axis) in enumerate(kinds):
            placed = joint.x_parent_joint if k == 0 else DualQuaternion.identity
            joints[new_joints[k]] = replace(
                joint,
                name=new_joints[k],
                type=kind,
                parent=ends[k],
                child=ends[k + 1],
                x_parent_joint=placed,
                axis=axis,
            )
    return replace(robot, links=links, joints=joints)


def _from_z(axis: np.ndarray) -> Quaternion:
    """Return the smallest rotation that takes z to a unit vector; half a turn about x for -z."""
    normal = np.array([-axis[1], axis[0], 0.0])
    sine = float(np.linalg.norm(normal))
    if sine < 1e-12:
        return Quaternion(1.0) if axis[2] > 0.0 else Quaternion(0.0, 1.0, 0.0, 0.0)
    return rotation_about(normal / sine, float(np.arctan2(sine, axis[2])))


def with_joint_tags(robot: RobotDescription, annotations: Annotations) -> RobotDescription:
    """Return the robot with the types of <spherical> and the values of <joint_dynamics>.

    Raises:
        PartitionError: a spherical joint that the URDF does not describe as floating; a joint that does not
            move; a spring at a joint with several coordinates.
    """
    joints = dict(robot.joints)
    for name in annotations.spherical:
        joint = joints[name]
        if joint.type != "floating":
            raise PartitionError(
                f"spherical joint '{name}' is {joint.type} in the URDF; type=\"floating\" is needed, so that "
                "other programs read a joint that can turn as this one does",
                annotations.lines.get(("spherical", name)),
            )
        joints[name] = replace(joint, type="spherical")
    for dynamics in annotations.joint_dynamics:
        joint, line = joints[dynamics.joint], annotations.lines.get(("joint_dynamics", dynamics.joint))
        if not joint.moves:
            raise PartitionError(f"joint_dynamics of joint '{joint.name}': it is fixed", line)
        if dynamics.stiffness != 0.0 and joint.type in ("floating", "spherical"):
            raise PartitionError(
                f"joint_dynamics of joint '{joint.name}': it is {joint.type}; springs are supported at "
                "joints with one coordinate",
                line,
            )
        joints[joint.name] = replace(
            joint,
            armature=dynamics.armature,
            stiffness=dynamics.stiffness,
            rest_position=dynamics.rest_position,
        )
    return replace(robot, joints=joints)
