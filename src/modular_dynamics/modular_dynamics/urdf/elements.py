"""The standard part of a URDF: links and joints, each checked, then read by urdf_parser_py."""

from typing import Any

import numpy as np
from lxml import etree
from urdf_parser_py import urdf as urdf_parser
from urdf_parser_py.xml_reflection.core import Path as ElementPath

from ..algebra import DualQuaternion, from_xyz_rpy, to_rotation_translation
from ..exceptions import UrdfError
from ..model import Limits, Mimic
from ..text.numbers import LARGEST, LARGEST_FLOAT, STIFFEST
from ..text.sizes import MAX_JOINTS, MAX_LINKS, shown, too_large
from .checks.values import Entry
from .description import JointDescription, LinkDescription, RobotDescription
from .source import line_of

__all__ = ["read_robot"]

_JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
#: Elements that dynamics needs: attributes that are names, and numbers with their defaults (None: required).
_NAMES = {"parent": "link", "child": "link", "mimic": "joint"}
_NUMBERS: dict[str, dict[str, str | None]] = {
    "origin": {"xyz": "0 0 0", "rpy": "0 0 0"},
    "axis": {"xyz": None},
    "limit": {"lower": "0", "upper": "0", "effort": None, "velocity": None},
    "dynamics": {"damping": "0", "friction": "0"},
    "mimic": {"multiplier": "1", "offset": "0"},
    "mass": {"value": None},
    "inertia": dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
}


def read_robot(root: etree._Element) -> RobotDescription:
    """Links and joints of a <robot> element.

    Raises:
        UrdfError: a missing or non-finite number, a missing or duplicate name, an unknown joint type, an axis
            without direction; names the element and its line.
    """
    for kind, most in (("link", MAX_LINKS), ("joint", MAX_JOINTS)):
        if (count := len(root.findall(kind))) > most:
            raise UrdfError(too_large("the robot", count, most, f"{kind}s"))
    lines: dict[tuple[str, str], int | None] = {}
    # urdf_parser_py checks little, and prints a complaint about each element that it does not know (gazebo,
    # transmissions, our tags) to stderr: it is given a tree of the checked elements only
    checked = etree.Element("robot", name=Entry.of(root, "<robot>").name("name"))
    for kind, copy in (("link", _link_copy), ("joint", _joint_copy)):
        for element in root.findall(kind):
            name = Entry.of(element, f"<{kind}>").name("name")
            if (kind, name) in lines:
                raise UrdfError(f"two {kind}s are named '{name}'; names must be unique", line_of(element))
            lines[kind, name] = line_of(element)
            checked.append(copy(element, name))
    robot = urdf_parser.URDF.from_xml(checked, ElementPath("robot"))
    return RobotDescription(
        name=robot.name,
        links={link.name: _link(link, lines["link", link.name]) for link in robot.links},
        joints={joint.name: _joint(joint, lines["joint", joint.name]) for joint in robot.joints},
    )


def _link_copy(link: etree._Element, name: str) -> etree._Element:
    """Mass, inertia and origin, if the link has an <inertial>."""
    copy, where = etree.Element("link", name=name), f"link '{name}'"
    inertial = _at_most_one(link, "inertial", where)
    if inertial is None:
        return copy
    target = etree.SubElement(copy, "inertial")
    target.extend(_part_copy(inertial, "origin", f"{where}, <inertial>"))
    for tag in ("mass", "inertia"):
        target.extend(_part_copy(inertial, tag, where, f"{where}: <inertial> lacks <{tag}>"))
    return copy


def _joint_copy(joint: etree._Element, name: str) -> etree._Element:
    """A known type, parent and child, an axis with a direction, limits where URDF needs them."""
    kind, where = joint.get("type"), f"joint '{name}'"
    if kind not in _JOINT_TYPES:
        given = "no type" if kind is None else f"unknown type '{kind}'"
        raise UrdfError(f"{where} has {given}; one of {', '.join(_JOINT_TYPES)} is needed", line_of(joint))
    copy = etree.Element("joint", name=name, type=kind)
    for tag in ("parent", "child"):
        copy.extend(_part_copy(joint, tag, where, f"{where} lacks <{tag} link=...>"))
    axis = _at_most_one(joint, "axis", where)
    if axis is not None and kind in ("revolute", "continuous", "prismatic", "planar"):
        copy.extend(_part_copy(joint, "axis", where))
        if not np.linalg.norm(Entry.of(axis, where).numbers("xyz", 3)) > 1e-9:
            raise UrdfError(f"{where}: <axis xyz={shown(axis.get('xyz'))}> has no direction", line_of(axis))
    missing = f"{where}, {kind}, lacks <limit lower= upper= effort= velocity=>"
    copy.extend(_part_copy(joint, "limit", where, missing if kind in ("revolute", "prismatic") else ""))
    for tag in ("origin", "dynamics", "mimic"):
        copy.extend(_part_copy(joint, tag, where))
    return copy


def _part_copy(parent: etree._Element, tag: str, where: str, missing: str = "") -> list[etree._Element]:
    """A checked copy of a sub-element, with its defaults; without one, empty or the error ``missing``."""
    element = _at_most_one(parent, tag, where)
    if element is None:
        if missing:
            raise UrdfError(missing, line_of(parent))
        return []
    entry, copy = Entry.of(element, f"{where}, <{tag}>"), etree.Element(tag)
    if tag in _NAMES:
        copy.set(_NAMES[tag], entry.name(_NAMES[tag]))
    for key, default in _NUMBERS.get(tag, {}).items():
        largest = {"limit": LARGEST_FLOAT, "dynamics": STIFFEST}.get(tag, LARGEST)
        entry.numbers(key, 3 if key in ("xyz", "rpy") else 1, default, largest)
        copy.set(key, entry.item.get(key, default))
    return [copy]


def _at_most_one(element: etree._Element, tag: str, where: str) -> etree._Element | None:
    children = element.findall(tag)
    if len(children) > 1:
        raise UrdfError(f"{where} has {len(children)} <{tag}> elements; one is allowed", line_of(children[1]))
    return children[0] if children else None


def _link(link: Any, line: int | None) -> LinkDescription:
    if link.inertial is None:
        return LinkDescription(link.name, line=line)
    rotation, com = to_rotation_translation(_pose(link.inertial.origin))
    tensor = rotation @ np.array(link.inertial.inertia.to_matrix(), dtype=float) @ rotation.T
    return LinkDescription(link.name, float(link.inertial.mass), com, (tensor + tensor.T) / 2.0, line)


def _pose(origin: Any) -> DualQuaternion:
    zeros = np.zeros(3)
    return from_xyz_rpy(zeros, zeros) if origin is None else from_xyz_rpy(origin.xyz, origin.rpy)


def _joint(joint: Any, line: int | None) -> JointDescription:
    axis = np.array(joint.axis if joint.axis is not None else [1.0, 0.0, 0.0], dtype=float)
    limit, dynamics, mimic = joint.limit, joint.dynamics, joint.mimic
    has_range = limit is not None and joint.type in ("revolute", "prismatic")
    return JointDescription(
        name=joint.name,
        type=joint.type,
        parent=joint.parent,
        child=joint.child,
        x_parent_joint=_pose(joint.origin),
        axis=axis / np.linalg.norm(axis),
        limits=Limits(
            lower=_bound(limit.lower, -LARGEST_FLOAT) if has_range else None,
            upper=_bound(limit.upper) if has_range else None,
            effort=None if limit is None else _bound(limit.effort),
            velocity=None if limit is None else _bound(limit.velocity),
        ),
        damping=0.0 if dynamics is None else float(dynamics.damping),
        friction=0.0 if dynamics is None else float(dynamics.friction),
        mimic=None if mimic is None else Mimic(mimic.joint, float(mimic.multiplier), float(mimic.offset)),
        line=line,
    )


def _bound(limit: Any, none: float = LARGEST_FLOAT) -> float | None:
    """A limit; None for the largest float, which stands where URDF needs a number and there is no limit."""
    value = float(limit)
    return None if value == none else value
