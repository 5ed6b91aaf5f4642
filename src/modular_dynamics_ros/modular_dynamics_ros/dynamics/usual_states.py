"""Joint states as almost all are, answered in fewer steps than `StateInput` and `Computation` need.

Those two take whatever comes: parts of a robot, joint states that are late, missing velocities, wrenches,
closed loops. Here a joint state is taken that has nothing of this. Any other, and one that cannot be
answered, is left to them as if nobody had looked at it. The answers are the same.
"""

import time
from array import array

import numpy as np
from sensor_msgs.msg import JointState

from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.usual_answers import UsualAnswers
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.messages.joint_state_reader import Layout
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.joint_states.state_input import StateInput

__all__ = ["UsualStates"]

EXPECTED_FOR = 20_000_000  # [ns] until a joint state goes the long way again, which looks at everything


class UsualStates:
    """Answers the usual joint states of a robot while they may be expected."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        self._now = node.now
        self._answers = UsualAnswers(computation)
        self._until = 0  # [ns] of the steady clock: they are expected
        self._states: StateInput
        self._layout: Layout
        self._valid_for = 0  # stale_after [ns]
        self._last: JointState | None = None  # that was answered here

    def expect(self, states: StateInput, names: list[str]) -> None:
        """After an answer to a joint state with these names: expect more of them, if that may be."""
        self._answers.look()
        if self._answers.possible and (layout := states.layout_of_all(names)) is not None:
            self._states, self._layout, self._valid_for = states, layout, states.valid_for
            self._until = time.monotonic_ns() + EXPECTED_FOR

    def forget(self) -> None:
        """Expect none, because something changes."""
        self._until, self._last = 0, None

    def answer(self, message: JointState) -> Answer | None:
        """The answer to a joint state; None where it is not usual, or cannot be answered."""
        if time.monotonic_ns() >= self._until:
            return None
        states, now, stamp = self._states, self._now(), stamp_nanoseconds(message.header.stamp)
        if abs(now - stamp) > self._valid_for or stamp <= states.latest:
            return None
        if (values := self._values(message)) is None:
            return None
        q, v = values
        if (answer := self._answers.at(stamp, q, v)) is not None:
            states.take_all(stamp, q, v, now)
            self._last = message
        return answer

    def rehearse(self, last: Answer) -> bool:
        """Do all that `answer` does, and change nothing; whether usual joint states are expected.

        Then the processor has code and data in its nearest caches when the next joint state comes.

        Args:
            last: what was answered last.
        """
        if self._last is None or time.monotonic_ns() >= self._until:
            return False
        stamp_nanoseconds(self._last.header.stamp)
        self._values(self._last)
        self._answers.rehearse(last)
        return self._states.latest > 0

    def _values(self, message: JointState) -> tuple[Array, Array] | None:
        """Positions and velocities (n,) of all joints; None where a message does not hold just these."""
        layout, names = self._layout, message.name
        position, velocity, count = message.position, message.velocity, len(names)
        if names != layout.names or not len(position) == len(velocity) == count:
            return None
        if len(message.effort) not in (0, count):
            return None
        numbers = array("d", position)
        numbers.extend(velocity)
        values, joints = np.asarray(numbers), len(layout.joints)
        if layout.sources is not None:
            values = values[layout.sources]
        return values[:joints], values[joints:]
