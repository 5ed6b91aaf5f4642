"""Our tags in a URDF, and the partition file, as mappings of one structure (docs/urdf_tags.md).

Values are checked later (checks/tags.py). Whether a robot has loops is read from the mapping alone.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from ..exceptions import PartitionError, UrdfError
from ..text.files import path_of, text_of
from ..text.sizes import MAX_TAGS, MAX_YAML_BYTES, shown, too_large
from ..text.yaml_text import LinedMapping, documents
from .checks.values import LINE, attributes
from .conditions import ATTRIBUTES
from .foreign import words_that_close
from .schema import TAGS, Element
from .source import Source, line_of, text_in
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
        UrdfError: several wrapper elements, or one that does not stand below <robot>; an unknown tag,
            attribute or text in it; an invalid stamp.
    """
    wrappers = list(robot.iter("{*}modular_dynamics"))
    for wrapper in wrappers:
        if (parent := wrapper.getparent()) is not None and parent is not robot:
            text = f"<modular_dynamics> stands in <{parent.tag}>; its place is below <robot>"
            raise UrdfError(text, line_of(wrapper))
        if wrapper.prefix:
            raise UrdfError(
                f"<{wrapper.prefix}:modular_dynamics> has a prefix; it needs none", line_of(wrapper)
            )
    if not wrappers:
        return None
    if len(wrappers) > 1:
        raise UrdfError("a second <modular_dynamics> element; one is allowed", line_of(wrappers[1]))
    (wrapper,) = wrappers
    stamp_of(wrapper)  # only checked: it says nothing about the robot
    count = sum(1 for _ in wrapper.iter(etree.Element)) - 1
    if count > MAX_TAGS:
        raise UrdfError(too_large("<modular_dynamics>", count, MAX_TAGS, "elements"), line_of(wrapper))
    _check_names(wrapper, TAGS)
    content: dict[str, Any] = {"version": None, **attributes(wrapper)}
    for key in ("stamp", *ATTRIBUTES):  # of which others take care
        content.pop(key, None)
    for element in wrapper:
        tag = str(element.tag)
        if tag == "independent" and "independent" in content:
            raise UrdfError("a second <independent> in <modular_dynamics>; one is allowed", line_of(element))
        entries = _independent(element) if tag == "independent" else [_entry(element)]
        content.setdefault(_SECTION_OF[tag], []).extend(entries)
    return content


def _check_names(element: etree._Element, rule: Element) -> None:
    """Raise UrdfError for an element, an attribute or a text that the table does not have, at any depth."""
    for key in map(str, element.attrib):
        if key not in rule.attributes:
            known = ", ".join(rule.attributes) or "it has none"
            text = f"<{element.tag}> has the unknown attribute '{key}'; known: {known}"
            raise UrdfError(text, line_of(element))
    if text_in(element):
        raise UrdfError(f"<{element.tag}> contains the text {shown(text_in(element))}", line_of(element))
    for child in element:
        if (of_child := rule.children.get(str(child.tag))) is None:
            known = ", ".join(f"<{tag}>" for tag in rule.children) or "it contains none"
            raise UrdfError(f"unknown tag <{child.tag}> in <{element.tag}>; known: {known}", line_of(child))
        _check_names(child, of_child)


def _entry(element: etree._Element) -> dict[str, Any]:
    item = attributes(element)
    for child in element:
        values, tag = attributes(child), str(child.tag)
        where = f"<{tag}> in <{element.tag}>"
        match tag:
            case "joint" | "end_link":
                item.setdefault(f"{tag}s", []).append(_required(values, "name", where))
            case "driver" | "anchor":
                item.setdefault(f"{tag}s", []).append(values)
            case _ if tag in item:
                raise UrdfError(f"a second {where}; one is allowed", line_of(child))
            case "axis":
                item[tag] = _required(values, "xyz", where)
            case _:
                item[tag] = values
    return item


def _independent(element: etree._Element) -> list[dict[str, Any]]:
    """Its joints, one entry each; there may be none, where the loops leave no mobility."""
    joints = map(attributes, element)
    return [
        {"joint": _required(values, "name", "<joint> in <independent>"), LINE: values[LINE]}
        for values in joints
    ]


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

    The values of the tags are not checked; :func:`load_urdf` does that. Links and joints are only read where
    words of other tools (:mod:`.foreign`) may close a loop.

    Args:
        source, mappings: as of :func:`load_urdf`.
        partition: YAML file (or its content) whose sections replace those of the tags.

    Raises:
        UrdfError: not a URDF, or an unknown tag.
        PartitionError: no such partition file, or not a YAML mapping.
    """
    root, file = read_plain(source, mappings).root, read_partition(partition) or {}
    sections = {**(read_tags(root) or {}), **file}
    return any(sections.get(name) for name in _COUPLING) or any(
        section not in file or file[section] for section in words_that_close(root)
    )
