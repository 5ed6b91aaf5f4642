"""The file that keeps the changes of a robot over restarts."""

from collections.abc import Callable, Mapping
from typing import Any

from modular_dynamics_ros.computation.changes.kinds import (
    Attachment,
    Change,
    Changes,
    Lock,
    Numbers,
    Payload,
    Removal,
)
from modular_dynamics_ros.computation.kept_file import Draft, KeptFile
from modular_dynamics_ros.computation.values import checked_numbers
from modular_dynamics_ros.exceptions import ChangeFileError, NodeError, listed, repeated


class ChangesFile(KeptFile[tuple[str, Changes]]):
    """The name of a robot and its changes.

    Args:
        strict: whether attached robots with inertias that no body can have are refused.
    """

    NAME, ERROR = "changes_file", ChangeFileError

    def __init__(self, path: str, *, strict: bool = False) -> None:
        super().__init__(path)
        self._strict = strict

    def draft(self, robot: str, changes: Changes) -> Draft:
        """Write the changes of a robot beside the file. Raises ChangeFileError."""
        return self.drafted(self.content(robot, changes))

    @staticmethod
    def content(robot: str, changes: Changes) -> dict[str, Any]:
        """Return the changes of a robot as plain values."""
        return {"robot": robot, "changes": [{"kind": change.kind, **change.content()} for change in changes]}

    def parsed(self, content: Mapping[str, Any]) -> tuple[str, Changes]:
        """See `KeptFile`."""
        robot, entries = content.get("robot"), content.get("changes")
        if not isinstance(robot, str) or not isinstance(entries, list):
            raise ChangeFileError("robot, a text, and changes, a list, are needed at its top level")
        changes = tuple(_change(number, entry, self._strict) for number, entry in enumerate(entries, 1))
        if twice := repeated([one.link for one in changes if isinstance(one, Payload)]):
            raise ChangeFileError(f"{listed(twice)} has two payloads; a link has one")
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
