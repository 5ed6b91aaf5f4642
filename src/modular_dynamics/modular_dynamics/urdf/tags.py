"""Our tags in a URDF as a mapping with the structure of the partition file (docs/urdf_tags.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lxml import etree

from ..exceptions import UrdfError
from .checks.elements import attributes
from .checks.values import LINE
from .source import line_of

__all__ = ["read_tags"]

_SECTION_OF = {
    "subsystem": "subsystems",
    "loop_joint": "loop_joints",
    "passive": "passive",
    "gear": "gears",
    "spring": "springs",
}


def read_tags(robot: etree._Element) -> dict[str, Any] | None:
    """The content of <modular_dynamics> as such a mapping; None without tags. Values are checked later.

    Raises:
        UrdfError: several wrapper elements, or an unknown tag in it.
    """
    wrappers = robot.findall("modular_dynamics")
    if not wrappers:
        return None
    if len(wrappers) > 1:
        raise UrdfError("a second <modular_dynamics> element; one is allowed", line_of(wrappers[1]))
    content: dict[str, Any] = {**attributes(wrappers[0]), "version": wrappers[0].get("version")}
    for element in wrappers[0]:
        if element.tag not in _SECTION_OF:
            known = ", ".join(f"<{tag}>" for tag in _SECTION_OF)
            raise UrdfError(
                f"unknown tag <{element.tag}> in <modular_dynamics>; known: {known}", line_of(element)
            )
        content.setdefault(_SECTION_OF[element.tag], []).append(_entry(element))
    return content


def _entry(element: etree._Element) -> dict[str, Any]:
    item = attributes(element)
    for child in element:
        values = attributes(child)
        where = f"<{child.tag}> in <{element.tag}>"
        match element.tag, child.tag:
            case "subsystem", "joint":
                item.setdefault("joints", []).append(_required(values, "name", where))
            case "subsystem", "end_link":
                item.setdefault("end_links", []).append(_required(values, "name", where))
            case "loop_joint", "predecessor" | "successor":
                item[child.tag] = values
            case "loop_joint", "axis":
                item["axis"] = _required(values, "xyz", where)
            case "gear", "driver":
                item.setdefault("drivers", []).append(values)
            case "spring", "anchor":
                item.setdefault("anchors", []).append(values)
            case _:
                raise UrdfError(f"unknown tag {where}", line_of(child))
    return item


def _required(values: Mapping[str, Any], key: str, where: str) -> Any:
    if not values.get(key):
        raise UrdfError(f"{where} lacks '{key}'", values[LINE])
    return values[key]
