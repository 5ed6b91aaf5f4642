"""Our tags in the URDF and the YAML file of the same content, both as one mapping for `read_annotations`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from lxml import etree

from ..exceptions import PartitionError, UrdfError
from .source import line_of
from .values import LINE

__all__ = ["merged_sections", "read_partition", "read_tags"]

_SECTION_OF = {
    "subsystem": "subsystems",
    "loop_joint": "loop_joints",
    "passive": "passive",
    "gear": "gears",
    "spring": "springs",
}


def read_tags(robot: etree._Element) -> dict[str, Any] | None:
    """The content of <modular_dynamics> as a mapping shaped like the partition file; None without tags.

    Raises:
        UrdfError: several wrapper elements, or an unknown tag in it.
    """
    wrappers = robot.findall("modular_dynamics")
    if not wrappers:
        return None
    if len(wrappers) > 1:
        raise UrdfError("a second <modular_dynamics> element; one is allowed", line_of(wrappers[1]))
    content: dict[str, Any] = {**_attributes(wrappers[0]), "version": wrappers[0].get("version")}
    for element in wrappers[0]:
        if element.tag not in _SECTION_OF:
            known = ", ".join(f"<{tag}>" for tag in _SECTION_OF)
            raise UrdfError(
                f"unknown tag <{element.tag}> in <modular_dynamics>; known: {known}", line_of(element)
            )
        content.setdefault(_SECTION_OF[element.tag], []).append(_entry(element))
    return content


def _attributes(element: etree._Element) -> dict[str, Any]:
    return {**{str(key): value for key, value in element.attrib.items()}, LINE: line_of(element)}


def _entry(element: etree._Element) -> dict[str, Any]:
    item = _attributes(element)
    for child in element:
        values = _attributes(child)
        where = f"<{child.tag}> in <{element.tag}>"
        match element.tag, child.tag:
            case "subsystem", "joint":
                item.setdefault("joints", []).append(_needed(values, "name", where))
            case "subsystem", "end_link":
                item.setdefault("end_links", []).append(_needed(values, "name", where))
            case "loop_joint", "predecessor" | "successor":
                item[child.tag] = values
            case "loop_joint", "axis":
                item["axis"] = _needed(values, "xyz", where)
            case "gear", "driver":
                item.setdefault("drivers", []).append(values)
            case "spring", "anchor":
                item.setdefault("anchors", []).append(values)
            case _:
                raise UrdfError(f"unknown tag {where}", line_of(child))
    return item


def _needed(values: Mapping[str, Any], key: str, where: str) -> Any:
    if not values.get(key):
        raise UrdfError(f"{where} lacks '{key}'", values[LINE])
    return values[key]


class _LineLoader(yaml.SafeLoader):
    """YAML mappings that remember their file and line."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep=deep)
        mapping[LINE] = f"{Path(node.start_mark.name).name}, line {node.start_mark.line + 1}"
        return mapping


def read_partition(partition: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    """The mapping of a partition file, or ``partition`` itself when it is a mapping already.

    Raises:
        PartitionError: no such file, not YAML, or not a mapping.
    """
    if isinstance(partition, Mapping):
        return dict(partition)
    path = Path(partition).expanduser()
    if not path.is_file():
        raise PartitionError(f"no partition file at '{path}'")
    try:
        with path.open(encoding="utf-8") as file:  # the open file, because its name is in every mark
            content = yaml.load(file, _LineLoader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise PartitionError(f"'{path}' is not YAML: {error}") from None
    if not isinstance(content, dict):
        raise PartitionError(f"'{path}' does not hold a mapping (version: 1, subsystems: ...)")
    return content


def merged_sections(tags: Mapping[str, Any] | None, file: Mapping[str, Any] | None) -> dict[str, Any]:
    """Sections of the tags and of the partition file; where both have a section, the file wins."""
    return {**(tags or {}), **(file or {})}
