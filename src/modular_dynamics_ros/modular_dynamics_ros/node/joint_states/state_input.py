"""Joint states of one robot: read, merged, counted, and handed on to be answered."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import State
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.joint_state_reader import JointSample, JointStateReader
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.joint_states.answer_record import AnswerRecord
from modular_dynamics_ros.node.joint_states.merged_joints import MergedJoints

__all__ = ["Answering", "StateInput"]

MOST_OTHERS = 8  # messages of other joints that are kept: a robot may be attached that has them

Answering = Callable[[State, int], None]
"""Takes a state and its arrival [ns of the system]; raises BadMessage where it cannot be answered."""


class StateInput:
    """What becomes of each joint state of a robot; `Succession` says which are.

    A message may hold some of the joints. It is answered, with its own stamp, as soon as the values of all
    joints that are needed are not older than stale_after; the newest of each joint counts.

    Args:
        answer: takes each state, at once or later. record: of what becomes of the messages.
        given: positions of joints that no message holds [rad or m].

    Raises:
        RobotError: a given position of a joint whose state is not needed.
    """

    def __init__(
        self,
        node: SessionNode,
        computation: Computation,
        answer: Answering,
        record: AnswerRecord,
        given: Mapping[str, float],
    ) -> None:
        self._node = node
        self._computation, self._answer, self._record = computation, answer, record
        robot = computation.robot
        self._reader = JointStateReader(robot.state_names, robot.passive_names)
        self._merged = MergedJoints(robot.state_names, robot.passive_names, given)
        self._needed = {*robot.state_names} - given.keys()
        self._known = {*robot.graph.joint_names}
        self._of_others: deque[JointState] = deque(maxlen=MOST_OTHERS)

    def continue_from(self, other: "StateInput") -> None:
        """Know what is known of the joints of a robot that was changed, also of those that it had not."""
        self._merged.continue_from(other._merged)
        self._of_others = other._of_others
        for message in list(self._of_others):
            stamp = stamp_nanoseconds(message.header.stamp)
            try:
                sample = self._reader.read(message)
            except BadMessage:
                continue  # its publisher's next one is reported
            if stamp and len(sample.q):
                self._merged.add(sample, stamp, stamp)

    def fits(self, names: Sequence[str]) -> bool:
        """Whether a message with these names holds all joints that are needed."""
        return self._needed <= set(names)

    def knows(self, names: Sequence[str]) -> bool:
        """Whether all these names are joints of the robot."""
        return self._known >= set(names)

    def receive(self, message: JointState, info: dict[str, Any], superseded: bool) -> None:
        """Answer a message, or count and report why not.

        Args:
            info: rclpy's. superseded: a newer message waits, so that this one is only read.
        """
        counts = self._record.counts
        counts.received += 1
        try:
            sample = self._reader.read(message)
            if not len(sample.q) and not sample.layout.optional:
                counts.of_other_joints += 1
                self._of_others.append(message)
                return
            now = self._node.now()
            stamp = sample.stamp or self._sent(info, now)
            self._require_fresh(sample, stamp, now)
            valid_for = round(self._computation.settings.stale_after * 1e9)
            complete = self._merged.add(sample, stamp, now + valid_for)
            if superseded:
                counts.superseded += 1
                return
            self._record.require_order(stamp, now)
            partly = not complete or len(self._merged.optional) > 0
            if partly and (missing := self._merged.fill(now - valid_for, now + valid_for)):
                self._record.missing = missing
                counts.incomplete += 1
                # where nothing else is known of the missing joints, they are taken to be where they were
                self._computation.note_late_position(
                    stamp, self._merged.q.copy(), self._merged.optional.copy()
                )
                return
            self._answer(self._state(stamp), info["received_timestamp"])
        except BadMessage as error:
            self._record.rejected(error)

    def _require_fresh(self, sample: JointSample, stamp: int, now: int) -> None:
        try:
            self._record.require_fresh(stamp, now)
        except BadMessage:
            if stamp <= now and sample.layout.complete:  # the best that is known of the robot
                self._computation.note_late_position(stamp, sample.q, sample.optional)
            raise

    def _sent(self, info: dict[str, Any], now: int) -> int:
        """When a message without a stamp was sent [ns], as far as the middleware knows."""
        sent = info["source_timestamp"] or info["received_timestamp"]
        return now if self._node.simulated else min(sent, now)

    def _state(self, stamp: int) -> State:
        """The merged joints with this stamp [ns]; flaws with which they are answered are reported."""
        log, computation, merged = self._node.log, self._computation, self._merged
        without = merged.without_velocity()
        v = np.nan_to_num(merged.v, nan=0.0) if without else merged.v.copy()
        state = computation.observe(stamp, merged.q.copy(), v, without, merged.optional.copy())
        if without and computation.needs_velocity:
            log.problem("joint_states", "no velocity", f"no velocity of {listed(without)}: taken as zero")
        if state.coverage.doubtful:
            log.problem("reference", state.coverage.name.lower(), state.coverage.value)
        return state
