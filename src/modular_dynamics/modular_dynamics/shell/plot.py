"""`modular-dynamics plot`: torques over time as a picture."""

import argparse
import io
import math
import sys
import warnings
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ..optional_packages import needed
from ..text.numbers import real_number
from .command import (
    GOOD,
    PICTURES,
    STDIN,
    Command,
    UsageError,
    raise_if_read,
    table_of,
)

__all__ = ["Columns", "PLOT", "read_columns"]

# Columns over time from a CSV, or from what other packages can read.

Array = NDArray[np.float64]
BAGS = (".mcap", ".db3")
LARGEST = 1e300  # value; axes, and sums of two values, are larger and must not overflow
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
        raise UsageError(f"'{path}' is a bag: `modular-dynamics bag {path} --csv FILE` makes a CSV of it")
    with open(path, encoding="utf-8-sig", newline="") as file:
        return _from_csv(file, beginnings, f"'{path}'")


def _from_csv(file: IO[str], beginnings: tuple[str, ...], where: str) -> Columns:
    """Return columns of a CSV file; arguments as of :func:`read_columns`."""
    head, rows = table_of(file, where)
    wanted = {k: array("d") for k, name in enumerate(head) if name.startswith(beginnings) or name == "time"}
    if twice := [head[k] for k in wanted if head.count(head[k]) > 1]:
        raise UsageError(f"{where} has the column '{twice[0]}' twice")
    for at, row in rows:
        _add(row, head, wanted, at)
    values = {head[k]: np.array(numbers) for k, numbers in wanted.items()}
    times = values.pop("time", None)
    if times is None:
        times = np.arange(max(map(len, values.values()), default=0), dtype=float)
    return Columns(times, values)


def _add(row: list[str], head: Sequence[str], wanted: dict[int, "array[float]"], where: str) -> None:
    """Append a row's cells to the wanted columns (index -> numbers). Raises UsageError."""
    for k, numbers in wanted.items():
        try:
            value = real_number(row[k]) if row[k] else np.nan
        except ValueError:
            raise UsageError(f"{where}, column {head[k]}: '{row[k]:.40}' is no number") from None
        if abs(value) > LARGEST:
            raise UsageError(f"{where}, column {head[k]}: '{row[k]:.40}' {NEEDED}")
        if head[k] == "time" and math.isnan(value):
            raise UsageError(
                f"{where}, column time: '{row[k]:.40}' is no number; every row needs its time [s]"
            )
        numbers.append(value)


#: Choices of --what: beginnings of columns, and the quantity with its unit.
KINDS = {
    "tau": (("tau_",), "torque [N m] or force [N]"),
    "residual": (("residual_",), "measured - model [N m or N]"),
    "wrench": (("fx_", "fy_", "fz_", "mx_", "my_", "mz_"), "force [N], moment [N m]"),
}
MOST_LINES = 6  # largest number of lines in a panel
LAST_DECADE = 3  # decades below the largest torque; smaller torques share one scale
EXAMPLES = """\
  modular-dynamics plot torques.csv                         # torques.png
  modular-dynamics plot torques.csv --what residual -o residuals.svg
  modular-dynamics plot torques.csv --only shoulder,elbow
  modular-dynamics id robot.urdf states.csv | modular-dynamics plot - -o torques.png"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="CSV of id, gravity or bag; - for standard input")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=".png, .svg or .pdf (default: the name of the file with .png)",
    )
    parser.add_argument(
        "--what", choices=tuple(KINDS), default="tau", help="which columns are drawn (default: %(default)s)"
    )
    parser.add_argument(
        "--only",
        metavar="NAMES",
        help="joints or, with --what wrench, subsystems, as elbow,wrist (default: all)",
    )
    parser.add_argument("--title", help="above the picture (default: the file's name)")


def _run(arguments: argparse.Namespace) -> int:
    """Draw the picture; return the exit code."""
    output = _output(arguments)
    raise_if_read("--output", output, (arguments.file,))
    prefixes, quantity = KINDS[arguments.what]
    columns = read_columns(arguments.file, (*prefixes, "residual_"))
    names = _names(columns, prefixes, arguments)
    with needed("a picture", "matplotlib", "shell"):
        from ..pictures.time_plot import Panel, draw_over_time  # noqa: PLC0415  # takes long, and is optional
    if arguments.what == "wrench":
        panels = [Panel(name, quantity, _wrench(columns, prefixes, name), {}) for name in names]
    else:
        prefix = prefixes[0]
        measured = _measured(columns, names) if arguments.what == "tau" else {}
        lines = {name: columns.values[prefix + name] for name in names}
        panels = [
            Panel(title, quantity, {name: lines[name] for name in part}, measured)
            for title, part in _groups(lines, alone=bool(measured) or arguments.what == "residual")
        ]
    title = arguments.title or ("" if arguments.file == STDIN else Path(arguments.file).name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the layout, and of characters that the font lacks: one sees them
        draw_over_time(title, columns.times - columns.times[0], panels, output)
    print(output)
    return GOOD


def _output(arguments: argparse.Namespace) -> Path:
    """Return the path of the picture. Raises UsageError: none can be derived, or another suffix."""
    if arguments.output is None and arguments.file == STDIN:
        raise UsageError("--output is needed where the file comes from standard input")
    file = Path(arguments.file)
    beside = file.parent / f"{file.stem if file.suffix.lower() == '.csv' else file.name}.png"
    path = Path(arguments.output) if arguments.output else beside
    if path.suffix.lower() not in PICTURES:
        raise UsageError(f"--output {path}: a name that ends in {', '.join(PICTURES)} is needed")
    return path


def _names(columns: Columns, prefixes: tuple[str, ...], arguments: argparse.Namespace) -> list[str]:
    """Return the names to draw: all with these beginnings that have values, or those of --only."""
    known = [column for column, values in columns.values.items() if not np.isnan(values).all()]
    names = list(dict.fromkeys(one.split("_", 1)[1] for one in known if one.startswith(prefixes)))
    if not names:
        raise UsageError(
            f"'{arguments.file}' has no value in columns {prefixes[0]}NAME: there is nothing to draw "
            f"(--what {arguments.what})"
        )
    if arguments.only is None:
        return names
    only = list(dict.fromkeys(name.strip() for name in arguments.only.split(",")))
    if not {*only} <= {*names}:
        raise UsageError(f"--only {arguments.only}: names with values are needed: {', '.join(names)}")
    return only


def _groups(lines: dict[str, np.ndarray], *, alone: bool) -> list[tuple[str, list[str]]]:
    """Return title and names of each panel: one name if `alone`, else those of similar magnitude.

    Otherwise a joint that lifts the robot would flatten the lines of its fingers.
    """
    if alone:
        return [(name, [name]) for name in lines]
    peaks = {name: float(np.nanmax(np.abs(values))) for name, values in lines.items()}
    largest = max(peaks.values())
    by_decade: dict[int, list[str]] = {}
    for name, peak in peaks.items():
        decade = int(np.log10(largest) - np.log10(peak)) if peak > 0.0 else LAST_DECADE
        by_decade.setdefault(min(decade, LAST_DECADE), []).append(name)
    parts = [
        names[k : k + MOST_LINES]
        for _, names in sorted(by_decade.items())
        for k in range(0, len(names), MOST_LINES)
    ]
    return [(f"largest {max(peaks[name] for name in part):.3g}", part) for part in parts]


def _wrench(columns: Columns, prefixes: tuple[str, ...], name: str) -> dict[str, np.ndarray]:
    """Return the components fx ... mz of a subsystem's wrench that are known."""
    return {
        prefix[:2]: columns.values[prefix + name] for prefix in prefixes if prefix + name in columns.values
    }


def _measured(columns: Columns, names: list[str]) -> dict[str, np.ndarray]:
    """Return measured efforts (torque and residual) of the joints that have some."""
    found = {}
    for name in names:
        residual = columns.values.get(f"residual_{name}")
        if residual is not None and not np.isnan(residual).all():
            found[name] = columns.values[f"tau_{name}"] + residual
    return found


PLOT = Command(
    "plot",
    "torques over time as a picture",
    "Draws torques (over measured efforts, where there are any), residuals or connection wrenches over time.",
    EXAMPLES,
    _add_arguments,
    _run,
)
