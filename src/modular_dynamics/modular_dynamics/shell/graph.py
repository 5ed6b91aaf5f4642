"""`modular-dynamics graph`: the subsystem graph as a tree of text, DOT, or a picture."""

import argparse
import warnings
from pathlib import Path

from ..composition import subsystem_graph_dot
from ..optional_packages import needed
from ..text.files import replace_file
from .command import (
    GOOD,
    PICTURES,
    Command,
    UsageError,
    add_robot_arguments,
    load_graph,
    print_warnings,
    printable,
    raise_if_read,
)

EXAMPLES = """\
  modular-dynamics graph robot.urdf                 # tree of subsystems and joints
  modular-dynamics graph robot.urdf --dot           # Graphviz DOT
  modular-dynamics graph robot.urdf -o robot.svg    # picture, without Graphviz
  xacro robot.xacro | modular-dynamics graph -"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    parser.add_argument("--dot", action="store_true", help="print DOT (default: a tree of text)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write to a file by its suffix: .png .svg .pdf a picture, .dot .txt text (default: print)",
    )


def _run(arguments: argparse.Namespace) -> int:
    """Write or print the graph; return the exit code."""
    output = None if arguments.output is None else Path(arguments.output)
    kind = _kind(arguments, output)
    raise_if_read("--output", output, (arguments.robot, arguments.partition, *arguments.module))
    graph = load_graph(arguments)
    print_warnings(graph)
    if kind == "picture" and output is not None:
        with needed("a picture", "matplotlib and networkx", "shell"):
            from ..pictures.graph_picture import draw_graph  # noqa: PLC0415  # takes long, and is optional
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of characters that the font lacks: one sees them
            draw_graph(graph, output)
        return GOOD
    if kind == "dot":
        text = subsystem_graph_dot(graph)
    else:
        lines = [*str(graph).splitlines(), *(f"note: {note}" for note in graph.notes)]
        text = "".join(f"{printable(line)}\n" for line in lines)
    if output is None:
        print(text, end="")
    else:
        replace_file(output, text.encode())
    return GOOD


def _kind(arguments: argparse.Namespace, output: Path | None) -> str:
    """Return the kind of output: dot, tree or picture."""
    if output is None:
        return "dot" if arguments.dot else "tree"
    suffix = output.suffix.lower()
    kinds = {".dot": "dot", ".gv": "dot", ".txt": "tree"} | dict.fromkeys(PICTURES, "picture")
    if suffix not in kinds:
        raise UsageError(f"--output {output}: the suffix {', '.join(kinds)} is needed")
    if arguments.dot and kinds[suffix] != "dot":
        raise UsageError(f"--dot and --output {output} contradict each other")
    return kinds[suffix]


GRAPH = Command(
    "graph",
    "the subsystem graph as a tree, DOT or a picture",
    "Shows how a robot is composed of subsystems: which one carries which, at which link, with which joints.",
    EXAMPLES,
    _add_arguments,
    _run,
)
