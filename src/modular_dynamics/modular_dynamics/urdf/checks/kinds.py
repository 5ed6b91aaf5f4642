"""What elements of other tools are by their names: loops, couplings, springs, inertias, masses or gravity.

Names of elements and attributes tell most of them; names such as "pin" or "belt" only where the element also
names two or three links or joints of the robot. What concerns simulations alone is none of these: contact,
friction of surfaces, sensors, gains, and gravity that is turned off for a link.
"""

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from lxml import etree

from ...model import Finding
from ..header import EARTH
from ..schema import is_zero, snake_case
from ..source import line_of, numbers_in, text_in, word

WRITE = {
    "loop": "write <loop_joint> in <modular_dynamics>, and <passive> for the joints that no motor drives",
    "coupling": 'write <mimic> in the joint, or <gear joint="" driver="" ratio=""/> in <modular_dynamics>',
    "spring": "write <spring>, or <joint_dynamics> with a stiffness, in <modular_dynamics>",
    "inertia": 'write <joint_dynamics joint="" armature=""/> in <modular_dynamics>',
    "mass": "write masses and moments of inertia as they are into the <inertial> of the links",
    "gravity": 'give gravity to load_urdf, or write <modular_dynamics version="1" gravity="">',
}
#: Patterns of whole names, in small letters.
_PATTERNS = {
    "loop": re.compile(
        r"(?!(safety|servo|feedback|joint)_?(loops?|constraints?))"
        r"(.*[_:])?(loops?|loop_?joints?|loop_?closures?|closed_?loops?|closed_?chains?|constraints?|equality)"
    ),
    "coupling": re.compile(
        r"(.*[_:])?(couplings?|tendons?|differentials?|gear_?box)|cables?(_length)?|.*:(tendon_constraint|mimic)"
    ),
    "spring": re.compile(
        r"(.*[_:])?(springs?|spring_?(constant|damper|rate)|linear_bushing_rpy"
        r"|(spring|joint|torsion(al)?)?_?stiffness|elastic(ity)?|compliance|bushing|torsion|counter_?balance|balancer"
        r"|bungee|strut|rubber_?band|gravity_?compensat(ion|or)|pre_?load|pre_?tension)"
    ),
    "inertia": re.compile(
        r"(.*[_:])?(armature|jm|(rotor|motor|actuator|reflected|drive|servo|reducer|fly_?wheel|gear_?(box)?)"
        r"_?(inertia|jm?))"
    ),
    "mass": re.compile(
        r"(.*_)?((added|additional|lumped|point|extra|counter|motor|tool)_?mass(es)?|mass_?offset"
        r"|counter_?weights?|ballast)"
    ),
    "payload": re.compile(r"(.*_)?payloads?"),
}
#: Words of elements, or of what is in them, that couple the joints or join the links which they name.
_PAIRS = {
    "coupling": re.compile(
        r"belt|pulley|gear(s|ing)?|coupl(e|ed|ing)|mimic|tendon|cable|rope|linkage|differential|synergy|mirror"
        r"|follow(s|er)?|depend(s|ent)|slave|synchron(ized|ous)|ratio|multiplier|factor|coef(ficient)?|weight"
    ),
    "spring": re.compile(r"springs?|strut|bungee|band|elastic|damper|cord|shock|k|stiffness"),
    "loop": re.compile(
        r"loops?|hinge|pin|mate|weld|ball|connect(ion)?|constraint|equality|clos(ure|ing|ed)|cut|bearing"
        r"|universal|revolute|spherical|(push|tie)?rods?|parallelogram|bars?"
    ),
}
#: At most so many links or joints are a pair: more are a group.
_PAIR = range(2, 4)
#: Words of elements in which nothing is a part of the robot, and in which stiffnesses are gains.
_SILENT = re.compile(
    r"ground|contacts?|control(lers?)?|gains?|pid|tires?|surface|impedance|collisions?|soil|implicit|sensors?"
    r"|camera|visual|plugin|calibration"
)
_STIFF = frozenset(("drive", "drives", "param"))


class Names(NamedTuple):
    """The names of a robot's links and joints; ``ends``: parent and child link of each joint."""

    links: frozenset[str]
    joints: frozenset[str]
    ends: frozenset[frozenset[str]]


def names_in(root: etree._Element) -> Names:
    """Return the names in a <robot> element."""
    joints = root.findall("joint")
    ends = (
        frozenset(str(end.get("link")) for end in joint if end.tag in ("parent", "child")) for joint in joints
    )
    links, names = (frozenset(str(one.get("name")) for one in root.findall(tag)) for tag in ("link", "joint"))
    return Names(links, names, frozenset(ends))


@lru_cache(4096)  # a file has many elements of few names
def kind_of(name: str, *kinds: str) -> str | None:
    """Return the first of these kinds whose pattern an element's or attribute's name matches, or None."""
    return next((kind for kind in kinds if _PATTERNS[kind].fullmatch(snake_case(name))), None)


@lru_cache(4096)
def words_of(name: str) -> frozenset[str]:
    """Return the words in a name: closing_joint and closingJoint have two."""
    return frozenset(re.findall(r"[a-z]+", snake_case(name)))


@lru_cache(4096)
def is_silent(name: str) -> bool:
    """Return whether nothing in an element of this name is a part of the robot."""
    return name != "ros2_control" and any(map(_SILENT.fullmatch, words_of(name)))


def seems(kind: str, element: etree._Element, name: str, what: str) -> Finding:
    """Return the finding on an element that is probably of this kind; ``what``: its name in the message."""
    article = "an" if kind == "inertia" else "a"
    return unread(kind, element, name, f"{what} seems to be {article} {kind} and is not read")


def unread(kind: str, element: etree._Element, name: str, text: str) -> Finding:
    """Return the finding on an element that changes torques and is not read."""
    assumed, hint = "; torques are those without it", f"; {WRITE[kind]}"
    return Finding(f"{kind} of another tool", "element", name, text, line_of(element), assumed, hint)


def kinds_in(element: etree._Element, names: Names, owner: str, tool: str) -> dict[str, str]:
    """Return the kinds of an element that nothing reads, each with what says so.

    Args:
        owner: "robot", "link" or "joint". tool: the element of a known tool that it is in; empty if in none.
    """
    tag, value = word(element), str(element.get("value", text_in(element)))
    if not (len(element) or element.attrib or value):
        return {}
    kinds = dict[str, str]()
    parent = element.getparent()
    above = "robot" if parent is None else word(parent)
    said = {} if is_zero(value) else dict.fromkeys((tag, f"{above}_{tag}"), f"<{tag}>")
    for key, given in element.attrib.items():
        if not is_zero(str(given)):
            said |= dict.fromkeys((str(key), f"{tag}_{key!s}"), f"'{key!s}' of <{tag}>")
    if tag == "param":
        said = {} if is_zero(value) else {element.get("name", ""): f"parameter '{element.get('name', '')}'"}
    around = frozenset[str]().union(*(words_of(word(one)) for one in (element, *element.iterancestors())))
    for name, what in said.items():
        gain = not _STIFF.isdisjoint(around) and "spring" not in name.lower()
        if (kind := kind_of(name, "inertia", *(() if gain else ("spring",)))) is not None:
            kinds.setdefault(kind, what)
    if (closing := _closing_kind(element, names, above, owner, tool)) is not None and not kinds:
        kinds[closing] = f"<{tag}>"
    if not tool and (mass := _mass_in(element, names, owner)):
        kinds["mass"] = mass
    if (tool == "mujoco" or not tool) and owner == "robot" and (gravity := _gravity_in(element)):
        kinds["gravity"] = gravity
    return kinds


def _closing_kind(element: etree._Element, names: Names, above: str, owner: str, tool: str) -> str | None:
    """Return the kind of an element that closes a loop of the robot, couples its joints, or is a spring."""
    tag, possible = word(element), _possible_names(element)
    links, joints = possible & names.links, possible & names.joints - names.links
    if tag in ("joint", "drake:joint"):  # of a simulator's model; perhaps one of the URDF once more
        ends = frozenset(
            text_in(own) or own.get("link", "") for own in element if own.tag in ("parent", "child")
        )
        return "loop" if len(ends & names.links) > 1 and ends not in names.ends else None
    kind = kind_of(tag, "coupling", "loop")
    if kind is not None and (above == "robot" or tool == "mujoco" or links or len(joints) > 1):
        return kind
    parent = element.getparent()
    others = joints - {"" if parent is None else parent.get("name", "")}
    couples = len(joints) in _PAIR or (owner == "joint" and bool(others))
    words = frozenset[str]().union(
        words_of(tag),
        *(words_of(word(own)) for own in element.iterchildren(etree.Element)),
        *(words_of(str(key)) for own in element.iter(etree.Element) for key in own.attrib),
    )
    for pair, pattern in _PAIRS.items():
        is_pair = couples if pair == "coupling" else len(links) in _PAIR
        if is_pair and not tool and any(map(pattern.fullmatch, words)):
            return pair
    return None


def _possible_names(element: etree._Element) -> set[str]:
    """Return all possible names in an element: its values, and their parts, as in "arm::link" and "a, b"."""
    parts = [element, *element.iterchildren(etree.Element)]
    values = [
        str(value)
        for own in parts
        for key, value in own.attrib.items()
        if own is not element or key != "name"
    ]
    values += [one.text or "" for one in parts]
    return {part.strip() for value in values for part in (value, *re.split(r"[\s,;/:]+", value))}


def _mass_in(element: etree._Element, names: Names, owner: str) -> str:
    """Return what in an element is a mass; empty if nothing.

    Masses below <robot> are reported only if a link is named: others are a total or a rating.
    """
    tag = word(element)
    mass = element.get("mass", next((own.get("value") for own in element.iterchildren("mass")), None))
    is_placed = owner != "robot" or not _possible_names(element).isdisjoint(names.links)
    if is_placed and mass is not None and not is_zero(mass):
        return f'<{tag} mass="{mass}">'
    is_load = is_placed and mass is None and kind_of(tag, "payload") is not None
    return f"<{tag}>" if is_load or kind_of(tag, "mass") is not None else ""


def _gravity_in(element: etree._Element) -> str:
    """Return what in an element is a gravity; empty if nothing, or the earth's."""
    tag, said = word(element), element.get("gravity")
    value = text_in(element) or element.get("value", "") if tag == "gravity" else said
    numbers = numbers_in(value or "")
    if value is None or (len(numbers) == len(EARTH) and np.allclose(numbers, EARTH, atol=0.05)):
        return ""
    return f"<{tag}>{value}</{tag}>" if said is None else f'<{tag} gravity="{said}">'
