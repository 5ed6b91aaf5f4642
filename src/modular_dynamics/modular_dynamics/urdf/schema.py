"""Table of the elements and attributes that are read from a URDF, by parent element and URDF version.

It has URDF's own elements, our <modular_dynamics>, and elements of other tools that foreign/ reads.
checks/places.py (misspelt and misplaced elements), tags.py and header.py (versions) use it.
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
        is_read: whether the library reads it; if not, only its elements that foreign/ reads are checked.
        of_others, attributes_of_others: child elements and attributes of other tools that foreign/ reads.
        names: whether findings report every unknown attribute, and every unknown child element, or only those
            that are similar to a known one.
        holds_text: whether it may contain text.
    """

    attributes: tuple[str, ...] = ()
    children: Mapping[str, Element] = {}
    since: Mapping[str, Version] = {}
    is_read: bool = True
    of_others: Mapping[str, Element] = {}
    attributes_of_others: tuple[str, ...] = ()
    names: tuple[bool, bool] = (True, False)
    holds_text: bool = False


_ALL, _NONE = (True, True), (False, False)
_UNREAD = Element(is_read=False, names=_NONE)
_NAME, _JOINT, _LINK = Element(("name",)), Element(("joint",)), Element(("link",))
_ORIGIN = Element(("xyz", "rpy"), since={"quat_xyzw": Version(1, 1)})
_AXIS = Element(("xyz",))
#: A link with a pose in it. quat_xyzw is valid in our tags whatever the version of URDF.
_ANCHOR = Element(("link", "xyz", "rpy", "quat_xyzw"))

#: Rule of <modular_dynamics>: docs/urdf_tags.md.
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

#: Elements, and attributes of <dynamics>, by which other tools describe the drive or a spring of a joint.
INERTIAS = ("drake:rotor_inertia", "motorInertia", "rotorInertia", "motor_inertia", "rotor_inertia")
REDUCTIONS = (
    "drake:gear_ratio",
    "mechanicalReduction",
    "mechanical_reduction",
    "gearRatio",
    "gear_ratio",
    "reduction",
)
SPRINGS = {
    "springStiffness": "stiffness",
    "spring_stiffness": "stiffness",
    "springReference": "rest_position",
    "spring_reference": "rest_position",
}
ROTORS = ("rotor_inertia", "motor_inertia")
STIFFNESSES = ("stiffness", "spring_stiffness")
RESTS = ("spring_reference", "springref", "rest_position", "rest", "spring_mount")

_VALUE = Element(("value",), holds_text=True)
_VALUES = dict.fromkeys((*INERTIAS, *REDUCTIONS), _VALUE)
_KEYS = tuple(key for key in _VALUES if ":" not in key)
_DRIVE = Element(("name",), of_others=_VALUES, attributes_of_others=_KEYS, names=_NONE)
_TRANSMISSION = _DRIVE._replace(
    attributes=("name", "type"), of_others={**_VALUES, "joint": _DRIVE, "actuator": _DRIVE}, is_read=False
)
#: A loop's end in the format of another tool: its pose is in its attributes or in an <origin> element.
_PLACED = _ORIGIN._replace(attributes=("xyz", "rpy", "quat_xyzw"), since={}, names=_ALL)
_END = Element(("link", *_PLACED.attributes), {"origin": _PLACED}, names=_ALL)
_ENDS = ("link1", "link2", "predecessor", "successor", "parent", "child")
_LOOP = Element(
    ("name", "type"),
    {
        **dict.fromkeys(_ENDS, _END),
        "axis": Element(("xyz",), names=_ALL),
        "origin": _PLACED,
        "dynamics": Element(("damping", "friction")),
        "limit": Element(("lower", "upper", "effort", "velocity")),
        "ratio": Element(("value",), names=_ALL, holds_text=True),
    },
    names=_ALL,
)
_COUPLING = Element(
    ("name", "type"),
    {
        **dict.fromkeys(("predecessor", "successor"), Element(("link",), names=_ALL)),
        "ratio": _LOOP.children["ratio"],
    },
    names=_ALL,
)
_OF_DRAKE = Element(("name",), names=_NONE), Element(("value",), names=_ALL)
_DRAKE = {
    "drake:ball_constraint": ("body_A", "body_B", "p_AP", "p_BQ"),
    "drake:linear_spring_damper": (
        *("body_A", "body_B", "p_AP", "p_BQ"),
        *("free_length", "stiffness", "damping"),
    ),
}
_TEXT = Element(names=_NONE, holds_text=True)
_SDF_SPRINGS = dict.fromkeys(SPRINGS, _VALUE)
_SDF_AXIS = Element(
    ("xyz",),
    {
        "xyz": Element(("expressed_in",), names=_NONE, holds_text=True),
        "use_parent_model_frame": _TEXT,
        "dynamics": Element(of_others=_SDF_SPRINGS, names=_NONE),
    },
    names=_NONE,
)
_SDF_JOINT = Element(
    ("name", "type"),
    {
        "parent": Element(("link",), names=_NONE, holds_text=True),
        "child": Element(("link",), names=_NONE, holds_text=True),
        "pose": Element(("relative_to", "frame", "degrees", "rotation_format"), names=_NONE, holds_text=True),
        "axis": _SDF_AXIS._replace(children={**_SDF_AXIS.children, "dynamics": Element(names=_NONE)}),
        "axis2": _TEXT,
    },
)
_GAZEBO = Element(
    ("reference",),
    of_others={
        **_SDF_SPRINGS,
        "joint": _SDF_JOINT,
        "axis": _SDF_AXIS._replace(is_read=False),
    },
    attributes_of_others=tuple(SPRINGS),
    is_read=False,
    names=_NONE,
)

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
                "dynamics": Element(
                    ("damping", "friction"),
                    attributes_of_others=(
                        *("armature", *ROTORS, "gear_ratio", "reduction"),
                        *(*STIFFNESSES, *RESTS),
                    ),
                ),
                "mimic": Element(("joint", "multiplier", "offset")),
                "calibration": _UNREAD,
                "safety_controller": _UNREAD,
            },
            of_others={**_VALUES, "actuator": _DRIVE},
            attributes_of_others=("independent", *_KEYS),
        ),
        "material": _UNREAD,
        "transmission": _TRANSMISSION,
        "gazebo": _GAZEBO,
        "sensor": _UNREAD,
        "ros2_control": Element(of_others={"transmission": _TRANSMISSION}, is_read=False, names=_NONE),
        "modular_dynamics": TAGS,
    },
    of_others={
        **dict.fromkeys(("loop_joint", "loop", "constraint"), _LOOP),
        "coupling": _COUPLING,
        **{
            tag: Element(
                ("name",), {f"{tag}_{part}": _OF_DRAKE["body" not in part] for part in parts}, names=_ALL
            )
            for tag, parts in _DRAKE.items()
        },
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
UNITS = "all numbers are in m, rad, kg and s"
_POSE = "pose transform translation position rotation orientation"
_CENTRE = "com cog centerofmass centreofmass centerofgravity"
#: Names of SDF and other formats (small letters, no underscores), by the elements that they are found in, and
#: advice. "origin" stands for every element with a pose.
_WORDS_OF_OTHERS = (
    (
        "robot",
        "pose basepose upaxis upvector",
        '<modular_dynamics gravity=""> says how the root link is turned',
    ),
    ("robot", "robot", "a file describes one robot"),
    ("robot link inertial mass inertia limit", "unit units massunit scale", UNITS),
    ("link", _POSE, 'the <origin xyz="" rpy=""/> of the joint above a link places it'),
    ("link", _CENTRE, 'write <origin xyz=""/> in <inertial>'),
    ("inertial", f"{_POSE} {_CENTRE}", 'write <origin xyz="" rpy=""/>'),
    ("inertial", "density payload volume", 'write <mass value=""/> and <inertia/> with it'),
    ("joint", _POSE, 'write <origin xyz="" rpy=""/>'),
    ("joint", "gravity", 'write <modular_dynamics version="1" gravity="">'),
    ("mimic", "ratio factor scale gearratio", "is 'multiplier' meant?"),
    ("limit", "min low minimum", "is 'lower' meant?"),
    ("limit", "max high maximum", "is 'upper' meant?"),
    ("limit", "force torque maxforce maxtorque", "is 'effort' meant?"),
    ("limit", "speed maxvelocity maxspeed", "is 'velocity' meant?"),
    (
        "dynamics",
        "mechanicalreduction reductionratio ratio",
        "a ratio counts as gear_ratio, beside rotor_inertia",
    ),
    ("axis", "value", "is 'xyz' meant?"),
    ("axis origin", "x y z", 'write xyz="x y z"'),
    ("origin", "pos position translation origin", "is 'xyz' meant?"),
    (
        "origin",
        "euler angles axisangle rot rotation orientation",
        "is 'rpy' meant, fixed-axis angles in rad?",
    ),
    ("origin", "quat quaternion quatwxyz", "is 'quat_xyzw' meant (x y z w, in <robot version=\"1.1\">)?"),
    ("origin", "roll pitch yaw", 'write rpy="roll pitch yaw"'),
    ("origin", "pose", "write 'xyz' and 'rpy'"),
)
_ADVICE = {
    (place, name): advice
    for places, names, advice in _WORDS_OF_OTHERS
    for place in places.split()
    for name in names.split()
}
#: Attributes for which zero is not the same as leaving them out.
_ZERO_COUNTS = ("gravity", "ratio", "multiplier", "gearratio", "reduction", "active", "enabled")


def advice_on(name: str, parent: str, rule: Element) -> str | None:
    """Return advice on an attribute or element of another format in this parent; None if there is none."""
    place = "origin" if {"xyz", "rpy"} <= {*rule.attributes} else parent
    return _ADVICE.get((place, letters(name)))


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
