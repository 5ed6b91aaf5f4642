"""Results of one state or of many: a table, CSV, JSON lines, or a NumPy file."""

import argparse
import csv
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .command import UsageError
from .tables import number, table

__all__ = ["Writer", "add_result_arguments", "result_writer"]

Array = NDArray[np.float64]
SUFFIXES = (".csv", ".npy")


class Writer(Protocol):
    """Takes one result after the other."""

    def write(self, time: float | None, values: Array) -> None:
        """Write values (n,) at a time [s], None if it is not known."""


def add_result_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the format of results."""
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--csv", action="store_true", help="print CSV (default: of states from a file)")
    kinds.add_argument("--json", action="store_true", help="print a line of JSON for each state")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write to a .csv or .npy file instead (default: print)"
    )


@contextmanager
def result_writer(
    arguments: argparse.Namespace,
    letter: str,
    names: Sequence[str],
    units: Sequence[str],
    *,
    timed: bool,
    one: bool,
) -> Iterator[Writer]:
    """Return the writer that the arguments ask for.

    Args:
        letter: begins the columns of a CSV, as tau_NAME. timed: whether times are known. one: a single state.
    """
    if arguments.output is None:
        if one and not (arguments.csv or arguments.json):
            yield _Table(names, units)
        elif arguments.json:
            yield _Json(letter, names)
        else:
            yield _Csv(sys.stdout, letter, names, timed)
        return
    path = Path(arguments.output)
    if path.suffix.lower() not in SUFFIXES or arguments.csv or arguments.json:
        raise UsageError(
            f"--output {path}: a name that ends in {' or '.join(SUFFIXES)} is needed, and no --csv or --json"
        )
    if path.suffix.lower() == ".npy":
        rows = _Rows()
        yield rows
        with open(path, "wb") as file:
            np.save(file, np.array(rows.rows).reshape(-1, len(names)))
        return
    with open(path, "w", encoding="utf-8", newline="") as text:
        yield _Csv(text, letter, names, timed)


class _Table:
    def __init__(self, names: Sequence[str], units: Sequence[str]) -> None:
        self._names, self._units = names, units

    def write(self, time: float | None, values: Array) -> None:
        rows = zip(self._names, map(number, values.tolist()), self._units, strict=True)
        print("\n".join(table(("joint", "value", "unit"), list(rows), right=("value",))))


class _Json:
    def __init__(self, letter: str, names: Sequence[str]) -> None:
        self._letter, self._names = letter, names

    def write(self, time: float | None, values: Array) -> None:
        finite = [value if np.isfinite(value) else None for value in values.tolist()]
        record: dict[str, Any] = {} if time is None else {"time": time}
        print(json.dumps(record | {self._letter: dict(zip(self._names, finite, strict=True))}))


class _Csv:
    def __init__(self, file: Any, letter: str, names: Sequence[str], timed: bool) -> None:
        self._writer, self._timed = csv.writer(file, lineterminator="\n"), timed
        self._writer.writerow([*(["time"] if timed else []), *(f"{letter}_{name}" for name in names)])

    def write(self, time: float | None, values: Array) -> None:
        # the shortest text that gives the same number; nothing where it is not known
        cells = ["" if np.isnan(value) else repr(value) for value in values.tolist()]
        self._writer.writerow([*([repr(time)] if self._timed else []), *cells])


class _Rows:
    def __init__(self) -> None:
        self.rows: list[Array] = []

    def write(self, time: float | None, values: Array) -> None:
        self.rows.append(values.copy())
