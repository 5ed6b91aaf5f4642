"""Table of the elements and attributes that are read from a URDF, by parent element and URDF version.

It has URDF's own elements, our <modular_dynamics>, and elements of other tools that foreign/ reads.
checks/places.py (misspelt and misplaced elements), tags.py and header.py (versions) use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
        holds_text: whether it may contain text. is_cut: whether it is a joint that closes a loop.
    """

    attributes: tuple[str, ...] = ()
    children: Mapping[str, Element] = {}
    since: Mapping[str, Version] = {}
    is_read: bool = True
    of_others: Mapping[str, Element] = {}
    attributes_of_others: tuple[str, ...] = ()
    names: tuple[bool, bool] = (True, False)
    holds_text: bool = False
    is_cut: bool = False


_UNREAD = Element(is_read=False)
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

_ALL, _NONE = (True, True), (False, False)
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
_AXIS_OF_LOOP = Element(("xyz",), names=_ALL)
_LOOP = Element(
    ("name", "type"),
    {
        **dict.fromkeys(_ENDS, _END),
        **{f"{end}_origin": _PLACED for end in ("parent", "child")},
        **dict.fromkeys(("axis", "parent_axis", "child_axis"), _AXIS_OF_LOOP),
        "origin": _PLACED,
        "dynamics": Element(("damping", "friction")),
        "limit": Element(("lower", "upper", "effort", "velocity")),
        "ratio": Element(("value",), names=_ALL, holds_text=True),
    },
    names=_ALL,
    is_cut=True,
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
    is_cut=True,
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
#: Attributes for which zero is not the same as leaving them out.
_ZERO_COUNTS = ("gravity", "ratio", "multiplier", "gearratio", "reduction", "active", "enabled")
#: Patterns by which names of elements and attributes (in small letters) tell their kind.
_KIND_PATTERNS = {
    "loop": re.compile(
        r"(?!(control|controller|safety|servo|feedback|joint)_?(loops?|constraints?))"
        r"(.*[_:])?(loops?|loop_?joints?|loop_?closures?|closed_?loops?|constraints?|equality)"
    ),
    "coupling": re.compile(r"(.*[_:])?(couplings?|tendons?|differentials?|gear_?box)"),
    "spring": re.compile(
        r"(?!(.*_)?(implicit|contact|ground|surface|control|controller|tire)_)(.*[_:])?(springs?|spring_?(constant|damper|rate)"
        r"|(spring|joint|torsion(al)?)?_?stiffness|elastic(ity)?|compliance|bushing|torsion|counter_?balance|balancer"
        r"|bungee|strut|rubber_?band|gravity_?compensat(ion|or)|pre_?load|pre_?tension)"
    ),
    "inertia": re.compile(
        r"(.*[_:])?(armature|jm|(rotor|motor|actuator|reflected|drive|servo|reducer|fly_?wheel|gear_?(box)?)"
        r"_?(inertia|jm?))"
    ),
}
_CENTRE = ("com", "cog", "centerofmass", "centreofmass", "centerofgravity")
_POSE = ("pose", "transform", "translation", "position", "rotation", "orientation")
UNITS = "all numbers are in m, rad, kg and s"
#: Advice on names of SDF and other formats (small letters, no underscores), by the element they are found in.
_WORDS_OF_OTHERS: Mapping[str, Mapping[str, str]] = {
    "robot": {
        "pose": 'the root link does not move; <modular_dynamics gravity=""> says how it is turned',
        "robot": "a file describes one robot",
        **dict.fromkeys(
            ("basepose", "upaxis", "upvector"),
            '<modular_dynamics gravity=""> says how the root link is turned',
        ),
        **dict.fromkeys(("unit", "units", "scale"), UNITS),
    },
    "link": {
        **dict.fromkeys(_POSE, 'the <origin xyz="" rpy=""/> of the joint above a link places it'),
        **dict.fromkeys(_CENTRE, 'write <origin xyz=""/> in <inertial>'),
        **dict.fromkeys(("unit", "units", "scale"), UNITS),
    },
    "inertial": {
        **dict.fromkeys((*_POSE, *_CENTRE), 'write <origin xyz="" rpy=""/>'),
        **dict.fromkeys(("density", "payload", "volume"), 'write <mass value=""/> and <inertia/> with it'),
        **dict.fromkeys(("unit", "units", "massunit", "scale"), UNITS),
    },
    "joint": {
        **dict.fromkeys(_POSE, 'write <origin xyz="" rpy=""/>'),
        "gravity": 'write <modular_dynamics version="1" gravity="">',
    },
    "mimic": dict.fromkeys(("ratio", "factor", "scale", "gearratio"), "is 'multiplier' meant?"),
    "limit": {
        **dict.fromkeys(("min", "low", "minimum"), "is 'lower' meant?"),
        **dict.fromkeys(("max", "high", "maximum"), "is 'upper' meant?"),
        **dict.fromkeys(("force", "torque", "maxforce", "maxtorque"), "is 'effort' meant?"),
        **dict.fromkeys(("speed", "maxvelocity", "maxspeed"), "is 'velocity' meant?"),
    },
    "dynamics": {
        "equilibrium": 'write <joint_dynamics joint="" stiffness="" rest_position=""/> in <modular_dynamics>',
        **dict.fromkeys(
            ("mechanicalreduction", "reductionratio", "ratio"),
            "a ratio counts as gear_ratio, beside rotor_inertia",
        ),
    },
}
#: Advice on names of other formats for parts of a pose, in <origin> and in the ends of loops.
_WORDS_OF_POSES = {
    **dict.fromkeys(("pos", "position", "translation", "origin"), "is 'xyz' meant?"),
    **dict.fromkeys(
        ("euler", "angles", "axisangle", "rot", "rotation", "orientation"),
        "is 'rpy' meant, fixed-axis angles in rad?",
    ),
    **dict.fromkeys(("quat", "quaternion"), "is 'quat_xyzw' meant (x y z w, in <robot version=\"1.1\">)?"),
    "quatwxyz": 'write quat_xyzw with the numbers in the order x y z w, in <robot version="1.1">',
    **dict.fromkeys("xyz", 'write xyz="x y z"'),
    **dict.fromkeys(("roll", "pitch", "yaw"), 'write rpy="roll pitch yaw"'),
    "pose": "write 'xyz' and 'rpy'",
}
#: Advice on springs and inertias of joints: how our tags describe them.
HINTS = {
    "inertia": 'write <joint_dynamics joint="" armature=""/> in <modular_dynamics>',
    "spring": 'write <joint_dynamics joint="" stiffness=""/> in <modular_dynamics>',
}


def said_by_urdf(name: str, parent: str, rule: Element) -> str | None:
    """Return advice on an attribute or element of another format in this parent; None if there is none."""
    known = dict[str, str]()
    if "xyz" in rule.attributes and "rpy" in rule.attributes:
        known |= _WORDS_OF_POSES
    if parent == "axis":
        known |= {"value": "is 'xyz' meant?"} | {key: _WORDS_OF_POSES[key] for key in "xyz"}
    known |= _WORDS_OF_OTHERS.get(parent, {})
    if (hint := known.get(letters(name))) is None and parent == "dynamics":
        return HINTS.get(kind_of(name, *HINTS) or "")
    return hint


@lru_cache(4096)  # a file has many elements of few names
def kind_of(name: str, *kinds: str) -> str | None:
    """Return the first of these kinds whose pattern an element's or attribute's name matches, or None."""
    return next((kind for kind in kinds if _KIND_PATTERNS[kind].fullmatch(snake_case(name))), None)


def snake_case(name: str) -> str:
    """Return a name in small letters with underscores: gearRatio as gear_ratio."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def is_zero(value: str, name: str = "") -> bool:
    """Return whether a text is numbers that are all zero, for a name whose default is zero."""
    numbers = numbers_in(value)
    return bool(numbers) and not any(numbers) and letters(name) not in _ZERO_COUNTS


def words(element: Element) -> Iterator[str]:
    """Yield the names of all elements below a rule that the library reads, without our tags."""
    for child, rule in element.children.items():
        if rule.is_read and rule is not TAGS:
            yield child
            yield from words(rule)


def parents_of(tag: str, element: Element = ROBOT, name: str = "robot") -> Iterator[str]:
    """Yield the names of the elements of URDF in which an element of this name is read."""
    for child, rule in element.children.items():
        if child == tag and rule.is_read:
            yield name
        if rule is not TAGS:
            yield from parents_of(tag, rule, child)


@lru_cache(256)
def elements_with(attribute: str) -> tuple[str, ...]:
    """Return the names of the elements that have such an attribute; our tags come last."""
    return tuple(_having(attribute, ROBOT))


def _having(attribute: str, element: Element) -> Iterator[str]:
    """Yield the names of the elements below a rule that have such an attribute."""
    for child, rule in element.children.items():
        if attribute in rule.attributes or attribute in rule.since:
            yield child
        yield from _having(attribute, rule)


@lru_cache(4096)
def letters(name: str) -> str:
    """Return a name in small letters without - and _, for comparison: LoopJoint and loop_joint are equal."""
    return name.casefold().replace("_", "").replace("-", "")
