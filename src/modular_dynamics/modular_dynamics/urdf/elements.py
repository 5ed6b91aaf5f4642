"""The standard part of a URDF: links and joints, each element checked where it is read."""

import math
from collections.abc import Iterator

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ..algebra import DualQuaternion, to_rotation_translation
from ..exceptions import UrdfError
from ..model import Finding, Limits, Mimic
from ..text.numbers import LARGEST_FLOAT, STIFFEST
from ..text.sizes import MAX_JOINTS, MAX_LINKS, shown, too_large
from .description import JointDescription, LinkDescription, RobotDescription
from .schema import OLDEST, ROBOT, Version
from .source import line_of
from .values import Entry

_JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_WITH_RANGE = ("revolute", "prismatic")
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
#: First version of URDF in which each limit is optional; before, effort and velocity are required.
_OPTIONAL_LIMITS = Version(1, 2)


def read_robot(root: etree._Element, version: Version = OLDEST) -> RobotDescription:
    """Return the links and joints of a <robot> element, read by the rules of a version of URDF.

    Raises:
        UrdfError: a missing or non-finite number, a missing or duplicate name, an unknown joint type, an axis
            or quaternion without direction; names the element and its line.
    """
    for kind, most in (("link", MAX_LINKS), ("joint", MAX_JOINTS)):
        if (count := len(root.findall(kind))) > most:
            raise UrdfError(too_large("the robot", count, most, f"{kind}s"))
    name = Entry.of(root, "<robot>").name("name")
    links, joints = dict[str, LinkDescription](), dict[str, JointDescription]()
    for element in root.findall("link"):
        link = _link(element, _new_name(element, "link", links))
        links[link.name] = link
    for element in root.findall("joint"):
        joint = _joint(element, _new_name(element, "joint", joints), version)
        joints[joint.name] = joint
    return RobotDescription(name, links, joints)


def _new_name(
    element: etree._Element, kind: str, taken: dict[str, LinkDescription] | dict[str, JointDescription]
) -> str:
    """Return an element's name. Raises UrdfError: it is missing, or used twice."""
    name = Entry.of(element, f"<{kind}>").name("name")
    if name in taken:
        raise UrdfError(f"two {kind}s are named '{name}'; names must be unique", line_of(element))
    return name


def _link(element: etree._Element, name: str) -> LinkDescription:
    """Return the link with its <inertial>: zeros without one, the inertia turned into the link's axes."""
    where, line = f"link '{name}'", line_of(element)
    inertial = _at_most_one(element, "inertial", where)
    if inertial is None:
        return LinkDescription(name, line=line)
    x = _pose(inertial, f"{where}, <inertial>")
    mass = _required(inertial, "mass", where, f"{where}: <inertial> lacks <mass>").number("value")
    inertia = _required(inertial, "inertia", where, f"{where}: <inertial> lacks <inertia>")
    ixx, ixy, ixz, iyy, iyz, izz = map(inertia.number, _MOMENTS)
    rotation, com = to_rotation_translation(x)
    tensor = rotation @ np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]) @ rotation.T
    return LinkDescription(name, mass, com, (tensor + tensor.T) / 2.0, line)


def _joint(element: etree._Element, name: str, version: Version) -> JointDescription:
    """Return the joint of a <joint> element. Raises UrdfError: an unknown type, or a part is missing."""
    kind, where = element.get("type"), f"joint '{name}'"
    if kind not in _JOINT_TYPES:
        given = "no type" if kind is None else f"unknown type '{kind}'"
        if kind is None and element.find("type") is not None:
            given += " (it is an attribute of <joint>, not an element in it)"
        needed = f"one of {', '.join(_JOINT_TYPES)} is needed"
        if kind in ("spherical", "ball"):
            needed += '; write type="floating", and <spherical joint=""/> in <modular_dynamics>'
        raise UrdfError(f"{where} has {given}; {needed}", line_of(element))
    parent, child = (
        _required(element, tag, where, f"{where} lacks <{tag} link=...>").name("link")
        for tag in ("parent", "child")
    )
    dynamics = _entry(element, "dynamics", where)
    damping, friction = (
        0.0 if dynamics is None else dynamics.number(key, 0.0, STIFFEST) for key in ("damping", "friction")
    )
    return JointDescription(
        name=name,
        type=kind,
        parent=parent,
        child=child,
        axis=_axis(element, kind, where),
        limits=_limits(element, kind, where, version),
        x_parent_joint=_pose(element, where),
        damping=damping,
        friction=friction,
        mimic=_mimic(element, where),
        line=line_of(element),
    )


def _mimic(joint: etree._Element, where: str) -> Mimic | None:
    """Return the relation to another joint that <mimic> states; None without <mimic>."""
    entry = _entry(joint, "mimic", where)
    if entry is None:
        return None
    return Mimic(entry.name("joint"), entry.number("multiplier", 1.0), entry.number("offset", 0.0))


def _axis(joint: etree._Element, kind: str, where: str) -> NDArray[np.float64]:
    """Return the unit vector along <axis>; 1 0 0 without <axis>, and for fixed and floating joints."""
    entry = _entry(joint, "axis", where)
    if entry is None or kind in ("fixed", "floating"):
        return np.array([1.0, 0.0, 0.0])
    axis: NDArray[np.float64] = np.array(entry.numbers("xyz", 3))
    norm = float(np.linalg.norm(axis))
    if not norm > 1e-9:
        raise UrdfError(f"{where}: <axis xyz={shown(entry.item['xyz'])}> has no direction", entry.line)
    return axis / norm


def _limits(joint: etree._Element, kind: str, where: str, version: Version) -> Limits:
    """Return the limits in <limit>; None for each limit that the joint does not have.

    Before URDF 1.2 a missing position limit is zero, and a missing effort or velocity limit is an error.
    Since 1.2 missing ones are no limit; position limits of revolute and prismatic joints are still required.
    """
    entry = _entry(joint, "limit", where)
    if entry is None:
        if kind in _WITH_RANGE:
            raise UrdfError(f"{where}, {kind}, lacks <limit lower= upper= effort= velocity=>", line_of(joint))
        return Limits()
    optional, ranged = version >= _OPTIONAL_LIMITS, kind in _WITH_RANGE
    if not optional:
        defaults: dict[str, float | None] = {"lower": 0.0, "upper": 0.0, "effort": None, "velocity": None}
    elif ranged:
        defaults = {"lower": None, "upper": None, "effort": math.inf, "velocity": math.inf}
    else:
        defaults = {"lower": -math.inf, "upper": math.inf, "effort": math.inf, "velocity": math.inf}
    lower, upper, effort, velocity = (entry.number(key, own, math.inf) for key, own in defaults.items())
    for key in ROBOT.children["joint"].children["limit"].since if optional else ():
        if entry.number(key, math.inf, math.inf) < 0.0:  # checked only: the model does not use it
            raise entry.failure(f": {key}={shown(entry.item[key])} is negative")
    for key, value, nowhere in (("lower", lower, math.inf), ("upper", upper, -math.inf)):
        if value == nowhere:
            raise entry.failure(f": {key}={shown(entry.item[key])} leaves no position")
    return Limits(
        lower=lower if ranged and lower not in (-math.inf, -LARGEST_FLOAT) else None,
        upper=upper if ranged and upper not in (math.inf, LARGEST_FLOAT) else None,
        effort=effort if effort not in (math.inf, LARGEST_FLOAT) else None,
        velocity=velocity if velocity not in (math.inf, LARGEST_FLOAT) else None,
    )


def _pose(parent: etree._Element, where: str) -> DualQuaternion:
    """Return the pose of the <origin> in an element; the identity without one."""
    entry = _entry(parent, "origin", where)
    return DualQuaternion.identity if entry is None else entry.pose()


def _required(parent: etree._Element, tag: str, where: str, missing: str) -> Entry:
    """Return the attributes of a child element. Raises UrdfError with ``missing``: there is none."""
    entry = _entry(parent, tag, where)
    if entry is None:
        raise UrdfError(missing, line_of(parent))
    return entry


def _entry(parent: etree._Element, tag: str, where: str) -> Entry | None:
    """Return the attributes of the child element of this name; None if there is none."""
    element = _at_most_one(parent, tag, where)
    return None if element is None else Entry.of(element, f"{where}, <{tag}>")


def _at_most_one(element: etree._Element, tag: str, where: str) -> etree._Element | None:
    """Return the child element of this name, or None. Raises UrdfError: there are several."""
    children = element.findall(tag)
    if len(children) > 1:
        raise UrdfError(f"{where} has {len(children)} <{tag}> elements; one is allowed", line_of(children[1]))
    return children[0] if children else None


# Repairs of files that lack or repeat elements; each assumption is a finding. They change the XML tree before
# it is read, so the functions above handle complete files only.

_OF_INERTIAL, _OF_JOINT = (
    tuple(tag for tag, rule in owner.children.items() if rule.is_read)
    for owner in (ROBOT.children["link"].children["inertial"], ROBOT.children["joint"])
)


def repair(root: etree._Element) -> list[Finding]:
    """Repair the tree where a file is incomplete but its meaning is clear; return findings on the repairs.

    A missing <inertia> becomes zero: the link is a point mass. Of equal elements all but one are removed.
    Elements with an undeclared prefix belong to another tool, as those with a declared one do.
    """
    return [*_undeclared_prefixes(root), *_repeated_elements(root), *_missing_inertias(root)]


def _undeclared_prefixes(root: etree._Element) -> Iterator[Finding]:
    """Yield a finding for each prefix without a declaration; lxml writes declared ones as {namespace}name."""
    first: dict[str, etree._Element] = {}
    for element in root.iter(etree.Element):
        for name in (str(element.tag), *map(str, element.attrib)):
            if ":" in name and not name.startswith("{"):
                first.setdefault(name.partition(":")[0], element)
    for prefix, element in first.items():
        text = f"no xmlns attribute declares the prefix '{prefix}'"
        assumed = "; what carries it counts as words of another tool"
        yield Finding("undeclared prefix", "prefix", prefix, text, line_of(element), assumed)


def _repeated_elements(root: etree._Element) -> Iterator[Finding]:
    """Remove repeated equal elements of joints and inertials; yield a finding for each."""
    for owner in (*root.findall("link"), *root.findall("joint")):
        kind = str(owner.tag)
        parts, tags = (owner, _OF_JOINT) if kind == "joint" else (owner.find("inertial"), _OF_INERTIAL)
        if parts is None:
            continue
        for tag in tags:
            same = parts.findall(tag)
            if len(same) > 1 and all(_equal(one, same[0]) for one in same):
                for one in same[1:]:
                    parts.remove(one)
                name, assumed = owner.get("name", ""), "; one of them is used"
                text = f"{kind} '{name}' has {len(same)} equal <{tag}> elements"
                yield Finding("repeated element", kind, name, text, line_of(same[1]), assumed)


def _equal(one: etree._Element, other: etree._Element) -> bool:
    """Return whether two elements have equal attributes and no children."""
    return sorted(one.attrib.items()) == sorted(other.attrib.items()) and len(one) == len(other) == 0


def _missing_inertias(root: etree._Element) -> Iterator[Finding]:
    """Add <inertia> of zeros where an <inertial> has a mass only; yield a finding for each."""
    for link in root.findall("link"):
        inertial = link.find("inertial")
        if inertial is not None and inertial.find("mass") is not None and inertial.find("inertia") is None:
            etree.SubElement(inertial, "inertia", dict.fromkeys(_MOMENTS, "0"))
            name, assumed = link.get("name", ""), "; the link is taken as a point mass"
            text = f"<inertial> of link '{name}' lacks <inertia>"
            yield Finding("missing inertia", "link", name, text, line_of(inertial), assumed)
