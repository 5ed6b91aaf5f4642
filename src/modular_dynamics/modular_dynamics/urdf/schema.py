"""Which element may stand where in a URDF, with which attributes and since which version: one table for all.

It covers what dynamics reads, from <robot> down, with our own <modular_dynamics>. The checks of spelling and
places (checks/places.py), of our tags (tags.py) and of versions (versions.py) read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

__all__ = [
    "FOREIGN_ATTRIBUTES",
    "FOREIGN_ELEMENTS",
    "LATEST",
    "OLDEST",
    "OTHER_ATTRIBUTES",
    "ROBOT",
    "TAGS",
    "WORDS_OF_OTHERS",
    "Element",
    "Version",
    "elements_with",
    "letters",
    "parents_of",
    "words",
]


class Version(NamedTuple):
    """A version of URDF; 1.0 where <robot> states none."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


OLDEST, LATEST = Version(1, 0), Version(1, 2)


class Element(NamedTuple):
    """An element at its place.

    Attributes:
        attributes: their names. since: those that came later, by the version of URDF that knows them first.
        children: the elements that may stand in it.
        is_read: whether dynamics reads it. What stands in others is not checked.
    """

    attributes: tuple[str, ...] = ()
    children: Mapping[str, Element] = {}
    since: Mapping[str, Version] = {}
    is_read: bool = True


_UNREAD = Element(is_read=False)
_NAME, _JOINT, _LINK = Element(("name",)), Element(("joint",)), Element(("link",))
_ORIGIN = Element(("xyz", "rpy"), since={"quat_xyzw": Version(1, 1)})
_AXIS = Element(("xyz",))
#: A link with a pose in it. Our tags have a version of their own: quat_xyzw counts in URDF of all versions.
_ANCHOR = Element(("link", "xyz", "rpy", "quat_xyzw"))

#: What may stand in <modular_dynamics>: docs/urdf_tags.md.
TAGS = Element(
    ("version", "stamp", "gravity", "floating_base"),
    {
        "subsystem": Element(("name", "root_link", "black_box"), {"joint": _NAME, "end_link": _NAME}),
        "loop_joint": Element(
            ("name", "type"), {"predecessor": _ANCHOR, "successor": _ANCHOR, "axis": _AXIS}
        ),
        "passive": _JOINT,
        "gear": Element(("joint", "driver", "ratio", "offset"), {"driver": Element(("joint", "ratio"))}),
        "spring": Element(
            ("name", "stiffness", "free_length", "initial_force", "damping"), {"anchor": _ANCHOR}
        ),
        "independent": Element((), {"joint": _NAME}),
        "spherical": _JOINT,
        "joint_dynamics": Element(("joint", "armature", "stiffness", "rest_position")),
    },
)

#: The root element. The attribute "type" of <link> is in URDF's schema; no tool is known to read it.
ROBOT = Element(
    ("name", "version"),
    {
        "link": Element(
            ("name", "type"),
            {
                "inertial": Element(
                    (),
                    {
                        "origin": _ORIGIN,
                        "mass": Element(("value",)),
                        "inertia": Element(("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
                    },
                ),
                "visual": _UNREAD,
                "collision": _UNREAD,
            },
        ),
        "joint": Element(
            ("name", "type"),
            {
                "parent": _LINK,
                "child": _LINK,
                "origin": _ORIGIN,
                "axis": _AXIS,
                "limit": Element(
                    ("lower", "upper", "effort", "velocity"),
                    since=dict.fromkeys(("acceleration", "deceleration", "jerk"), Version(1, 2)),
                ),
                "dynamics": Element(("damping", "friction")),
                "mimic": Element(("joint", "multiplier", "offset")),
                "calibration": _UNREAD,
                "safety_controller": _UNREAD,
            },
        ),
        "material": _UNREAD,
        "transmission": _UNREAD,
        "gazebo": _UNREAD,
        "sensor": _UNREAD,
        "ros2_control": _UNREAD,
        "modular_dynamics": TAGS,
    },
)

#: Elements and attributes of other tools that change torques, by the element in which they stand. foreign/
#: reads or names them; the checks of places and spelling leave them to it.
FOREIGN_ELEMENTS: Mapping[str, tuple[str, ...]] = {
    "robot": ("loop_joint", "loop", "coupling", "constraint"),
    "link": (),
    "joint": (),
    "dynamics": (),
}
FOREIGN_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "joint": ("independent",),
    "dynamics": (
        *(
            "armature",
            "rotor_inertia",
            "motor_inertia",
            "gear_ratio",
            "reduction",
            "stiffness",
            "spring_stiffness",
        ),
        *("spring_reference", "springref", "rest_position", "rest", "spring_mount"),
    ),
}
#: Attributes of published robots that change no torque.
OTHER_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "link": ("concave", "drake_ignore"),
    "joint": ("dont_collapse",),
    "inertia": ("iyx", "izx", "izy"),  # all nine entries of a symmetric matrix
    "limit": ("command_effort", "current", "gear_velocity", "k_velocity", "twist"),
    "dynamics": ("D", "K", "mu_coulomb", "mu_viscous"),  # Franka's, placeholders for its simulation
}
_CENTRE = ("com", "cog", "centerofmass", "centreofmass", "centerofgravity")
_POSE = ("pose", "transform", "translation", "position", "rotation", "orientation")
_INERTIA = (
    "armature",
    "inertia",
    *(f"{part}inertia" for part in ("rotor", "motor", "reflected", "drive", "gear")),
)
_SPRING = (
    "spring",
    "stiffness",
    "springstiffness",
    "springconstant",
    "springrate",
    "elasticity",
    "compliance",
)
#: What SDF and other formats call something (in small letters, without underscores) that URDF says in another
#: way, by the element in which it stands; and how URDF says it.
WORDS_OF_OTHERS: Mapping[str, Mapping[str, str]] = {
    "robot": {"pose": 'the root link does not move; <modular_dynamics gravity=""> says how it is turned'},
    "link": {
        **dict.fromkeys(_POSE, 'the <origin xyz="" rpy=""/> of the joint above a link places it'),
        **dict.fromkeys(_CENTRE, 'write <origin xyz=""/> in <inertial>'),
    },
    "inertial": dict.fromkeys((*_POSE, *_CENTRE), 'write <origin xyz="" rpy=""/>'),
    "joint": dict.fromkeys(_POSE, 'write <origin xyz="" rpy=""/>'),
    "dynamics": {
        **dict.fromkeys(_INERTIA, 'write <joint_dynamics joint="" armature=""/> in <modular_dynamics>'),
        **dict.fromkeys(_SPRING, 'write <joint_dynamics joint="" stiffness=""/> in <modular_dynamics>'),
    },
}


def words(element: Element) -> Iterator[str]:
    """Names of all elements in an element that dynamics reads, our tags left out."""
    for child, rule in element.children.items():
        if rule.is_read and rule is not TAGS:
            yield child
            yield from words(rule)


def parents_of(tag: str, element: Element = ROBOT, name: str = "robot") -> Iterator[str]:
    """Names of the elements of URDF in which an element of this name is read."""
    for child, rule in element.children.items():
        if child == tag and rule.is_read:
            yield name
        if rule is not TAGS:
            yield from parents_of(tag, rule, child)


def elements_with(attribute: str, element: Element = ROBOT) -> Iterator[str]:
    """Names of the elements that have such an attribute; those of our tags come last."""
    for child, rule in element.children.items():
        if attribute in rule.attributes or attribute in rule.since:
            yield child
        yield from elements_with(attribute, rule)


def letters(name: str) -> str:
    """Return a name as it is compared with others: LoopJoint, loop-joint and loop_joint are one."""
    return name.casefold().replace("_", "").replace("-", "")
