"""Joint states that wait for the description of their robot, each for a limited time."""

import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from sensor_msgs.msg import JointState

from modular_dynamics_ros.lifecycle.clocks import STEADY_CLOCK
from modular_dynamics_ros.node.interfaces import SessionNode

__all__ = ["MOST_WAITING", "WaitingState", "WaitingStates"]

MOST_WAITING = 500
LOOK_PERIOD = 0.02  # [s] between checks for states that have timed out


class WaitingState(NamedTuple):
    """A joint state with rclpy's info, which waits until a time of the monotonic clock [s]."""

    message: JointState
    info: dict[str, Any]
    until: float


class WaitingStates:
    """Keeps joint states in the order in which they came.

    Args:
        patience: for how long [s] each waits. give_up: takes one that has timed out, and the oldest
            where too many wait.
    """

    def __init__(
        self, node: SessionNode, patience: Callable[[], float], give_up: Callable[[WaitingState], None]
    ) -> None:
        self._node, self._patience, self._give_up = node, patience, give_up
        self._states: deque[WaitingState] = deque()
        self._timer: Any = None

    def add(self, message: JointState, info: dict[str, Any], until: float | None) -> None:
        """Let one wait; `until`: where it has waited before."""
        self._states.append(WaitingState(message, info, until or time.monotonic() + self._patience()))
        if len(self._states) > MOST_WAITING:
            self._give_up(self._states.popleft())
        self._watch()

    def deliver(self, deliver: Callable[[WaitingState], None]) -> None:
        """Hand over all waiting states; some of them may be added again.

        What `deliver` raises at one is logged: neither the others nor the robot that has come are to blame.
        """
        states, self._states = self._states, deque()
        for one in states:
            try:
                deliver(one)
            except Exception as error:  # noqa: PERF203  # few wait
                self._node.log.skipped("joint_states", error)
        self._watch()

    def clear(self) -> None:
        """Forget all that wait."""
        self._states.clear()
        self._watch()

    def _on_look(self) -> None:
        now = time.monotonic()
        while self._states and self._states[0].until < now:
            self._give_up(self._states.popleft())
        self._watch()

    def _watch(self) -> None:
        """Check for states that have timed out as long as some wait."""
        if self._states and self._timer is None:
            self._timer = self._node.create_timer(LOOK_PERIOD, self._on_look, clock=STEADY_CLOCK)
        elif not self._states and self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
