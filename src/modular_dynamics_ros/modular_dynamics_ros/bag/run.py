"""A bag from its beginning to its end: which robot, which topics, what is written, and the report."""

import argparse
import csv
import sys
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from modular_dynamics.shell.command import UsageError, printable, raise_if_read
from modular_dynamics.urdf import DescriptionHeader
from modular_dynamics_ros.bag.recording import Recorded, Recording
from modular_dynamics_ros.bag.replay import (
    OPTIONS,
    TRANSFORMS,
    WRENCH,
    WRENCH_TOPIC,
    RecordedAccelerations,
    RecordedNode,
    Replay,
    ResidualFigures,
    Result,
    input_topics,
    load,
    stamp_of,
)
from modular_dynamics_ros.computation.accelerations.acceleration_source import filter_lag
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import Robot, header_of
from modular_dynamics_ros.computation.values import Coverage
from modular_dynamics_ros.diagnostics.statuses import MessageCounts
from modular_dynamics_ros.exceptions import BadMessage, BagError, RobotError, listed
from modular_dynamics_ros.messages.stamps import description_of, stamp_seconds
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")  # of wrenches, in columns such as fx_SUBSYSTEM
TEXT, JOINT_STATE = "std_msgs/msg/String", "sensor_msgs/msg/JointState"
#: Causes that are no error of a recording: a filter begins, and several publishers overtake each other.
USUAL = ("filter starts", "older than the last answer", "older than the last one")


class Warnings:
    """Takes the log of a node; each line goes to stderr, above the progress bar.

    Args:
        quiet: whether nothing is printed.
    """

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.console = Console(stderr=True)

    def info(self, message: str) -> None:
        """Print one line."""
        if not self.quiet:
            self.console.print(printable(message), markup=False, highlight=False, soft_wrap=True)

    def warning(self, message: str) -> None:
        """Print one line."""
        self.info(f"warning: {message}")

    def error(self, message: str) -> None:
        """Print one line."""
        self.info(f"error: {message}")


class CsvResults:
    """Columns: time [s] of the joint state's stamp, tau_JOINT, residual_JOINT, wrenches of connections.

    Cells are empty where a number is not known: residuals of joints without effort. A wrench is what holds
    the subsystem, in the frame that ~/connections/SUBSYSTEM/wrench of dynamics_node names. For a robot with
    other joints or subsystems than the one before, another file begins: torques.csv, torques_2.csv, ...

    Attributes:
        paths: of all files, the present one last.

    Args:
        motion: whether q_JOINT, v_JOINT and a_JOINT, which the torques were computed from, are written, too.
    """

    def __init__(self, path: str, *, motion: bool) -> None:
        self.paths, self._motion = list[str](), motion
        self._head: list[str] = []
        self._open(path)

    def _open(self, path: str) -> None:
        self._file: Any = open(Path(path), "w", encoding="utf-8", newline="")  # noqa: SIM115  # until `close`
        self._writer = csv.writer(self._file, lineterminator="\n")
        self.paths.append(path)

    def begin(self, robot: Robot) -> None:
        """Begin the answers of another robot."""
        moving = [f"{letter}_{name}" for letter in "qva" for name in robot.state_names] * self._motion
        head = [
            "time",
            *moving,
            *(f"tau_{name}" for name in robot.joint_names),
            *(f"residual_{name}" for name in robot.joint_names),
            *(f"{part}_{one.name}" for one in robot.graph.subsystems for part in COMPONENTS),
        ]
        if self._head and head != self._head:
            self.close()
            first = Path(self.paths[0])
            self._open(str(first.with_stem(f"{first.stem}_{len(self.paths) + 1}")))
        if head != self._head:
            self._writer.writerow(head)
        self._head, self._robot = head, robot

    def write(self, result: Result) -> None:
        """Write one answer."""
        answer, robot = result.answer, self._robot
        state = answer.state
        parts: Sequence[Any] = (state.q, state.v, state.a) if self._motion else ()
        wrenches = [answer.dynamics.connection_wrench(k)[1] for k in range(len(robot.graph.subsystems))]
        values = np.concatenate([*parts, answer.effort[robot.published], result.residual, *wrenches]).tolist()
        # the shortest text that gives the same number
        cells = ["" if value != value else repr(value) for value in values]  # noqa: PLR0124  # NaN
        self._writer.writerow([stamp_seconds(state.stamp), *cells])

    def close(self) -> None:
        """Finish; no more answers follow."""
        self._file.close()


#: What the text says of entries of the report that are not empty.
TEXTS = {
    "incomplete": "read, while other joints are awaited",
    "not_recorded": "  in no joint state, so that --absent-joints JOINT:=POSITION must give a position",
    "awaited": "  without a position in the last stale_after (a larger --stale-after lets older ones count)",
    "of_other_joints": "of other joints",
    "other_joints": "  names that the robot does not have",
    "damaged_messages": "messages that are damaged",
    "closed_anew": "answered after a new search for the assembly mode",
    "answered_without_reference": "answered with accelerations of zero, since no reference covers them",
}


@dataclass
class Report:
    """Counts, residuals, and where the bag is damaged.

    Attributes:
        replay: of the last robot. clock: recorded or stamps. figures: residuals, by joint names of a robot.
        uncovered: answers with accelerations of zero because no reference covers them.
        damaged: messages whose bytes could not be read.
        damage: why the bag could not be read to its end; empty where it could. written: paths of files.
    """

    parameters: DynamicsParameters
    clock: str
    replay: Replay
    zero_phase: bool
    uncovered: int = 0
    figures: dict[tuple[str, ...], ResidualFigures] = field(default_factory=dict)
    damaged: int = 0
    damage: str = ""
    written: list[str] = field(default_factory=list)

    @property
    def counts(self) -> MessageCounts:
        """Number of joint states by what became of them."""
        return self.replay.record.counts

    @property
    def others(self) -> list[str]:
        """Names in joint states that the robot does not have."""
        return self.replay.awaited.others(self.replay.robot.graph.joint_names)

    @property
    def findings(self) -> bool:
        """Whether something is wrong with the recording."""
        causes = [*self.counts.rejected, *(cause for _, cause in self.replay.inputs.refused)]
        bad = any(cause not in USUAL for cause in causes) or bool(self.replay.awaited.counts)
        return bad or bool(self.damaged or self.damage or not self.counts.answered)

    @property
    def residuals(self) -> dict[str, tuple[float, float]]:
        """(Root mean square, largest) [N m or N] by joint with efforts, of the last robot."""
        return list(self.figures.values())[-1].by_joint() if self.figures else {}

    def accelerations(self) -> str:
        """One line on the source of accelerations in the residuals; empty if they have no influence."""
        p = self.parameters
        if p.output == "gravity" or p.acceleration_source == "reference":
            return ""
        if p.acceleration_source == "zero":
            return "accelerations: zero (--zero-phase takes them from velocities)"
        if self.zero_phase:
            return f"accelerations: of velocities, not delayed (zero-phase filter of {p.filter_cutoff:g} Hz)"
        late = f"{1e3 * filter_lag(p.filter_cutoff):.0f} ms late at {p.filter_cutoff:g} Hz"
        return f"accelerations: as the node's, {late} (--zero-phase does not delay them)"

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        record = self.record()
        clock = "when they were recorded" if self.clock == "recorded" else "their stamps"
        counts = f"{record['received']} joint states, {record['answered']} answered"
        rows = [f"{record['robot']}: {counts} (clock: {clock})"]
        rows += [f"  not answered, {cause}: {count}" for cause, count in sorted(record["rejected"].items())]
        rows += [f"  {text}: {_shown(record[name])}" for name, text in TEXTS.items() if record[name]]
        for what, causes in record["refused"].items():
            rows += [f"  {what} refused, {cause}: {count}" for cause, count in causes.items()]
        return [*rows, *(f"written: {path}" for path in self.written)]

    def record(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        counts, awaited, source = self.counts, self.replay.awaited, self.parameters.acceleration_source
        refused: dict[str, dict[str, int]] = {}
        for (what, cause), count in sorted(self.replay.inputs.refused.items()):
            refused.setdefault(what, {})[cause] = count
        lag = 0.0 if self.zero_phase else filter_lag(self.parameters.filter_cutoff)
        return {
            "robot": self.replay.robot.graph.name,
            "clock": self.clock,
            "received": counts.received,
            "answered": counts.answered,
            "incomplete": counts.incomplete,
            "awaited": dict(awaited.counts),
            "not_recorded": awaited.not_recorded(),
            "of_other_joints": counts.of_other_joints,
            "other_joints": self.others,
            "rejected": dict(counts.rejected),
            "refused": refused,
            "acceleration_source": source,
            "acceleration_lag": lag if source == "filtered" else None,  # [s]
            "answered_without_reference": self.uncovered,
            "closed_anew": counts.closed_anew,
            "damaged_messages": self.damaged,
            "damage": self.damage,
            "residuals": {
                name: {"rms": rms, "largest": most} for name, (rms, most) in self.residuals.items()
            },
            "written": self.written,
        }


def _shown(value: int | list[str] | dict[str, int]) -> str:
    """Return a number, names, or numbers by name, the largest ones first, as text."""
    if isinstance(value, dict):
        return ", ".join(f"'{name}' ({count})" for name, count in Counter(value).most_common())
    return listed(value) if isinstance(value, list) else str(value)


def run(arguments: argparse.Namespace, parameters: DynamicsParameters, left_out: Sequence[str]) -> Report:
    """Compute the torques of a bag, write them, and return the report.

    Args:
        left_out: texts about ignored settings; each a warning.

    Raises:
        BagError: nothing can be read, or written. RobotError: there is no robot, or it cannot be used.
        UsageError: the CSV is a file that is read.
    """
    robot = (arguments.robot, parameters.robot_description_file, parameters.partition_file)
    raise_if_read("--csv", arguments.csv, (arguments.recording, arguments.params_file, *robot))
    warnings = Warnings(quiet=arguments.quiet)
    for text in left_out:
        warnings.warning(text)
    with Recording(arguments.recording) as recording:
        recording.require(arguments.joint_states, JOINT_STATE)
        return _Run(arguments, parameters, recording, warnings).report()


class _Run:
    """Reads one bag and fills in its report."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        parameters: DynamicsParameters,
        recording: Recording,
        warnings: Warnings,
    ) -> None:
        self._arguments, self._parameters, self._recording = arguments, parameters, recording
        self._warnings, self._description = warnings, ""
        self._mark: DescriptionHeader | None = None  # of the present description, if it is not a file's
        # descriptions with a stamp, until a joint state needs them
        self._pending = deque[tuple[DescriptionHeader, str]]()
        computation, clock = self._first_robot(), self._clock()
        self._node = RecordedNode(warnings, by_stamps=clock == "stamps")
        self._accelerations = self._recorded_accelerations() if arguments.zero_phase else None
        replay = self._replay_of(computation)
        self._report = Report(parameters, clock, replay, arguments.zero_phase)
        self._csv: CsvResults | None = None

    def _replay_of(self, computation: Computation) -> Replay:
        return Replay(self._node, computation, self._parameters, self._arguments.node, self._accelerations)

    def _first_robot(self) -> Computation:
        """Return the computation of the robot that a file, or the first description in the bag, names."""
        file = self._arguments.robot or self._parameters.robot_description_file
        if file:
            return self._warned(load(file, self._parameters))
        topic = self._arguments.description
        if topic not in self._recording.topics:
            raise RobotError(f"the bag has no topic '{topic}' with a robot: give --robot FILE")
        self._recording.require(topic, TEXT)
        for one in self._recording.messages([topic]):
            if one.message is not None:
                self._description = one.message.data
                computation = load(self._description, self._parameters, topic=topic)
                self._mark = header_of(self._description)
                return self._warned(computation)
        raise RobotError(f"the topic '{topic}' has no message that can be read: give --robot FILE")

    def _warned(self, computation: Computation) -> Computation:
        """Return the computation after printing the warnings about its robot."""
        for text in computation.robot.warnings:
            self._warnings.warning(text)
        return computation

    def _recorded_accelerations(self) -> RecordedAccelerations:
        """Return accelerations from a first pass over the joint states; `report` handles damage."""
        accelerations = RecordedAccelerations(self._parameters.filter_cutoff)
        with suppress(BagError):
            for one in self._recording.messages([self._arguments.joint_states]):
                if one.message is not None:
                    accelerations.add(one.message)
        return accelerations

    def _clock(self) -> str:
        """Return the clock to use, "recorded" or "stamps"; "auto" compares the first stamp."""
        if self._arguments.clock != "auto":
            return str(self._arguments.clock)
        for one in self._recording.messages([self._arguments.joint_states]):
            stamp = 0 if one.message is None else stamp_of(one.message)
            if stamp:
                age = abs(one.time - stamp) * 1e-9
                return "recorded" if age <= self._parameters.stale_after else "stamps"
        return "recorded"

    def report(self) -> Report:
        """Read the bag to its end, and return the report."""
        arguments, report = self._arguments, self._report
        self._kinds = self._recorded_inputs()
        fixed = [topic for topic, kind in self._kinds.items() if kind == TRANSFORMS]
        inputs = [topic for topic in self._kinds if topic not in fixed]
        described = [arguments.description] if self._description else []
        topics = [arguments.joint_states, *inputs, *described]
        with ExitStack() as stack:
            if arguments.csv is not None:
                self._csv = CsvResults(arguments.csv, motion=arguments.motion)
                stack.callback(self._csv.close)
                report.written = self._csv.paths
            self._begin()
            # a node has them when it starts; in a bag they may come after what needs them
            for one in self._recording.messages(fixed):
                self._take(one)
            source = self._recording.messages(topics)
            try:
                total, quiet = self._recording.count(topics), self._warnings.quiet or not sys.stderr.isatty()
                console = self._warnings.console
                for one in track(source, "messages", total, console=console, transient=True, disable=quiet):
                    self._take(one)
            except BagError as error:
                if not report.counts.received:
                    raise
                report.damage = str(error)
        return report

    def _recorded_inputs(self) -> dict[str, str]:
        """Return topics and types of the recorded inputs; warn if only other topics have an input's type.

        Raises:
            UsageError: a named topic is not an input. BagError: it is not recorded.
        """
        arguments, of_type = self._arguments, self._recording.of_type
        remapped = arguments.odometry, arguments.reference
        wanted = input_topics(arguments.node, self._report.replay.computation, of_type(WRENCH), *remapped)
        for (kind, (option, reason)), topic in zip(OPTIONS.items(), remapped, strict=True):
            if topic and topic not in wanted:
                raise UsageError(f"{option} {topic} is not read without {reason}")
            if topic:
                self._recording.require(topic, kind)
        read = {topic: kind for topic, kind in wanted.items() if topic in of_type(kind)}
        for kind, option in ((WRENCH, "--node"), *((kind, option) for kind, (option, _) in OPTIONS.items())):
            others = [topic for topic in of_type(kind) if kind != WRENCH or WRENCH_TOPIC.fullmatch(topic)]
            is_input = kind == WRENCH or kind in wanted.values()
            if others and is_input and kind not in read.values():
                self._warnings.warning(f"not read: {listed(others)}; {option} names what is")
        return read

    def _begin(self) -> None:
        """Begin the answers of the report's robot."""
        robot = self._report.replay.robot
        if self._csv is not None:
            self._csv.begin(robot)
        names = robot.joint_names
        self._figures = self._report.figures.pop(names, ResidualFigures(names))
        self._report.figures[names] = self._figures

    def _take(self, one: Recorded) -> None:
        """Handle one recorded message."""
        if one.message is None:
            self._report.damaged += 1
            return
        arrival = self._node.advance(one.time, stamp_of(one.message))
        if one.topic == self._arguments.joint_states:
            self._joint_state(one.message, arrival)
        elif one.topic == self._arguments.description:
            self._take_description(one.message.data)
        else:
            self._report.replay.inputs.take(one.topic, self._kinds[one.topic], one.message)

    def _joint_state(self, message: Any, arrival: int) -> None:
        try:
            self._select_robot(message.header.frame_id)
        except BadMessage as error:
            self._report.replay.record.unanswerable(error)
            return
        result = self._report.replay.receive(message, arrival)
        if result is None:
            return
        self._figures.add(result.residual)
        self._report.uncovered += result.answer.state.coverage is Coverage.NONE
        if self._csv is not None:
            self._csv.write(result)

    def _take_description(self, description: str) -> None:
        """Replace the robot by that of a description; by one with a stamp when a joint state needs it."""
        with suppress(RobotError):  # `_new_robot` reports it
            mark = header_of(description)
            if mark.stamp is not None:
                self._pending.append((mark, description))
                return
        self._new_robot(description)

    def _select_robot(self, frame_id: str) -> None:
        """Use the description that a joint state names, or the newest one if it names none.

        Descriptions and joint states are different topics: they are recorded in any order.

        Raises:
            BadMessage: it names another description.
        """
        named = description_of(frame_id)
        if named is None or any(named == mark for mark, _ in self._pending):
            while self._pending and named != self._mark:
                self._new_robot(self._pending.popleft()[1])
        if named is not None and self._mark is not None and named != self._mark:
            name, stamp = named
            text = f"it belongs to another description, '{name[:60]}' since {stamp_seconds(stamp)}"
            raise BadMessage("another robot", text)

    def _new_robot(self, description: str) -> None:
        """Replace the robot by that of a new description, unless it cannot be used."""
        if description == self._description:
            return
        try:
            computation = load(description, self._parameters, topic=self._arguments.description)
            replay = self._replay_of(computation)
        except RobotError as error:
            self._report.replay.inputs.refused["robot_description", "the last robot stays"] += 1
            self._warnings.warning(f"robot_description refused, the last robot stays: {error}")
            return
        self._warned(computation)
        self._description, self._mark = description, header_of(description)
        replay.continue_from(self._report.replay)
        self._report.replay = replay
        self._begin()
