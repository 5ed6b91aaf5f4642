"""Incidence matrices as comma-separated values: a table like Fig. 5 of Meister & Gutenkunst."""

import csv
import io
import re
from collections.abc import Iterator, Sequence

import numpy as np

from ...exceptions import DescriptionError
from ...text.files import separator_of
from ..names import shown
from .checks import require_size
from .table import Table

__all__ = ["csv_of", "table_of_csv"]

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
