"""A bag through the computation of dynamics_node, by the node's own classes: messages, CSV, and the report.

Left out are the comparison with Pinocchio, and what is published while the input is stale.
"""

import argparse
import csv
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from modular_dynamics.shell.command import printable
from modular_dynamics_ros.bag.recording import Recorded, Recording
from modular_dynamics_ros.computation.accelerations.acceleration_source import filter_lag
from modular_dynamics_ros.computation.black_boxes.offsets import SensorOffsets
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.robot import Robot, header_of, load_robot
from modular_dynamics_ros.computation.values import CLOCK_SET_BACK, Coverage, State
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival, check_age
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import BadMessage, BagError, RobotError, SettingError, listed
from modular_dynamics_ros.messages.geometry import base_state_from_message, wrench_from_message
from modular_dynamics_ros.messages.stamps import description_of, stamp_nanoseconds, stamp_seconds
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.node.joint_states import JointStates
from modular_dynamics_ros.node.session_node import AnswerRecord
from modular_dynamics_ros.node.settings import given_positions, settings_of
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

Array = NDArray[np.float64]
NEVER_OLD = 1 << 62  # arrival by the monotonic clock: only the bag's time makes wrenches old
TEXT, JOINT_STATE = "std_msgs/msg/String", "sensor_msgs/msg/JointState"
WRENCH, ODOMETRY = "geometry_msgs/msg/WrenchStamped", "nav_msgs/msg/Odometry"
TRAJECTORY = "trajectory_msgs/msg/JointTrajectory"
#: A node's topic of wrenches: the external one, or a black box's.
WRENCH_TOPIC = re.compile(r"(?P<node>/.+)/(external_wrench|black_box/[^/]+/wrench)")
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")  # of wrenches, in columns such as fx_SUBSYSTEM
#: Causes that are no error of a recording: a filter begins, and several publishers overtake each other.
USUAL = ("filter starts", "older than the last result", "older than the last one")
#: What the text says of entries of the report that are not empty.
TEXTS = {
    "incomplete": "read, while other joints are awaited",
    "not_recorded": "  in no joint state, so that absent_joints must give a position",
    "awaited": "  without a position in the last stale_after (a larger one lets older ones count)",
    "of_other_joints": "of other joints",
    "other_joints": "  names that the robot does not have",
    "damaged_messages": "messages that are damaged",
    "closed_anew": "processed after a new search for the assembly mode",
    "time_restarts": "stamps that set the time back, as of a simulation that restarts, or damaged",
    "processed_without_reference": "processed with accelerations of zero, since no reference covers them",
}


def stamp_of(message: Any) -> int:
    """Return the stamp of a message [ns]; 0 if it is empty or the message has no header."""
    header = getattr(message, "header", None)
    return 0 if header is None else stamp_nanoseconds(header.stamp)


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


class RecordedNode:
    """Stands for a node whose time is that of the bag (see `SessionNode`).

    Args:
        by_stamps: whether that is the newest stamp so far; else when messages were recorded.
        logger: takes problems.

    Attributes:
        simulated: False, as the time is not that of /clock. restarts: how often a stamp set the time back.
    """

    simulated = False

    def __init__(self, logger: Any, *, by_stamps: bool) -> None:
        self._by_stamps, self._now, self.restarts = by_stamps, 0, 0
        self.log = ChangeLog(logger, lambda: self._now * 1e-9)

    def advance(self, recorded: int, stamp: int) -> int:
        """Set the clock for a message (recording time and stamp or 0 [ns]), and return its arrival."""
        if not self._by_stamps:
            self._now = recorded
        elif stamp > self._now:
            self._now = stamp
        elif stamp and self._now - stamp > CLOCK_SET_BACK:
            back = (self._now - stamp) * 1e-9
            text = f"a stamp is {back:g} s older than the newest: the time restarts there, as of a simulation"
            self.log.event("clock", "set back", f"{text}; else one of the two stamps is damaged")
            self._now, self.restarts = stamp, self.restarts + 1
        return self._now or recorded

    def now(self) -> int:
        """Return the time of the bag [ns]."""
        return self._now

    def steady(self) -> int:
        """Return the bag's time [ns] as the monotonic clock, which nobody can set."""
        return self._now


class Residuals:
    """Residuals of all answers by joint: root mean square, largest."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._count = np.zeros(len(names), dtype=np.int64)
        self._norm, self._largest = np.zeros(len(names)), np.zeros(len(names))

    def add(self, residual: Array) -> None:
        """Add the residual of one answer; NaN where no effort is known."""
        known = ~np.isnan(residual)
        self._count += known
        self._norm[known] = np.hypot(self._norm[known], residual[known])  # squares may overflow
        self._largest[known] = np.maximum(self._largest[known], np.abs(residual[known]))

    def by_joint(self) -> dict[str, dict[str, float]]:
        """Return the root mean square and the largest residual [N m or N] of the joints with efforts."""
        return {
            name: {"rms": float(self._norm[k] / np.sqrt(self._count[k])), "largest": float(self._largest[k])}
            for k, name in enumerate(self._names)
            if self._count[k]
        }


class CsvResults:
    """Columns: time [s] of the joint state's stamp, tau_JOINT, residual_JOINT, wrenches of connections.

    Cells are empty where a number is not known: residuals of joints without effort. A wrench is what holds
    the subsystem, in the frame that ~/connections/SUBSYSTEM/wrench of dynamics_node names.

    Args:
        motion: whether q_JOINT, v_JOINT and a_JOINT, which the torques were computed from, are written, too.

    Raises:
        OSError: the file cannot be written; `write` and `close` likewise.
    """

    def __init__(self, path: str, robot: Robot, *, motion: bool) -> None:
        self._path, self._robot, self._motion = path, robot, motion
        moving = [f"{letter}_{name}" for letter in "qva" for name in robot.state_names] * motion
        with self._naming_the_file():
            self._file: Any = open(Path(path), "w", encoding="utf-8", newline="")  # noqa: SIM115  # until `close`
            self._writer = csv.writer(self._file, lineterminator="\n")
            self._writer.writerow(
                [
                    "time",
                    *moving,
                    *(f"tau_{name}" for name in robot.joint_names),
                    *(f"residual_{name}" for name in robot.joint_names),
                    *(f"{part}_{one.name}" for one in robot.graph.subsystems for part in COMPONENTS),
                ]
            )

    def write(self, answer: Answer, residual: Array) -> None:
        """Write one answer, and the measured less computed efforts (m,); NaN: not measured."""
        state, robot = answer.state, self._robot
        parts: Sequence[Any] = (state.q, state.v, state.a) if self._motion else ()
        tree, count = answer.dynamics.tree, len(robot.graph.subsystems)
        wrenches = [tree.connection_wrench_in_link(k)[1] for k in range(count)]
        values = np.concatenate([*parts, answer.effort[robot.published], residual, *wrenches]).tolist()
        # the shortest text that gives the same number
        cells = ["" if value != value else repr(value) for value in values]  # noqa: PLR0124  # NaN
        with self._naming_the_file():
            self._writer.writerow([stamp_seconds(state.stamp), *cells])

    def close(self) -> None:
        """Finish; no more answers follow."""
        with self._naming_the_file():
            self._file.close()

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        """Name the file in errors of the system, which do not where the disk is full."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._path) from error


def load(description: str, parameters: DynamicsParameters, *, topic: str = "") -> Computation:
    """Read a robot as dynamics_node does.

    Args:
        description: path or, of a topic, text. topic: empty: it is a path, and xacro may be expanded.

    Raises:
        RobotError: it cannot be used.
    """
    p = parameters
    if p.gravity_source == "imu":
        text = "gravity_source 'imu' is not read from bags; give the gravity in the root link's frame"
        raise RobotError(text)
    if (p.acceleration_source, p.reference_type) == ("reference", "controller_state"):
        text = "reference_type 'controller_state' is not read from bags; take another acceleration_source"
        raise RobotError(text)
    try:
        robot = load_robot(
            description,
            p.partition_file,
            p.gravity,
            () if topic else p.xacro_arguments,
            "odometry" if p.floating_base else "",
            frame_prefix=p.frame_prefix,
            strict=p.strict,
        )
    except RobotError as error:
        if not topic or isinstance(error, SettingError):
            raise
        raise RobotError(f"robot of the topic '{topic}': {error}; --robot FILE replaces it") from error
    computation = Computation(robot, settings_of(p))
    computation.wrenches.offsets = SensorOffsets(p.offsets_file)
    return computation


class Replay:
    """One robot, and the messages of a bag that go through its computation.

    Args:
        name: full name of the node, below which its topics are. mark: of the robot's description, where joint
        states may name it.

    Attributes:
        node: as given. record: what became of the joint states. refused: number of other bad messages, by
        input and cause. topics: of the inputs beside joint states, with their types. names: of joints in all
        joint states.
        awaited: joint states that timed out after the first answer, by the joint that they waited for.
        uncovered: answers with accelerations of zero because no reference covers them.
        write: may be set; gets each answer, and measured less computed efforts (m,) of the robot's
        `joint_names`, NaN where none was measured.

    Raises:
        RobotError: a parameter contradicts the robot.
    """

    def __init__(
        self,
        node: RecordedNode,
        computation: Computation,
        parameters: DynamicsParameters,
        name: str,
        mark: tuple[str, int | None] | None = None,
    ) -> None:
        self.node, self._computation, self.robot, self._mark = node, computation, computation.robot, mark
        self.record = AnswerRecord(node, lambda: parameters.stale_after)
        self.record.clock = self._clock = "the bag's newest time: a larger stale_after accepts it"
        self.refused = Counter[tuple[str, str]]()
        self.names, self.awaited, self.uncovered = dict[str, None](), Counter[str](), 0
        self.residuals = Residuals(self.robot.joint_names)
        given = given_positions(parameters.absent_joints, self.robot.state_names)
        self._states = JointStates(  # with measured efforts
            node,
            computation,
            self._answer,
            self.record,
            given,
            efforts=lambda: True,
        )
        self.write: Callable[[Answer, Array], None] = lambda answer, residual: None
        namespace, wrenches = name.rpartition("/")[0], computation.wrenches
        external = partial(self._wrench, None, wrenches.take_external)
        self._inputs: dict[str, tuple[str, str, Callable[[Any], None]]] = {
            f"{name}/external_wrench": (WRENCH, "external wrench", external),
        }
        for box in self.robot.black_boxes:
            take = partial(self._wrench, box, partial(wrenches.take_black_box, box))
            topic = f"{name}/black_box/{topic_name(box)}/wrench"
            self._inputs[topic] = WRENCH, f"wrench of black box '{box}'", take
        if computation.base_states is not None:
            self._inputs[f"{namespace}/odometry"] = ODOMETRY, "odometry", self._odometry
        if computation.settings.acceleration_source == "reference":
            self._inputs[f"{namespace}/reference"] = TRAJECTORY, "reference", self._reference
        self.topics = {topic: kind for topic, (kind, _, _) in self._inputs.items()}

    def joint_state(self, message: Any, arrival: int) -> None:
        """Answer a joint state that arrives [ns] by the bag's clock; `record` counts what becomes of it."""
        self.names.update(dict.fromkeys(message.name))
        counts = self.record.counts
        processed, incomplete = counts.processed, counts.incomplete
        try:
            self._require_described(message.header.frame_id)
        except BadMessage as error:
            self.record.unanswerable(error)
            return
        self._states.receive(message, {"source_timestamp": 0, "received_timestamp": arrival})
        self.awaited.update(self.record.missing if counts.incomplete > incomplete else ())
        if not processed and counts.processed:  # until all publishers have begun, waiting is no error
            self.awaited.clear()

    def _require_described(self, frame_id: str) -> None:
        """Raise BadMessage where a joint state names another description than the robot's."""
        named = description_of(frame_id)
        if named is not None and self._mark is not None and named != self._mark:
            name, stamp = named
            text = f"it belongs to another description, '{name[:60]}' since {stamp_seconds(stamp)}"
            raise BadMessage("another robot", text)

    def _answer(self, state: State, arrival: int) -> None:
        now = self.node.now()
        answer = self._computation.compute(state, now, self.record.last)
        self.record.processed(answer, arrival, now, self._computation.settings.closure_tolerance)
        self.uncovered += state.coverage is Coverage.NONE
        assert state.effort is not None  # `_states` reads them
        residual = (state.effort - answer.effort)[self.robot.published]
        self.residuals.add(residual)
        self.write(answer, residual)

    def input(self, topic: str, message: Any) -> None:
        """Pass a message of one of `topics` to its input; count and report it where it is refused."""
        _, what, take = self._inputs[topic]
        try:
            take(message)
        except BadMessage as error:
            self.refused[what, error.cause] += 1
            self.node.log.problem(what, error.cause, f"refused: {error}")

    def _wrench(self, box: str | None, take: Callable[..., object], message: Any) -> None:
        now = self.node.now()
        stamp = stamp_of(message) or now
        valid_for, wrenches = self._computation.settings.stale_after, self._computation.wrenches
        check_age(stamp, now, valid_for, self._clock)
        frame = wrenches.links.frame(box, message.header.frame_id)
        wrenches.require_order(box, frame, stamp, now, valid_for)
        take(frame, wrench_from_message(message), Arrival(stamp, NEVER_OLD))

    def _odometry(self, message: Any) -> None:
        states = self._computation.base_states
        assert self.robot.base is not None  # else the topic is not read
        assert states is not None
        orientation, twist = base_state_from_message(message, self.robot, self.robot.base)
        stamp = stamp_of(message) or self.node.now()
        states.require_order(stamp, self.node.now())
        states.add(stamp, orientation, twist)

    def _reference(self, message: Any) -> None:
        now = self.node.now()
        trajectory = trajectory_from_message(message, self.robot.state_names, now)
        self._computation.accelerations.reference.add(trajectory, now)


class Report:
    """Counts, residuals, and where the bag is damaged.

    Attributes:
        damaged: messages whose bytes could not be read.
        damage: why the bag could not be read to its end; empty where it could. written: path of the CSV.
    """

    def __init__(self, parameters: DynamicsParameters, replay: Replay) -> None:
        self._parameters, self._replay = parameters, replay
        self.damaged, self.damage, self.written = 0, "", ""

    @property
    def findings(self) -> bool:
        """Whether something is wrong with the recording."""
        replay, counts = self._replay, self._replay.record.counts
        causes = [*counts.rejected, *(cause for _, cause in replay.refused)]
        bad = any(cause not in USUAL for cause in causes) or bool(replay.awaited)
        return bad or bool(self.damaged or self.damage or not counts.processed)

    def accelerations(self) -> str:
        """One line on the source of accelerations in the residuals; empty if they have no influence."""
        p = self._parameters
        if p.output == "gravity" or p.acceleration_source == "reference":
            return ""
        if p.acceleration_source == "zero":
            return "accelerations: zero (-p acceleration_source:=filtered takes them from velocities)"
        late = f"{1e3 * filter_lag(p.filter_cutoff):.0f} ms late at {p.filter_cutoff:g} Hz"
        return f"accelerations: as the node's, {late}"

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        record = self.record()
        rows = [f"{record['robot']}: {record['received']} joint states, {record['processed']} processed"]
        rows += [f"  not processed, {cause}: {count}" for cause, count in sorted(record["rejected"].items())]
        rows += [f"  {text}: {_shown(record[name])}" for name, text in TEXTS.items() if record[name]]
        for what, causes in record["refused"].items():
            rows += [f"  {what} refused, {cause}: {count}" for cause, count in causes.items()]
        return [*rows, f"written: {self.written}"] if self.written else rows

    def record(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        replay, counts, source = (
            self._replay,
            self._replay.record.counts,
            self._parameters.acceleration_source,
        )
        refused: dict[str, dict[str, int]] = {}
        for (what, cause), count in sorted(replay.refused.items()):
            refused.setdefault(what, {})[cause] = count
        known = frozenset(replay.robot.graph.joint_names)
        return {
            "robot": replay.robot.graph.name,
            "received": counts.received,
            "processed": counts.processed,
            "incomplete": counts.incomplete,
            "awaited": dict(replay.awaited),
            "not_recorded": [name for name in replay.awaited if name not in replay.names],
            "of_other_joints": counts.of_other_joints,
            "other_joints": [name for name in replay.names if name not in known],
            "rejected": dict(counts.rejected),
            "refused": refused,
            "acceleration_source": source,
            "acceleration_lag": filter_lag(self._parameters.filter_cutoff) if source == "filtered" else None,
            "processed_without_reference": replay.uncovered,
            "closed_anew": counts.closed_anew,
            "time_restarts": replay.node.restarts,
            "damaged_messages": self.damaged,
            "damage": self.damage,
            "residuals": replay.residuals.by_joint(),
            "written": self.written,
        }


def _shown(value: int | list[str] | dict[str, int]) -> str:
    """Return a number, names, or numbers by name, the largest ones first, as text."""
    if isinstance(value, dict):
        return ", ".join(f"'{name}' ({count})" for name, count in Counter(value).most_common())
    return listed(value) if isinstance(value, list) else str(value)


def run(
    arguments: argparse.Namespace, parameters: DynamicsParameters, recording: Recording, warnings: Warnings
) -> Report:
    """Compute the torques of a bag, write them, and return the report.

    Raises:
        BagError: nothing can be read. RobotError: there is no robot, or it cannot be used. OSError: the CSV
        cannot be written.
    """
    recording.require(arguments.joint_states, JOINT_STATE)
    description, computation = _robot(arguments, parameters, recording)
    for text in computation.robot.warnings:
        warnings.warning(text)
    states = (one.message for one in recording.messages([arguments.joint_states]) if one.message)
    node = RecordedNode(warnings, by_stamps=stamp_of(next(states, None)) != 0)
    mark = header_of(description) if description else None
    replay = Replay(node, computation, parameters, arguments.node, mark)
    report = Report(parameters, replay)
    inputs = [topic for topic, kind in replay.topics.items() if topic in recording.of_type(kind)]
    others = [topic for topic in recording.of_type(WRENCH) if WRENCH_TOPIC.fullmatch(topic)]
    if others and not set(others).intersection(inputs):
        warnings.warning(f"not read: {listed(others)}; --node names the node whose wrenches count")

    def take(one: Recorded) -> None:
        if one.message is None:
            report.damaged += 1
            return
        arrival = node.advance(one.time, stamp_of(one.message))
        if one.topic == arguments.joint_states:
            replay.joint_state(one.message, arrival)
        elif one.topic in replay.topics:
            replay.input(one.topic, one.message)
        elif one.message.data != description:
            text = f"another robot description came on '{arguments.description}': what follows is not read"
            raise BagError(f"{text}; --robot FILE answers all joint states with one robot")

    topics = [arguments.joint_states, *inputs]
    topics += [arguments.description] if description else []
    quiet = warnings.quiet or not sys.stderr.isatty()
    with ExitStack() as stack:
        if arguments.csv is not None:
            results = CsvResults(arguments.csv, computation.robot, motion=arguments.motion)
            stack.callback(results.close)
            report.written, replay.write = arguments.csv, results.write
        messages, count, console = recording.messages(topics), recording.count(topics), warnings.console
        try:
            for one in track(messages, "messages", count, console=console, transient=True, disable=quiet):
                take(one)
        except BagError as error:
            if not replay.record.counts.received:
                raise
            report.damage = str(error)
    return report


def _robot(
    arguments: argparse.Namespace, parameters: DynamicsParameters, recording: Recording
) -> tuple[str, Computation]:
    """Return the first description in the bag, empty with a file, and the computation of its robot."""
    if file := arguments.robot or parameters.robot_description_file:
        return "", load(file, parameters)
    if (topic := arguments.description) not in recording.topics:
        raise RobotError(f"the bag has no topic '{topic}' with a robot: give --robot FILE")
    recording.require(topic, TEXT)
    for one in recording.messages([topic]):
        if one.message is not None:
            return one.message.data, load(one.message.data, parameters, topic=topic)
    raise RobotError(f"the topic '{topic}' has no message that can be read: give --robot FILE")
