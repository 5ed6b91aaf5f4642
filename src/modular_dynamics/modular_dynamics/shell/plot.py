"""`modular-dynamics plot`: torques over time as a picture."""

import argparse
from pathlib import Path

import numpy as np

from ..exceptions import MissingDependencyError
from .columns import Columns, read_columns
from .command import GOOD, Command, UsageError
from .drawing import drawing
from .files.outputs import raise_if_read
from .robot import STDIN

__all__ = ["PLOT"]

PICTURES = (".png", ".svg", ".pdf")
#: What can be drawn: beginnings of columns, and the quantity with its unit.
KINDS = {
    "tau": (("tau_",), "torque [N m] or force [N]"),
    "residual": (("residual_",), "measured - model [N m or N]"),
    "wrench": (("fx_", "fy_", "fz_", "mx_", "my_", "mz_"), "force [N], moment [N m]"),
}
MOST_LINES = 6  # of a panel
LAST_DECADE = 3  # below the largest torque: all that is smaller has one scale
EXAMPLES = """\
  modular-dynamics plot torques.csv                         # torques.png
  modular-dynamics plot out_bag/ --what residual -o residuals.svg
  modular-dynamics plot torques.csv --only shoulder,elbow
  modular-dynamics id robot.urdf states.csv | modular-dynamics plot - -o torques.png"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", help="CSV of id, gravity or bag, - for one on standard input, or a bag written by bag"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".png, .svg or .pdf (default: the file's name with .png)"
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
    output = _output(arguments)
    raise_if_read("--output", output, (arguments.file,))
    prefixes, quantity = KINDS[arguments.what]
    columns = read_columns(arguments.file, (*prefixes, "residual_"))
    names = _names(columns, prefixes, arguments)
    try:
        from ..pictures.time_plot import Panel, draw_over_time  # noqa: PLC0415  # takes long, and is optional
    except ImportError as error:
        raise MissingDependencyError("a picture", "matplotlib", "shell", error) from error
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
    title = arguments.title or (Path(arguments.file).name if arguments.file != STDIN else "")
    with drawing():
        draw_over_time(title, columns.times - columns.times[0], panels, output)
    print(output)
    return GOOD


def _output(arguments: argparse.Namespace) -> Path:
    if arguments.output is None and arguments.file == STDIN:
        raise UsageError("--output is needed where the file comes from standard input")
    path = (
        Path(arguments.output) if arguments.output else Path(arguments.file.rstrip("/")).with_suffix(".png")
    )
    if path.suffix.lower() not in PICTURES:
        raise UsageError(f"--output {path}: a name that ends in {', '.join(PICTURES)} is needed")
    return path


def _names(columns: Columns, prefixes: tuple[str, ...], arguments: argparse.Namespace) -> list[str]:
    """What is drawn: all names with these beginnings that have values, or those of --only."""
    names = list(
        dict.fromkeys(column.split("_", 1)[1] for column in columns.values if column.startswith(prefixes))
    )
    if not names or not len(columns.times):
        have = "no rows" if names else f"no columns {prefixes[0]}NAME"
        raise UsageError(f"'{arguments.file}' has {have}: there is nothing to draw (--what {arguments.what})")
    if arguments.only is not None:
        only = [name.strip() for name in arguments.only.split(",") if name.strip()]
        if unknown := [name for name in only if name not in names]:
            raise UsageError(f"--only names '{unknown[0]}'; possible: {', '.join(names)}")
        return only
    known = [
        name
        for name in names
        if any(
            not np.isnan(columns.values[prefix + name]).all()
            for prefix in prefixes
            if prefix + name in columns.values
        )
    ]
    if not known:
        raise UsageError(
            f"'{arguments.file}' has no value in the columns {prefixes[0]}NAME: was no effort measured?"
        )
    return known


def _groups(lines: dict[str, np.ndarray], *, alone: bool) -> list[tuple[str, list[str]]]:
    """Title and names of each panel: one name where it is `alone`, else those of the same order of magnitude.

    A joint that lifts the robot would else flatten the lines of its fingers.
    """
    if alone:
        return [(name, [name]) for name in lines]
    peaks = {name: float(np.nanmax(np.abs(values))) for name, values in lines.items()}
    largest = max(peaks.values())
    by_decade: dict[int, list[str]] = {}
    for name, peak in peaks.items():
        decade = int(np.log10(largest / peak)) if peak > 0.0 else LAST_DECADE
        by_decade.setdefault(min(decade, LAST_DECADE), []).append(name)
    parts = [
        names[k : k + MOST_LINES]
        for _, names in sorted(by_decade.items())
        for k in range(0, len(names), MOST_LINES)
    ]
    return [(f"largest {max(peaks[name] for name in part):.3g}", part) for part in parts]


def _wrench(columns: Columns, prefixes: tuple[str, ...], name: str) -> dict[str, np.ndarray]:
    return {
        prefix[:2]: columns.values[prefix + name] for prefix in prefixes if prefix + name in columns.values
    }


def _measured(columns: Columns, names: list[str]) -> dict[str, np.ndarray]:
    """Efforts (torque and residual) of the joints that have some."""
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
