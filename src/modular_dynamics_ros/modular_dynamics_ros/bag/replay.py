"""The computation of dynamics_node over recorded messages, by the node's own classes.

Left out are a rate, the comparison with Pinocchio, and what is published while the input is stale. A new
description counts from where it stands in the bag.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics.motions import longest_interval
from modular_dynamics_ros.computation.black_boxes.offsets import SensorOffsets
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import CLOCK_SET_BACK, State
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival, check_age
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import BadMessage, RobotError, SettingError
from modular_dynamics_ros.messages.geometry import (
    base_state_from_message,
    fixed_frame_from_message,
    wrench_from_message,
)
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.node.joint_states import JointStates
from modular_dynamics_ros.node.session_node import AnswerRecord
from modular_dynamics_ros.node.settings import dynamics_settings, given_positions
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

ACCEPTED = "a larger --stale-after accepts it"
BY_RECORDER = f"the time of recording: {ACCEPTED}; --clock stamps compares it with the newest stamp instead"
BY_STAMPS = f"the newest stamp: {ACCEPTED}; --clock recorded compares it with the time of recording instead"
Array = NDArray[np.float64]
NEVER_OLD = 1 << 62  # arrival by the monotonic clock: only the bag's clock makes wrenches old
# types of the inputs
WRENCH, TRANSFORMS = "geometry_msgs/msg/WrenchStamped", "tf2_msgs/msg/TFMessage"
ODOMETRY, TRAJECTORY = "nav_msgs/msg/Odometry", "trajectory_msgs/msg/JointTrajectory"
#: The option that names a topic of a type, where there is one, and with which other one it is read.
OPTIONS = {
    ODOMETRY: ("--odometry", "--floating-base"),
    TRAJECTORY: ("--reference", "--acceleration-source reference"),
}
#: A node's topic of wrenches: the external one, or a black box's.
WRENCH_TOPIC = re.compile(r"(?P<node>/.+)/(external_wrench|black_box/[^/]+/wrench)")


def stamp_of(message: Any) -> int:
    """Return the stamp of a message [ns]; 0 if it is empty or the message has no header."""
    header = getattr(message, "header", None)
    return 0 if header is None else stamp_nanoseconds(header.stamp)


class RecordedNode:
    """Stands for a node whose time is that of the bag (see `SessionNode`).

    Args:
        by_stamps: whether that is the newest stamp so far; else when messages were recorded.
        logger: takes problems.

    Attributes:
        simulated: False, as the time is not that of /clock. clock: names the time that stamps are compared
        with, and the options that help, for messages.
    """

    simulated = False

    def __init__(self, logger: Any, *, by_stamps: bool) -> None:
        self._by_stamps, self._now = by_stamps, 0
        self.clock = BY_STAMPS if by_stamps else BY_RECORDER
        self.log = ChangeLog(logger, lambda: self._now * 1e-9)
        self.record: AnswerRecord | None = None  # of all joint states

    def advance(self, recorded: int, stamp: int) -> int:
        """Set the clock for a message (recording time and stamp or 0 [ns]), and return its arrival."""
        if not self._by_stamps:
            self._now = recorded
        elif stamp and (stamp > self._now or self._now - stamp > CLOCK_SET_BACK):
            self._now = stamp  # a much older stamp restarts the clock
        elif not self._now:
            return recorded
        return self._now

    def now(self) -> int:
        """Return the time of the bag [ns]."""
        return self._now

    def steady(self) -> int:
        """Return the bag's time [ns] as the monotonic clock, which nobody can set."""
        return self._now


class AwaitedJoints:
    """Counts the missing joints of joint states that timed out, and collects all names in the messages.

    Several publishers are merged: until all have begun, joint states wait. Once one is answered, that is no
    error.
    """

    def __init__(self) -> None:
        self._recorded: dict[str, None] = {}  # names, in their order
        self.counts = Counter[str]()  # joint states that timed out, by the joint that they waited for
        self._answered = False

    def continue_from(self, other: "AwaitedJoints") -> None:
        """Take over the counts: this robot replaces the other one in the bag."""
        self._recorded, self.counts, self._answered = other._recorded, other.counts, True

    def add(self, names: Iterable[str], missing: Sequence[str], *, answered: bool) -> None:
        """Count a joint state with these names, and the joints that it misses."""
        self._recorded.update(dict.fromkeys(names))
        if answered and not self._answered:
            self._answered = True
            self.counts.clear()
        self.counts.update(missing)

    def not_recorded(self) -> list[str]:
        """Return the joints that were awaited and that no joint state holds."""
        return [name for name in self.counts if name not in self._recorded]

    def others(self, joints: Iterable[str]) -> list[str]:
        """Return names in the messages that are not among these joints of the robot."""
        known = frozenset(joints)
        return [name for name in self._recorded if name not in known]


class ResidualFigures:
    """Residuals, measured less computed torques, of all answers by joint: root mean square, largest."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self._count = np.zeros(len(names), dtype=np.int64)
        self._norm, self._largest = np.zeros(len(names)), np.zeros(len(names))

    def add(self, residual: Array) -> None:
        """Add the residual of one answer; NaN where no effort is known."""
        known = ~np.isnan(residual)
        self._count += known
        self._norm[known] = np.hypot(self._norm[known], residual[known])  # squares may overflow
        self._largest[known] = np.maximum(self._largest[known], np.abs(residual[known]))

    def by_joint(self) -> dict[str, tuple[float, float]]:
        """Return (root mean square, largest) residual [N m or N] of the joints with efforts."""
        return {
            name: (float(self._norm[k] / np.sqrt(self._count[k])), float(self._largest[k]))
            for k, name in enumerate(self.names)
            if self._count[k]
        }


def input_topics(
    node: str, computation: Computation, wrenches: Iterable[str], odometry: str = "", reference: str = ""
) -> dict[str, str]:
    """Return the input topics of a node of this name, apart from joint states, with their types.

    Args:
        wrenches: recorded topics; those of all black boxes count, since a later robot may have others.
        odometry, reference: what the node's topics of these names are remapped to.
    """
    namespace = node.rpartition("/")[0]
    own = [topic for topic in wrenches if (found := WRENCH_TOPIC.fullmatch(topic)) and found["node"] == node]
    topics = {"/tf_static": TRANSFORMS, **dict.fromkeys(own, WRENCH)}
    if computation.base_states is not None:
        topics[odometry or f"{namespace}/odometry"] = ODOMETRY
    if computation.settings.acceleration_source == "reference":
        topics[reference or f"{namespace}/reference"] = TRAJECTORY
    return topics


class RecordedInputs:
    """Takes the messages of `input_topics` for one robot; reports bad ones, and keeps the last good ones.

    Messages for parts of another robot in the bag are ignored.

    Attributes:
        refused: number of bad messages, by input and cause.
    """

    def __init__(self, node: RecordedNode, computation: Computation, name: str) -> None:
        self._node, self._computation = node, computation
        self.refused = Counter[tuple[str, str]]()
        wrenches = computation.wrenches
        wrenches.links.fixed.unavailable = ""
        external = partial(self._wrench, "external wrench", None, wrenches.take_external)
        self._takes: dict[str, Callable[[Any], None]] = {f"{name}/external_wrench": external}
        for box in computation.robot.black_boxes:
            what, take = f"wrench of black box '{box}'", partial(wrenches.take_black_box, box)
            topic = f"{name}/black_box/{topic_name(box)}/wrench"
            self._takes[topic] = partial(self._wrench, what, box, take)

    def take(self, topic: str, kind: str, message: Any) -> None:
        """Pass a message of one of the topics to its input."""
        if topic in self._takes:
            self._takes[topic](message)
        elif kind == TRANSFORMS:
            self._static_frames(message)
        elif kind == ODOMETRY and self._computation.base_states is not None:
            self._odometry(message)
        elif kind == TRAJECTORY:
            self._reference(message)

    @contextmanager
    def _refusing(self, what: str) -> Iterator[None]:
        """Count and report a message to the input `what` that raises BadMessage."""
        try:
            yield
        except BadMessage as error:
            self.refused[what, error.cause] += 1
            self._node.log.problem(what, error.cause, f"refused: {error}")

    def _wrench(self, what: str, box: str | None, take: Callable[..., object], message: Any) -> None:
        now = self._node.now()
        with self._refusing(what):
            stamp = stamp_nanoseconds(message.header.stamp) or now
            valid_for, wrenches = self._computation.settings.stale_after, self._computation.wrenches
            check_age(stamp, now, valid_for, self._node.clock)
            frame = wrenches.links.frame(box, message.header.frame_id)
            wrenches.require_order(box, frame, stamp, now, valid_for)
            take(frame, wrench_from_message(message), Arrival(stamp, NEVER_OLD))

    def _static_frames(self, message: Any) -> None:
        for transform in message.transforms:
            with self._refusing("/tf_static"):
                child, parent, H_parent_child = fixed_frame_from_message(transform)
                link = self._computation.robot.link
                self._computation.wrenches.links.fixed.set(link(child), link(parent), H_parent_child)

    def _odometry(self, message: Any) -> None:
        robot, states = self._computation.robot, self._computation.base_states
        assert robot.base is not None  # else the topic is not read
        assert states is not None
        with self._refusing("odometry"):
            orientation, twist = base_state_from_message(message, robot, robot.base)
            stamp = stamp_nanoseconds(message.header.stamp) or self._node.now()
            states.require_order(stamp, self._node.now())
            states.add(stamp, orientation, twist)

    def _reference(self, message: Any) -> None:
        computation = self._computation
        with self._refusing("reference"):
            names, now = computation.robot.state_names, self._node.now()
            computation.accelerations.reference.add(trajectory_from_message(message, names, now), now)


class Result(NamedTuple):
    """An answer, and measured less computed efforts (m,) of the robot's `joint_names`; NaN: not measured."""

    answer: Answer
    residual: Array


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
    computation = Computation(robot, dynamics_settings(p))
    computation.wrenches.offsets = SensorOffsets(p.offsets_file)
    return computation


class RecordedAccelerations:
    """Accelerations of joints from all velocities of a recording, by a filter without delay.

    Each joint has its own stamps, as each publisher has. Parts between gaps are filtered separately, since
    the motion in a gap is unknown.

    Args:
        cutoff: [Hz].
    """

    def __init__(self, cutoff: float) -> None:
        self._cutoff = cutoff
        self._samples: dict[str, tuple[array[int], array[float]]] = {}
        self._parts: dict[str, list[tuple[NDArray[np.int64], Array]]] = {}

    def add(self, message: Any) -> None:
        """Add the velocities of a joint state; without stamp or velocities it is ignored."""
        if (stamp := stamp_of(message)) and len(message.velocity) == len(message.name):
            for name, velocity in zip(message.name, message.velocity, strict=True):
                if np.isfinite(velocity):
                    stamps, velocities = self._samples.setdefault(name, (array("q"), array("d")))
                    stamps.append(stamp)
                    velocities.append(velocity)

    def at(self, stamp: int, names: tuple[str, ...]) -> Array:
        """Return the accelerations of these joints at a stamp [ns].

        Raises:
            BadMessage: they are not known there.
        """
        return np.array([self._at(stamp, name) for name in names])

    def _at(self, stamp: int, name: str) -> float:
        if name not in self._parts:
            self._parts[name] = self._filtered(name)
        for stamps, accelerations in self._parts[name]:
            if stamps[0] <= stamp <= stamps[-1]:
                return float(
                    np.interp((stamp - stamps[0]) * 1e-9, (stamps - stamps[0]) * 1e-9, accelerations)
                )
        needed = f"{1.0 / self._cutoff:g} s, one every {longest_interval(self._cutoff):g} s"
        text = f"no acceleration of '{name}': the zero-phase filter needs velocities during {needed}"
        raise BadMessage("unfit for the filter", text)

    def _filtered(self, name: str) -> list[tuple[NDArray[np.int64], Array]]:
        """Return the filtered parts of a joint's record between gaps, if they are long enough."""
        stamps, velocities = map(np.array, self._samples.get(name, (array("q"), array("d"))))
        stamps, last = np.unique(stamps[::-1], return_index=True)  # the last of equal stamps is used
        velocities = velocities[::-1][last]
        gaps = np.flatnonzero(np.diff(stamps) * 1e-9 > longest_interval(self._cutoff)) + 1
        parts = []
        for own, v in zip(np.split(stamps, gaps), np.split(velocities, gaps), strict=True):
            try:
                a = md.filtered_accelerations((own - own[:1]) * 1e-9, v=v, cutoff=self._cutoff)
            except md.StateError:  # the part is too short
                continue
            parts.append((own, a))
        return parts


class Replay:
    """One robot and its recorded joint states.

    Attributes:
        record, awaited: what became of the joint states. inputs: takes all other messages.

    Args:
        recorded: accelerations that take the place of the node's.

    Raises:
        RobotError: a parameter contradicts the robot.
    """

    def __init__(
        self,
        node: RecordedNode,
        computation: Computation,
        parameters: DynamicsParameters,
        name: str,
        recorded: RecordedAccelerations | None = None,
    ) -> None:
        self._node, self.computation, self.robot = node, computation, computation.robot
        if node.record is None:
            node.record = AnswerRecord(node, lambda: parameters.stale_after)
            node.record.clock = node.clock
        self.record = node.record
        self.awaited = AwaitedJoints()
        if recorded is not None:
            names = self.robot.state_names
            computation.accelerations.recorded = lambda stamp: recorded.at(stamp, names)
        given = given_positions(parameters.absent_joints, self.robot.state_names)
        self._states = JointStates(  # with measured efforts
            node,
            computation,
            self._answer,
            self.record,
            given,
            efforts=lambda: True,
        )
        self.inputs = RecordedInputs(node, computation, name)
        self._last: Answer | None = None
        self._result: Result | None = None

    def continue_from(self, other: "Replay") -> None:
        """Take over the state of another robot, which this robot replaces in the bag."""
        self.awaited.continue_from(other.awaited)
        self.inputs.refused = other.inputs.refused
        self._states.continue_from(other._states)
        self.computation.keep_base_states(other.computation)
        self.computation.wrenches.links.fixed = other.computation.wrenches.links.fixed

    def receive(self, message: Any, arrival: int) -> Result | None:
        """Return the answer to a joint state; None if it gets none, which `record` counts.

        Args:
            arrival: by the bag's clock [ns].
        """
        self._result, incomplete = None, self.record.counts.incomplete
        self._states.receive(message, {"source_timestamp": 0, "received_timestamp": arrival})
        missing = self.record.missing if self.record.counts.incomplete > incomplete else ()
        self.awaited.add(message.name, missing, answered=self._result is not None)
        return self._result

    def _answer(self, state: State, arrival: int) -> None:
        now = self._node.now()
        answer = self.computation.compute(state, now, self._last, self.record.last)
        self._last = answer
        self.record.answered(answer, arrival, now, self.computation.settings.closure_tolerance)
        assert state.effort is not None  # `_states` reads them
        self._result = Result(answer, (state.effort - answer.effort)[self.robot.published])
