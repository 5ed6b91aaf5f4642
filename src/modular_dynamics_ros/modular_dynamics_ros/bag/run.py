"""A bag from its beginning to its end: which robot, which topics, what is written, and the report."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.progress import track

from modular_dynamics.shell.command import UsageError, printable, raise_if_read
from modular_dynamics_ros.bag.recording import Recorded, Recording
from modular_dynamics_ros.bag.replay import (
    OPTIONS,
    TRANSFORMS,
    WRENCH,
    AwaitedJoints,
    RecordedAccelerations,
    RecordedNode,
    Replay,
    ResidualFigures,
    counted,
    input_topics,
    load,
    nodes_with_wrenches,
    stamp_of,
)
from modular_dynamics_ros.bag.results import CsvResults
from modular_dynamics_ros.computation.accelerations.acceleration_source import filter_lag
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import Coverage
from modular_dynamics_ros.diagnostics.statuses import MessageCounts
from modular_dynamics_ros.exceptions import BagError, RobotError, listed
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

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


@dataclass
class Report:
    """Counts, residuals, and where the bag is damaged.

    Attributes:
        robot: its name. joints: whose states it needs. others: names in joint states that it does not have.
        clock: recorded or stamps. refused: messages beside joint states, by what they are of and cause.
        uncovered: answers with accelerations of zero because no reference covers them.
        damaged: messages whose bytes could not be read.
        damage: why the bag could not be read to its end; empty where it could.
    """

    parameters: DynamicsParameters
    zero_phase: bool = False
    robot: str = ""
    joints: Sequence[str] = ()
    others: Sequence[str] = ()
    clock: str = ""
    counts: MessageCounts = field(default_factory=MessageCounts)
    awaited: AwaitedJoints = field(default_factory=AwaitedJoints)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    uncovered: int = 0
    figures: dict[tuple[str, ...], ResidualFigures] = field(default_factory=dict)
    damaged: int = 0
    damage: str = ""
    written: list[str] = field(default_factory=list)

    @property
    def findings(self) -> bool:
        """Whether something is wrong with the recording."""
        causes = [*self.counts.rejected, *(cause for _, cause in self.refused)]
        bad = any(cause not in USUAL for cause in causes) or bool(self.awaited.counts)
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
        counts = self.counts
        rows = [
            f"{self.robot}: {counts.received} joint states, {counts.answered} answered "
            f"(clock: {'when they were recorded' if self.clock == 'recorded' else 'their stamps'})"
        ]
        rows += [f"  not answered, {cause}: {count}" for cause, count in sorted(counts.rejected.items())]
        awaited = self.awaited.lines(self.parameters.stale_after)
        unknown = f"    the bag has {listed(self.others) or 'no names'}; the robot has {listed(self.joints)}"
        steps = f"    {counted(counts.steps)}"
        for count, text, more in (
            (counts.incomplete, "read, while other joints are awaited", awaited),
            (counts.of_other_joints, "of other joints", [unknown]),
            (self.damaged, "messages that are damaged", []),
            (counts.steps.total(), "steps that the velocity limits do not allow", [steps]),
            (counts.closed_anew, "answered after a new search for the assembly mode", []),
            (self.uncovered, "answered with accelerations of zero, since no reference covers them", []),
        ):
            rows += [f"  {text}: {count}", *more] if count else []
        for (what, cause), count in sorted(self.refused.items()):
            reason = "" if cause == what else f", {cause}"
            rows.append(f"  {what} refused{reason}: {count}")
        return [*rows, *(f"written: {path}" for path in self.written)]

    def record(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        counts, source, refused = (
            self.counts,
            self.parameters.acceleration_source,
            dict[str, dict[str, int]](),
        )
        for (what, cause), count in sorted(self.refused.items()):
            refused.setdefault(what, {})[cause] = count
        lag = 0.0 if self.zero_phase else filter_lag(self.parameters.filter_cutoff)
        return {
            "robot": self.robot,
            "clock": self.clock,
            "received": counts.received,
            "answered": counts.answered,
            "incomplete": counts.incomplete,
            "awaited": dict(self.awaited.counts),
            "not_recorded": self.awaited.not_recorded(),
            "of_other_joints": counts.of_other_joints,
            "other_joints": list(self.others),
            "rejected": dict(counts.rejected),
            "refused": refused,
            "acceleration_source": source,
            "acceleration_lag": lag if source == "filtered" else None,  # [s]
            "answered_without_reference": self.uncovered,
            "closed_anew": counts.closed_anew,
            "impossible_steps": dict(counts.steps),
            "damaged_messages": self.damaged,
            "damage": self.damage,
            "residuals": {
                name: {"rms": rms, "largest": most} for name, (rms, most) in self.residuals.items()
            },
            "written": self.written,
        }


def run(arguments: argparse.Namespace, parameters: DynamicsParameters, left_out: Sequence[str]) -> Report:
    """Compute the torques of a bag, write them, and return the report.

    Args:
        left_out: what was asked for that does not count; each a warning.

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
    """The state of one call of the command."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        parameters: DynamicsParameters,
        recording: Recording,
        warnings: Warnings,
    ) -> None:
        self._arguments, self._parameters, self._recording = arguments, parameters, recording
        self._warnings, self._report = warnings, Report(parameters, zero_phase=arguments.zero_phase)
        self._description = ""
        computation = self._first_robot()
        self._report.clock = self._clock()
        self._node = RecordedNode(warnings, by_stamps=self._report.clock == "stamps")
        self._accelerations = self._recorded_accelerations() if arguments.zero_phase else None
        self._replay = Replay(self._node, computation, parameters, arguments.node, self._accelerations)
        self._csv: CsvResults | None = None

    def _first_robot(self) -> Computation:
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
                return self._warned(load(self._description, self._parameters, topic=topic))
        raise RobotError(f"the topic '{topic}' has no message that can be read: give --robot FILE")

    def _warned(self, computation: Computation) -> Computation:
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
            # a node has them when it begins; a recorder may hear them after what needs them
            for one in self._recording.messages(fixed):
                self._take(one)
            source = self._recording.messages(topics)
            try:
                total, quiet = self._recording.count(topics), self._warnings.quiet or not sys.stderr.isatty()
                console = self._warnings.console
                for one in track(source, "messages", total, console=console, transient=True, disable=quiet):
                    self._take(one)
            except BagError as error:
                if not report.counts.received and not self._replay.record.counts.received:
                    raise
                report.damage = str(error)
            except KeyboardInterrupt:
                for path in report.written[-1:]:
                    text = f"interrupted: '{printable(path)}' ends before the recording does"
                    print(f"modular-dynamics bag: {text}", file=sys.stderr)
                raise
        replay = self._replay
        report.robot, report.joints = replay.robot.graph.name, replay.robot.state_names
        report.others = replay.awaited.others(replay.robot.graph.joint_names)
        report.counts, report.awaited = replay.record.counts, replay.awaited
        report.refused = replay.inputs.refused
        return report

    def _recorded_inputs(self) -> dict[str, str]:
        """Return topics and types of the recorded inputs; warn if only other topics have an input's type.

        Raises:
            UsageError: a named topic is not an input. BagError: it is not recorded.
        """
        arguments, of_type = self._arguments, self._recording.of_type
        remapped = arguments.odometry, arguments.reference
        wanted = input_topics(arguments.node, self._replay.computation, of_type(WRENCH), *remapped)
        for (kind, (option, reason)), topic in zip(OPTIONS.items(), remapped, strict=True):
            if topic and topic not in wanted:
                raise UsageError(f"{option} {topic} is not read without {reason}")
            if topic:
                self._recording.require(topic, kind)
        for topic, kind in wanted.items():
            if kind in OPTIONS and topic not in (recorded := of_type(kind)) and recorded:
                text = f"the bag has no '{topic}', but {listed(recorded)}: give {OPTIONS[kind][0]} TOPIC"
                self._warnings.warning(text)
        nodes = nodes_with_wrenches(of_type(WRENCH))
        if nodes and arguments.node not in nodes:
            others = listed([topic for topics in nodes.values() for topic in topics])
            text = f"the bag has no wrenches for '{arguments.node}', but {others}, which do not count"
            self._warnings.warning(f"{text}: give --node {' or --node '.join(nodes)}")
        return {topic: kind for topic, kind in wanted.items() if topic in of_type(kind)}

    def _begin(self) -> None:
        robot = self._replay.robot
        if self._csv is not None:
            self._csv.begin(robot)
        names = robot.joint_names
        self._figures = self._report.figures.pop(names, ResidualFigures(names))
        self._report.figures[names] = self._figures

    def _take(self, one: Recorded) -> None:
        if one.message is None:
            self._report.damaged += 1
            return
        arrival = self._node.advance(one.time, stamp_of(one.message))
        if one.topic == self._arguments.joint_states:
            self._joint_state(one.message, arrival)
        elif one.topic == self._arguments.description:
            self._new_robot(one.message.data)
        else:
            self._replay.inputs.take(one.topic, self._kinds[one.topic], one.message)

    def _joint_state(self, message: Any, arrival: int) -> None:
        result = self._replay.receive(message, arrival)
        if result is None:
            return
        self._figures.add(result.residual)
        self._report.uncovered += result.answer.state.coverage is Coverage.NONE
        if self._csv is not None:
            self._csv.write(result)

    def _new_robot(self, description: str) -> None:
        if description == self._description:
            return
        try:
            computation = load(description, self._parameters, topic=self._arguments.description)
            name, accelerations = self._arguments.node, self._accelerations
            replay = Replay(self._node, computation, self._parameters, name, accelerations)
        except RobotError as error:
            self._replay.inputs.refused["robot_description", "the last robot stays"] += 1
            self._warnings.warning(f"robot_description refused, the last robot stays: {error}")
            return
        self._warned(computation)
        self._description = description
        replay.continue_from(self._replay)
        self._replay = replay
        self._begin()
