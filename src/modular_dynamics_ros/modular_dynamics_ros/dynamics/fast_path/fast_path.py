"""The fast path: joint states as almost all are, answered in fewer steps.

`StateInput` and `Computation` take whatever comes: parts of a robot, joint states that are late, missing
velocities, wrenches, closed loops. Here a joint state is taken that has nothing of this, as the middleware
delivers it. Any other, and one that cannot be answered, is left to them. The answers are the same.
"""

import time
from typing import NamedTuple

from sensor_msgs.msg import JointState

from modular_dynamics.kernels.size_check import size_check
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.values import LARGEST
from modular_dynamics_ros.dynamics.fast_path.answers import FastAnswers
from modular_dynamics_ros.messages.serialized.alike_joint_states import AlikeJointStates
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.joint_states.state_input import StateInput

__all__ = ["FastPath"]

REHEARSAL_PERIOD = 200_000  # [ns]: a rehearsal makes a joint state wait that comes meanwhile


class _Expected(NamedTuple):
    """Where usual joint states are noted, and what reads them."""

    states: StateInput
    alike: AlikeJointStates


class FastPath:
    """Answers the usual joint states of a robot while they are expected."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        self._now = node.now
        self._answers = FastAnswers(computation)
        self._joints = len(computation.robot.state_names)
        # as `all_usable` of positions and velocities, for which NumPy takes a tenth of all the time
        self._unusable = size_check(LARGEST, 2 * self._joints)
        self._expected: _Expected | None = None
        self._last: bytes | None = None  # joint state that was answered here
        self._next_rehearsal = 0  # [ns]

    def expect(self, states: StateInput, message: JointState) -> None:
        """After the regular path has answered a joint state: expect others like it, where that may be."""
        if not (self._joints and self._answers.are_possible()):
            return
        if (layout := states.layout_of_all(message.name)) is None:
            return
        before = self._expected
        alike = None if before is None or not before.alike.are_like(message, layout) else before.alike
        self._expected = _Expected(states, alike or AlikeJointStates(message, layout))

    def forget(self) -> None:
        """Expect none until the regular path has answered again: something changes."""
        self._expected = self._last = None

    def answer(self, data: bytes, *, rehearsal: bool = False) -> Answer | None:
        """The answer to a serialised joint state; None where it is not usual, or cannot be answered.

        Args:
            rehearsal: answer as if its values came in time with the next stamp, and change nothing.
        """
        if self._expected is None:
            return None
        states, alike = self._expected
        if (sample := alike.read(data)) is None:
            return None
        (stamp, values), now = sample, self._now()
        if rehearsal:
            stamp = now = states.latest + self._answers.period
        if not states.is_next(stamp, now):
            return None
        q, v = values[: self._joints], values[self._joints :]
        answer = None if self._unusable(values) else self._answers.at(stamp, q, v, rehearsal=rehearsal)
        if rehearsal:
            return answer
        if answer is None:
            self.forget()
            return None
        states.take_all(stamp, q, v, now)
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
