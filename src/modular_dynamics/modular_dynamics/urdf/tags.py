"""Our tags in a URDF, and the partition file, as mappings of one structure (docs/urdf_tags.md).

Values are checked later (checks/tags.py). Whether a robot has loops is read from the mapping alone.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from lxml import etree

from ..exceptions import PartitionError, UrdfError
from .checks.values import LINE, attributes
from .source import Source, is_file, line_of
from .stamps import stamp_of
from .xacro_files import Mappings, read_plain

__all__ = ["has_loops", "read_partition", "read_tags"]

_SECTION_OF = {
    "subsystem": "subsystems",
    "loop_joint": "loop_joints",
    "passive": "passive",
    "gear": "gears",
    "spring": "springs",
    "spherical": "spherical",
    "joint_dynamics": "joint_dynamics",
}
#: Sections that make joints follow other joints.
_COUPLING = ("loop_joints", "passive", "gears")


def read_tags(robot: etree._Element) -> dict[str, Any] | None:
    """The content of <modular_dynamics> as such a mapping; None without tags. Values are checked later.

    Raises:
        UrdfError: several wrapper elements, an unknown tag in it, or a stamp that is none.
    """
    wrappers = robot.findall("modular_dynamics")
    if not wrappers:
        return None
    if len(wrappers) > 1:
        raise UrdfError("a second <modular_dynamics> element; one is allowed", line_of(wrappers[1]))
    stamp_of(wrappers[0])  # only checked: it says nothing about the robot
    content: dict[str, Any] = {**attributes(wrappers[0]), "version": wrappers[0].get("version")}
    content.pop("stamp", None)
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


class _LineLoader(yaml.SafeLoader):
    """YAML mappings that remember their file and line."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep=deep)
        mapping[LINE] = f"{Path(node.start_mark.name).name}, line {node.start_mark.line + 1}"
        return mapping


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
            "mapping is needed"
        )
    path = Path(partition).expanduser()
    if not is_file(path):
        raise PartitionError(f"no partition file at '{path}'")
    try:
        with path.open(encoding="utf-8") as file:  # the open file, because its name is in every mark
            content = yaml.load(file, _LineLoader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise PartitionError(f"'{path}' is not YAML: {error}") from None
    if not isinstance(content, dict):
        raise PartitionError(f"'{path}' does not hold a mapping (version: 1, subsystems: ...)")
    return content


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
