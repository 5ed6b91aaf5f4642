"""Table of the elements and attributes that are read from a URDF, by parent element and URDF version.

It has URDF's own elements and our <modular_dynamics>. checks/places.py (misspelt and misplaced elements),
tags.py and header.py (versions) use it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from .source import numbers_in


class Version(NamedTuple):
    """A version of URDF; 1.0 if <robot> states none."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


OLDEST, LATEST = Version(1, 0), Version(1, 2)


class Element(NamedTuple):
    """The rule of one element within its parent.

    Attributes:
        attributes: names of its attributes. since: later attributes, with their first version of URDF.
        children: rules of its child elements, by name.
        is_read: whether the library reads it; if not, only words that change torques are named in it.
    """

    attributes: tuple[str, ...] = ()
    children: Mapping[str, Element] = {}
    since: Mapping[str, Version] = {}
    is_read: bool = True


_UNREAD = Element(is_read=False)
_NAME, _JOINT, _LINK = Element(("name",)), Element(("joint",)), Element(("link",))
_ORIGIN = Element(("xyz", "rpy"), since={"quat_xyzw": Version(1, 1)})
_AXIS = Element(("xyz",))
#: A link with a pose in it. quat_xyzw is valid in our tags whatever the version of URDF.
_ANCHOR = Element(("link", "xyz", "rpy", "quat_xyzw"))

#: Rule of <modular_dynamics>: docs/reference/urdf_tags.md.
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

#: Attributes of <dynamics> by which other tools describe the drive of a joint: foreign.py.
DRIVES = ("armature", "rotor_inertia", "motor_inertia", "gear_ratio")

#: Rule of the root element. "type" of <link> is in URDF's XML schema; no known tool reads it.
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
                "dynamics": Element(("damping", "friction", *DRIVES)),
                "mimic": Element(("joint", "multiplier", "offset")),
                "calibration": _UNREAD,
                "safety_controller": _UNREAD,
                "actuator": _UNREAD,
            },
        ),
        "material": _UNREAD,
        **dict.fromkeys(("transmission", "gazebo", "sensor", "ros2_control"), _UNREAD),
        "modular_dynamics": TAGS,
    },
)

#: Attributes in published robots that change no torque and are ignored without a finding, by element.
OTHER_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "robot": ("description",),
    "link": ("concave", "drake_ignore"),
    "joint": ("dont_collapse",),
    "inertia": ("iyx", "izx", "izy"),  # all nine entries of a symmetric matrix
    "limit": ("command_effort", "current", "gear_velocity", "k_velocity", "twist"),
    "dynamics": ("D", "K", "mu_coulomb", "mu_viscous"),  # Franka's, placeholders for its simulation
}
#: Attributes for which zero is not the same as leaving them out.
_ZERO_COUNTS = ("gravity", "ratio", "multiplier", "gearratio")


def snake_case(name: str) -> str:
    """Return a name in small letters with underscores: gearRatio as gear_ratio."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def is_zero(value: str, name: str = "") -> bool:
    """Return whether a text is numbers that are all zero, for a name whose default is zero."""
    numbers = numbers_in(value)
    return bool(numbers) and not any(numbers) and letters(name) not in _ZERO_COUNTS


@lru_cache(4096)
def letters(name: str) -> str:
    """Return a name in small letters without - and _, for comparison: LoopJoint and loop_joint are equal."""
    return name.casefold().replace("_", "").replace("-", "")


#: By name (:func:`letters`): its spelling, and the elements in which an element of this name is read.
PLACES_OF: dict[str, tuple[str, tuple[str, ...]]] = {}
#: By name: the elements in which an attribute of this name is read.
ATTRIBUTES_OF: dict[str, tuple[str, ...]] = {}


def _index(element: Element, name: str) -> None:
    """Add to the two tables what is read in an element of this name, and in all elements in it."""
    for key in (*element.attributes, *element.since):
        ATTRIBUTES_OF[key] = (*ATTRIBUTES_OF.get(key, ()), name)
    for child, rule in element.children.items():
        _, places = PLACES_OF.get(letters(child), ("", ()))
        if rule.is_read and rule is not TAGS:
            PLACES_OF[letters(child)] = child, (*places, name)
            _index(rule if element is not TAGS else rule._replace(children={}), child)


_index(ROBOT, "robot")
_index(TAGS, "modular_dynamics")
