"""Changes as YAML, and back."""

from collections.abc import Callable, Mapping
from typing import Any

import yaml

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.text.yaml_text import Dumper, documents
from modular_dynamics_ros.computation.changes.kinds import (
    Attachment,
    Change,
    Changes,
    Lock,
    Numbers,
    Payload,
    Removal,
)
from modular_dynamics_ros.computation.checked_numbers import checked_numbers
from modular_dynamics_ros.exceptions import ChangeFileError, NodeError, listed, repeated

VERSION = 1
LARGEST = 2_000_000_000  # bytes: a change may hold a whole description
END = "..."  # as YAML ends a document: without it numbers and changes may be missing that were cut off


class _Dumper(Dumper):
    """A YAML dumper that writes URDF texts line by line."""


def _lines(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    if "\x85" in text:
        style = '"'  # for YAML the next-line character is a line break: elsewhere it would be read as one
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _lines)


def text_of_changes(robot: str, changes: Changes) -> str:
    """Return the changes of a robot as YAML."""
    entries = [{"kind": change.kind, **change.content()} for change in changes]
    content = {"version": VERSION, "robot": robot, "changes": entries}
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, explicit_end=True)


def changes_of_text(text: str, *, strict: bool = False) -> tuple[str, Changes]:
    """Return the robot's name and its changes, from YAML.

    Raises:
        ChangeFileError: damaged; says where.
    """
    try:
        found = documents(text, "", most=LARGEST)
    except DescriptionError as error:
        raise ChangeFileError(" ".join(str(error).split())[:200]) from error
    if len(found) > 1:
        raise ChangeFileError(f"it has {len(found)} YAML documents; one is needed")
    content = found[0] if found else None
    if content is None:
        raise ChangeFileError("it is empty; delete it where there are no changes")
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise ChangeFileError(f"no file of changes: version: {VERSION} is needed at its top level")
    robot, entries = content.get("robot"), content.get("changes")
    if not isinstance(robot, str) or not isinstance(entries, list):
        raise ChangeFileError("robot, a text, and changes, a list, are needed at its top level")
    changes = tuple(_change(number, entry, strict) for number, entry in enumerate(entries, 1))
    if twice := repeated([one.link for one in changes if isinstance(one, Payload)]):
        raise ChangeFileError(f"{listed(twice)} has two payloads; a link has one")
    if not text.rstrip().endswith(f"\n{END}"):
        raise ChangeFileError(
            f"its last line is not '{END}', as that of a whole file is: is the end cut off?"
        )
    return robot, changes


def _change(number: int, entry: Any, strict: bool) -> Change:
    kind = entry.get("kind") if isinstance(entry, dict) else None
    if not isinstance(kind, str) or kind not in _READERS:
        raise ChangeFileError(f"change {number}: kind must be one of {', '.join(_READERS)}, not {kind!r:.40}")
    try:
        change = _READERS[kind](entry, strict)
    except KeyError as error:
        raise ChangeFileError(f"change {number} ({kind}) has no {error.args[0]}") from error
    except NodeError as error:
        raise ChangeFileError(f"change {number} ({kind}): {error}") from error
    if unknown := [str(key) for key in entry if key not in {"kind", *change.content()}]:
        raise ChangeFileError(f"change {number} ({kind}) has keys that are not known: {listed(unknown)}")
    return change


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry[key]
    if not isinstance(value, str):
        raise ChangeFileError(f"{key} is {value!r:.40}; a text is needed")
    return value


def _numbers(entry: Mapping[str, Any], key: str) -> dict[str, float]:
    values = entry[key]
    if not isinstance(values, dict) or not values or not all(isinstance(name, str) for name in values):
        raise ChangeFileError(f"{key}: numbers by name are needed")
    return dict(zip(values, checked_numbers(key, values.values()), strict=True))


def _attachment(entry: Mapping[str, Any], strict: bool) -> Attachment:
    name, urdf, link, prefix = (_text(entry, key) for key in ("name", "urdf", "link", "prefix"))
    return Attachment.of(name, urdf, link, entry["pose"], prefix, strict=strict)


_READERS: Mapping[str, Callable[[Mapping[str, Any], bool], Change]] = {
    "payload": lambda entry, strict: Payload.of(
        _text(entry, "link"), entry["mass"], entry["com"], entry["inertia"]
    ),
    "attachment": _attachment,
    "removal": lambda entry, strict: Removal(_text(entry, "name")),
    "lock": lambda entry, strict: Lock(_numbers(entry, "positions")),
    "parameters": lambda entry, strict: Numbers(_numbers(entry, "values")),
}
