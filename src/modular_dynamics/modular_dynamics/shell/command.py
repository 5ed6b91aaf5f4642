"""The type of a sub-command, for this package and others that add some; functions that commands share."""

import argparse
import csv
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

from ..exceptions import ModelWarning, ModularDynamicsError
from ..mjcf import load_mjcf
from ..model import SubsystemGraph, summaries_by_kind
from ..text.files import content_kind, is_file, path_of, separator_of
from ..text.numbers import real_number
from ..text.sizes import MAX_BYTES
from ..urdf import load_urdf

GOOD, FINDINGS, USAGE = 0, 1, 2  # exit codes; 2 also if a file cannot be used
INTERRUPTED = 130  # as a shell reports SIGINT


class UsageError(ModularDynamicsError, ValueError):
    """An argument of the command line cannot be used; the text names it and what would be right."""


@dataclass(frozen=True)
class Command:
    """A sub-command.

    Attributes:
        summary: one line of `modular-dynamics --help`. description, examples: of its own help.
        add_arguments: adds its arguments; imports nothing slow, because every command's help waits for it.
        run: runs the command and returns the exit code.
        errors: exceptions, besides those of this library, whose text is for users.
    """

    name: str
    summary: str
    description: str
    examples: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    errors: tuple[type[Exception], ...] = ()


# Tables of text for terminals, and names without control characters.


def printable(text: str) -> str:
    """Return the text with unprintable characters as code points: names may hold anything."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def number(value: float | None) -> str:
    """Return a number with six digits; "-" for None."""
    return "-" if value is None else f"{value:.6g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()) -> list[str]:
    """Return lines of aligned columns.

    Args:
        right: titles of the columns that are aligned at their right end.
    """
    cells = [list(head), *([printable(cell) for cell in row] for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
    lines = []
    for row in cells:
        aligned = (
            cell.rjust(width) if title in right else cell.ljust(width)
            for cell, width, title in zip(row, widths, head, strict=True)
        )
        lines.append("  " + "  ".join(aligned).rstrip())
    return lines


# Tables in files, line by line: finds the separator of columns, and rejects other files.


def table_of(file: IO[str], where: str) -> tuple[list[str], Iterator[tuple[str, list[str]]]]:
    """Return the header of a table, and its rows with file and line, which are read as they are needed.

    Commas separate the columns; where the header has none, semicolons or tabs.

    Raises:
        UsageError: the file is no table; also while it is read.
    """
    try:
        first = file.readline()
    except UnicodeDecodeError as error:
        raise UsageError(f"{where} is no CSV in UTF-8: {error}") from error
    if kind := content_kind(first[:200].encode()):
        raise UsageError(f"{where} is no CSV, but {kind}")
    rows = _rows(csv.reader(chain([first], file), delimiter=separator_of(first)), where)
    head = [cell.strip() for cell in next(rows, ("", []))[1]]
    return head, rows


def _rows(reader: Any, where: str) -> Iterator[tuple[str, list[str]]]:
    """Yield file and line, and cells, of the rows that are not empty, each as long as the first."""
    columns = None
    try:
        for row in reader:
            at = f"{where}, line {reader.line_num}"
            columns = len(row) if columns is None else columns
            if row and len(row) != columns:
                raise UsageError(f"{at}: {len(row)} cells for {columns} columns")
            if row:
                yield at, row
    except (csv.Error, UnicodeDecodeError) as error:
        raise UsageError(f"{where} is no CSV in UTF-8: {error}") from error


# The robot that a command is about: its arguments, and loading it.

STDIN = "-"
PICTURES = (".png", ".svg", ".pdf")
_COMMENTS = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\w[^>]*>", re.DOTALL)
_ELEMENT = re.compile(r"<\s*([\w:.-]+)")


def add_robot_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the robot description, and options of reading it."""
    parser.add_argument(
        "robot",
        help="URDF, xacro or MJCF file, or YAML file of the incidence matrix of "
        "an assembly of modules; - reads URDF or MJCF from standard input",
    )
    group = parser.add_argument_group("the robot")
    group.add_argument(
        "--partition",
        metavar="FILE",
        help="YAML file of subsystems, loops, gears and springs (default: tags)",
    )
    group.add_argument(
        "--gravity",
        metavar="X,Y,Z",
        type=three_numbers,
        help="acceleration of gravity in the root link's frame [m/s^2] (default: the file's, or 0,0,-9.81)",
    )
    group.add_argument(
        "--xacro-arg",
        metavar="NAME:=VALUE",
        action="append",
        default=[],
        help="argument of a xacro file, as for the xacro program; may be repeated (default: none)",
    )
    group.add_argument(
        "--module",
        metavar="FILE",
        action="append",
        default=[],
        help="YAML file of a module type of an assembly; may be repeated (default: the shipped types)",
    )
    group.add_argument(
        "--floating-base",
        action="store_true",
        default=None,
        help="let the root link of a URDF or an assembly float: 7 positions (x y z [m], quaternion w x y z) "
        "and 6 rates come first (default: as the file says, or fixed)",
    )
    group.add_argument(
        "--strict", action="store_true", help="refuse what only looks wrong (default: it is a warning)"
    )


def three_numbers(text: str) -> tuple[float, ...]:
    """Return a vector of the command line; argparse reports the error."""
    try:
        values = tuple(real_number(part) for part in text.split(","))
    except ValueError:
        values = ()
    if len(values) != 3:
        raise argparse.ArgumentTypeError(f"'{text}' is not three numbers, such as 0,0,-9.81")
    return values


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return the function from a text of the command line to a whole number; argparse reports its errors."""

    def convert(text: str) -> int:
        value = int(text) if re.fullmatch(r"-?\d{1,18}", text) else None
        if value is None or value < least or (most is not None and value > most):
            up_to = "" if most is None else f" to {most}"
            raise argparse.ArgumentTypeError(f"'{text}' is no whole number from {least}{up_to}")
        return value

    return convert


def load_graph(arguments: argparse.Namespace) -> SubsystemGraph:
    """Return the graph of the robot, which holds its warnings.

    Raises:
        ModularDynamicsError: it cannot be loaded, or the arguments do not fit it.
    """
    source: Any = arguments.robot
    if source == STDIN:
        source = sys.stdin.buffer.read(MAX_BYTES + 1)
        if not source.strip():
            raise UsageError("standard input is empty; a URDF or MJCF is needed there")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        if isinstance(source, str) and path_of(source).suffix.lower() in (".yaml", ".yml"):
            return _assembled(arguments)
        if arguments.module:
            raise UsageError("--module is for an assembly: a .yaml file of its incidence matrix")
        options: dict[str, Any] = {"gravity": arguments.gravity, "strict": arguments.strict}
        if not _is_mjcf(source):
            options |= {"mappings": _mappings(arguments.xacro_arg), "floating_base": arguments.floating_base}
            return load_urdf(source, arguments.partition, **options)
        if arguments.floating_base or arguments.xacro_arg:
            raise UsageError("--floating-base and --xacro-arg are for URDF; an MJCF has its own <freejoint/>")
        return load_mjcf(source, arguments.partition, **options)


def _assembled(arguments: argparse.Namespace) -> SubsystemGraph:
    """Return the graph of an assembly of modules, by the file of its incidence matrix."""
    from .. import modular  # noqa: PLC0415  # other robots need no modules

    if arguments.partition or arguments.xacro_arg:
        raise UsageError(
            "--partition and --xacro-arg are for URDF; modules are the subsystems of an assembly"
        )
    path = path_of(arguments.robot)
    types = {kind.name: kind for kind in map(modular.read_module_type, map(path_of, arguments.module))}
    matrix, mount = (
        modular.IncidenceMatrix.from_yaml(path),
        "floating" if arguments.floating_base else "fixed",
    )
    assembly = modular.Assembly.from_incidence_matrix(matrix, types=types, mount=mount, name=path.stem)
    return assembly.graph() if arguments.gravity is None else assembly.graph(gravity=arguments.gravity)


def print_warnings(graph: SubsystemGraph) -> None:
    """Print warnings about the description on stderr."""
    for text in summaries_by_kind(graph.warnings):
        print(printable(f"warning: {text}"), file=sys.stderr)


def _is_mjcf(source: str | bytes) -> bool:
    """Return whether the root element is <mujoco>, or the file a compiled model."""
    if isinstance(source, str):
        path, source = path_of(source), b""
        if path.suffix.lower() == ".mjb":
            return True
        if is_file(path):
            with suppress(OSError), open(path, "rb") as file:  # the reader says why it cannot be read
                source = file.read(MAX_BYTES)
    first = _ELEMENT.search(_COMMENTS.sub("", source.decode("utf-8", "replace")))
    return first is not None and first[1] == "mujoco"


def _mappings(texts: list[str]) -> dict[str, str] | None:
    """Return the xacro arguments of --xacro-arg; None without any."""
    mappings: dict[str, str] = {}
    for text in texts:
        name, assigned, value = text.partition(":=")
        if not (name and assigned):
            raise UsageError(f"--xacro-arg {text}: NAME:=VALUE is needed, such as prefix:=left_")
        mappings[name] = value
    return mappings or None


# Check that a command does not overwrite a file that it reads, under whatever name.

#: Parts of names of a bag's files, which may be compressed (.mcap.zstd), and the file that describes them.
OF_BAGS = (".mcap", ".db3", "metadata.yaml")


def raise_if_read(option: str, output: str | Path | None, inputs: Iterable[str | Path | None]) -> None:
    """Raise UsageError if a command would overwrite one of its inputs; call it before writing.

    Args:
        option: that names the output. output: None, where nothing is written. inputs: files, folders of
            bags, - for standard input; None or empty, where nothing is read.

    Raises:
        UsageError: the output is one of them, also through a link.
    """
    if not output or not is_file(Path(output)):  # a pipe or a device loses nothing
        return
    for one in (one for one in inputs if one):
        path = path_of(one)
        files: list[Path | int] = [0 if str(one) == STDIN else path]
        if os.path.isdir(path):  # also of a text that no path can be
            files = [file for file in path.iterdir() if any(part in file.name for part in OF_BAGS)]
        if any(os.path.exists(file) and os.path.samefile(output, file) for file in files):
            raise UsageError(
                f"{option} {output}: the command reads this file ('{one}'); give the name of another one"
            )
