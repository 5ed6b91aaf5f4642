"""Our tags in a URDF, and the partition file, as mappings of one structure (docs/urdf_tags.md).

Values are checked later (checks/tags.py). Whether a robot has loops is read from the mapping alone.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from ..exceptions import PartitionError, UrdfError
from ..text.files import path_of, text_of
from ..text.sizes import MAX_TAGS, MAX_YAML_BYTES, too_large
from ..text.yaml_text import LinedMapping, documents
from .checks.values import LINE, attributes
from .conditions import ATTRIBUTES
from .source import Source, line_of
from .stamps import stamp_of
from .xacro_files import Mappings, read_plain

__all__ = ["has_loops", "read_partition", "read_tags"]

_SECTION_OF = {
    "subsystem": "subsystems",
    "loop_joint": "loop_joints",
    "passive": "passive",
    "gear": "gears",
    "spring": "springs",
    "independent": "independent",
    "spherical": "spherical",
    "joint_dynamics": "joint_dynamics",
}
#: Sections that make joints follow other joints.
_COUPLING = ("loop_joints", "passive", "gears")


def read_tags(robot: etree._Element) -> dict[str, Any] | None:
    """The content of <modular_dynamics> as such a mapping; None without tags. Values are checked later.

    Raises:
        UrdfError: several wrapper elements, an unknown tag in it, or an invalid stamp.
    """
    wrappers = robot.findall("modular_dynamics")
    if not wrappers:
        return None
    if len(wrappers) > 1:
        raise UrdfError("a second <modular_dynamics> element; one is allowed", line_of(wrappers[1]))
    stamp_of(wrappers[0])  # only checked: it says nothing about the robot
    count = sum(1 for _ in wrappers[0].iter(etree.Element)) - 1
    if count > MAX_TAGS:
        raise UrdfError(too_large("<modular_dynamics>", count, MAX_TAGS, "elements"), line_of(wrappers[0]))
    content: dict[str, Any] = {
        **_own(wrappers[0], _SECTION_OF.values()),
        "version": wrappers[0].get("version"),
    }
    for key in ("stamp", *ATTRIBUTES):  # of which others take care
        content.pop(key, None)
    for element in wrappers[0]:
        if element.tag not in _SECTION_OF:
            known = ", ".join(f"<{tag}>" for tag in _SECTION_OF)
            raise UrdfError(
                f"unknown tag <{element.tag}> in <modular_dynamics>; known: {known}", line_of(element)
            )
        if element.tag == "independent" and "independent" in content:
            raise UrdfError("a second <independent> in <modular_dynamics>; one is allowed", line_of(element))
        entries = _independent(element) if element.tag == "independent" else [_entry(element)]
        content.setdefault(_SECTION_OF[element.tag], []).extend(entries)
    return content


def _entry(element: etree._Element) -> dict[str, Any]:
    item = _own(element, ("joints", "end_links", "drivers", "anchors", "predecessor", "successor"))
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


def _independent(element: etree._Element) -> list[dict[str, Any]]:
    """Its joints, one entry each; there may be none, where the loops leave no mobility."""
    if element.attrib:
        raise UrdfError(
            f"<independent> has the unknown attribute '{next(iter(element.attrib))!s}'; it contains its "
            'joints, <joint name="..."/>',
            line_of(element),
        )
    entries = []
    for child in element:
        if child.tag != "joint":
            raise UrdfError(f"unknown tag <{child.tag}> in <independent>", line_of(child))
        values = attributes(child)
        entries.append({"joint": _required(values, "name", "<joint> in <independent>"), LINE: values[LINE]})
    return entries


def _own(element: etree._Element, of_children: Iterable[str]) -> dict[str, Any]:
    """The attributes of an element, of which none may have a key under which its children are collected."""
    values = attributes(element)
    for key in of_children:
        if key in values:
            raise UrdfError(f"<{element.tag}> has the unknown attribute '{key}'", line_of(element))
    return values


def _required(values: Mapping[str, Any], key: str, where: str) -> Any:
    if not values.get(key):
        raise UrdfError(f"{where} lacks '{key}'", values[LINE])
    return values[key]


def read_partition(partition: str | Path | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The mapping of a partition file, or ``partition`` itself if it is a mapping or None.

    Raises:
        PartitionError: no such file, not YAML, or not a mapping.
    """
    if partition is None or isinstance(partition, Mapping):
        return None if partition is None else dict(partition)
    if not isinstance(partition, str | os.PathLike):
        raise PartitionError(
            f"an object of type {type(partition).__name__} is no partition; the path of a YAML file or a "
            "mapping is needed",
            unreadable=True,
        )
    path = path_of(partition)
    text = text_of(path, "partition file", MAX_YAML_BYTES, PartitionError)
    contents = documents(text, f"'{path}'", PartitionError)
    if len(contents) != 1 or not isinstance(contents[0], LinedMapping):
        raise PartitionError(f"'{path}' does not hold a mapping (version: 1, subsystems: ...)")
    content: dict[str, Any] = _with_lines(contents[0], path.name)
    return content


def _with_lines(value: Any, file: str) -> Any:
    """The value with file and line in each mapping, under :data:`LINE`."""
    if isinstance(value, LinedMapping):
        own = {key: _with_lines(part, file) for key, part in value.items()}
        return {**own, LINE: f"{file}, line {value.line}"}
    return [_with_lines(part, file) for part in value] if isinstance(value, list) else value


def has_loops(
    source: Source, partition: str | Path | Mapping[str, Any] | None = None, mappings: Mappings = None
) -> bool:
    """Whether loops, gears or passive joints make some joints follow others; no model is built.

    The values of the tags are not checked; :func:`load_urdf` does that.

    Args:
        source, mappings: as of :func:`load_urdf`.
        partition: YAML file (or its content) whose sections replace those of the tags.

    Raises:
        UrdfError: not a URDF, or an unknown tag.
        PartitionError: no such partition file, or not a YAML mapping.
    """
    sections = {**(read_tags(read_plain(source, mappings).root) or {}), **(read_partition(partition) or {})}
    return any(sections.get(name) for name in _COUPLING)
