"""Joint states of one robot: read, merged, counted, and handed on to be answered."""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import Array, State
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.joint_state_reader import JointSample, JointStateReader, Layout
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.joint_states.answer_record import OVERTAKEN, AnswerRecord
from modular_dynamics_ros.node.joint_states.joint_steps import JointSteps, Steps
from modular_dynamics_ros.node.joint_states.merged_joints import JointValues, MergedJoints
from modular_dynamics_ros.node.joint_states.publishers import Publishers
from modular_dynamics_ros.node.joint_states.state_stamp import state_stamp

if TYPE_CHECKING:  # the command bag runs without ROS
    from sensor_msgs.msg import JointState

__all__ = ["Answering", "StateInput"]

MOST_OTHERS = 8  # messages of other joints that are kept: a robot may be attached that has them

Answering = Callable[[State, int], None]
"""Takes a state and its arrival [ns of the system]; raises BadMessage where it cannot be answered."""


class StateInput:
    """Reads, merges and hands on the joint states of one robot, which `Succession` selects.

    A message may hold some of the joints. It is answered, with its own stamp, as soon as the values of all
    joints that are needed are not older than stale_after; of each joint the newest counts that is not newer
    than the stamp.

    Args:
        answer: takes each state, at once or later. record: of what becomes of the messages.
        given: positions of joints that no message holds [rad or m]; of joints in `state_names` only.
        other_joints: joints of which a message may hold no more, and is answered all the same: those of the
            robot that other nodes answer for.
        efforts: whether measured efforts are asked for now, see `State`.
    """

    def __init__(
        self,
        node: SessionNode,
        computation: Computation,
        answer: Answering,
        record: AnswerRecord,
        given: Mapping[str, float],
        other_joints: Collection[str] = (),
        efforts: Callable[[], bool] = lambda: False,
    ) -> None:
        self._node = node
        self._computation, self._answer, self._record = computation, answer, record
        self._efforts = efforts
        robot = computation.robot
        self._reader = JointStateReader(robot.state_names, robot.passive_names)
        self._merged = MergedJoints(robot.state_names, robot.passive_names, given)
        self._late = MergedJoints(robot.state_names, robot.passive_names, {})  # came too late to be answered
        self._steps = JointSteps(robot, Publishers(node))
        self._sources: dict[tuple[str, ...], int] = {}  # by names in messages of some joints
        self._needed = {*robot.state_names} - given.keys()
        self._other_joints = frozenset(other_joints)
        self._known = {*robot.graph.joint_names, *other_joints}
        self._of_others: deque[JointState] = deque(maxlen=MOST_OTHERS)
        self._changed: ref[StateInput] | None = None  # input of the changed robot that replaced this one

    @property
    def _valid_for(self) -> int:
        """Return the parameter stale_after in ns."""
        return round(self._computation.settings.stale_after * 1e9)

    def continue_from(self, other: "StateInput") -> None:
        """Take over what is known of the joints of the robot before its change, removed ones included.

        What still comes for that one counts here, too: a publisher of other joints may be late.
        """
        self._merged.continue_from(other._merged)
        self._late.continue_from(other._late)
        self._of_others = other._of_others
        # an older one may be of another robot, which had a joint of the name
        oldest = self._node.now() - self._valid_for
        for message in list(self._of_others):
            if (stamp := stamp_nanoseconds(message.header.stamp)) and stamp >= oldest:
                self._note(message, stamp)
        other._changed = ref(self)

    def _note(self, message: "JointState", stamp: int) -> None:
        """Merge the values of a message that the robot before its change received."""
        try:
            sample = self._reader.read(message, efforts=self._efforts())
        except BadMessage:
            return  # reported by that one, or with its publisher's next one
        if len(sample.layout.joints) or sample.layout.optional:
            self._merged.add(sample, stamp)
        self._note_changed(message, stamp)

    def _note_changed(self, message: "JointState", stamp: int) -> None:
        changed = None if self._changed is None else self._changed()
        if changed is not None:
            changed._note(message, stamp)

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether a message with these names holds all needed joints."""
        return self._needed <= set(names)

    def knows(self, names: Sequence[str]) -> bool:
        """Return whether all these names are joints of the robot."""
        return self._known >= set(names)

    def receive(self, message: "JointState", info: dict[str, Any]) -> None:
        """Answer a message, or count and report why not.

        Args:
            info: rclpy's.
        """
        self._record.counts.received += 1
        now = self._node.now()
        self._computation.accelerations.note_time(now)
        self._steps.note_time(now)
        horizon = now + self._valid_for
        for known in (self._merged, self._late):
            known.forget_after(horizon)
        try:
            sample = self._reader.read(message, efforts=self._efforts())
            if self._of_other_joints(sample.layout):
                self._of_others.append(message)
                self._note_changed(message, state_stamp(message, info, self._node))
                return
            stamp = sample.stamp or state_stamp(message, info, self._node)
            missing = self._merge(sample, stamp, now, info)
            self._note_changed(message, stamp)
            if (values := self._values(sample, stamp, now, missing)) is not None:
                self._answer(self._state(stamp, values), info["received_timestamp"])
        except BadMessage as error:
            self._record.rejected(error)

    def _values(
        self, sample: JointSample, stamp: int, now: int, missing: tuple[str, ...]
    ) -> JointValues | None:
        """Return the values for answering a merged message; None if joints are missing.

        The positions of an unanswered message are noted.

        Raises:
            BadMessage: a newer message was answered, or holds newer values of other joints.
        """
        try:
            self._record.require_order(stamp, now)
            values = None if missing else self._merged.at(sample, stamp, now - self._valid_for)
            if values is None and not missing:
                raise BadMessage(OVERTAKEN, "newer values of joints that it does not hold came before it")
        except BadMessage:
            self._note_position(max(stamp, self._merged.latest))
            raise
        if missing:
            self._record.counts.incomplete += 1
            self._note_position(stamp)
        return values

    def layout_of_all(self, names: list[str]) -> Layout | None:
        """Return the layout of messages with these names, one of which was just answered.

        None where they do not hold all joints, the last one lacked a velocity, or a robot that was changed
        has to read them, too.
        """
        layout = self._reader.layout(names)
        alone = layout.complete and not layout.optional and self._changed is None
        return layout if alone and self._merged.with_velocities else None

    @property
    def positions(self) -> dict[str, float]:
        """Return last measured positions [rad or m] by joint, including those of the robot before."""
        return self._merged.measured(self._late)

    @property
    def latest(self) -> int:
        """Return the latest stamp [ns] of a joint's value."""
        return self._merged.latest

    def is_next(self, stamp: int, now: int) -> bool:
        """Return whether a message with a stamp [ns] is fresh, follows all others, and needs no effort."""
        last = self._record.counts.last_stamp
        if stamp == 0 or last is None or stamp < last or stamp <= self._merged.latest:
            return False
        return self._record.is_fresh(stamp, now) and not self._efforts()

    def take_all(self, stamp: int, q: Array, v: Array, now: int, number: int) -> None:
        """Take the values of all joints (n,) of the next message.

        Args:
            now: the time [ns]. number: that the publisher has given the message; 0: not known.
        """
        record, merged = self._record, self._merged
        record.counts.received += 1
        record.counts.input_age = (now - stamp) * 1e-9
        record.missing = ()
        self._computation.accelerations.note_time(now)
        merged.with_velocities = True
        merged.add_all(q, v, None, stamp)
        if (steps := self._steps.take_all(q, stamp, number)).text:
            self._report(steps)

    def _of_other_joints(self, layout: Layout) -> bool:
        """Return whether messages hold only irrelevant joints; count the message."""
        none = not len(layout.joints) and not layout.optional and self._other_joints.isdisjoint(layout.names)
        self._record.counts.of_other_joints += none
        return none

    def _merge(self, sample: JointSample, stamp: int, now: int, info: dict[str, Any]) -> tuple[str, ...]:
        """Merge the values of a fresh message; return the joints without a valid value now [ns]."""
        self._require_fresh(sample, stamp, now, info["received_timestamp"])
        self._compare(sample, stamp, info.get("publication_sequence_number") or 0)
        complete = self._merged.add(sample, stamp)
        self._record.missing = () if complete else self._merged.missing(now - self._valid_for)
        return self._record.missing

    def _compare(self, sample: JointSample, stamp: int, number: int) -> None:
        """Report positions that contradict earlier ones."""
        layout = sample.layout
        if layout.complete:
            found = self._steps.take_all(sample.q, stamp, number)
        else:
            source = self._sources.setdefault(tuple(layout.names), len(self._sources) + 1)
            found = self._steps.take(layout.joints, sample.q, stamp, source, number)
        if found.text:
            self._report(found)

    def _report(self, steps: Steps) -> None:
        counts = self._record.counts
        counts.contradictions.update(steps.contradicting)
        counts.steps.update(steps.stepping)
        cause = "contradiction" if steps.contradicting else "step"
        self._node.log.problem("joint_states", cause, steps.text)

    def _require_fresh(self, sample: JointSample, stamp: int, now: int, arrival: int) -> None:
        try:
            self._record.require_fresh(stamp, now, arrival)
        except BadMessage:
            if stamp <= now:  # it may hold the newest known positions of its joints
                self._late.add(sample, stamp)
                self._note_position(stamp)
            raise

    def _note_position(self, stamp: int) -> None:
        """Note joint positions of an unanswered message with this stamp [ns].

        A joint without a new position is assumed not to have moved.
        """
        newest = self._merged.newest_of(self._late, stamp - self._valid_for)
        self._computation.note_position(stamp, *newest)

    def _state(self, stamp: int, values: JointValues) -> State:
        """Return the joints' values at a stamp as a state; report its tolerated defects."""
        log, computation, (q, v, measured, effort) = self._node.log, self._computation, values
        without = tuple[str, ...]()
        if not self._merged.with_velocities:
            absent = np.isnan(v)
            without, v = self._merged.named(absent), np.where(absent, 0.0, v)
        effort_or_none = effort if self._merged.has_efforts else None
        state = computation.observe(stamp, q, v, without, measured, effort_or_none)
        if without and computation.needs_velocity:
            log.problem("joint_states", "no velocity", f"no velocity of {listed(without)}: taken as zero")
        if state.coverage.doubtful:
            log.problem("reference", state.coverage.name.lower(), state.coverage.value)
        return state
