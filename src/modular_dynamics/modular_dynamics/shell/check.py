"""`modular-dynamics check`: errors and warnings of a description, its parts, agreement with Pinocchio."""

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..dynamics import forward_dynamics, inverse_dynamics
from ..exceptions import (
    DescriptionError,
    MissingDependencyError,
    ModelError,
    ModularDynamicsError,
    SingularityError,
    UnsupportedModelError,
)
from ..model import SubsystemGraph, closing_elements, joint_state_obstacle, without_torques
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
    whole_number,
)

# One trial of each use of a robot: closing loops, inverse and forward dynamics at rest, the nodes.

MOST_VELOCITIES = 1000  # of robots whose accelerations are tried: a larger mass matrix takes long
#: Sizes [rad or m] of the steps that are tried from a singular configuration, each in a random direction.
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


def _error_of(compute: Callable[..., object], *arguments: Any, **options: Any) -> ModularDynamicsError | None:
    """Return the error that a call raises; None if it raises none."""
    try:
        compute(*arguments, **options)
    except ModularDynamicsError as error:
        return error
    return None


def _closed(graph: SubsystemGraph) -> Trial:
    """Return a trial of a robot with loops, gears, passive joints or springs, at the start and near it.

    Loops may close at a single pose, although their velocities suggest motion; other calls then fail. Calls
    without a guess begin at the start, too: they may leave a singular one there, and respect limits.
    """
    from ..loops import assemble, solver_of  # noqa: PLC0415  # few need it

    if error := _error_of(assemble, graph):
        return Trial(unclosed=str(error))
    solver = solver_of(graph)
    start, rest = solver.reference(), np.zeros(len(solver.independent_v))
    dead = _error_of(inverse_dynamics, graph, start[solver.independent_q], rest, rest, guess=start)
    if dead and not isinstance(dead, SingularityError):
        return Trial(no_torques=str(dead))
    single = [graph.q_slice(name) for name in graph.independent_joint_names if graph.joint(name).type.nq == 1]
    rng, guess, reasons = np.random.default_rng(0), None if dead else start, [dead] if dead else []
    for step in STEPS:
        q = start.copy()
        for part in single:
            q[part] += step * rng.choice((-1.0, 1.0))
        reason = _error_of(solver.inverse_dynamics_at, q[solver.independent_q], rest, rest, guess)
        if reason is None:
            return Trial()
        reasons.append(reason)
    return Trial(no_torques=str(reasons[0]))


def _open(graph: SubsystemGraph) -> Trial:
    """Return a trial of a robot without closed loops.

    Forward dynamics has an error if it fails at two configurations: a pendulum that stands upright moves no
    inertia about the vertical; it does elsewhere.
    """
    q, rest = graph.neutral(), np.zeros(graph.nv)
    boxes = {one.name: np.zeros(6) for one in graph.subsystems if one.black_box}
    if error := _error_of(inverse_dynamics, graph, q, rest, rest, black_box_wrenches=boxes or None):
        return Trial(no_torques=str(error))
    if boxes or not 0 < graph.nv <= MOST_VELOCITIES:
        return Trial()
    places = q, graph.random_configuration(np.random.default_rng(0))
    first, second = (_error_of(forward_dynamics, graph, q, rest, rest) for q in places)
    return Trial(no_accelerations=str(first) if first and second else "")


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
    differences = []  # of each state: relative ones by subsystem, and the largest absolute one
    for _ in range(states):
        q = tree.random_configuration(rng)
        v, a = rng.uniform(-1.0, 1.0, (2, tree.nv))
        wrenches = {name: rng.uniform(-1.0, 1.0, 6) for name in boxes} or None
        tau = inverse_dynamics(tree, q, v, a, black_box_wrenches=wrenches)
        residual = check(q, v, a, tau, None, wrenches)
        differences.append([*residual.of_terms.values(), residual.worst])
    *relative, absolute = np.max(differences, axis=0).tolist()  # NaN stays
    worst = int(np.argmax(relative))
    what = "the open tree, loops cut and springs left out," if closed else "the robot"
    return Agreement(states, "", relative[worst], absolute, tree.subsystems[worst].name, what)


# The parts of a robot: numbers of the whole, subsystems with masses, joints with limits.

#: Quantities of JSON that are numbers or texts, by name.
Record = dict[str, Any]


def robot_record(graph: SubsystemGraph) -> Record:
    """Return name, sizes, mass [kg] without that of black boxes, and gravity [m/s^2]."""
    return {
        "name": graph.name,
        "subsystems": len(graph.subsystems),
        "joints": len(graph.joints),
        "nq": graph.nq,
        "nv": graph.nv,
        "moving_mass": sum(one["mass"] or 0.0 for one in subsystem_records(graph)),
        "gravity": graph.gravity.tolist(),
        "root_link": graph.ground.name,
        "closing": closing_elements(graph),
    }


def subsystem_records(graph: SubsystemGraph) -> list[Record]:
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


def joint_records(graph: SubsystemGraph) -> list[Record]:
    """Return each moving joint with limits (None if missing) and the mass of its body alone [kg].

    In black boxes the mass is None: it is not used.
    """
    return [
        {
            "name": joint.name,
            "type": joint.type.value,
            "subsystem": subsystem.name,
            "parent": joint.parent_link,
            "child": joint.child_link,
            "mass": None if subsystem.black_box else body.mass,
            **asdict(joint.limits),
            "mimics": joint.mimic.joint if joint.mimic else None,
        }
        for subsystem in graph.subsystems
        for joint, body in zip(subsystem.joints, subsystem.bodies, strict=True)
    ]


def _record_table(records: list[Record]) -> list[str]:
    """Return records as lines of a table, with columns of numbers aligned at their right ends."""
    if not records:
        return []
    titles = {key: key.replace("_", " ") for key in records[0]}
    numbers = [key for key in titles if any(type(one[key]) in (int, float) for one in records)]
    words = {None: "-", True: "yes", False: "no"}  # other values are texts
    rows = [
        [number(one[key]) if key in numbers else words.get(one[key], str(one[key])) for key in titles]
        for one in records
    ]
    return table(list(titles.values()), rows, right=[titles[key] for key in numbers])


ABOUT = """\
Reads a robot description as the nodes do, and reports: the error that makes it unusable, with its line; what
looks wrong although it is accepted; subsystems with masses; joints with limits; loops that do not close, and
inverse or forward dynamics that fails at rest, with its reason; what the nodes cannot take; the largest
difference of the torques from Pinocchio's at random states within the limits (needs the extra crosscheck)."""
EXAMPLES = """\
  modular-dynamics check robot.urdf
  modular-dynamics check robot.xacro --xacro-arg prefix:=left_ --strict
  modular-dynamics check robot.urdf --json | jq .warnings
  xacro robot.xacro | modular-dynamics check -"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_robot_arguments(parser)
    parser.add_argument(
        "--states",
        type=whole_number(0, 1_000_000),
        default=100,
        metavar="N",
        help="random states at which torques are compared with Pinocchio's, 0: none (default: %(default)s)",
    )
    seed = "of the random states (default: %(default)s)"
    parser.add_argument("--seed", type=whole_number(0), metavar="N", default=0, help=seed)
    parser.add_argument("--json", action="store_true", help="print JSON (default: text)")


def _run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code. Raises UsageError: the description cannot be read."""
    try:
        graph = load_graph(arguments)
    except (DescriptionError, ModelError, UnsupportedModelError) as error:
        if isinstance(error, DescriptionError) and error.unreadable:
            raise UsageError(str(error)) from error
        findings, lines = 1, [f"fault: {printable(str(error))}"]
        record: Record = {"fault": {"text": str(error), "line": getattr(error, "line", None)}}
    else:
        trial, agreement = tried(graph), compare(graph, arguments.states, arguments.seed)
        findings = trial.findings + len(graph.warnings) + agreement.disagrees
        lines, record = _lines(graph, trial, agreement), _record(graph, trial, agreement)
    if arguments.json:
        print(json.dumps({"findings": findings, "fault": None} | record, indent=2))
    else:
        count = "no findings" if findings == 0 else "1 finding" if findings == 1 else f"{findings} findings"
        print("\n".join([*lines, "", count]))
    return FINDINGS if findings else GOOD


def _lines(graph: SubsystemGraph, trial: Trial, agreement: Agreement) -> list[str]:
    """Return all about a robot as lines of text."""
    gravity = ", ".join(map(number, graph.gravity.tolist()))
    lines = [
        printable(str(graph).splitlines()[0]),
        f"root link {printable(graph.ground.name)}, gravity [{gravity}] m/s^2",
        *(printable(f"{kind}: {', '.join(names)}") for kind, names in closing_elements(graph).items()),
        *("", "subsystems (kg)", *_record_table(subsystem_records(graph))),
        *("", "joints (kg; rad or m, rad/s or m/s, N m or N)", *_record_table(joint_records(graph))),
    ]
    if graph.warnings:
        lines += ["", f"warnings ({len(graph.warnings)})"]
        lines += [f"  {printable(f'{one.kind}: {one}')}" for one in graph.warnings]
    if graph.notes:
        lines += ["", f"notes ({len(graph.notes)})", *(f"  {printable(note)}" for note in graph.notes)]
    said = {
        "loops": graph.loop_joints and (trial.unclosed or "a configuration that closes them was found"),
        "closing": not graph.loop_joints and trial.unclosed,  # gears, passive joints and springs
        "inverse dynamics": trial.no_torques,
        "forward dynamics": trial.no_accelerations,
        "nodes": trial.not_for_nodes,
        "Pinocchio": str(agreement),
    }
    for what, text in said.items():
        lines += ["", f"{what}: {printable(str(text))}"] if text else []
    return lines


def _record(graph: SubsystemGraph, trial: Trial, agreement: Agreement) -> Record:
    """Return all about a robot for JSON."""

    def failed(reason: str) -> Record | None:
        return {"reason": reason} if reason else None

    return {
        "robot": robot_record(graph),
        "warnings": [asdict(one) for one in graph.warnings],
        "notes": list(graph.notes),
        "subsystems": subsystem_records(graph),
        "joints": joint_records(graph),
        "loops": {"closed": not trial.unclosed, "reason": trial.unclosed} if graph.has_loops else None,
        "inverse_dynamics": failed(trial.no_torques),
        "forward_dynamics": failed(trial.no_accelerations),
        "nodes": failed(trial.not_for_nodes),
        "agreement": asdict(agreement),
    }


CHECK = Command(
    "check",
    "errors and warnings of a robot description, its parts, agreement with Pinocchio",
    ABOUT,
    EXAMPLES,
    _add_arguments,
    _run,
)
