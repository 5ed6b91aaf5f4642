"""The fast path: joint states as almost all are, answered in fewer steps.

`StateInput` and `Computation` take whatever comes: parts of a robot, joint states that are late, missing
velocities, wrenches, closed loops. Here a joint state is taken that has nothing of this. Any other, and one
that cannot be answered, is left to them. The answers are the same.
"""

from typing import NamedTuple

from sensor_msgs.msg import JointState

from modular_dynamics.kernels.size_check import size_check
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.values import LARGEST
from modular_dynamics_ros.dynamics.fast_path.answers import FastAnswers
from modular_dynamics_ros.messages.joint_state_reader import Layout, positions_and_velocities
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.joint_states.state_input import StateInput

__all__ = ["FastPath"]


class _Expected(NamedTuple):
    """Where usual joint states are noted, and where the joints are in them."""

    states: StateInput
    layout: Layout


class FastPath:
    """Answers the usual joint states of a robot while they are expected."""

    def __init__(self, node: SessionNode, computation: Computation) -> None:
        self._now = node.now
        self._answers = FastAnswers(computation)
        self._joints = len(computation.robot.state_names)
        # as `all_usable` of positions and velocities, for which NumPy takes a tenth of all the time
        self._unusable = size_check(LARGEST, 2 * self._joints)
        self._expected: _Expected | None = None
        self._last: JointState | None = None  # that was answered here

    def expect(self, states: StateInput, names: list[str]) -> None:
        """After the regular path has answered one with these names: expect such, where that may be."""
        if self._answers.are_possible() and (layout := states.layout_of_all(names)) is not None:
            self._expected = _Expected(states, layout)

    def forget(self) -> None:
        """Expect none until the regular path has answered again: something changes."""
        self._expected = self._last = None

    def answer(self, message: JointState, *, rehearsal: bool = False) -> Answer | None:
        """The answer to a joint state; None where it is not usual, or cannot be answered.

        Args:
            rehearsal: answer as if its values came in time with the next stamp, and change nothing.
        """
        if self._expected is None:
            return None
        (states, layout), now = self._expected, self._now()
        stamp = stamp_nanoseconds(message.header.stamp)
        if rehearsal:
            stamp = now = states.latest + self._answers.period
        names, position, velocity = message.name, message.position, message.velocity
        count = len(names)
        if not states.is_next(stamp, now) or names != layout.names:
            return None
        if not len(position) == len(velocity) == count or len(message.effort) not in (0, count):
            return None
        values = positions_and_velocities(position, velocity, layout)
        q, v = values[: self._joints], values[self._joints :]
        answer = None if self._unusable(values) else self._answers.at(stamp, q, v, rehearsal=rehearsal)
        if rehearsal:
            return answer
        if answer is None:
            self.forget()
            return None
        states.take_all(stamp, q, v, now)
        self._last = message
        return answer

    def rehearse(self) -> Answer | None:
        """Answer the last usual joint state again, and change nothing; None where none is expected now.

        Then the processor has code and data in its nearest caches when the next joint state comes.
        """
        return None if self._last is None else self.answer(self._last, rehearsal=True)
