"""`modular-dynamics check`: faults and flaws of a robot description, its parts, agreement with Pinocchio."""

import argparse
import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics import forward_dynamics
from ..exceptions import (
    DescriptionError,
    ModelError,
    ModularDynamicsError,
    StateError,
    UnsupportedModelError,
)
from ..model import SubsystemGraph
from .agreement import Agreement, compare
from .command import FINDINGS, GOOD, Command, UsageError
from .robot import add_robot_arguments, load_graph
from .summary import joint_records, robot_record, subsystem_records, summary_lines
from .tables import printable

__all__ = ["CHECK"]

MOST_STATES = 1_000_000
MOST_VELOCITIES = 1000  # with which accelerations are tried: a mass matrix of more takes long
ABOUT = """\
Reads a robot description as the nodes do, and reports: the fault that makes it unusable, with its line; what
looks wrong although it is accepted; subsystems with masses; joints with limits; a joint that moves no
inertia, with which forward dynamics fails; the largest difference of the torques from Pinocchio's at random
states within the limits (needs the extra crosscheck)."""
EXAMPLES = """\
  modular-dynamics check robot.urdf
  modular-dynamics check robot.xacro --xacro-arg prefix:=left_ --strict
  modular-dynamics check robot.urdf --json | jq .warnings
  xacro robot.xacro | modular-dynamics check -"""


@dataclass(frozen=True)
class _Result:
    """What was found: the fault that makes the description unusable, or the robot.

    Attributes:
        fault, graph: one of them is None. agreement: with Pinocchio.
        unclosed, unaccelerated: why its loops cannot close, and why torques give no accelerations.
    """

    fault: ModularDynamicsError | None = None
    graph: SubsystemGraph | None = None
    agreement: Agreement | None = None
    unclosed: str = ""
    unaccelerated: str = ""

    @property
    def findings(self) -> int:
        count = int(self.fault is not None) + int(bool(self.unclosed)) + int(bool(self.unaccelerated))
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
    return _Result(None, graph, agreement, _unclosed(graph), _unaccelerated(graph))


def _unclosed(graph: SubsystemGraph) -> str:
    """Why the loops cannot close; empty where they can, and where there are none."""
    if not graph.loop_joints:
        return ""
    from ..closure import assemble  # noqa: PLC0415  # only robots with loops need it

    try:
        assemble(graph)
    except ModularDynamicsError as error:
        return str(error)
    return ""


def _unaccelerated(graph: SubsystemGraph) -> str:
    """Why forward dynamics fails at any configuration; empty where it works at one, or is not tried.

    It is not tried with closed loops, which have other rules, and with black boxes, with which it is refused.
    A pendulum that stands upright moves no inertia about the vertical; it does elsewhere.
    """
    if not graph.nv or graph.nv > MOST_VELOCITIES or any(one.black_box for one in graph.subsystems):
        return ""
    tried = graph.neutral(), graph.random_configuration(np.random.default_rng(0))
    reasons = [_unaccelerated_at(graph, q) for q in tried]
    return reasons[0] if all(reasons) else ""


def _unaccelerated_at(graph: SubsystemGraph, q: NDArray[np.float64]) -> str:
    """The same at a configuration."""
    rest = np.zeros(graph.nv)
    try:
        forward_dynamics(graph, q, rest, rest)
    except StateError as error:
        return str(error)
    except UnsupportedModelError:
        pass
    return ""


def _lines(result: _Result) -> list[str]:
    if result.graph is None:
        return [f"fault: {printable(str(result.fault))}", "", _count(result.findings)]
    graph, lines = result.graph, summary_lines(result.graph)
    if graph.warnings:
        lines += ["", f"warnings ({len(graph.warnings)})"]
        lines += [f"  {printable(f'{one.kind}: {one}')}" for one in graph.warnings]
    if graph.notes:
        lines += ["", f"notes ({len(graph.notes)})", *(f"  {printable(note)}" for note in graph.notes)]
    if graph.loop_joints:
        text = printable(result.unclosed) if result.unclosed else "a configuration that closes them was found"
        lines += ["", f"loops: {text}"]
    if result.unaccelerated:
        lines += ["", f"forward dynamics: {printable(result.unaccelerated)}"]
    if result.agreement is not None:
        lines += ["", f"Pinocchio: {result.agreement}"]
    return [*lines, "", _count(result.findings)]


def _count(findings: int) -> str:
    return "no findings" if findings == 0 else "1 finding" if findings == 1 else f"{findings} findings"


def _record(result: _Result) -> dict[str, Any]:
    fault, graph = result.fault, result.graph
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
        "loops": {"closed": not result.unclosed, "reason": result.unclosed} if graph.loop_joints else None,
        "forward_dynamics": {"reason": result.unaccelerated} if result.unaccelerated else None,
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
