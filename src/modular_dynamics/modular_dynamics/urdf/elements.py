"""The standard part of a URDF, links and joints, read by urdf_parser_py from the XML tree parsed before."""

from __future__ import annotations

from typing import Any

import numpy as np
from lxml import etree
from urdf_parser_py import urdf as urdf_parser
from urdf_parser_py.xml_reflection.core import Path as ElementPath

from ..algebra import DualQuaternion, from_xyz_rpy, to_rotation_translation
from ..exceptions import UrdfError
from ..model import Limits, Mimic
from .checks.elements import INERTIA_KEYS, check_joint, check_link, entry
from .description import JointDescription, LinkDescription, RobotDescription
from .source import line_of

__all__ = ["read_robot"]

#: Elements and attributes that dynamics needs.
_NEEDED = {
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
    "parent": ("link",),
    "child": ("link",),
    "mass": ("value",),
    "inertia": INERTIA_KEYS,
}


def read_robot(root: etree._Element) -> RobotDescription:
    """Links and joints of a <robot> element.

    Raises:
        UrdfError: a missing or non-finite number, a missing or duplicate name, an unknown joint type;
            names the element and its line.
    """
    robot_name = entry(root, "<robot>").name("name")
    lines: dict[tuple[str, str], int | None] = {}
    # urdf_parser_py prints a complaint about each element that it does not know (gazebo, transmissions, our
    # tags) to stderr, so it is given a tree of the needed elements only
    needed = etree.Element("robot", name=robot_name)
    for kind, check in (("link", check_link), ("joint", check_joint)):
        for element in root.findall(kind):
            name = entry(element, f"<{kind}>").name("name")
            if (kind, name) in lines:
                raise UrdfError(f"two {kind}s are named '{name}'; names must be unique", line_of(element))
            lines[kind, name] = line_of(element)
            check(element, f"{kind} '{name}'")
            needed.append(_needed_part(element))
    robot = urdf_parser.URDF.from_xml(needed, ElementPath("robot"))
    return RobotDescription(
        name=robot.name,
        links={link.name: _link(link, lines["link", link.name]) for link in robot.links},
        joints={joint.name: _joint(joint, lines["joint", joint.name]) for joint in robot.joints},
    )


def _needed_part(element: etree._Element) -> etree._Element:
    """A copy of a link or joint with only the sub-elements and attributes that dynamics needs."""
    copy = etree.Element(element.tag, _selected(element, ("name", "type")))
    target, source = copy, element
    if element.tag == "link":
        inertial = element.find("inertial")
        if inertial is None:
            return copy
        target, source = etree.SubElement(copy, "inertial"), inertial
    for child in source:
        if child.tag in _NEEDED:
            etree.SubElement(target, child.tag, _selected(child, _NEEDED[child.tag]))
    return copy


def _selected(element: etree._Element, keys: tuple[str, ...]) -> dict[str, str]:
    return {key: value for key in keys if (value := element.get(key)) is not None}


def _link(link: Any, line: int | None) -> LinkDescription:
    if link.inertial is None:
        return LinkDescription(link.name, line=line)
    inertial = link.inertial
    rotation, com = to_rotation_translation(_pose(inertial.origin))
    tensor = rotation @ np.array(inertial.inertia.to_matrix(), dtype=float) @ rotation.T
    return LinkDescription(link.name, float(inertial.mass), com, (tensor + tensor.T) / 2.0, line)


def _pose(origin: Any) -> DualQuaternion:
    if origin is None:
        return from_xyz_rpy(np.zeros(3), np.zeros(3))
    return from_xyz_rpy(origin.xyz or [0.0] * 3, origin.rpy or [0.0] * 3)


def _joint(joint: Any, line: int | None) -> JointDescription:
    axis = np.array(joint.axis if joint.axis is not None else [1.0, 0.0, 0.0], dtype=float)
    dynamics = joint.dynamics
    return JointDescription(
        name=joint.name,
        type=joint.type,
        parent=joint.parent,
        child=joint.child,
        x_parent_joint=_pose(joint.origin),
        axis=axis / (np.linalg.norm(axis) or 1.0),
        limits=_limits(joint),
        damping=float(dynamics.damping or 0.0) if dynamics is not None else 0.0,
        friction=float(dynamics.friction or 0.0) if dynamics is not None else 0.0,
        mimic=_mimic(joint.mimic),
        line=line,
    )


def _limits(joint: Any) -> Limits:
    limit = joint.limit
    has_range = limit is not None and joint.type in ("revolute", "prismatic")
    return Limits(
        lower=float(limit.lower or 0.0) if has_range else None,
        upper=float(limit.upper or 0.0) if has_range else None,
        effort=float(limit.effort) if limit is not None else None,
        velocity=float(limit.velocity) if limit is not None else None,
    )


def _mimic(mimic: Any) -> Mimic | None:
    if mimic is None:
        return None
    multiplier = 1.0 if mimic.multiplier is None else float(mimic.multiplier)
    return Mimic(mimic.joint, multiplier, float(mimic.offset or 0.0))
