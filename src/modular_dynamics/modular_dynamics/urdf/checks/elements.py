"""URDF's own elements, <link> and <joint>, checked one by one before urdf_parser_py reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
from lxml import etree

from ...exceptions import UrdfError
from ..source import line_of
from .values import LINE, Entry

__all__ = ["INERTIA_KEYS", "attributes", "check_joint", "check_link", "entry"]

#: `planar` is a URDF type too, but no single screw describes it.
_JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating")
INERTIA_KEYS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def attributes(element: etree._Element | None) -> dict[str, Any]:
    """The attributes of an element, and its line under :data:`LINE`; empty for a missing element."""
    if element is None:
        return {}
    return {**{str(key): value for key, value in element.attrib.items()}, LINE: line_of(element)}


def entry(element: etree._Element | None, where: str) -> Entry:
    """The attributes of an element, to be checked."""
    return Entry(attributes(element), where, UrdfError)


def check_link(link: etree._Element, where: str) -> None:
    """Mass, inertia and origin are there and finite, if the link has an <inertial>.

    Raises:
        UrdfError: names the element and its line.
    """
    inertial = _at_most_one(link, "inertial", where)
    if inertial is None:
        return
    entry(_at_most_one(inertial, "origin", where), f"{where}, <inertial> <origin>").xyz_rpy()
    for tag, keys in (("mass", ("value",)), ("inertia", INERTIA_KEYS)):
        element = _at_most_one(inertial, tag, where)
        if element is None:
            raise UrdfError(f"{where}: <inertial> lacks <{tag}>", line_of(inertial))
        for key in keys:
            entry(element, f"{where}, <{tag}>").number(key)


def check_joint(joint: etree._Element, where: str) -> None:
    """A known type, parent and child, an axis with a direction, finite numbers, limits where URDF needs them.

    Raises:
        UrdfError: names the element and its line.
    """
    kind = _checked_type(joint, where)
    for tag in ("parent", "child"):
        element = _at_most_one(joint, tag, where)
        if element is None:
            raise UrdfError(f"{where} lacks <{tag} link=...>", line_of(joint))
        entry(element, f"{where}, <{tag}>").name("link")
    entry(_at_most_one(joint, "origin", where), f"{where}, <origin>").xyz_rpy()
    axis = _at_most_one(joint, "axis", where)
    if axis is not None and kind in ("revolute", "continuous", "prismatic"):
        direction = entry(axis, f"{where}, <axis>").numbers("xyz", 3)
        if not np.linalg.norm(direction) > 1e-9:
            raise UrdfError(f"{where}: <axis xyz='{axis.get('xyz')}'> has no direction", line_of(axis))
    limit = _at_most_one(joint, "limit", where)
    if limit is None and kind in ("revolute", "prismatic"):
        raise UrdfError(f"{where}, {kind}, lacks <limit lower= upper= effort= velocity=>", line_of(joint))
    if limit is not None:
        for key, default in (("lower", 0.0), ("upper", 0.0), ("effort", None), ("velocity", None)):
            entry(limit, f"{where}, <limit>").number(key, default)
    dynamics = entry(_at_most_one(joint, "dynamics", where), f"{where}, <dynamics>")
    for key in ("damping", "friction"):
        dynamics.number(key, 0.0)
    mimic = _at_most_one(joint, "mimic", where)
    if mimic is not None:
        entry(mimic, f"{where}, <mimic>").name("joint")
        for key, default in (("multiplier", 1.0), ("offset", 0.0)):
            entry(mimic, f"{where}, <mimic>").number(key, default)


def _checked_type(joint: etree._Element, where: str) -> str:
    kind = joint.get("type")
    if kind not in _JOINT_TYPES:
        hint = "; make a planar joint of two prismatic and one revolute joint" if kind == "planar" else ""
        given = "no type" if kind is None else f"unknown type '{kind}'"
        raise UrdfError(
            f"{where} has {given}; one of {', '.join(_JOINT_TYPES)} is needed{hint}", line_of(joint)
        )
    return str(kind)


def _at_most_one(element: etree._Element, tag: str, where: str) -> etree._Element | None:
    children = element.findall(tag)
    if len(children) > 1:
        raise UrdfError(f"{where} has {len(children)} <{tag}> elements; one is allowed", line_of(children[1]))
    return children[0] if children else None
