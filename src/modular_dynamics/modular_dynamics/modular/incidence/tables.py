"""Assembly incidence matrices as tables in CSV and YAML."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from numpy.typing import ArrayLike

from ...exceptions import DescriptionError
from ...text.files import separator_of
from ...text.yaml_text import LinedMapping, documents
from ..names import listed, shown
from .checks import require_size

__all__ = ["Source", "Table", "csv_of", "table_of_csv", "table_of_yaml", "written", "yaml_of"]

# What an incidence matrix consists of, before it is checked.


class Table(NamedTuple):
    """The arguments of :class:`.IncidenceMatrix`, in their order."""

    matrix: ArrayLike
    kinds: Sequence[str]
    modules: Sequence[str]
    docking_types: Sequence[str] | None
    turns: Sequence[int]
    docks: Sequence[str]
    base: str


# Texts into files.

Source = str | PathLike[str]


def written(text: str, path: Source | None) -> str:
    """Return the text after writing it into a file, unless ``path`` is None."""
    if path is not None:
        Path(path).expanduser().write_text(text, encoding="utf-8")
    return text


# Incidence matrices as comma-separated values: a table like Fig. 5 of Meister & Gutenkunst.

#: Labels of the rows below the modules. A module's name has no white space: it is none of them.
_TYPES, _TURNS, _BASE = "docking types", "quarter turns", "base module"
_LABELS = (_TYPES, _TURNS, _BASE)
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")

#: Line of the text on which a row ends, and its cells.
_Row = tuple[int, list[str]]


def csv_of(table: Table) -> str:
    """Return CSV: header, a row for each module, then docking types, quarter turns and base."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["module", *table.docks, "kind"])
    for name, faces, kind in zip(table.modules, np.asarray(table.matrix).tolist(), table.kinds, strict=True):
        writer.writerow([name, *faces, kind])
    if table.docking_types is not None:
        writer.writerow([_TYPES, *table.docking_types])
    writer.writerow([_TURNS, *table.turns])
    writer.writerow([_BASE, table.base])
    return text.getvalue()


def table_of_csv(text: str) -> Table:
    """Return the table in a text. Raises DescriptionError: names line and column."""
    (line, header), *rows = list(_rows(text)) or [(1, [])]
    if len(header) < 2 or header[0] != "module" or header[-1] != "kind":
        raise DescriptionError(
            f"{shown(','.join(header))} is no header, which is: module, names of docks, kind", line
        )
    docks = header[1:-1]
    modules = [(at, cells) for at, cells in rows if " " not in cells[0]]
    require_size(len(modules), len(docks))
    labelled = _labelled([(at, cells) for at, cells in rows if " " in cells[0]], len(docks))
    for at, cells in modules:
        if len(cells) != len(header):
            raise DescriptionError(
                f"{len(cells)} cells; {len(header)} are needed: a module's name, "
                f"its faces at {len(docks)} docks, its kind",
                at,
            )
    turns = labelled.get(_TURNS)
    return Table(
        np.array([_numbers(at, cells[1:-1], docks) for at, cells in modules], np.int64),
        [cells[-1] for _, cells in modules],
        [cells[0] for _, cells in modules],
        labelled[_TYPES][1] if _TYPES in labelled else None,
        () if turns is None else tuple(_numbers(*turns, docks)),
        docks,
        labelled[_BASE][1][0] if _BASE in labelled else "",
    )


def _rows(text: str) -> Iterator[_Row]:
    """Yield the rows that are not empty, without white space around their cells."""
    separator = separator_of(text.partition("\n")[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                yield reader.line_num, stripped
    except csv.Error as error:
        raise DescriptionError(f"this is no row of a table: {error}", reader.line_num) from None


def _labelled(rows: Sequence[_Row], docks: int) -> dict[str, _Row]:
    """Return the rows below the modules by label, without empty cells that spreadsheets append."""
    found: dict[str, _Row] = {}
    for line, (label, *cells) in rows:
        if label not in _LABELS or label in found:
            wrong = "comes twice" if label in found else f"is none of {', '.join(_LABELS)}"
            raise DescriptionError(f"the row {shown(label)} {wrong}", line)
        needed = 1 if label == _BASE else docks
        if len(cells) < needed or any(cells[needed:]):
            raise DescriptionError(f"the row '{label}' has {len(cells)} cells; {needed} are needed", line)
        found[label] = (line, cells[:needed])
    return found


def _numbers(line: int, cells: Sequence[str], docks: Sequence[str]) -> list[int]:
    """Return the cells as whole numbers; their size is checked with the matrix."""
    for dock, cell in zip(docks, cells, strict=True):
        if not _WHOLE.fullmatch(cell):
            raise DescriptionError(f"column '{dock}': {shown(cell)} is no whole number", line)
    return [int(cell) for cell in cells]


# Incidence matrices as YAML: modules with their kinds, and docks with the faces of two modules.

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
