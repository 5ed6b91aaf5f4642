"""Parameters of dynamics_node as options of the command line, and from a parameter file."""

import argparse
import os
from collections.abc import Iterable, Sequence
from dataclasses import Field, fields
from difflib import get_close_matches
from typing import Any

from modular_dynamics.text.files import path_of
from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters
from modular_dynamics_ros.parameters.parameter_file import NoSectionError, sections_for
from modular_dynamics_ros.parameters.table import checked, describe

__all__ = ["OPTIONS", "add_parameter_options", "parameters_of"]

#: Parameters that change what is computed; others are about publishing, timers and lifecycles.
OPTIONS = (
    "xacro_arguments",
    "partition_file",
    "frame_prefix",
    "strict",
    "gravity",
    "floating_base",
    "acceleration_source",
    "filter_cutoff",
    "without_reference",
    "output",
    "friction",
    "effort_limits",
    "stale_after",
    "absent_joints",
    "closure_tolerance",
    "on_stale_external_wrench",
    "on_stale_black_box",
    "reversed_black_boxes",
    "offsets_file",
)

#: Options that other commands have, too, under shorter names.
SHORTER = {"xacro_arguments": "xacro-arg", "partition_file": "partition"}
MOST_NAMES = 4  # largest number of names in a warning


def _entries() -> dict[str, Field[Any]]:
    return {entry.name: entry for entry in fields(DynamicsParameters)}


def add_parameter_options(parser: argparse.ArgumentParser) -> None:
    """Add a command-line option for each parameter, with the node's description of it."""
    group = parser.add_argument_group("parameters of dynamics_node (docs/nodes.md)")
    group.add_argument(
        "--params-file",
        metavar="FILE",
        help="YAML parameter file of the node, as config/dynamics.yaml; options override it (default: none)",
    )
    entries = _entries()
    for name in OPTIONS:
        entry, options = entries[name], dict[str, Any]()
        default: Any = entry.default
        if isinstance(default, bool):
            options = {"action": "store_true", "default": None}
        elif entry.metadata["spec"].choices:
            options = {"choices": entry.metadata["spec"].choices}
        elif isinstance(default, tuple) and not entry.metadata["spec"].length:
            options = {"action": "append", "metavar": "TEXT"}
        else:
            options = {"metavar": "X,Y,Z" if isinstance(default, tuple) else "VALUE"}
        text, repeated = describe(entry).replace("%", "%%"), options.get("action") == "append"
        more = "; once for each entry" if repeated else ""
        group.add_argument(
            f"--{SHORTER.get(name, name.replace('_', '-'))}",
            dest=name,
            help=f"{text}{more} (default: {_shown(default)})",
            **options,
        )


def _shown(default: Any) -> str:
    if isinstance(default, tuple):
        return ",".join(f"{value:g}" for value in default) or "none"
    if isinstance(default, bool):
        return "yes" if default else "no"
    return "none" if default == "" else str(default)


def parameters_of(arguments: argparse.Namespace) -> tuple[DynamicsParameters, list[str]]:
    """Return the values of the file, overridden by the options, and notes on ignored entries of the file.

    Raises:
        ParameterError: naming the parameter, its value and what would be right; or the file.
    """
    values, unknown = dict[str, Any](), list[str]()
    if arguments.params_file is not None:
        values, unknown = _from_file(arguments.params_file, arguments.node)
    entries = _entries()
    given = {name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name) is not None}
    values |= {name: _converted(entries[name], value) for name, value in given.items()}
    parameters = DynamicsParameters(**{name: checked(entries[name], value) for name, value in values.items()})
    return parameters, [*unknown, *_left_out(parameters)]


def _left_out(parameters: DynamicsParameters) -> list[str]:
    """Return notes on parameters of a file that change the node's torques but are unsupported with bags."""
    texts = []
    if (file := parameters.offsets_file) and not os.path.lexists(path_of(file)):
        texts.append(f"offsets_file '{file}' is not there: no offsets are taken off")
    if parameters.changes_file:
        texts.append("changes_file is not read: payloads and other changes that it holds do not count")
    if parameters.black_box_wait > 0.0:
        texts.append("black_box_wait does not count: the newest valid wrench of each black box is taken")
    return texts


def _converted(entry: Field[Any], value: Any) -> Any:
    """Convert the text of an option to the type of the parameter."""
    try:
        if isinstance(entry.default, float):
            return float(value)
        if entry.metadata["spec"].length:
            return [float(part) for part in value.split(",")]
    except ValueError:
        return value  # `checked` raises the error that says what is needed
    return value


def _from_file(path: str, node: str) -> tuple[dict[str, Any], list[str]]:
    """Return a file's values for the node of this full name, and a line about unknown names.

    A section for several nodes may have other nodes' parameters, so unknown names are allowed.
    """
    known, values, others = _entries(), dict[str, Any](), dict[str, None]()
    try:
        sections = sections_for(path, node)
    except NoSectionError as error:
        raise ParameterError(f"{error}; --node NAME says how the node is called") from error
    for given, own in sections:
        unknown = [str(name) for name in given if name not in known and name != "use_sim_time"]
        if unknown and own:
            raise ParameterError(f"'{path}': {node} has no parameter {_meant(unknown[0], known)}")
        others |= dict.fromkeys(unknown)
        values |= {name: value for name, value in given.items() if name in known}
    return values, [f"'{path}': {node} has no parameter {_shortened(list(others), known)}"] if others else []


def _shortened(names: Sequence[str], known: Iterable[str]) -> str:
    """Return names as text, shortened; those that may be misspelt come first."""
    texts = sorted((_meant(name, known) for name in names), key=lambda text: text.endswith("'"))
    rest = f" and {len(texts) - MOST_NAMES} more" if len(texts) > MOST_NAMES else ""
    return f"{', '.join(texts[:MOST_NAMES])}{rest}; what the file says of it does not count"


def _meant(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, known, 1)
    return f"'{name}' (did you mean '{close[0]}'?)" if close else f"'{name}'"
