"""The standard part of a URDF: checked element by element, then read by urdf_parser_py."""

from __future__ import annotations

from typing import Any

import numpy as np
from lxml import etree
from urdf_parser_py import urdf as urdf_parser

from ..algebra import from_xyz_rpy, to_rotation_translation
from ..exceptions import UrdfError
from ..model import Limits, Mimic
from .description import JointDescription, LinkDescription, RobotDescription
from .source import line_of
from .values import LINE, name_of, number, numbers, poses

__all__ = ["JOINT_TYPES", "read_robot"]

#: Joint types that are read; `planar` is URDF too, but has no place in a chain of screws.
JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating")
_INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_KEPT = {
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
    "parent": ("link",),
    "child": ("link",),
    "mass": ("value",),
    "inertia": _INERTIA,
}


def read_robot(root: etree._Element) -> RobotDescription:
    """Links and joints of a <robot> element.

    Raises:
        UrdfError: a missing or non-finite number, a missing or duplicate name, an unknown joint type;
            names the element and its line.
    """
    robot_name = name_of(_item(root), "name", "<robot>", UrdfError)
    lines: dict[tuple[str, str], int | None] = {}
    clean = etree.Element("robot", name=robot_name)
    for kind, check in (("link", _check_link), ("joint", _check_joint)):
        for element in root.findall(kind):
            name = name_of(_item(element), "name", f"<{kind}>", UrdfError)
            if (kind, name) in lines:
                raise UrdfError(f"two {kind}s are named '{name}'; names must be unique", line_of(element))
            lines[kind, name] = line_of(element)
            check(element, f"{kind} '{name}'")
            clean.append(_stripped(element))
    # urdf_parser_py complains on stderr about all that it does not know (gazebo, transmissions, our own
    # tags), so it is given the elements that matter and nothing else
    robot = urdf_parser.URDF.from_xml_string(etree.tostring(clean))
    return RobotDescription(
        name=robot.name,
        links={link.name: _link(link, lines["link", link.name]) for link in robot.links},
        joints={joint.name: _joint(joint, lines["joint", joint.name]) for joint in robot.joints},
    )


def _item(element: etree._Element | None) -> dict[str, Any]:
    if element is None:
        return {}
    return {**{str(key): value for key, value in element.attrib.items()}, LINE: line_of(element)}


def _only(element: etree._Element, tag: str, where: str) -> etree._Element | None:
    found = element.findall(tag)
    if len(found) > 1:
        raise UrdfError(f"{where} has {len(found)} <{tag}> elements; one is allowed", line_of(found[1]))
    return found[0] if found else None


def _check_link(link: etree._Element, where: str) -> None:
    inertial = _only(link, "inertial", where)
    if inertial is None:
        return
    poses(_item(_only(inertial, "origin", where)), f"{where}, <inertial> <origin>", UrdfError)
    for tag, keys in (("mass", ("value",)), ("inertia", _INERTIA)):
        element = _only(inertial, tag, where)
        if element is None:
            raise UrdfError(f"{where}: <inertial> lacks <{tag}>", line_of(inertial))
        for key in keys:
            number(_item(element), key, f"{where}, <{tag}>", UrdfError)


def _check_joint(joint: etree._Element, where: str) -> None:
    kind = joint.get("type")
    if kind not in JOINT_TYPES:
        hint = "; make a planar joint of two prismatic and one revolute joint" if kind == "planar" else ""
        given = "no type" if kind is None else f"unknown type '{kind}'"
        raise UrdfError(
            f"{where} has {given}; one of {', '.join(JOINT_TYPES)} is needed{hint}", line_of(joint)
        )
    for tag in ("parent", "child"):
        element = _only(joint, tag, where)
        if element is None:
            raise UrdfError(f"{where} lacks <{tag} link=...>", line_of(joint))
        name_of(_item(element), "link", f"{where}, <{tag}>", UrdfError)
    poses(_item(_only(joint, "origin", where)), f"{where}, <origin>", UrdfError)
    axis = _only(joint, "axis", where)
    if axis is not None and kind in ("revolute", "continuous", "prismatic"):
        values = numbers(_item(axis), "xyz", 3, f"{where}, <axis>", UrdfError)
        if not np.linalg.norm(values) > 1e-9:
            raise UrdfError(f"{where}: <axis xyz='{axis.get('xyz')}'> has no direction", line_of(axis))
    limit = _only(joint, "limit", where)
    if limit is None and kind in ("revolute", "prismatic"):
        raise UrdfError(f"{where}, {kind}, lacks <limit lower= upper= effort= velocity=>", line_of(joint))
    if limit is not None:
        for key, default in (("lower", 0.0), ("upper", 0.0), ("effort", None), ("velocity", None)):
            number(_item(limit), key, f"{where}, <limit>", UrdfError, default)
    dynamics, mimic = _only(joint, "dynamics", where), _only(joint, "mimic", where)
    for key in ("damping", "friction"):
        number(_item(dynamics), key, f"{where}, <dynamics>", UrdfError, 0.0)
    if mimic is not None:
        name_of(_item(mimic), "joint", f"{where}, <mimic>", UrdfError)
        number(_item(mimic), "multiplier", f"{where}, <mimic>", UrdfError, 1.0)
        number(_item(mimic), "offset", f"{where}, <mimic>", UrdfError, 0.0)


def _stripped(element: etree._Element) -> etree._Element:
    """A copy with only the sub-elements and attributes that dynamics needs."""
    copy = etree.Element(element.tag, _picked(element, ("name", "type")))
    into, source = copy, element
    if element.tag == "link":
        inertial = element.find("inertial")
        if inertial is None:
            return copy
        into, source = etree.SubElement(copy, "inertial"), inertial
    for child in source:
        if child.tag in _KEPT:
            etree.SubElement(into, child.tag, _picked(child, _KEPT[child.tag]))
    return copy


def _picked(element: etree._Element, keys: tuple[str, ...]) -> dict[str, str]:
    return {key: value for key in keys if (value := element.get(key)) is not None}


def _link(link: Any, line: int | None) -> LinkDescription:
    if link.inertial is None:
        return LinkDescription(link.name, line=line)
    inertial = link.inertial
    origin = inertial.origin
    rotation, com = to_rotation_translation(_pose(origin))
    tensor = rotation @ np.array(inertial.inertia.to_matrix(), dtype=float) @ rotation.T
    return LinkDescription(link.name, float(inertial.mass), com, (tensor + tensor.T) / 2.0, line)


def _pose(origin: Any) -> Any:
    if origin is None:
        return from_xyz_rpy(np.zeros(3), np.zeros(3))
    return from_xyz_rpy(origin.xyz or [0.0] * 3, origin.rpy or [0.0] * 3)


def _joint(joint: Any, line: int | None) -> JointDescription:
    axis = np.array(joint.axis if joint.axis is not None else [1.0, 0.0, 0.0], dtype=float)
    limit, dynamics, mimic = joint.limit, joint.dynamics, joint.mimic
    ranged = limit is not None and joint.type in ("revolute", "prismatic")
    return JointDescription(
        name=joint.name,
        type=joint.type,
        parent=joint.parent,
        child=joint.child,
        x_parent_joint=_pose(joint.origin),
        axis=axis / (np.linalg.norm(axis) or 1.0),
        limits=Limits(
            lower=float(limit.lower or 0.0) if ranged else None,
            upper=float(limit.upper or 0.0) if ranged else None,
            effort=float(limit.effort) if limit is not None else None,
            velocity=float(limit.velocity) if limit is not None else None,
        ),
        damping=float(dynamics.damping or 0.0) if dynamics is not None else 0.0,
        friction=float(dynamics.friction or 0.0) if dynamics is not None else 0.0,
        mimic=None
        if mimic is None
        else Mimic(
            mimic.joint,
            1.0 if mimic.multiplier is None else float(mimic.multiplier),
            float(mimic.offset or 0.0),
        ),
        line=line,
    )
