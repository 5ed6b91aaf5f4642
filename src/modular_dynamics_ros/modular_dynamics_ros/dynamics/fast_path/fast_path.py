"""The fast path: joint states as almost all are, answered in fewer steps.

`StateInput` and `Computation` take whatever comes: parts of a robot, joint states that are late, missing
velocities, wrenches, closed loops. Here a joint state is taken that has nothing of this, as the middleware
delivers it. Any other, and one that cannot be answered, is left to them. The answers are the same.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.dynamics.fast_path.answers import FastAnswers
from modular_dynamics_ros.messages.joint_state_reader import Layout
from modular_dynamics_ros.messages.serialized import alike_joint_states
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.joint_states.state_input import StateInput

__all__ = ["FastPath"]

REHEARSAL_PERIOD = 200_000  # [ns]: a rehearsal makes a joint state wait that comes meanwhile


MOST_KINDS = 8  # largest number of known layouts of joint states: one for each publisher


class _Kind(NamedTuple):
    """What joint states of one layout have in common; `efforts`: their number."""

    layout: Layout
    frame_id: str
    efforts: int


class FastPath:
    """Answers the usual joint states of a robot while they are expected."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        self._now = node.now
        self._answers = FastAnswers(computation)
        self._joints = len(computation.robot.state_names)
        self._states: StateInput | None = None  # input that records them, while messages are expected
        self._readers: dict[_Kind, Callable[[bytes, Array], int | None]] = {}  # readers of the known kinds
        self._seen: deque[_Kind] = deque(maxlen=MOST_KINDS)
        self._last: bytes | None = None  # last joint state that was answered here
        self._next_rehearsal = 0  # [ns]

    def expect(self, states: StateInput, message: JointState) -> None:
        """Expect messages like this one, which the regular path has answered, if they are readable."""
        if not self._answers.are_possible() or (layout := states.layout_of_all(message.name)) is None:
            return
        self._states = states
        self._learn(_Kind(layout, message.header.frame_id, len(message.effort)), message)

    def _learn(self, kind: _Kind, message: JointState) -> None:
        """Learn to read messages of this kind: the first and repeated ones. It takes as long as an answer."""
        if kind in self._readers:
            return
        if self._readers and kind not in self._seen:
            self._seen.append(kind)
            return
        if len(self._readers) == MOST_KINDS:
            self._readers.pop(next(iter(self._readers)))  # the oldest
        self._readers[kind] = alike_joint_states(message, kind.layout)

    def forget(self) -> None:
        """Expect no messages until the regular path has answered again, because something changes."""
        self._states = self._last = None

    def answer(
        self, data: bytes, since: int = 0, number: int = 0, *, rehearsal: bool = False
    ) -> Answer | None:
        """Return the answer to a serialised joint state; None if it is unusual or cannot be answered.

        Args:
            since: the robot is so from this stamp [ns] on. number: of the publisher's; 0: not known.
            rehearsal: answer as if its values came in time with the next stamp, and change nothing.
        """
        if (states := self._states) is None:
            return None
        joints = self._joints
        values = np.empty(2 * joints)
        for read in self._readers.values():
            if (stamp := read(data, values)) is not None:
                break
        else:
            return None
        now = self._now()
        if rehearsal:
            stamp = now = states.latest + self._answers.period
        if stamp < since or not states.is_next(stamp, now):
            return None
        q, v = values[:joints], values[joints:]
        answer = self._answers.at(stamp, q, v, rehearsal=rehearsal)
        if rehearsal:
            return answer
        if answer is None:
            self.forget()
            return None
        states.take_all(stamp, q, v, now, number)
        self._last = data
        return answer

    def rehearse(self) -> Answer | None:
        """Answer the last usual joint state again, and change nothing.

        Then the processor has code and data in its nearest caches when the next joint state comes. None where
        none is expected now, or the last time was just now.
        """
        if (now := time.monotonic_ns()) < self._next_rehearsal:
            return None
        self._next_rehearsal = now + REHEARSAL_PERIOD
        return None if self._last is None else self.answer(self._last, rehearsal=True)
