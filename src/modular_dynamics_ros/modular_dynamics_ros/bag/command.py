"""`modular-dynamics bag`: its arguments and its report. What takes long is imported when it runs."""

import argparse
import json
import os
import sys
from dataclasses import Field, fields
from typing import Any

from modular_dynamics.shell.command import FINDINGS, GOOD, Command, UsageError, number, printable, table
from modular_dynamics.text.files import path_of
from modular_dynamics_ros.exceptions import NodeError, listed
from modular_dynamics_ros.parameters.nodes import DynamicsParameters
from modular_dynamics_ros.parameters.table import checked, describe, parameters_in_file

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
ABOUT = """\
Computes the torques of recorded joint states as dynamics_node does, by the node's own code: joints are merged
by name and stamp, old and disordered joint states are not answered, accelerations are zero, filtered or of a
reference. The robot comes from a file, or from the topic robot_description in the bag. Wrenches, odometry and
references in the bag count as they do for the node. No ROS is needed; bags are rosbag2 folders, .mcap or .db3
files.

For each answer it writes torques, residuals (measured effort less torque, where the bag has efforts), and the
wrenches at the connections of the subsystems. At the end residuals are summarized by joint."""
EXAMPLES = """\
  modular-dynamics bag recording/ --robot robot.urdf --csv torques.csv
  modular-dynamics bag recording.mcap --csv torques.csv --zero-phase
  modular-dynamics bag recording/ --params-file config/dynamics.yaml --friction urdf --json
  modular-dynamics bag recording/ --csv torques.csv && modular-dynamics plot torques.csv --what residual"""
ENTRIES: dict[str, Field[Any]] = {entry.name: entry for entry in fields(DynamicsParameters)}


def add_parameter_options(parser: argparse.ArgumentParser) -> None:
    """Add a command-line option for each parameter, with the node's description of it."""
    group = parser.add_argument_group("parameters of dynamics_node (docs/nodes.md)")
    group.add_argument(
        "--params-file",
        metavar="FILE",
        help="YAML parameter file of the node, as config/dynamics.yaml; options override it (default: none)",
    )
    for name in OPTIONS:
        entry, options = ENTRIES[name], dict[str, Any]()
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
    """Return the default of an option as its help shows it."""
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
    given = {name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name) is not None}
    values |= {name: _converted(ENTRIES[name], value) for name, value in given.items()}
    parameters = DynamicsParameters(**{name: checked(ENTRIES[name], value) for name, value in values.items()})
    return parameters, [*unknown, *_left_out(parameters)]


def _left_out(parameters: DynamicsParameters) -> list[str]:
    """Return notes on parameters that change the node's torques but are unsupported with bags."""
    texts = []
    if (file := parameters.offsets_file) and not os.path.lexists(path_of(file)):
        texts.append(f"offsets_file '{file}' is not there: no offsets are taken off")
    if parameters.changes_file:
        texts.append("changes_file is not read: its payloads and other changes are ignored")
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
    """Return a file's values for the node of this full name, and notes on names that the node does not have.

    Unknown names are no errors: a section for several nodes may have other nodes' parameters.
    """
    given = parameters_in_file(path, node)
    unknown = [name for name in given if name not in ENTRIES and name != "use_sim_time"]
    notes = [f"'{path}': {node} has no parameter {listed(unknown)}; ignored"] if unknown else []
    return {name: value for name, value in given.items() if name in ENTRIES}, notes


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recording", help="rosbag2 folder, .mcap or .db3 file")
    parser.add_argument(
        "--robot", metavar="FILE", help="URDF or xacro file (default: the topic of --description in the bag)"
    )
    parser.add_argument("--csv", metavar="FILE", help="write a CSV, a row for each answer (default: none)")
    parser.add_argument(
        "--motion", action="store_true", help="write positions, velocities and accelerations to the CSV, too"
    )
    parser.add_argument(
        "--clock",
        choices=("auto", "recorded", "stamps"),
        default="auto",
        help="the time to which stamps are compared: when messages were recorded, or the newest stamp; auto: "
        "recorded, if the first joint state is younger than stale_after by it (default: %(default)s)",
    )
    parser.add_argument(
        "--zero-phase",
        action="store_true",
        help="filter the recorded velocities forwards and backwards with filter_cutoff, so that "
        "accelerations are not late; --acceleration-source filtered alone delays them as the node does",
    )
    topics = parser.add_argument_group("topics")
    for option, default in (("joint-states", "/joint_states"), ("description", "/robot_description")):
        topics.add_argument(f"--{option}", metavar="TOPIC", default=default, help="(default: %(default)s)")
    for name in ("odometry", "reference"):
        default = f"(default: {name}, in the namespace of --node)"
        topics.add_argument(f"--{name}", metavar="TOPIC", default="", help=default)
    topics.add_argument(
        "--node",
        metavar="NAME",
        default="/dynamics_node",
        help="full name of the node: begins the topics of wrenches, and names the "
        "section of --params-file (default: %(default)s)",
    )
    add_parameter_options(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON (default: text)")
    parser.add_argument("--quiet", action="store_true", help="no progress and no warnings on stderr")


def _run(arguments: argparse.Namespace) -> int:
    from modular_dynamics_ros.bag.run import Report, run  # noqa: PLC0415  # imports the library's solvers

    if arguments.motion and arguments.csv is None:
        raise UsageError("--motion is about the CSV: give --csv FILE")
    if arguments.csv == "-":  # other commands write to standard output then; here the report goes there
        raise UsageError("--csv -: results are written to a file, the report is printed; give a name")
    if arguments.zero_phase:
        if arguments.acceleration_source not in (None, "filtered"):
            raise UsageError(
                f"--zero-phase is a filter; --acceleration-source {arguments.acceleration_source} has none"
            )
        arguments.acceleration_source = "filtered"
    arguments.node = f"/{arguments.node.strip('/')}"
    for name in ("odometry", "reference"):
        if topic := getattr(arguments, name).strip("/"):
            setattr(arguments, name, f"/{topic}")
    report: Report = run(arguments, *parameters_of(arguments))
    if arguments.json:
        print(json.dumps(report.record(), indent=2))
    else:
        print("\n".join(printable(line) for line in report.lines()))
        if residuals := report.residuals:
            rows = [(name, number(rms), number(most)) for name, (rms, most) in residuals.items()]
            print(f"\n{text}" if (text := report.accelerations()) else "")
            print("measured effort less torque [N m or N]")
            print("\n".join(table(("joint", "RMS", "largest"), rows, right=("RMS", "largest"))))
    if report.damage:
        print(f"modular-dynamics bag: {printable(report.damage)}", file=sys.stderr)
    return FINDINGS if report.findings else GOOD


BAG = Command(
    "bag",
    "torques of recorded joint states, as dynamics_node computes them",
    ABOUT,
    EXAMPLES,
    _add_arguments,
    _run,
    (NodeError,),
)
