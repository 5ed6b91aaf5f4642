"""Values of our tags, and of the partition file with the same content: every entry is checked here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...algebra import from_xyz_rpy
from ...exceptions import PartitionError
from ...model import Anchor, Gear, LoopJoint, Spring
from ..description import Annotations, SubsystemSpec
from .values import LINE, checked_name, checked_number, checked_numbers, checked_xyz_rpy

__all__ = ["checked_annotations"]

_LOOP_JOINT_TYPES = ("revolute", "prismatic", "spherical", "universal", "fixed", "planar")
#: Sections of the partition file, and the keys of an entry.
_SECTIONS: dict[str, tuple[str, ...]] = {
    "subsystems": ("name", "joints", "root_link", "end_links", "black_box"),
    "loop_joints": ("name", "type", "predecessor", "successor", "axis"),
    "passive": ("joint",),
    "gears": ("joint", "driver", "ratio", "offset", "drivers"),
    "springs": ("name", "stiffness", "free_length", "initial_force", "damping", "anchors"),
}


def checked_annotations(content: Mapping[str, Any]) -> Annotations:
    """The annotations of a mapping with the structure of the partition file.

    Raises:
        PartitionError: unknown keys, missing or invalid values, duplicate names; with the line.
    """
    version = content.get("version")
    if str(version) != "1":
        raise PartitionError(
            f"version '{version}' of the modular_dynamics tags; 1 is needed", content.get(LINE)
        )
    _reject_unknown_keys(content, ("version", *_SECTIONS), "the partition")
    result = Annotations(
        subsystems=tuple(_subsystem(item) for item in _items(content, "subsystems")),
        loop_joints=tuple(_loop_joint(item) for item in _items(content, "loop_joints")),
        passive=tuple(
            checked_name(i, "joint", "a passive joint", PartitionError) for i in _items(content, "passive")
        ),
        gears=tuple(_gear(item) for item in _items(content, "gears")),
        springs=tuple(_spring(item) for item in _items(content, "springs")),
        lines={
            (section, str(item.get("name", item.get("joint")))): item.get(LINE)
            for section in _SECTIONS
            for item in _items(content, section)
        },
    )
    for kind, names in (
        ("subsystems", [spec.name for spec in result.subsystems]),
        ("loop joints", [loop.name for loop in result.loop_joints]),
        ("passive joints", list(result.passive)),
        ("geared joints", [gear.joint for gear in result.gears]),
        ("springs", [spring.name for spring in result.springs]),
    ):
        for name in names:
            if names.count(name) > 1:
                raise PartitionError(
                    f"two {kind} are named '{name}'; names must be unique", _line(content, name)
                )
    return result


def _items(content: Mapping[str, Any], section: str) -> Iterator[Mapping[str, Any]]:
    items = content.get(section) or []
    if not isinstance(items, list):
        raise PartitionError(f"'{section}' is not a list", content.get(LINE))
    for entry in items:
        item = {"joint": entry} if section == "passive" and isinstance(entry, str) else entry
        if not isinstance(item, Mapping):
            raise PartitionError(f"'{section}' holds '{item}'; a mapping is needed", content.get(LINE))
        _reject_unknown_keys(item, _SECTIONS[section], f"an entry of '{section}'")
        yield item


def _reject_unknown_keys(item: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in item:
        if key not in (*known, LINE):
            raise PartitionError(
                f"{where} has the unknown key '{key}'; known: {', '.join(known)}", item.get(LINE)
            )


def _line(content: Mapping[str, Any], name: str) -> int | None:
    """Line of the last entry of that name."""
    entries = [
        item for section in _SECTIONS for item in content.get(section) or [] if isinstance(item, Mapping)
    ]
    named = [item.get(LINE) for item in entries if name in (item.get("name"), item.get("joint"))]
    return named[-1] if named else None


def _names(item: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    names = item.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise PartitionError(f"{where}: '{key}' is not a list of names", item.get(LINE))
    return tuple(names)


def _subsystem(item: Mapping[str, Any]) -> SubsystemSpec:
    name = checked_name(item, "name", "a subsystem", PartitionError)
    where = f"subsystem '{name}'"
    joints, ends = _names(item, "joints", where), _names(item, "end_links", where)
    root_link, line = item.get("root_link"), item.get(LINE)
    if root_link is not None and not isinstance(root_link, str):
        raise PartitionError(f"{where}: root_link is {root_link!r}; the name of a link is needed", line)
    if bool(joints) == bool(root_link):
        raise PartitionError(f"{where} needs either its joints or its root_link, one of the two", line)
    if ends and not root_link:
        raise PartitionError(f"{where}: end links go with a root_link", line)
    black_box = str(item.get("black_box", "false")).lower()
    if black_box not in ("true", "false", "1", "0"):
        raise PartitionError(f"{where}: black_box='{item['black_box']}' is neither true nor false", line)
    return SubsystemSpec(name, joints, root_link, ends, black_box in ("true", "1"), line)


def _anchor(value: Any, where: str, line: int | str | None) -> Anchor:
    if not isinstance(value, Mapping):
        raise PartitionError(f"{where} is missing (a link with xyz and rpy)", line)
    _reject_unknown_keys(value, ("link", "xyz", "rpy"), where)
    link = checked_name(value, "link", where, PartitionError)
    return Anchor(link, from_xyz_rpy(*checked_xyz_rpy(value, where, PartitionError)))


def _loop_joint(item: Mapping[str, Any]) -> LoopJoint:
    name = checked_name(item, "name", "a loop joint", PartitionError)
    where, line = f"loop joint '{name}'", item.get(LINE)
    kind = item.get("type")
    if kind not in _LOOP_JOINT_TYPES:
        raise PartitionError(
            f"{where} has type '{kind}'; one of {', '.join(_LOOP_JOINT_TYPES)} is needed", line
        )
    axis = np.array(checked_numbers(item, "axis", 3, where, PartitionError, [1.0, 0.0, 0.0]))
    if not np.linalg.norm(axis) > 1e-9:
        raise PartitionError(f"{where}: its axis has no direction", line)
    return LoopJoint(
        name,
        str(kind),
        _anchor(item.get("predecessor"), f"{where}, predecessor", line),
        _anchor(item.get("successor"), f"{where}, successor", line),
        axis / np.linalg.norm(axis),
    )


def _gear(item: Mapping[str, Any]) -> Gear:
    joint = checked_name(item, "joint", "a gear", PartitionError)
    where = f"gear of joint '{joint}'"
    drivers = [
        (
            checked_name(entry, key, where, PartitionError),
            checked_number(entry, "ratio", f"{where}, {key} '{entry[key]}'", PartitionError),
        )
        for entry, key in _drivers(item, where)
    ]
    names = [name for name, _ in drivers]
    if joint in names:
        raise PartitionError(f"{where}: a joint cannot be its own driver", item.get(LINE))
    for name in names:
        if names.count(name) > 1:
            raise PartitionError(f"{where} names its driver '{name}' twice; add the ratios", item.get(LINE))
    offset = checked_number(item, "offset", where, PartitionError, 0.0)
    return Gear(joint, *drivers[0], offset, tuple(drivers[1:]))


def _drivers(item: Mapping[str, Any], where: str) -> list[tuple[Mapping[str, Any], str]]:
    """Entries that name a gear's drivers, and the key of the name: the gear's own attributes, or a list."""
    entries = item.get("drivers")
    if entries is None:
        return [(item, "driver")]
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise PartitionError(f"{where}: 'drivers' is not a list of joints with their ratios", item.get(LINE))
    if not entries or "driver" in item or "ratio" in item:
        raise PartitionError(
            f"{where} needs either one driver with its ratio or a list of drivers, one of the two",
            item.get(LINE),
        )
    for entry in entries:
        _reject_unknown_keys(entry, ("joint", "ratio"), f"{where}, a driver")
    return [(entry, "joint") for entry in entries]


def _spring(item: Mapping[str, Any]) -> Spring:
    name = checked_name(item, "name", "a spring", PartitionError)
    where, line = f"spring '{name}'", item.get(LINE)
    anchors = item.get("anchors") or []
    if not isinstance(anchors, list) or len(anchors) != 2:
        count = len(anchors) if isinstance(anchors, list) else repr(anchors)
        raise PartitionError(f"{where} has {count} anchors; a list of two is needed", line)
    first, second = (_anchor(anchor, f"{where}, anchor", line) for anchor in anchors)
    values = {key: checked_number(item, key, where, PartitionError) for key in ("stiffness", "free_length")}
    values |= {
        key: checked_number(item, key, where, PartitionError, 0.0) for key in ("initial_force", "damping")
    }
    for key, value in values.items():
        if value < 0.0:
            raise PartitionError(f"{where}: {key} = {value:g} cannot be negative", line)
    return Spring(name, **values, anchors=(first, second))
