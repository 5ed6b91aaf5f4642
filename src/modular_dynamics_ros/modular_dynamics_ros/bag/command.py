"""`modular-dynamics bag`: its arguments and its report. What takes long is imported when it runs."""

import argparse
import json
import sys

from modular_dynamics.shell.command import FINDINGS, GOOD, Command, UsageError, number, printable, table
from modular_dynamics_ros.bag.options import add_parameter_options, parameters_of
from modular_dynamics_ros.exceptions import NodeError

__all__ = ["BAG"]

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
  modular-dynamics bag recording.mcap --bag with_torques/ --zero-phase
  modular-dynamics bag recording/ --params-file config/dynamics.yaml --friction urdf --json
  modular-dynamics bag recording/ --csv torques.csv && modular-dynamics plot torques.csv --what residual"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recording", help="rosbag2 folder, .mcap or .db3 file")
    parser.add_argument(
        "--robot", metavar="FILE", help="URDF or xacro file (default: the topic of --description in the bag)"
    )
    parser.add_argument("--csv", metavar="FILE", help="write a CSV, a row for each answer (default: none)")
    parser.add_argument("--bag", metavar="FOLDER", help="write a new bag, MCAP (default: none)")
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
        help="full name of the node: begins the topics of wrenches and those that are written, and names the "
        "section of --params-file (default: %(default)s)",
    )
    add_parameter_options(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON (default: text)")
    parser.add_argument("--quiet", action="store_true", help="no progress and no warnings on stderr")


def _run(arguments: argparse.Namespace) -> int:
    from modular_dynamics_ros.bag.run import Report, run  # noqa: PLC0415  # imports the library's solvers

    if arguments.motion and arguments.csv is None:
        raise UsageError("--motion is about the CSV: give --csv FILE")
    for option, given in (("--csv", arguments.csv), ("--bag", arguments.bag)):
        if given == "-":  # as elsewhere for standard output, where the report goes
            raise UsageError(f"{option} -: results are written to files, the report is printed; give a name")
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
