"""The robot that a command is about: its arguments, and loading it."""

import argparse
import re
import sys
import warnings
from pathlib import Path
from typing import Any

from ..exceptions import ModelWarning
from ..mjcf import load_mjcf
from ..model import SubsystemGraph, summaries_by_kind
from ..text.files import is_file, path_of
from ..text.numbers import real_number
from ..text.sizes import MAX_BYTES
from ..urdf import load_urdf
from .command import UsageError
from .tables import printable

__all__ = ["STDIN", "add_robot_arguments", "load_graph", "print_warnings", "three_numbers"]

STDIN = "-"
_COMMENTS = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\w[^>]*>", re.DOTALL)
_ELEMENT = re.compile(r"<\s*([\w:.-]+)")


def add_robot_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the description and how to read it."""
    parser.add_argument("robot", help="URDF, xacro or MJCF file; - reads URDF or MJCF from standard input")
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
        "--floating-base",
        action="store_true",
        help="let the root link of a URDF float: 7 positions (x y z [m], quaternion w x y z) and 6 rates "
        "come first (default: as the file says, or fixed)",
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
        if _is_mjcf(source):
            return _load_mjcf(source, arguments)
        return _load_urdf(source, arguments)


def print_warnings(graph: SubsystemGraph) -> None:
    """Print warnings about the description on stderr."""
    for text in summaries_by_kind(graph.warnings):
        print(printable(f"warning: {text}"), file=sys.stderr)


def _load_urdf(source: Any, arguments: argparse.Namespace) -> SubsystemGraph:
    options = {"floating_base": arguments.floating_base or None, "strict": arguments.strict}
    mappings = _mappings(arguments.xacro_arg)
    return load_urdf(source, arguments.partition, gravity=arguments.gravity, mappings=mappings, **options)


def _load_mjcf(source: Any, arguments: argparse.Namespace) -> SubsystemGraph:
    if arguments.floating_base or arguments.xacro_arg:
        raise UsageError("--floating-base and --xacro-arg are for URDF; an MJCF has its own <freejoint/>")
    return load_mjcf(source, arguments.partition, gravity=arguments.gravity, strict=arguments.strict)


def _is_mjcf(source: str | bytes) -> bool:
    """Return whether the root element is <mujoco>, or the file a compiled model."""
    if isinstance(source, str):
        path = path_of(source)
        if path.suffix.lower() == ".mjb":
            return True
        text = _beginning(path)
    else:
        text = source.decode("utf-8", "replace")
    first = _ELEMENT.search(_COMMENTS.sub("", text))
    return first is not None and first[1] == "mujoco"


def _beginning(path: Path) -> str:
    if not is_file(path):
        return ""  # the reader says why it cannot be read
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""  # likewise


def _mappings(texts: list[str]) -> dict[str, str] | None:
    mappings: dict[str, str] = {}
    for text in texts:
        name, assigned, value = text.partition(":=")
        if not (name and assigned):
            raise UsageError(f"--xacro-arg {text}: NAME:=VALUE is needed, such as prefix:=left_")
        mappings[name] = value
    return mappings or None
