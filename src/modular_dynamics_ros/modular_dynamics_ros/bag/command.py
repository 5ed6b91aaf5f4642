"""`modular-dynamics bag`: its arguments and its report. What takes long is imported when it runs."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.shell.command import (
    FINDINGS,
    GOOD,
    Command,
    UsageError,
    number,
    printable,
    raise_if_read,
    table,
)
from modular_dynamics.text.files import path_of
from modular_dynamics.text.yaml_text import documents
from modular_dynamics_ros.exceptions import NodeError, ParameterError, listed
from modular_dynamics_ros.parameters.nodes import DynamicsParameters
from modular_dynamics_ros.parameters.table import checked, parameters_in_file

ABOUT = """\
Computes the torques of recorded joint states as dynamics_node does, by the node's own code: joints are merged
by name and stamp, old and disordered joint states are not processed, accelerations are zero, filtered or of a
reference. The robot comes from a file, or from the topic robot_description in the bag. Wrenches, odometry and
references in the bag count as they do for the node. No ROS is needed; bags are rosbag2 folders, .mcap or .db3
files.

For each result it writes torques, residuals (measured effort less torque, where the bag has efforts), and the
wrenches at the connections of the subsystems. At the end residuals are summarized by joint."""
EXAMPLES = """\
  modular-dynamics bag recording/ --robot robot.urdf --csv torques.csv
  modular-dynamics bag recording.mcap --csv torques.csv -p acceleration_source:=filtered -p friction:=urdf
  modular-dynamics bag recording/ --params-file config/dynamics.yaml --json"""
ENTRIES = {entry.name: entry for entry in fields(DynamicsParameters)}
CLOCK = "use_sim_time"  # every node has it; here it has no effect: the time is that of the messages


def parameters_of(
    file: str | None, assignments: Sequence[str], node: str
) -> tuple[DynamicsParameters, list[str]]:
    """Return the values of a file, overridden by assignments, and notes on entries without effect.

    Args:
        file: YAML parameter file; names that the node does not have are noted, since a section for several
            nodes may have other nodes' parameters.
        assignments: such as "friction:=urdf". node: full name, whose sections of the file count.

    Raises:
        ParameterError: naming the parameter, its value and what would be right; or the file.
    """
    given = {} if file is None else parameters_in_file(file, node)
    unknown = [name for name in given if name not in (*ENTRIES, CLOCK)]
    notes = [f"'{file}': {node} has no parameter {listed(unknown)}; ignored"] if unknown else []
    given |= map(_assigned, assignments)
    values = {name: checked(ENTRIES[name], value) for name, value in given.items() if name in ENTRIES}
    parameters = DynamicsParameters(**values)
    if (path := parameters.offsets_file) and not os.path.lexists(path_of(path)):
        notes.append(f"offsets_file '{path}' is not there: no offsets are taken off")
    return parameters, notes


def _assigned(text: str) -> tuple[str, Any]:
    """Return the name and the value, which is YAML as for ROS, of an assignment."""
    name, assigned, value = text.partition(":=")
    if not assigned:
        raise ParameterError(f"-p {text}: NAME:=VALUE is needed, such as -p friction:=urdf")
    if name not in (*ENTRIES, CLOCK):
        close = listed(get_close_matches(name, ENTRIES, 1)) or "one of docs/reference/dynamics_node.md"
        raise ParameterError(f"-p {text}: dynamics_node has no parameter '{name}'; {close} may be meant")
    try:
        (content,) = documents(value, f"-p {text}") or (None,)
    except (DescriptionError, ValueError) as error:
        raise ParameterError(f"-p {text}: the value is no YAML") from error
    return name, content


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recording", help="rosbag2 folder, .mcap or .db3 file")
    parser.add_argument(
        "--robot", metavar="FILE", help="URDF or xacro file (default: the topic of --description in the bag)"
    )
    parser.add_argument("--csv", metavar="FILE", help="write a CSV, a row for each result (default: none)")
    parser.add_argument(
        "--motion", action="store_true", help="write positions, velocities and accelerations to the CSV, too"
    )
    topics = parser.add_argument_group("topics")
    for option, default in (("joint-states", "/joint_states"), ("description", "/robot_description")):
        topics.add_argument(f"--{option}", metavar="TOPIC", default=default, help="(default: %(default)s)")
    topics.add_argument(
        "--node",
        metavar="NAME",
        default="/dynamics_node",
        help="full name of the node: begins the topics of wrenches, and names the "
        "section of --params-file (default: %(default)s)",
    )
    group = parser.add_argument_group("parameters of dynamics_node (docs/reference/nodes.md)")
    group.add_argument(
        "--params-file",
        metavar="FILE",
        help="YAML parameter file of the node, as config/dynamics.yaml; -p overrides it (default: none)",
    )
    group.add_argument(
        "-p",
        "--param",
        metavar="NAME:=VALUE",
        action="append",
        default=[],
        help="a parameter, as ros2 run takes it, such as -p friction:=urdf; once for each (default: none)",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON (default: text)")
    parser.add_argument("--quiet", action="store_true", help="no progress and no warnings on stderr")


def _run(arguments: argparse.Namespace) -> int:
    from modular_dynamics_ros.bag.recording import Recording  # noqa: PLC0415  # takes long
    from modular_dynamics_ros.bag.replay import Warnings, run  # noqa: PLC0415  # imports the library's solvers

    if arguments.motion and arguments.csv is None:
        raise UsageError("--motion is about the CSV: give --csv FILE")
    if arguments.csv == "-":  # other commands write to standard output then; here the report goes there
        raise UsageError("--csv -: results are written to a file, the report is printed; give a name")
    arguments.node = f"/{arguments.node.strip('/')}"
    parameters, notes = parameters_of(arguments.params_file, arguments.param, arguments.node)
    robot = (arguments.robot, parameters.robot_description_file, parameters.partition_file)
    raise_if_read("--csv", arguments.csv, (arguments.recording, arguments.params_file, *robot))
    warnings = Warnings(quiet=arguments.quiet)
    for text in notes:
        warnings.warning(text)
    with Recording(arguments.recording) as recording:
        report = run(arguments, parameters, recording, warnings)
    if arguments.json:
        print(json.dumps(report.record(), indent=2))
    else:
        print("\n".join(printable(line) for line in report.lines()))
        if residuals := report.record()["residuals"]:
            rows = [(name, number(one["rms"]), number(one["largest"])) for name, one in residuals.items()]
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
