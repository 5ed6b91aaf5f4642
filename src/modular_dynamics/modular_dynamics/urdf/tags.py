"""Our tags in a URDF, and the partition file: both as a mapping of sections, then as Annotations.

Tags and keys: docs/reference/urdf_tags.md.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from lxml import etree

from ..exceptions import PartitionError, UrdfError
from ..model import Anchor, Gear, LoopJoint, Spring
from ..text.files import path_of, text_of
from ..text.numbers import LARGEST, STIFFEST
from ..text.sizes import MAX_TAGS, MAX_YAML_BYTES, shown, too_large
from .description import Annotations, JointDynamics, SubsystemSpec
from .header import ATTRIBUTES, stamp_of
from .schema import TAGS, Element
from .source import line_of, text_in
from .values import LINE, Entry, attributes


def read_tags(robot: etree._Element) -> dict[str, Any] | None:
    """Return the content of <modular_dynamics> as a mapping like that of a partition file; None without tags.

    Names of elements and attributes are checked here, values by :func:`checked_annotations`.

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
    stamp_of(wrapper)  # checked only: it is not a property of the robot
    count = sum(1 for _ in wrapper.iter(etree.Element)) - 1
    if count > MAX_TAGS:
        raise UrdfError(too_large("<modular_dynamics>", count, MAX_TAGS, "elements"), line_of(wrapper))
    _check_names(wrapper, TAGS)
    content: dict[str, Any] = {"version": None, **attributes(wrapper)}
    for key in ("stamp", *ATTRIBUTES):  # read by header.py
        content.pop(key, None)
    for element in wrapper:
        tag = str(element.tag)
        if tag == "independent" and "independent" in content:
            raise UrdfError("a second <independent> in <modular_dynamics>; one is allowed", line_of(element))
        entries = [_content_of(element)]
        if tag == "independent":  # its joints; there may be none, where the loops leave no mobility
            joints, where = [*map(attributes, element)], "<joint> in <independent>"
            entries = [{"joint": _required(one, "name", where), LINE: one[LINE]} for one in joints]
        section = next(name for name, section in SECTIONS.items() if section.tag == tag)
        content.setdefault(section, []).extend(entries)
    return content


def _check_names(element: etree._Element, rule: Element) -> None:
    """Raise UrdfError for an element, an attribute or a text that the rule does not allow, at any depth."""
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


def _content_of(element: etree._Element) -> dict[str, Any]:
    """Return a tag as an entry of its section: attributes, and child elements as lists, texts or mappings."""
    item = attributes(element)
    for child in element:
        values, tag = attributes(child), str(child.tag)
        where = f"<{tag}> in <{element.tag}>"
        match tag:
            case "joint" | "end_link":
                item.setdefault(_SEVERAL[tag], []).append(_required(values, "name", where))
            case "driver" | "anchor":
                item.setdefault(_SEVERAL[tag], []).append(values)
            case _ if tag in item:
                raise UrdfError(f"a second {where}; one is allowed", line_of(child))
            case "axis":
                item[tag] = _required(values, "xyz", where)
            case _:
                item[tag] = values
    return item


def _required(values: Mapping[str, Any], key: str, where: str) -> Any:
    """Return the value of a key. Raises UrdfError: it is missing."""
    if not values.get(key):
        raise UrdfError(f"{where} lacks '{key}'", values[LINE])
    return values[key]


def read_partition(partition: str | Path | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the mapping of a partition file; a mapping or None is returned as it is.

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
    from ..text.yaml_text import documents  # noqa: PLC0415  # PyYAML takes 10 ms

    path = path_of(partition)
    text = text_of(path, "partition file", MAX_YAML_BYTES, PartitionError)
    contents = documents(text, f"'{path}'", PartitionError)
    if len(contents) != 1 or not isinstance(contents[0], dict):
        raise PartitionError(f"'{path}' does not hold a mapping (version: 1, subsystems: ...)")
    content: dict[str, Any] = _with_lines(contents[0], path.name)
    return content


def _with_lines(value: Any, file: str) -> Any:
    """Return a YAML value with "file, line n" added to each LinedMapping under :data:`LINE`."""
    if isinstance(value, dict):
        own = {key: _with_lines(part, file) for key, part in value.items()}
        return {**own, LINE: f"{file}, line {value.line}"}  # type: ignore[attr-defined]  # a LinedMapping
    return [_with_lines(part, file) for part in value] if isinstance(value, list) else value


# Values of our tags and of the partition file: a mapping of sections -> Annotations, every entry checked.

_LOOP_JOINT_TYPES = ("revolute", "prismatic", "spherical", "universal", "fixed", "planar")


def checked_annotations(content: Mapping[str, Any]) -> Annotations:
    """Return the annotations of a mapping with the structure of the partition file.

    Raises:
        PartitionError: unknown keys, missing or invalid values, duplicate names; with the line.
    """
    version = content.get("version")
    if str(version) != "1":
        raise PartitionError(
            f"version '{version}' of the modular_dynamics tags; 1 is needed", content.get(LINE)
        )
    _reject_unknown_keys(content, ("version", *SECTIONS), "the partition")
    entries, lines = dict[str, Any](), dict[tuple[str, str], int | str | None]()
    for name, section in SECTIONS.items():
        named = [section.value(item) for item in list(_items(content, name, section))]
        entries[name] = tuple(value for _, value, _ in named)
        lines |= {(name, key): line for key, _, line in named}
        for key, count in Counter(key for key, _, _ in named).items():
            if count > 1:
                text = f"'{name}' has two entries named '{key}'; names must be unique"
                raise PartitionError(text, lines[name, key])  # of the last one
    if content.get("independent") is None:
        entries["independent"] = None
    return Annotations(**entries, lines=lines)


def with_partition(annotations: Annotations, file: Mapping[str, Any] | None) -> Annotations:
    """Return the annotations, with the sections of a partition file in place of their own."""
    if file is None:
        return annotations
    from_file = checked_annotations(file)
    sections = {key: getattr(from_file, key) for key in file if hasattr(from_file, key)}
    return replace(annotations, **sections, lines={**annotations.lines, **from_file.lines})


def _items(content: Mapping[str, Any], name: str, section: "Section") -> Iterator[Mapping[str, Any]]:
    """Yield the entries of a section as mappings, keys checked; a joint's name alone becomes a mapping."""
    items = content.get(name) or []
    if not isinstance(items, list):
        raise PartitionError(f"'{name}' is not a list", content.get(LINE))
    for given in items:
        item = {"joint": given} if section.keys == ("joint",) and isinstance(given, str) else given
        if not isinstance(item, Mapping):
            raise PartitionError(f"'{name}' holds '{item}'; a mapping is needed", content.get(LINE))
        _reject_unknown_keys(item, section.keys, f"an entry of '{name}'")
        yield item


def _reject_unknown_keys(item: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in item:
        if key not in (*known, LINE):
            raise _entry(item, where).failure(f" has the unknown key '{key}'; known: {', '.join(known)}")


def _entry(item: Mapping[str, Any], where: str) -> Entry:
    return Entry(item, where, PartitionError)


def _names(entry: Entry, key: str) -> tuple[str, ...]:
    """Return a list of names under a key as a tuple."""
    names = entry.item.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise entry.failure(f": '{key}' is not a list of names")
    return tuple(names)


def _subsystem(name: str, entry: Entry) -> SubsystemSpec:
    """Return the subsystem of an entry: joints, or root link and end links."""
    joints, ends, root_link = _names(entry, "joints"), _names(entry, "end_links"), entry.item.get("root_link")
    if root_link is not None and not isinstance(root_link, str):
        raise entry.failure(f": root_link is {root_link!r}; the name of a link is needed")
    if bool(joints) == bool(root_link):
        raise entry.failure(" needs either its joints or its root_link, one of the two")
    if ends and not root_link:
        raise entry.failure(": end links go with a root_link")
    return SubsystemSpec(name, joints, root_link, ends, entry.truth("black_box"), entry.line)


def _anchor(value: Any, where: str, line: int | str | None) -> Anchor:
    """Return the anchor of an entry: a link and a pose in it."""
    if not isinstance(value, Mapping):
        raise PartitionError(f"{where} is missing (a link with xyz and rpy)", line)
    _reject_unknown_keys(value, ("link", "xyz", "rpy", "quat_xyzw"), where)
    entry = _entry(value, where)
    return Anchor(entry.name("link"), entry.pose())


def _loop_joint(name: str, entry: Entry) -> LoopJoint:
    """Return the loop joint of an entry."""
    kind = entry.item.get("type")
    if kind not in _LOOP_JOINT_TYPES:
        raise entry.failure(f" has type '{kind}'; one of {', '.join(_LOOP_JOINT_TYPES)} is needed")
    axis = np.array(entry.numbers("axis", 3, [1.0, 0.0, 0.0]))
    if not np.linalg.norm(axis) > 1e-9:
        raise entry.failure(": its axis has no direction")
    predecessor, successor = (
        _anchor(entry.item.get(end), f"{entry.where}, {end}", entry.line)
        for end in ("predecessor", "successor")
    )
    return LoopJoint(name, str(kind), predecessor, successor, axis / np.linalg.norm(axis))


def _gear(joint: str, entry: Entry) -> Gear:
    """Return the gear of an entry."""
    drivers: list[tuple[str, float]] = []
    for driver, key in _drivers(entry):
        name = _entry(driver, entry.where).name(key)
        drivers.append((name, _entry(driver, f"{entry.where}, {key} '{name}'").number("ratio")))
    names = [name for name, _ in drivers]
    if joint in names:
        raise entry.failure(": a joint cannot be its own driver")
    for name, count in Counter(names).items():
        if count > 1:
            raise entry.failure(f" names its driver '{name}' twice; add the ratios")
    return Gear(joint, *drivers[0], entry.number("offset", 0.0), tuple(drivers[1:]))


def _drivers(entry: Entry) -> list[tuple[Mapping[str, Any], str]]:
    """Return a mapping for each driver of a gear, and its key for the driver's name.

    One driver may be given by the gear's attributes "driver" and "ratio", several by the list "drivers".
    """
    drivers = entry.item.get("drivers")
    if drivers is None:
        return [(entry.item, "driver")]
    if not isinstance(drivers, list) or not all(isinstance(driver, Mapping) for driver in drivers):
        raise entry.failure(": 'drivers' is not a list of joints with their ratios")
    if not drivers or "driver" in entry.item or "ratio" in entry.item:
        raise entry.failure(" needs either one driver with its ratio or a list of drivers, one of the two")
    for driver in drivers:
        _reject_unknown_keys(driver, ("joint", "ratio"), f"{entry.where}, a driver")
    return [(driver, "joint") for driver in drivers]


def _spring(name: str, entry: Entry) -> Spring:
    """Return the spring of an entry."""
    anchors = entry.item.get("anchors") or []
    if not isinstance(anchors, list) or len(anchors) != 2:
        count = len(anchors) if isinstance(anchors, list) else repr(anchors)
        raise entry.failure(f" has {count} anchors; a list of two is needed")
    first, second = (_anchor(anchor, f"{entry.where}, anchor", entry.line) for anchor in anchors)
    law = _quantities(entry, stiffness=None, free_length=None, initial_force=0.0, damping=0.0)
    return Spring(name, **law, anchors=(first, second))


def _joint_dynamics(joint: str, entry: Entry) -> JointDynamics:
    """Return the joint dynamics of an entry."""
    return JointDynamics(joint, **_quantities(entry, armature=0.0, stiffness=0.0, rest_position=0.0))


def _quantities(entry: Entry, **defaults: float | None) -> dict[str, float]:
    """Return the numbers under these keys; default None: required. Only rest positions may be negative."""
    values = {}
    for key, default in defaults.items():
        largest = STIFFEST if key in ("stiffness", "damping", "armature") else LARGEST
        values[key] = entry.number(key, default, largest)
    for key, value in values.items():
        if value < 0.0 and key != "rest_position":
            raise entry.failure(f": {key} = {value:g} cannot be negative")
    return values


class Section(NamedTuple):
    """A section of the partition file.

    Attributes:
        tag: element name of its entries in a URDF. one: what an entry is, in messages, before its name.
        unnamed: name in messages of an entry without a name.
        read: returns the checked value of an entry with a name for :class:`.Annotations`.
    """

    tag: str
    one: str
    unnamed: str
    read: Callable[[str, Entry], Any]

    @property
    def keys(self) -> tuple[str, ...]:
        """Accepted keys of an entry; if "joint" is the only one, an entry may be the joint's name itself."""
        rule = TAGS.children["passive" if self.tag == "independent" else self.tag]  # entries: its joints
        return (*rule.attributes, *(_SEVERAL.get(tag, tag) for tag in rule.children))

    def value(self, item: Mapping[str, Any]) -> tuple[str, Any, int | str | None]:
        """Return name, checked value and line of an entry. Raises PartitionError: a value is invalid."""
        name = _entry(item, self.unnamed).name("name" if "name" in self.keys else "joint")
        return name, self.read(name, _entry(item, f"{self.one} '{name}'")), item.get(LINE)


#: Keys of child elements that there may be several of.
_SEVERAL = {"joint": "joints", "end_link": "end_links", "driver": "drivers", "anchor": "anchors"}


def _joint_section(tag: str) -> Section:
    """Return a section whose entries are names of joints."""
    return Section(tag, f"{tag} joint", f"<{tag}>", lambda name, _: name)


SECTIONS = {
    "subsystems": Section("subsystem", "subsystem", "a subsystem", _subsystem),
    "loop_joints": Section("loop_joint", "loop joint", "a loop joint", _loop_joint),
    "passive": _joint_section("passive"),
    "gears": Section("gear", "gear of joint", "a gear", _gear),
    "springs": Section("spring", "spring", "a spring", _spring),
    "independent": _joint_section("independent"),
    "spherical": _joint_section("spherical"),
    "joint_dynamics": Section("joint_dynamics", "joint_dynamics of joint", "joint_dynamics", _joint_dynamics),
}
