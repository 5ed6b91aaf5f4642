"""Columns over time from a CSV, or from what other packages can read."""

import csv
import io
import math
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ..text.numbers import real_number
from .command import UsageError
from .files.lines import decimal_comma, table_of
from .robot import STDIN

__all__ = ["GROUP", "Columns", "read_columns"]

Array = NDArray[np.float64]
#: Readers of other files: entry points whose object takes a path and gives `Columns`.
GROUP = "modular_dynamics.columns"
BAGS = (".mcap", ".db3")
LARGEST = 1e300  # of a value: axes, and sums of two values, go beyond it
NEEDED = f"cannot be drawn; a number of at most {LARGEST:g} is needed"


@dataclass(frozen=True, eq=False)
class Columns:
    """Times (m,) [s], finite, and values (m,) by the name of the column, NaN where a cell is empty."""

    times: Array
    values: dict[str, Array]


def read_columns(path: str, beginnings: tuple[str, ...]) -> Columns:
    """Return the columns with these name beginnings; without a column `time`, rows are counted.

    Raises:
        UsageError: no such file, no table, a kind of file that nothing installed reads, or a number that
            cannot be drawn.
    """
    if path == STDIN:
        file = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
        return _from_csv(file, beginnings, "standard input")
    if Path(path).is_dir() or Path(path).suffix.lower() in BAGS:
        readers = list(entry_points(group=GROUP))
        if not readers:
            raise UsageError(
                f"'{path}' is a bag: the package modular_dynamics_ros, which reads bags, is not installed"
            )
        columns: Columns = readers[0].load()(path, beginnings)
        _require_drawable(columns, path)
        return columns
    if Path(path).suffix.lower() == ".npy":
        raise UsageError(f"'{path}': a NumPy file has no names of joints; a CSV is needed (-o NAME.csv)")
    with open(path, encoding="utf-8-sig", newline="") as file:
        return _from_csv(file, beginnings, f"'{path}'")


def _from_csv(file: IO[str], beginnings: tuple[str, ...], where: str) -> Columns:
    try:
        reader = table_of(file, where)
        head = [name.strip() for name in next(reader, [])]
        wanted = {
            k: array("d") for k, name in enumerate(head) if name.startswith(beginnings) or name == "time"
        }
        if twice := [head[k] for k in wanted if head.count(head[k]) > 1]:
            raise UsageError(f"{where} has the column '{twice[0]}' twice")
        for row in reader:
            if row:
                _add(row, head, wanted, f"{where}, line {reader.line_num}")
    except (csv.Error, UnicodeDecodeError) as error:
        raise UsageError(f"{where} is no CSV in UTF-8: {error}") from error
    values = {head[k]: np.array(numbers) for k, numbers in wanted.items()}
    times = values.pop("time", None)
    if times is None:
        times = np.arange(max(map(len, values.values()), default=0), dtype=float)
    return Columns(times, values)


def _add(row: list[str], head: Sequence[str], wanted: dict[int, "array[float]"], where: str) -> None:
    if len(row) != len(head):
        raise UsageError(f"{where}: {len(row)} cells for {len(head)} columns")
    for k, numbers in wanted.items():
        try:
            value = real_number(row[k]) if row[k] else np.nan
        except ValueError:
            hint = decimal_comma(row[k][:40])
            raise UsageError(f"{where}, column {head[k]}: '{row[k]:.40}' is no number{hint}") from None
        if abs(value) > LARGEST:
            raise UsageError(f"{where}, column {head[k]}: '{row[k]:.40}' {NEEDED}")
        if head[k] == "time" and math.isnan(value):
            raise UsageError(
                f"{where}, column time: '{row[k]:.40}' is no number; every row needs its time [s]"
            )
        numbers.append(value)


def _require_drawable(columns: Columns, path: str) -> None:
    for name, values in columns.values.items():
        if (bad := np.flatnonzero(np.abs(values) > LARGEST)).size:
            at = f"'{path}', column {name}, after {columns.times[bad[0]]:g} s"
            raise UsageError(f"{at}: {values[bad[0]]:g} {NEEDED}")
