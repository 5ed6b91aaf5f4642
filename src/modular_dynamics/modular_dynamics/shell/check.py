"""`modular-dynamics check`: errors and warnings of a description, its parts, agreement with Pinocchio."""

import argparse
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from ..exceptions import DescriptionError, ModelError, ModularDynamicsError, UnsupportedModelError
from ..model import SubsystemGraph
from .checking.agreement import Agreement, compare
from .checking.trial import Trial, tried
from .command import FINDINGS, GOOD, Command, UsageError
from .robot import add_robot_arguments, load_graph
from .summary import joint_records, robot_record, subsystem_records, summary_lines
from .tables import printable

__all__ = ["CHECK"]

MOST_STATES = 1_000_000
ABOUT = """\
Reads a robot description as the nodes do, and reports: the fault that makes it unusable, with its line; what
looks wrong although it is accepted; subsystems with masses; joints with limits; loops that do not close, and
inverse or forward dynamics that fails at rest, with its reason; what the nodes cannot take; the largest
difference of the torques from Pinocchio's at random states within the limits (needs the extra crosscheck)."""
EXAMPLES = """\
  modular-dynamics check robot.urdf
  modular-dynamics check robot.xacro --xacro-arg prefix:=left_ --strict
  modular-dynamics check robot.urdf --json | jq .warnings
  xacro robot.xacro | modular-dynamics check -"""


@dataclass(frozen=True)
class _Result:
    """The result of the checks: the error that makes the description unusable, or the robot.

    Attributes:
        fault: the error, or None. graph: the robot, or None. agreement: with Pinocchio. trial: at rest.
    """

    fault: ModularDynamicsError | None = None
    graph: SubsystemGraph | None = None
    agreement: Agreement | None = None
    trial: Trial = field(default_factory=Trial)

    @property
    def findings(self) -> int:
        count = int(self.fault is not None) + self.trial.findings
        if self.graph is not None:
            count += len(self.graph.warnings)
        return count + int(self.agreement is not None and self.agreement.disagrees)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    parser.add_argument(
        "--states",
        type=int,
        default=100,
        metavar="N",
        help="random states at which torques are compared with Pinocchio's, 0: none (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random states (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON (default: text)")


def _run(arguments: argparse.Namespace) -> int:
    if not 0 <= arguments.states <= MOST_STATES:
        raise UsageError(f"--states {arguments.states}: 0 to {MOST_STATES} are possible")
    if arguments.seed < 0:
        raise UsageError(f"--seed {arguments.seed}: a number from 0 on is needed")
    result = _examined(arguments)
    if arguments.json:
        print(json.dumps(_record(result), indent=2))
    else:
        print("\n".join(_lines(result)))
    return FINDINGS if result.findings else GOOD


def _examined(arguments: argparse.Namespace) -> _Result:
    try:
        graph = load_graph(arguments)
    except (DescriptionError, ModelError, UnsupportedModelError) as error:
        if isinstance(error, DescriptionError) and error.unreadable:
            raise UsageError(str(error)) from error
        return _Result(fault=error)
    agreement = compare(graph, arguments.states, arguments.seed)
    return _Result(None, graph, agreement, tried(graph))


def _lines(result: _Result) -> list[str]:
    if result.graph is None:
        return [f"fault: {printable(str(result.fault))}", "", _count(result.findings)]
    graph, lines = result.graph, summary_lines(result.graph)
    if graph.warnings:
        lines += ["", f"warnings ({len(graph.warnings)})"]
        lines += [f"  {printable(f'{one.kind}: {one}')}" for one in graph.warnings]
    if graph.notes:
        lines += ["", f"notes ({len(graph.notes)})", *(f"  {printable(note)}" for note in graph.notes)]
    trial = result.trial
    if graph.loop_joints:
        text = trial.unclosed or "a configuration that closes them was found"
        lines += ["", f"loops: {printable(text)}"]
    elif trial.unclosed:  # gears, passive joints and springs
        lines += ["", f"closing: {printable(trial.unclosed)}"]
    if trial.no_torques:
        lines += ["", f"inverse dynamics: {printable(trial.no_torques)}"]
    if trial.no_accelerations:
        lines += ["", f"forward dynamics: {printable(trial.no_accelerations)}"]
    if trial.not_for_nodes:
        lines += ["", f"nodes: {printable(trial.not_for_nodes)}"]
    if result.agreement is not None:
        lines += ["", f"Pinocchio: {result.agreement}"]
    return [*lines, "", _count(result.findings)]


def _count(findings: int) -> str:
    return "no findings" if findings == 0 else "1 finding" if findings == 1 else f"{findings} findings"


def _record(result: _Result) -> dict[str, Any]:
    fault, graph, trial = result.fault, result.graph, result.trial
    record: dict[str, Any] = {
        "findings": result.findings,
        "fault": None if fault is None else {"text": str(fault), "line": getattr(fault, "line", None)},
    }
    if graph is None:
        return record
    return record | {
        "robot": robot_record(graph),
        "warnings": [asdict(one) for one in graph.warnings],
        "notes": list(graph.notes),
        "subsystems": subsystem_records(graph),
        "joints": joint_records(graph),
        "loops": {"closed": not trial.unclosed, "reason": trial.unclosed} if graph.has_loops else None,
        "inverse_dynamics": {"reason": trial.no_torques} if trial.no_torques else None,
        "forward_dynamics": {"reason": trial.no_accelerations} if trial.no_accelerations else None,
        "nodes": {"reason": trial.not_for_nodes} if trial.not_for_nodes else None,
        "agreement": None if result.agreement is None else asdict(result.agreement),
    }


CHECK = Command(
    "check",
    "faults and flaws of a robot description, its parts, agreement with Pinocchio",
    ABOUT,
    EXAMPLES,
    _add_arguments,
    _run,
)
