"""Incidence matrices as YAML: modules with their kinds, and docks with the faces of two modules."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import yaml

from ...exceptions import DescriptionError
from ...text.yaml_text import LinedMapping, documents
from ..names import listed, shown
from .checks import require_size
from .table import Table

__all__ = ["table_of_yaml", "yaml_of"]

#: What YAML reads as text without quotes: not numbers, and none of the words below.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
#: Of faces and turns, whose own limits are checked with the matrix.
_LARGEST = 10**9


def yaml_of(table: Table) -> str:
    """Return the matrix as YAML, one line for each module and one for each docking."""
    matrix = np.asarray(table.matrix)
    modules = [_quoted(name) for name in table.modules]
    lines = [f"base: {_quoted(table.base)}", "modules:  # name: kind"]
    lines += [f"  {name}: {_quoted(kind)}" for name, kind in zip(modules, table.kinds, strict=True)]
    lines.append(
        "docks:  # faces of two modules; type: of the dyad; turn: quarter turns"
        if table.docks
        else "docks: {}"
    )
    for k, dock in enumerate(table.docks):
        rows = matrix[:, k].nonzero()[0]
        entries = [f"faces: {{{', '.join(f'{modules[row]}: {matrix[row, k]}' for row in rows)}}}"]
        if table.docking_types is not None:
            entries.append(f"type: {_quoted(table.docking_types[k])}")
        if table.turns[k]:
            entries.append(f"turn: {table.turns[k]}")
        lines.append(f"  {_quoted(dock)}: {{{', '.join(entries)}}}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return the text, in quotes where YAML would not read it as text."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    quoted: str = yaml.safe_dump(text, default_style='"', width=1 << 30)
    return quoted.strip()


def table_of_yaml(text: str) -> Table:
    """Return the table in a text. Raises DescriptionError: names the line."""
    entries = _mapping(_content(text), "the file", None, ("base", "modules", "docks"))
    if "modules" not in entries:
        raise DescriptionError("the file has no modules; names with their kinds are needed")
    modules = _mapping(entries["modules"], "modules", entries.lines["modules"])
    docks = (
        _mapping(entries["docks"], "docks", entries.lines["docks"]) if "docks" in entries else LinedMapping()
    )
    require_size(len(modules), len(docks))
    row = {name: k for k, name in enumerate(modules)}
    matrix = np.zeros((len(modules), len(docks)), np.int64)
    types: list[str] = []
    turns: list[int] = []
    for column, (dock, value) in enumerate(docks.items()):
        line = docks.lines[dock]
        own = _mapping(value, f"dock '{dock}'", line, ("faces", "type", "turn"))
        for module, face in _faces(dock, own, line, row).items():
            matrix[row[module], column] = face
        if "type" in own:
            types.append(_text(own["type"], f"the type of dock '{dock}'", own.lines["type"]))
        if len(types) not in (0, column + 1):
            raise DescriptionError("docks with and without a type; all or none are needed", line)
        turn = own.get("turn", 0)
        turns.append(_whole(turn, f"the turn of dock '{dock}'", own.lines.get("turn", line)))
    kinds = [
        _text(kind, f"the kind of module '{name}'", modules.lines[name]) for name, kind in modules.items()
    ]
    base = _text(entries["base"], "the base", entries.lines["base"]) if "base" in entries else ""
    return Table(matrix, kinds, list(modules), types or None, tuple(turns), list(docks), base)


def _content(text: str) -> Any:
    found = documents(text, "")
    if len(found) > 1:
        raise DescriptionError(f"{len(found)} documents, which '---' separates; one is needed")
    if not found or found[0] is None:
        raise DescriptionError("the file is empty; base, modules and docks are needed")
    return found[0]


def _faces(dock: str, own: LinedMapping, line: int, row: Mapping[str, int]) -> dict[str, int]:
    """Return face numbers by module; whether there are two is checked with the matrix."""
    if "faces" not in own:
        raise DescriptionError(f"dock '{dock}' has no faces; those of two modules are needed", line)
    faces = _mapping(own["faces"], f"the faces of dock '{dock}'", own.lines["faces"])
    for module in faces:
        if module not in row:
            raise DescriptionError(
                f"dock '{dock}' names module {shown(module)}; the modules: {listed(row)}", faces.lines[module]
            )
    return {
        module: _whole(face, f"the face of module '{module}' at dock '{dock}'", faces.lines[module])
        for module, face in faces.items()
    }


def _mapping(value: object, what: str, line: int | None, keys: Iterable[str] = ()) -> LinedMapping:
    """Return the value if it is a mapping with text keys, all among ``keys`` if these are given."""
    if not isinstance(value, LinedMapping):
        raise DescriptionError(f"{what} is no mapping", line)
    for key in value:
        name = _text(key, f"a name in {what}", value.lines.get(key, value.line))
        if keys and name not in keys:
            raise DescriptionError(
                f"{shown(name)} in {what} is unknown; known: {', '.join(keys)}", value.lines[name]
            )
    return value


def _text(value: object, what: str, line: int) -> str:
    if isinstance(value, list | dict):
        raise DescriptionError(f"{what} is no text", line)
    if not isinstance(value, str):
        given = "empty" if value is None else shown(value)
        raise DescriptionError(f"{what} is {given}, which is no text; write it in quotes", line)
    return value


def _whole(value: object, what: str, line: int) -> int:
    if type(value) is not int or abs(value) >= _LARGEST:
        given = "a list or mapping" if isinstance(value, list | dict) else shown(value)
        raise DescriptionError(f"{what} is {given}; a whole number is needed", line)
    return value
