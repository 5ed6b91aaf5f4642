"""Tables in files, line by line: rejects other files, and finds the separator of columns."""

import csv
from collections.abc import Iterator
from itertools import chain
from typing import IO, Any

from ...text.files import content_kind, separator_of
from ...text.numbers import real_number
from ..command import UsageError

__all__ = ["decimal_comma", "table_of"]

LONGEST = 10_000_000  # characters of a line: a CSV of 100,000 columns has less


def table_of(file: IO[str], where: str) -> Any:
    """Return a csv.reader of the lines of a file, which are read as they are needed.

    Commas separate the columns; where the header has none, semicolons or tabs.

    Raises:
        UsageError: the file is no table; also while it is read.
    """
    lines = _lines(file, where)
    try:
        first = next(lines, "")
    except UnicodeDecodeError as error:
        kind = content_kind(bytes(error.object[:200]))
        raise UsageError(f"{where} is no CSV{f', but {kind}' if kind else f' in UTF-8: {error}'}") from error
    if kind := content_kind(first[:200].encode()):
        raise UsageError(f"{where} is no CSV, but {kind}")
    if first.lstrip().startswith("<"):
        raise UsageError(f"{where} is no CSV, but XML, such as a URDF")
    separator = separator_of(first)
    words = first.lstrip("# ").split()
    if separator not in first and words[:1] == ["time"] and len(words) > 1:
        raise UsageError(f"{where}: spaces separate its columns; commas, semicolons or tabs are needed")
    return csv.reader(chain([first], lines), delimiter=separator)


def _lines(file: IO[str], where: str) -> Iterator[str]:
    number = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            raise UsageError(f"{where}, line {number} has more than {LONGEST} characters: this is no table")
        yield line


def decimal_comma(text: str) -> str:
    """Return a hint on a cell with a decimal comma, which is not a number; else an empty text."""
    try:
        real_number(text.replace(",", ".", 1) if "," in text else "")
    except ValueError:
        return ""
    return f"; it needs a decimal point: {text.replace(',', '.', 1)}"
