"""`modular-dynamics check`: errors and warnings of a description, its parts, agreement with Pinocchio."""

import argparse
import json
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics import forward_dynamics, inverse_dynamics
from ..exceptions import (
    DescriptionError,
    MissingDependencyError,
    ModelError,
    ModularDynamicsError,
    SingularityError,
    StateError,
    UnsupportedModelError,
)
from ..model import Joint, SubsystemGraph, closing_elements, joint_state_obstacle, without_torques
from .command import (
    FINDINGS,
    GOOD,
    Command,
    UsageError,
    add_robot_arguments,
    load_graph,
    number,
    printable,
    table,
)

if TYPE_CHECKING:
    from ..loops import ClosedLoopSolver

__all__ = ["CHECK", "tried"]

# One trial of each use of a robot: closing loops, inverse and forward dynamics at rest, the nodes.

MOST_VELOCITIES = 1000  # of robots whose accelerations are tried: a larger mass matrix takes long
#: Sizes [rad or m] of the steps that are tried from a dead point, each in a random direction.
STEPS = (0.01, 0.01, 0.1, 0.1, 0.3, 0.3, 1.0, 1.0)


@dataclass(frozen=True)
class Trial:
    """Reasons why parts of the trial failed, each empty if it did not.

    Attributes:
        unclosed: why the loops cannot close. no_torques: why inverse dynamics fails, in every call.
        no_accelerations: why torques give no accelerations.
        not_for_nodes: why the nodes cannot take the robot, or not as it is; the library can.
    """

    unclosed: str = ""
    no_torques: str = ""
    no_accelerations: str = ""
    not_for_nodes: str = ""

    @property
    def findings(self) -> int:
        """Number of failures that are errors of the description."""
        return sum(map(bool, (self.unclosed, self.no_torques, self.no_accelerations)))


def tried(graph: SubsystemGraph) -> Trial:
    """Return what fails of inverse and forward dynamics of a robot."""
    coupled = graph.has_loops or graph.independent is not None
    trial = _closed(graph) if coupled else _open(graph)
    missing = without_torques(graph)
    if graph.nv and missing and not trial.findings:
        trial = replace(trial, no_torques=missing)
    return replace(trial, not_for_nodes=joint_state_obstacle(graph) or ("" if graph.nv else missing))


def _closed(graph: SubsystemGraph) -> Trial:
    """Return a trial of a robot with loops, gears, passive joints or springs, at the start and near it.

    Loops may close at a single pose, although their velocities suggest motion; other calls then fail.
    """
    from ..loops import assemble, solver_of  # noqa: PLC0415  # few need it

    try:
        assemble(graph)
    except ModularDynamicsError as error:
        return Trial(unclosed=str(error))
    try:
        solver = solver_of(graph)
        start, rest = solver.reference(), np.zeros(len(solver.independent_v))
        inverse_dynamics(graph, start[solver.independent_q], rest, rest, guess=start)
    except SingularityError as error:
        return Trial(no_torques=str(error) if _stuck(graph, solver, None) else "")
    except ModularDynamicsError as error:
        return Trial(no_torques=str(error))
    return Trial(no_torques=_stuck(graph, solver, start))


def _stuck(graph: SubsystemGraph, solver: "ClosedLoopSolver", guess: NDArray[np.float64] | None) -> str:
    """Return why calls fail at all steps from the start; empty if one succeeds.

    Without a guess, calls begin at the start, too, and respect limits.
    """
    start, rest = solver.reference(), np.zeros(len(solver.independent_v))
    single = [graph.q_slice(name) for name in graph.independent_joint_names if graph.joint(name).type.nq == 1]
    rng, reasons = np.random.default_rng(0), list[str]()
    for step in STEPS:
        there = start.copy()
        for part in single:
            there[part] += step * rng.choice((-1.0, 1.0))
        try:
            solver.inverse_dynamics_at(there[solver.independent_q], rest, rest, guess)
        except ModularDynamicsError as error:
            reasons.append(str(error))
        else:
            return ""
    return reasons[0]


def _open(graph: SubsystemGraph) -> Trial:
    """Return a trial of a robot without closed loops."""
    q, rest = graph.neutral(), np.zeros(graph.nv)
    boxes = {one.name: np.zeros(6) for one in graph.subsystems if one.black_box}
    try:
        inverse_dynamics(graph, q, rest, rest, black_box_wrenches=boxes or None)
    except ModularDynamicsError as error:
        return Trial(no_torques=str(error))
    return Trial(no_accelerations="" if boxes else _no_accelerations(graph))


def _no_accelerations(graph: SubsystemGraph) -> str:
    """Return why forward dynamics fails at any configuration; empty if it works at one or is not tried.

    A pendulum that stands upright moves no inertia about the vertical; it does elsewhere.
    """
    if not graph.nv or graph.nv > MOST_VELOCITIES:
        return ""
    tried = graph.neutral(), graph.random_configuration(np.random.default_rng(0))
    reasons = [_no_accelerations_at(graph, q) for q in tried]
    return reasons[0] if all(reasons) else ""


def _no_accelerations_at(graph: SubsystemGraph, q: NDArray[np.float64]) -> str:
    """Return why forward dynamics fails at a configuration; empty if it works."""
    try:
        forward_dynamics(graph, q, *np.zeros((2, graph.nv)))
    except StateError as error:
        return str(error)
    return ""


# Torques of a robot against Pinocchio's at random states.

THRESHOLD = 1e-9  # allowed difference, relative to the terms that add up to a torque
MOST_JOINTS = 200  # memory and time of Pinocchio's model grow with the cube of this


@dataclass(frozen=True)
class Agreement:
    """The difference of the torques from Pinocchio's.

    Attributes:
        states: number of random states; 0: not compared, because of `reason`.
        relative: largest difference over the terms that add up to a torque. absolute: the same [N m or N].
        subsystem: the one with the largest relative difference. what: the compared robot.
    """

    states: int
    reason: str = ""
    relative: float = 0.0
    absolute: float = 0.0
    subsystem: str = ""
    what: str = "the robot"

    @property
    def disagrees(self) -> bool:
        """Whether the difference exceeds rounding, or is not a number."""
        return not self.relative <= THRESHOLD

    def __str__(self) -> str:
        if not self.states:
            return f"not compared: {self.reason}"
        verdict = "DISAGREES" if self.disagrees else "agrees"
        return (
            f"{verdict}: {self.what} at {self.states} random states, largest difference "
            f"{self.absolute:.1e} N m or N, {self.relative:.1e} of the torque's terms "
            f"(in '{self.subsystem}'; allowed: {THRESHOLD:g})"
        )


def compare(graph: SubsystemGraph, states: int, seed: int) -> Agreement:
    """Return the comparison with Pinocchio at random states; of robots with loops, the open tree's."""
    if not states:
        return Agreement(0, "no states were asked for")
    if not graph.nv:
        return Agreement(0, "no joint moves")
    if graph.nv > MOST_JOINTS:
        return Agreement(0, f"more than {MOST_JOINTS} velocities: Pinocchio's model would take very long")
    try:
        from ..crosscheck import CrossCheck  # noqa: PLC0415  # Pinocchio is optional
    except MissingDependencyError as error:
        return Agreement(0, str(error))
    closed = graph.has_loops
    tree = graph.tree if closed else graph
    check, rng = CrossCheck(tree), np.random.default_rng(seed)
    boxes = [one.name for one in tree.subsystems if one.black_box]
    relative, absolute, subsystem = 0.0, 0.0, ""
    for _ in range(states):
        q = tree.random_configuration(rng)
        v, a = rng.uniform(-1.0, 1.0, (2, tree.nv))
        wrenches = {name: rng.uniform(-1.0, 1.0, 6) for name in boxes} or None
        tau = inverse_dynamics(tree, q, v, a, black_box_wrenches=wrenches)
        residual = check(q, v, a, tau, None, wrenches)
        for name, value in residual.of_terms.items():
            if not (subsystem and (value <= relative or np.isnan(relative))):  # NaN stays
                relative, subsystem = value, name
        absolute = float(np.maximum(absolute, residual.worst))  # NaN stays
    what = "the open tree, loops cut and springs left out," if closed else "the robot"
    return Agreement(states, "", relative, absolute, subsystem, what)


# The parts of a robot: numbers of the whole, subsystems with masses, joints with limits.


def robot_record(graph: SubsystemGraph) -> dict[str, Any]:
    """Return name, sizes, mass [kg] without that of black boxes, and gravity [m/s^2]."""
    return {
        "name": graph.name,
        "subsystems": len(graph.subsystems),
        "joints": len(graph.joints),
        "nq": graph.nq,
        "nv": graph.nv,
        "moving_mass": sum(one["mass"] or 0.0 for one in subsystem_records(graph)),
        "gravity": [float(value) for value in graph.gravity],
        "root_link": graph.ground.name,
        "closing": {kind: list(names) for kind, names in closing_elements(graph).items()},
    }


def subsystem_records(graph: SubsystemGraph) -> list[dict[str, Any]]:
    """Return each subsystem with its mass [kg], None for black boxes, and where it is connected."""
    return [
        {
            "name": one.name,
            "black_box": one.black_box,
            "joints": len(one.joints),
            "mass": None if one.black_box else sum(graph.bodies[k].mass for k in one.indices),
            "connection_link": one.connection.link,
            "predecessor": None if one.predecessor is None else graph.subsystems[one.predecessor].name,
        }
        for one in graph.subsystems
    ]


def joint_records(graph: SubsystemGraph) -> list[dict[str, Any]]:
    """Return each moving joint with limits (None if missing) and the mass of its body alone [kg].

    In black boxes the mass is None: it is not used.
    """
    return [_joint(graph, k, joint) for k, joint in enumerate(graph.joints)]


def _joint(graph: SubsystemGraph, k: int, joint: Joint) -> dict[str, Any]:
    """Return the record of joint k."""
    limits, subsystem = joint.limits, next(one for one in graph.subsystems if k in one.indices)
    return {
        "name": joint.name,
        "type": joint.type.value,
        "subsystem": subsystem.name,
        "parent": joint.parent_link,
        "child": joint.child_link,
        "mass": None if subsystem.black_box else graph.bodies[k].mass,
        "lower": limits.lower,
        "upper": limits.upper,
        "velocity": limits.velocity,
        "effort": limits.effort,
        "mimics": joint.mimic.joint if joint.mimic else None,
    }


def summary_lines(graph: SubsystemGraph) -> list[str]:
    """Return the whole summary as text."""
    whole = robot_record(graph)
    gravity = ", ".join(number(value) for value in whole["gravity"])
    lines = [
        f"{printable(graph.name)}: {whole['subsystems']} subsystems, {whole['joints']} moving joints, "
        f"nq = {graph.nq}, nv = {graph.nv}",
        f"moving mass {number(whole['moving_mass'])} kg, root link {printable(graph.ground.name)}, "
        f"gravity [{gravity}] m/s^2",
        *(printable(f"{kind}: {', '.join(names)}") for kind, names in whole["closing"].items() if names),
        "",
        "subsystems",
    ]
    head = ("name", "joints", "mass [kg]", "at link", "of")
    rows = [
        (
            one["name"] + (" (black box)" if one["black_box"] else ""),
            str(one["joints"]),
            number(one["mass"]),
            one["connection_link"],
            one["predecessor"] or "the ground",
        )
        for one in subsystem_records(graph)
    ]
    lines += table(head, rows, right=("joints", "mass [kg]"))
    return [*lines, "", "joints (rad or m, rad/s or m/s, N m or N)", *_joint_table(graph)]


def _joint_table(graph: SubsystemGraph) -> list[str]:
    """Return the lines of the table of joints."""
    numbers = ("mass [kg]", "lower", "upper", "velocity", "effort")
    head = ("name", "type", "subsystem", "parent", "child", *numbers)
    rows = [
        (
            one["name"],
            one["type"] + (f", mimics {one['mimics']}" if one["mimics"] else ""),
            one["subsystem"],
            one["parent"],
            one["child"],
            *(number(one[key]) for key in ("mass", "lower", "upper", "velocity", "effort")),
        )
        for one in joint_records(graph)
    ]
    return table(head, rows, right=numbers)


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
        """Number of findings, on which the exit code depends."""
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
    """Run the command; return the exit code."""
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
    """Return the results of all checks. Raises UsageError: the description cannot be read."""
    try:
        graph = load_graph(arguments)
    except (DescriptionError, ModelError, UnsupportedModelError) as error:
        if isinstance(error, DescriptionError) and error.unreadable:
            raise UsageError(str(error)) from error
        return _Result(fault=error)
    agreement = compare(graph, arguments.states, arguments.seed)
    return _Result(None, graph, agreement, tried(graph))


def _lines(result: _Result) -> list[str]:
    """Return the results as lines of text."""
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
    """Return the number of findings in words."""
    return "no findings" if findings == 0 else "1 finding" if findings == 1 else f"{findings} findings"


def _record(result: _Result) -> dict[str, Any]:
    """Return the results for JSON."""
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
